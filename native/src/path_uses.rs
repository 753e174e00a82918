//! A quick check of a shell command: what `truepath.calls.shell.quick_look` names, and more.
//!
//! A path that the line tests for, creates first or does not need counts like any other: Python is
//! then asked.

use crate::json::Value;
use crate::programs::{is_file_name, rule, rule_of, Role, Rule};
use crate::reader::{tokens, Token, WILD};
use crate::tables::part;

/// A path, absolute, and what it must be: `file`, `edit` (a file too), `folder`, `any`, `new` or
/// `target`; and the bytes of the largest file that its tool reads, if there is a limit.
pub struct RequiredPath {
    pub path: String,
    pub kind: String,
    pub largest: Option<u64>,
}

/// What a command needs in the folder that it runs in or, with `above`, above it: any of the files,
/// with all of the texts in it.
pub struct LookedFor {
    pub folder: String,
    pub above: bool,
    pub files: Vec<String>,
    pub texts: Vec<String>,
}

/// What must exist for an event to pass unchecked: the twin of `truepath.hosts.table.Required`.
#[derive(Default)]
pub struct Required {
    pub paths: Vec<RequiredPath>,
    pub contents: Vec<LookedFor>,
}

impl Required {
    /// Add a path of any size.
    pub fn add(&mut self, path: String, kind: &str) {
        self.paths.push(RequiredPath { path, kind: kind.to_string(), largest: None });
    }
}

const NULL: &str = "/dev/null";
/// Words and operators of a command, at most: a longer one is data.
const MOST: usize = 200;
/// Levels of nested command lines that are read.
const DEPTH: usize = 3;
const SYSTEM: [&str; 3] = ["/bin/", "/usr/", "/opt/"];

