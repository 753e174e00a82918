//! The table of programs, `programs.txt`, and how arguments are sorted by it: the twin of
//! `truepath.calls.shell.programs`. The format is described at the top of that file.

use crate::reader::WILD;

/// The table; `export.py` copies it from the Python side.
const PROGRAMS: &str = include_str!("../programs.txt");

/// One line of the table.
pub struct Rule {
    /// `--` or `-?` where paths follow a revision.
    dashes: &'static str,
    heads: Vec<Role>,
    each: Option<Role>,
    tails: Vec<Role>,
    options: Vec<&'static str>,
    anything: bool,
    single: bool,
    /// It has PowerShell's parameters, which only Python reads.
    pub cmdlet: bool,
    /// What follows its first option are tests: `find`.
    pub tests: bool,
    /// It lists or searches.
    pub discovers: bool,
}

/// What a program does with an argument.
#[derive(Clone, Copy, Default)]
pub struct Role {
    pub name: &'static str,
    pub kind: &'static str,
    /// A path only if it looks like one.
    pub likely: bool,
    pub optional: bool,
}

/// What an option takes, and what it means for the rest.
#[derive(Default)]
struct Taken {
    values: usize,
    attached: bool,
    role: Option<Role>,
    then: &'static str,
    replaces: bool,
    optional: bool,
}

/// The arguments of a program, sorted.
#[derive(Default)]
pub struct Arguments<'a> {
    pub operands: Vec<&'a str>,
    pub valued: Vec<(&'a str, Role)>,
    /// Its paths need not exist.
    pub optional: bool,
    /// `stop`, `module` or `shell`: what the value of an option is.
    pub then: &'static str,
    pub value: &'a str,
    /// The words of the program that this one runs.
    pub rest: &'a [&'a str],
    replaced: bool,
    before_dashes: Option<usize>,
    leading: Option<usize>,
}

/// Return the rule of a program, or of a subcommand, such as `git log`.
pub fn rule(name: &str) -> Option<Rule> {
    let line = entries().filter(|line| !line.starts_with(['#', '%'])).filter(|line| {
        let (names, _) = line.split_once('|').unwrap_or(("", ""));
        names.split(',').any(|each| each.trim() == name)
    });
    parsed(line.last()?)
}

/// Return the plain name of a program and its rule.
pub fn rule_of(program: &str) -> (&str, Option<Rule>) {
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let version = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-';
    match (rule(name), name.trim_end_matches(version)) {
        (None, "") => (name, None),
        (None, bare) => (bare, rule(bare)),
        (known, _) => (name, known),
    }
}

/// The lines of the table; a line that begins with a blank continues the one before.
fn entries() -> impl Iterator<Item = &'static str> {
    let mut rest = PROGRAMS;
    std::iter::from_fn(move || {
        let end = |at: &usize| !rest[at + 1..].starts_with(' ');
        let at = rest.match_indices('\n').map(|(at, _)| at).find(end)?;
        let line = &rest[..at];
        rest = &rest[at + 1..];
        Some(line)
    })
}

fn parsed(line: &'static str) -> Option<Rule> {
    let mut fields = line.splitn(4, '|').skip(2);
    let mut words: Vec<&str> = fields.next().unwrap_or("").split_whitespace().collect();
    let dashed = matches!(words.first(), Some(&("--" | "-?")));
    let dashes = if dashed { words.remove(0) } else { "" };
    let repeated = words.iter().position(|word| word.ends_with("...")).unwrap_or(words.len());
    let mut roles: Vec<Role> = words.iter().map(|word| role(word.trim_end_matches('.'))).collect();
    let mut tails = roles.split_off(repeated);
    let each = if tails.is_empty() { None } else { Some(tails.remove(0)) };
    let mut options = Vec::new();
    for word in fields.next().unwrap_or("").split_whitespace() {
        match word.starts_with('%') {
            true => options.extend(list(word)),
            false => options.push(word),
        }
    }
    let given = |word: &str| options.contains(&word);
    let (anything, single, cmdlet) = (given("*"), given("single"), given("cmdlet"));
    let (tests, discovers) = (given("script=find"), given("discovers"));
    Some(Rule {
        dashes,
        heads: roles,
        each,
        tails,
        options,
        anything,
        single,
        cmdlet,
        tests,
        discovers,
    })
}

fn list(name: &str) -> impl Iterator<Item = &'static str> {
    let line = entries().find(|line| line.split_whitespace().next() == Some(name));
    line.unwrap_or("").split_whitespace().skip(1)
}

fn role(word: &'static str) -> Role {
    let optional = word.ends_with('?');
    let word = word.trim_end_matches('?');
    let likely = word.ends_with('~');
    let word = word.trim_end_matches('~').split('@').next().unwrap_or(word);
    let (name, kind) = word.split_once(':').unwrap_or((word, ""));
    let usual = match name {
        "list" | "mkdir" | "enter" => "folder",
        "read" | "edit" | "write" | "execute" => "file",
        _ => "any",
    };
    Role { name, kind: if kind.is_empty() { usual } else { kind }, likely, optional }
}

/// Whether a word that may be a revision, a module or a path looks like a path.
pub fn is_file_name(value: &str) -> bool {
    if value.contains("..") || value.contains([':', '^', '~', '@', '{']) {
        return false;
    }
    let (stem, extension) = value.rsplit_once('.').unwrap_or(("", ""));
    let begins = extension.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    let bare = stem.strip_prefix('v').unwrap_or(stem);
    let version = bare.starts_with(|letter: char| letter.is_ascii_digit());
    (begins && extension.chars().all(word) && !version) || (value.len() > 1 && value.ends_with('/'))
}

