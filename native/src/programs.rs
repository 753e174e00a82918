//! What programs make of their arguments, as far as a cheap look can tell: the twin of the second half
//! of `truepath.calls.shell.fast`, with the same `programs.txt`.

use crate::fast::{one, operands, Named};
use crate::words::WILD;

/// One program a line, in order, written by `export.py`; ASCII.
const PROGRAMS: &str = include_str!("../programs.txt");

/// What is known of a program: see `FIELDS` in Python.
struct Rule {
    kind: &'static str,
    last: &'static str,
    limit: &'static str,
    valued: &'static str,
    skip_unless: &'static str,
    asks: &'static str,
    ends: &'static str,
    manner: &'static str,
    skip: usize,
}

/// The arguments of a program, sorted.
struct Scanned<'a> {
    found: Vec<&'a str>,
    options: Vec<String>,
    /// How many words were read.
    length: usize,
    /// How many operands stand before `--`.
    dashes: Option<usize>,
}

/// Return what must be there for one program; as a module, the shell does not look it up.
pub fn of_program(words: &[&str], module: bool) -> Option<Named> {
    let (first, rest) = words.split_first()?;
    if first.contains(['=', WILD]) {
        return None;
    }
    let name = first.rsplit('/').next()?;
    let bare = name
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
    let name = if listed("versioned", bare) { bare } else { name };
    let inner = of_arguments(name, rest)?;
    let mut own = Named::new();
    if !module && first.contains(['/', '.']) {
        own.push(one(first, "file"));
    }
    own.extend(inner);
    Some(own)
}

fn of_arguments(name: &str, words: &[&str]) -> Option<Named> {
    let pair = words.first().and_then(|next| rule(&format!("{name} {next}")));
    if let Some(pair) = pair.filter(|pair| has(pair.manner, "launcher")) {
        return of_launcher(&pair, &words[1..]);
    }
    if name == "find" {
        return of_find(words);
    }
    if let ["-c" | "-lc", text] = words {
        if listed("shells", name) {
            return operands(text);
        }
    }
    if matches!(name, "python" | "pypy" | "py") {
        let module = module(words);
        if !module.is_empty() {
            return of_program(module, true);
        }
    }
    match rule(name) {
        None => Some(Named::new()),
        Some(rule) if has(rule.manner, "launcher") => of_launcher(&rule, words),
        Some(rule) if has(rule.manner, "nested") => of_nested(name, &rule, words),
        Some(rule) => of_rule(&rule, words),
    }
}

fn of_launcher(rule: &Rule, words: &[&str]) -> Option<Named> {
    let start = scan(rule, words, true)?.length + rule.skip;
    match words.get(start..) {
        None | Some([]) => Some(Named::new()),
        Some(rest) => of_program(rest, false),
    }
}

fn of_find(words: &[&str]) -> Option<Named> {
    let at = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let (paths, rest) = words.split_at(at);
    let unclear =
        |word: &&str| matches!(word.as_bytes().get(1), Some(b'L' | b'P' | b'H' | b'D' | b'O'));
    if at == 0 && rest.first().map_or(false, unclear) {
        return None;
    }
    let begins = |word: &str| list("expressions").any(|each| word.starts_with(each));
    if rest.iter().any(|word| begins(word)) {
        return None;
    }
    Some(paths.iter().map(|path| one(path, "any")).collect())
}

/// Return the words from a module that Python runs; none where it runs something else.
fn module<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    for (at, word) in words.iter().enumerate() {
        match *word {
            "-m" => return &words[at + 1..],
            "-c" => break,
            option if !option.starts_with('-') => break,
            _ => {}
        }
    }
    &[]
}

fn of_nested(name: &str, rule_of_name: &Rule, words: &[&str]) -> Option<Named> {
    let words = &words[scan(rule_of_name, words, true)?.length..];
    for count in [2, 1] {
        let names = words.get(..count).map(|names| names.join(" "));
        if let Some(inner) = names.and_then(|names| rule(&format!("{name} {names}"))) {
            return of_rule(&inner, &words[count..]);
        }
    }
    Some(Named::new())
}

fn of_rule(rule: &Rule, words: &[&str]) -> Option<Named> {
    if rule.manner == "ask" {
        return None;
    }
    let scanned = scan(rule, words, false)?;
    let given = |options: &str| scanned.options.iter().any(|option| has(options, option));
    if given(rule.ends) {
        return Some(Named::new());
    }
    let mut paths = &scanned.found[..];
    let dashes = scanned.dashes.unwrap_or(paths.len());
    let mut files = vec![];
    if has(rule.manner, "named") {
        if paths[..dashes].iter().any(|word| leads_out(word)) {
            return None;
        }
        files.extend(paths[..dashes].iter().copied().filter(|word| is_file_name(word)));
        files.extend(&paths[dashes..]);
        paths = &files;
    } else if has(rule.manner, "only") {
        paths = &paths[dashes..];
    } else if !given(rule.skip_unless) {
        paths = paths.get(rule.skip..).unwrap_or(&[]);
    }
    if let Ok(limit) = rule.limit.parse::<usize>() {
        paths = &paths[..paths.len().min(limit)];
    }
    of_operands(rule, paths)
}