/// A simple command, and the operator before it.
type Part = (&'static str, Vec<Token>);

/// Return what must exist for a command that runs in `cwd` to pass unchecked; None if that is not
/// plain to see.
pub fn must_exist(command: &str, cwd: &str) -> Option<Required> {
    let mut walk = Walk {
        found: Required::default(),
        folder: cwd.to_string(),
        depth: 0,
        assigned: false,
        needy: false,
    };
    walk.line(command)?;
    Some(walk.found)
}

struct Walk {
    found: Required,
    folder: String,
    depth: usize,
    /// The program that is walked through has variables before it.
    assigned: bool,
    /// What a program needs in its folder is recorded: the first one decides.
    needy: bool,
}

impl Walk {
    fn line(&mut self, command: &str) -> Option<()> {
        // On a drive, the shell may be PowerShell.
        let drive = self.folder.get(1..2) == Some(":");
        if drive || command.contains(WILD) || command.contains("*** Begin Patch") {
            return None;
        }
        let tokens = tokens(command)?;
        if tokens.len() > MOST {
            return None;
        }
        let parts = parts(tokens)?;
        for (at, (before, part)) in parts.iter().enumerate() {
            let after = parts.get(at + 1).map_or("", |next| next.0);
            let there = self.folder.clone();
            self.simple(part)?;
            let joined = [*before, after].iter().any(|sign| matches!(*sign, "|" | "||"));
            if self.folder != there && joined {
                return None;
            }
        }
        Some(())
    }

    fn simple(&mut self, part: &[Token]) -> Option<()> {
        let there = self.folder.clone();
        if is_silenced(part) && part.iter().any(|token| moves(token)) {
            return None;
        }
        let words: Vec<&str> = part
            .iter()
            .filter_map(|token| match token {
                Token::Word(word) => Some(word.as_str()),
                _ => None,
            })
            .collect();
        self.assigned = false;
        self.program(&words, false)?;
        let behind = std::mem::replace(&mut self.folder, there);
        for token in part {
            if let Token::Redirection(sign, target) = token {
                match sign.trim_start_matches(|letter: char| letter.is_ascii_digit()) {
                    "<" => self.add(target, Role { name: "read", kind: "file", ..Role::default() }),
                    ">&" => {}
                    _ => self.add(target, Role { name: "write", kind: "file", ..Role::default() }),
                }
            }
        }
        self.folder = behind;
        Some(())
    }

    /// Walk through a program and its arguments; a `package` is not a path.
    fn program(&mut self, words: &[&str], package: bool) -> Option<()> {
        let (first, rest) = match words.split_first() {
            Some(found) => found,
            None => return Some(()),
        };
        if first.contains(WILD) {
            return None;
        }
        if is_assignment(first) {
            self.assigned = true;
            return self.program(rest, package);
        }
        let (name, known) = rule_of(first);
        if known.is_none() && first.contains('-') && is_cmdlet(first) {
            return None;
        }
        let runs = Role { name: "execute", kind: "file", ..Role::default() };
        let is_script = if package {
            known.is_none() && [".py", ".ts", ".js"].iter().any(|end| first.ends_with(end))
        } else {
            let ours = !SYSTEM.iter().any(|folder| first.starts_with(folder));
            first.contains('/') && (ours || known.is_some())
        };
        if is_script {
            self.add(first, runs);
        }
        match known {
            None => Some(()),
            Some(rule) => self.arguments(name, &rule, rest),
        }
    }

    fn arguments(&mut self, name: &str, rule: &Rule, words: &[&str]) -> Option<()> {
        if rule.cmdlet {
            return None;
        }
        let mut found = match rule.sort(words) {
            Some(found) => found,
            None => return Some(()), // Python names no path of it either
        };
        if rule.tests {
            found.cut();
        }
        let there = self.folder.clone();
        let mut paths = found.valued.clone();
        paths.extend(rule.roles(&found));
        let is_entered = |role: &Role| role.name == "enter";
        for (path, _) in paths.iter().filter(|(_, role)| is_entered(role)) {
            self.enter(path)?;
        }
        if rule.head(0) == "enter" && found.operands.is_empty() {
            return None;
        }
        for (path, role) in paths.into_iter().filter(|(_, role)| !is_entered(role)) {
            // Of what `rm -f` does not find, the agent is told.
            if !found.optional || role.name == "delete" {
                self.add(path, role);
            }
        }
        self.needs(name, &[&found.operands, found.rest].concat());
        self.behind(name, rule, &found)?;
        if rule.head(0) != "enter" {
            self.folder = there;
        }
        Some(())
    }

    /// Record what a program needs in its folder, by its first words that are no options: the twin
    /// of `truepath.calls.shell.needs`, which leaves more alone.
    fn needs(&mut self, name: &str, words: &[&str]) {
        if self.assigned || self.needy {
            return;
        }
        let table = match part(&format!("needs {name}")) {
            Some(table) => table,
            None => return,
        };
        let count = (0..=words.len().min(2))
            .rev()
            .find(|&count| table.get(&words[..count].join(" ")).is_some());
        let row = count.and_then(|count| table.get(&words[..count].join(" ")));
        let (place, files, item) = match row.map(Value::list) {
            Some([place, files, item]) => (place, files, item.text().unwrap_or("")),
            _ => return,
        };
        let rest = &words[count.unwrap_or(1)..];
        let is_script = |word: &&str| !matches!(*word, "-s" | "--silent");
        let texts: Vec<String> = match item {
            "own script" if words[0] == "t" => vec!["\"test\"".to_string()],
            "own script" => vec![format!("\"{}\"", words[0])],
            "script" => rest
                .iter()
                .copied()
                .find(is_script)
                .map(|it| format!("\"{it}\""))
                .into_iter()
                .collect(),
            "target" => {
                rest.iter().filter(|it| !it.contains('=')).map(|it| it.to_string()).collect()
            }
            _ => Vec::new(),
        };
        let files = files.list().iter().filter_map(Value::text);
        self.found.contents.push(LookedFor {
            folder: self.folder.clone(),
            above: place.text() == Some("above"),
            files: files.map(str::to_string).collect(),
            texts,
        });
        self.needy = true;
    }

    /// Walk through the command that a program runs.
    fn behind(
        &mut self,
        name: &str,
        rule: &Rule,
        found: &crate::programs::Arguments,
    ) -> Option<()> {
        let head = rule.head(found.operands.len());
        match (found.then, head, found.rest) {
            ("shell", ..) if self.depth < DEPTH => {
                let there = self.folder.clone();
                self.depth += 1;
                self.line(found.value)?;
                self.depth -= 1;
                self.folder = there;
                Some(())
            }
            ("shell", ..) => None,
            ("module", _, rest) => self.sub(&format!("python -m {}", found.value), rest),
            (_, "program" | "package", [_, ..]) => self.program(found.rest, head == "package"),
            (_, "sub", [first, rest @ ..]) => self.sub(&format!("{name} {first}"), rest),
            _ => Some(()),
        }
    }

    /// Walk through a subcommand, of two words if the table has it.
    fn sub(&mut self, name: &str, words: &[&str]) -> Option<()> {
        if let Some((second, rest)) = words.split_first() {
            let full = format!("{name} {second}");
            if let Some(rule) = rule(&full) {
                return self.arguments(&full, &rule, rest);
            }
        }
        match rule(name) {
            Some(rule) => self.arguments(name, &rule, words),
            None => Some(()),
        }
    }

    fn enter(&mut self, path: &str) -> Option<()> {
        if path.contains(WILD) || is_no_path(path) {
            return None;
        }
        self.add(path, Role { name: "enter", kind: "folder", ..Role::default() });
        self.folder = join(&self.folder, path);
        Some(())
    }

    /// Record a word if it is a path.
    fn add(&mut self, word: &str, role: Role) {
        let path = match role.kind {
            "package" => package(word),
            _ => word,
        };
        let likely = path.contains('/') || is_file_name(path);
        if path.contains(WILD) || is_no_path(path) || role.optional || (role.likely && !likely) {
            return;
        }
        let kind = match (role.name, role.kind) {
            ("write" | "mkdir", "file") => "new",
            ("write" | "mkdir", _) => "target",
            (_, "package") if path.ends_with(".go") => "file",
            (_, "package") => "folder",
            (_, kind @ ("any" | "folder")) => kind,
            _ => "file",
        };
        let full = join(&self.folder, path);
        let file = full.split("::").next().unwrap_or(&full);
        self.found.add(file.to_string(), kind);
    }
}

/// Return the folder or file of a Go package; "" for one that is elsewhere.
fn package(word: &str) -> &str {
    let folder = word.strip_suffix("...").unwrap_or(word).trim_end_matches('/');
    let local = word.ends_with(".go") || ["./", "../", "/"].iter().any(|at| word.starts_with(at));
    if local && !matches!(folder, "." | "..") && !folder.contains("...") {
        folder
    } else {
        ""
    }
}

fn is_no_path(path: &str) -> bool {
    let scheme = path.split("://").next().filter(|scheme| scheme.len() < path.len());
    let named = |letter: char| letter.is_ascii_alphanumeric() || "_+.-".contains(letter);
    matches!(path, "" | "-")
        || path.starts_with('+')
        || path.starts_with("/dev/")
        || path.contains("{}")
        || scheme.map_or(false, |scheme| {
            scheme.starts_with(|letter: char| letter.is_ascii_alphanumeric())
                && scheme.chars().all(named)
        })
}

fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or("");
    let name = name.strip_suffix('+').unwrap_or(name);
    let first = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    word.contains('=')
        && first
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether only PowerShell has a command, which Python reads.
fn is_cmdlet(word: &str) -> bool {
    rule(&format!("PS {}", word.to_lowercase())).is_some()
}

/// Whether a word may be a program that enters a folder.
fn moves(token: &Token) -> bool {
    match token {
        Token::Word(word) => rule_of(word).1.map_or(false, |rule| rule.head(0) == "enter"),
        _ => false,
    }
}

fn parts(tokens: Vec<Token>) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = vec![("", Vec::new())];
    for token in tokens {
        match token {
            Token::Operator(operator) => parts.push((operator, Vec::new())),
            other => parts.last_mut()?.1.push(other),
        }
    }
    if parts.len() > 1
        && parts.last().map_or(false, |(operator, part)| *operator == ";" && part.is_empty())
    {
        parts.pop();
    }
    parts.iter().all(|(_, part)| !part.is_empty()).then_some(parts)
}