impl Rule {
    /// The name of the role of the operand at a position.
    pub fn head(&self, place: usize) -> &'static str {
        self.heads.get(place).map_or("", |role| role.name)
    }

    /// Sort arguments; None if an option is unknown.
    pub fn sort<'a>(&self, words: &'a [&'a str]) -> Option<Arguments<'a>> {
        let mut found = Arguments::default();
        let mut at = 0;
        while let Some(word) = words.get(at).copied() {
            let head = self.head(found.operands.len());
            let dashed = found.before_dashes.is_some();
            let option = !dashed && word.len() > 1 && word.starts_with('-');
            let inner = matches!(head, "program" | "package" | "sub");
            if head == "rest" || (inner && !(word.len() > 1 && word.starts_with('-'))) {
                found.rest = &words[at..];
                break;
            }
            if !dashed && word == "--" {
                found.before_dashes = Some(found.operands.len());
            } else if option {
                at += self.option(word, &words[at + 1..], &mut found)?;
                if !found.then.is_empty() {
                    found.rest = words.get(at + 1..).unwrap_or(&[]);
                    break;
                }
            } else {
                found.operands.push(word);
            }
            at += 1;
        }
        Some(found)
    }

    /// Take an option; return how many further words it has, None if it is unknown.
    fn option<'a>(
        &self,
        word: &'a str,
        after: &[&'a str],
        found: &mut Arguments<'a>,
    ) -> Option<usize> {
        let name = word.split('=').next().unwrap_or(word);
        if found.leading.is_none() && !matches!(name, "-L" | "-H" | "-P") {
            found.leading = Some(found.operands.len());
        }
        if name.starts_with("--") || self.single || word.contains(WILD) {
            return match self.taken(name) {
                Some(taken) => {
                    let inside = word.get(name.len() + 1..);
                    Some(found.take(&taken, inside, after))
                }
                None if self.anything || is_number(&name[1..]) => Some(0),
                None => None,
            };
        }
        for (place, letter) in name.char_indices().skip(1) {
            let taken = self.taken(&format!("-{letter}"));
            if taken.is_none() && !(self.anything || letter.is_ascii_digit()) {
                return None;
            }
            let taken = taken.unwrap_or_default();
            let end = place + letter.len_utf8();
            if taken.values > 0 || taken.attached {
                let inside = word.get(end..).filter(|inside| !inside.is_empty());
                return Some(found.take(&taken, inside, after));
            }
            found.take(&taken, None, &[]);
        }
        Some(0)
    }

    fn taken(&self, name: &str) -> Option<Taken> {
        const SIGNS: [char; 5] = ['~', '=', '!', '?', '>'];
        let fits = |word: &&&'static str| word.split(SIGNS).next() == Some(name);
        let word = self.options.iter().filter(fits).last()?;
        let mut taken = Taken::default();
        let mut rest = &word[name.len()..];
        if let Some(more) = rest.strip_prefix('~') {
            taken.attached = true;
            rest = more;
        }
        if let Some(more) = rest.strip_prefix('=') {
            let end = more.find(['!', '>']).unwrap_or(more.len());
            taken.values = 1;
            match &more[..end] {
                "" => {}
                then @ ("stop" | "module" | "shell") => taken.then = then,
                text => match text.parse() {
                    Ok(count) => taken.values = count,
                    Err(_) => taken.role = Some(role(text)),
                },
            }
            rest = &more[end..];
        }
        taken.replaces = rest.contains('!');
        taken.optional = rest.contains('?');
        Some(taken)
    }

    /// Return the operands that are paths, each with its role.
    pub fn roles<'a>(&self, found: &Arguments<'a>) -> Vec<(&'a str, Role)> {
        let (mut heads, mut tails) = (self.heads.clone(), self.tails.clone());
        if found.replaced {
            let first = if heads.is_empty() { &mut tails } else { &mut heads };
            first.drain(..first.len().min(1));
        }
        let words = &found.operands;
        let more = words.len().saturating_sub(heads.len());
        let last = if self.each.is_some() && more > tails.len() { tails.len() } else { 0 };
        let before = found.before_dashes.unwrap_or(words.len());
        let mut roles = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let role = match (heads.get(at), self.each) {
                (Some(head), _) => *head,
                (None, Some(_)) if at >= words.len() - last => tails[at + last - words.len()],
                (None, Some(each)) => each,
                (None, None) => continue,
            };
            let revision = !self.dashes.is_empty() && at < before;
            let named = self.dashes == "-?" && is_file_name(word);
            if !matches!(role.name, "text" | "rest") && (!revision || named) {
                roles.push((*word, role));
            }
        }
        roles
    }
}

impl<'a> Arguments<'a> {
    /// Drop what follows the first option, where `find` has its tests.
    pub fn cut(&mut self) {
        self.operands.truncate(self.leading.unwrap_or(self.operands.len()));
    }

    /// Take an option whose value is `inside` its own word, or among those after it.
    fn take(&mut self, option: &Taken, inside: Option<&'a str>, after: &[&'a str]) -> usize {
        self.optional |= option.optional;
        self.replaced |= option.replaces;
        if option.values == 0 {
            return 0;
        }
        if let Some(value) = inside.or_else(|| after.first().copied()) {
            if let Some(role) = option.role {
                self.valued.push((value, role));
            }
            if !option.then.is_empty() {
                (self.then, self.value) = (option.then, value);
            }
        }
        if inside.is_some() {
            0
        } else {
            option.values.min(after.len())
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