/// Whether git may take a word before `--` for a file: it has no name of a revision.
fn is_file_name(word: &str) -> bool {
    word.contains('.') && !word.contains("..") && !word.contains(':')
}

fn of_operands(rule: &Rule, paths: &[&str]) -> Option<Named> {
    let mut named = Named::new();
    for (at, path) in paths.iter().enumerate().filter(|(_, path)| **path != "-") {
        let is_last = at > 0 && at + 1 == paths.len() && !rule.last.is_empty();
        named.extend(of_kind(if is_last { rule.last } else { rule.kind }, path)?);
    }
    Some(named)
}

/// Sort words; None where that would not be certain. With `first`, up to the first operand.
fn scan<'a>(rule: &Rule, words: &[&'a str], first: bool) -> Option<Scanned<'a>> {
    let mut result = Scanned { found: vec![], options: vec![], length: 0, dashes: None };
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        if result.dashes.is_none() && word == "--" {
            result.dashes = Some(result.found.len());
        } else if result.dashes.is_some() || !word.starts_with('-') || word == "-" {
            if word.starts_with('+') {
                return None;
            }
            if first {
                break;
            }
            result.found.push(word);
        } else {
            at += option(rule, word, &mut result.options)?;
        }
        at += 1;
    }
    result.length = at.min(words.len());
    Some(result)
}

/// Add the options in a word to `options`; return how many further words belong to them.
fn option(rule: &Rule, word: &str, options: &mut Vec<String>) -> Option<usize> {
    let (name, attached) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
    if has(rule.asks, name) {
        return None;
    }
    if name.starts_with("--") || has(rule.manner, "single") {
        options.push(name.to_string());
        return Some(if attached { 0 } else { count(rule.valued, name).unwrap_or(0) });
    }
    for (place, letter) in word.char_indices().skip(1) {
        let option = format!("-{letter}");
        let last = place + letter.len_utf8() == word.len();
        let values = count(rule.valued, &option);
        let doubt = has(rule.manner, "strict") && place > 1;
        if has(rule.asks, &option) || (doubt && (values.is_some() || has(rule.ends, &option))) {
            return None;
        }
        options.push(option);
        if let Some(values) = values {
            return Some(if last { values } else { 0 });
        }
    }
    Some(0)
}

/// Return how many values an option takes.
fn count(valued: &str, option: &str) -> Option<usize> {
    valued.split(' ').find_map(|entry| {
        let (name, count) = entry.split_once(':').unwrap_or((entry, "1"));
        (name == option).then(|| count.parse().unwrap_or(1))
    })
}

fn of_kind(kind: &str, path: &str) -> Option<Named> {
    if kind.is_empty() {
        return Some(Named::new());
    }
    if kind == "local" {
        let local =
            path.starts_with(['.', '/']) || path.ends_with(".whl") || path.ends_with(".tar.gz");
        return (!local).then(Named::new);
    }
    if kind == "tests" {
        let file = path.split("::").next()?;
        return (!file.is_empty()).then(|| vec![one(file, "any")]);
    }
    if kind != "package" {
        return Some(vec![one(path, kind)]);
    }
    let folder = path.strip_suffix("/...").unwrap_or(path);
    if folder.ends_with(".go") || folder.contains("...") {
        return None;
    }
    let local = ["./", "../", "/"].iter().any(|start| path.starts_with(start));
    Some(if local { vec![one(folder, "folder")] } else { Named::new() })
}

fn leads_out(word: &str) -> bool {
    word.starts_with('/') || word.split('/').any(|part| part == "..")
}

/// Whether a word is one of those in a text.
fn has(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|each| each == word)
}

/// Whether a word is in one of the lists of the file.
pub fn listed(name: &str, word: &str) -> bool {
    list(name).any(|each| each == word)
}

fn list(name: &str) -> impl Iterator<Item = &'static str> {
    line(&format!("words {name}")).unwrap_or("").split(' ').filter(|word| !word.is_empty())
}

/// Return what is known of a program or a subcommand; None where its words mean nothing.
fn rule(name: &str) -> Option<Rule> {
    if name.contains(char::is_control) {
        return None;
    }
    let mut fields = line(&format!("program {name}"))?.split('\t');
    Some(Rule {
        kind: fields.next()?,
        last: fields.next()?,
        limit: fields.next()?,
        valued: fields.next()?,
        skip_unless: fields.next()?,
        asks: fields.next()?,
        ends: fields.next()?,
        manner: fields.next()?,
        skip: fields.next()?.parse().ok()?,
    })
}

/// Return what follows a name and a tab in its line, by halves: the lines are in order.
fn line(name: &str) -> Option<&'static str> {
    let start = format!("{name}\t");
    let (mut low, mut high) = (0, PROGRAMS.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let begin = PROGRAMS[..middle].rfind('\n').map_or(0, |at| at + 1);
        let end = begin + PROGRAMS[begin..].find('\n')?;
        let line = &PROGRAMS[begin..end];
        match line.strip_prefix(&start) {
            Some(rest) => return Some(rest),
            None if *line < *start => low = end + 1,
            None => high = begin,
        }
    }
    None
}