/// Whether a command's errors are discarded.
fn is_silenced(part: &[Token]) -> bool {
    let mut output = false;
    for token in part {
        if let Token::Redirection(sign, target) = token {
            match sign.as_str() {
                "2>" | "2>>" | "&>" | "&>>" if target == NULL => return true,
                "2>&" if target == "1" && output => return true,
                ">" | ">>" | "1>" | "1>>" => output = target == NULL,
                _ => {}
            }
        }
    }
    false
}

/// Whether any command of a line lists or searches, except as the filter of a pipe.
pub fn looks_around(command: &str) -> bool {
    let is_sign = |letter: char| ";|&\n(){}`<>".contains(letter);
    let (mut sign, mut rest) = ("", command);
    loop {
        let (piece, after) = rest.split_at(rest.find(is_sign).unwrap_or(rest.len()));
        let piped = (sign.ends_with('|') && !sign.ends_with("||")) || sign.ends_with("|&");
        if !piped && !sign.ends_with(['<', '>']) && looks(piece) {
            return true;
        }
        if after.is_empty() {
            return false;
        }
        let end = after.find(|letter| !is_sign(letter)).unwrap_or(after.len());
        (sign, rest) = after.split_at(end);
    }
}

fn looks(piece: &str) -> bool {
    let words: Vec<&str> = piece.split_whitespace().collect();
    if words.iter().any(|word| matches!(*word, "-delete" | "-exec")) {
        return false;
    }
    let plain: Vec<&str> = words.into_iter().filter(|word| !word.contains('=')).collect();
    let name = plain.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
    let program = name.to_lowercase();
    let with_verb = format!("{program} {}", plain.get(1).unwrap_or(&""));
    discovers(&program) || discovers(&with_verb)
}

/// Whether a program lists or searches, in any shell.
fn discovers(name: &str) -> bool {
    let known = [rule(name), rule(&format!("PS {name}"))];
    known.iter().flatten().any(|rule| rule.discovers)
}

/// The same as `os.path.join`.
pub fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') || folder.is_empty() {
        path.to_string()
    } else if folder.ends_with('/') {
        format!("{folder}{path}")
    } else {
        format!("{folder}/{path}")
    }
}
