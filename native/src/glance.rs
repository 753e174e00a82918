//! A cheap look at a shell command: the twin of `truepath.calls.shell.fast`, with the same tables.

use crate::stakes::join;
use crate::words::{tokens, Token, WILD};

/// The tables that Python declares (see `build.rs`).
#[allow(clippy::type_complexity)]
pub mod tables {
    include!(concat!(env!("OUT_DIR"), "/glance.rs"));
}

use tables::{
    ASK, BANS, EXPRESSIONS, LAUNCHERS, NESTED, QUESTIONS, RESERVED, RULES, SCRIPTS, SHELLS,
    VERSIONED,
};

/// What `RULES` holds: see there.
type Rule = (&'static str, usize, &'static str, &'static str, &'static str, &'static str);

/// Paths, relative to where a command runs, and what each must be.
pub type Named = Vec<(String, String)>;

const NULL: &str = "/dev/null";
/// A command of more words and joints is data: to look at each would be no cheap look.
const MOST: usize = 200;

/// A simple command, and the joint before it.
type Part = (&'static str, Vec<Token>);

/// Return what must be there for `command` to need no thought; None where that is not plain to see.
pub fn operands(command: &str) -> Option<Named> {
    if command.contains(WILD) {
        return None;
    }
    let tokens = tokens(command)?;
    if tokens.len() > MOST {
        return None;
    }
    let parts = parts(tokens)?;
    let forgiven = forgiven(&parts);
    let mut found = Named::new();
    let mut folder = String::new();
    for (at, (before, part)) in parts.iter().enumerate() {
        let moves = first(part) == "cd";
        let after = parts.get(at + 1).map_or("", |next| next.0);
        if moves
            && (forgiven[at] || [*before, after].iter().any(|joint| matches!(*joint, "|" | "||")))
        {
            return None;
        }
        let named = if forgiven[at] { Named::new() } else { named(part)? };
        for (path, kind) in named {
            if !path.contains(WILD) {
                found.push((join(&folder, &path), kind));
            }
        }
        if moves {
            folder = found.last()?.0.clone();
        }
    }
    Some(found)
}

fn first(part: &[Token]) -> &str {
    match part.first() {
        Some(Token::Word(word)) => word,
        _ => "",
    }
}

fn parts(tokens: Vec<Token>) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = vec![("", Vec::new())];
    for token in tokens {
        match token {
            Token::Joint(joint) => parts.push((joint, Vec::new())),
            other => parts.last_mut()?.1.push(other),
        }
    }
    if parts.len() > 1
        && parts.last().map_or(false, |(joint, part)| *joint == ";" && part.is_empty())
    {
        parts.pop();
    }
    let whole = parts.iter().all(|(_, part)| matches!(part.first(), Some(Token::Word(_))));
    whole.then_some(parts)
}

/// Return of each command whether it may fail: then its paths are questions.
fn forgiven(parts: &[Part]) -> Vec<bool> {
    let asks = |part: &[Token]| QUESTIONS.contains(&first(part));
    let mut forgiven = Vec::new();
    let (mut asked, mut late) = (false, false);
    for (at, (before, part)) in parts.iter().enumerate() {
        match *before {
            "" | ";" => (asked, late) = (false, false),
            "||" => (asked, late) = (false, true),
            "&&" => late = false,
            _ => {}
        }
        let alone = *before != "|" && !parts.get(at + 1).map_or(false, |next| next.0 == "|");
        forgiven.push(is_silenced(part) || asked || late || is_tolerated(parts, at));
        asked = asked || (alone && (is_silenced(part) || asks(part)));
    }
    forgiven
}

/// Whether `|| ...` follows in the same chain, other than to give up.
fn is_tolerated(parts: &[Part], at: usize) -> bool {
    let last = !parts.get(at + 1).map_or(false, |next| next.0 == "|");
    for (before, part) in &parts[at + 1..] {
        if *before == ";" {
            break;
        }
        let words: Vec<&str> = part
            .iter()
            .map(|token| match token {
                Token::Word(text) | Token::Redirection(_, text) => text.as_str(),
                Token::Joint(joint) => joint,
            })
            .collect();
        let gives_up = matches!(words[0], "exit" | "return") && words[1..] != ["0"];
        let shrugs = matches!(words[..], ["true"] | [":"]);
        if *before == "||" && !gives_up && (last || !shrugs) {
            return true;
        }
    }
    false
}

/// Whether nobody will read a command's errors.
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

fn named(part: &[Token]) -> Option<Named> {
    let words: Vec<&str> = part
        .iter()
        .filter_map(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            _ => None,
        })
        .collect();
    if RESERVED.contains(&words[0]) {
        return None;
    }
    if words[0] == "cd" {
        let plain = part.len() == 2 && words.len() == 2;
        let plain = plain && !words[1].starts_with(['-', '+']) && !words[1].contains(WILD);
        return plain.then(|| vec![one(words[1], "folder")]);
    }
    let mut found = of_program(&words, false)?;
    for token in part {
        if let Token::Redirection(sign, target) = token {
            if sign.ends_with(['<', '>']) && target != NULL {
                found.push(one(target, if sign.ends_with('<') { "file" } else { "new" }));
            }
        }
    }
    Some(found)
}

fn one(path: &str, kind: &str) -> (String, String) {
    (path.to_string(), kind.to_string())
}

/// Return what must be there for one program; as a module it is none of the shell's.
fn of_program(words: &[&str], module: bool) -> Option<Named> {
    let word = words[0];
    let mut own = Named::new();
    if !module && word.contains(['/', '.']) {
        own.push(one(word, "file"));
    }
    let name = word.rsplit('/').next()?;
    let bare = name
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
    let name = if VERSIONED.contains(&bare) { bare } else { name };
    let pair = words[..words.len().min(2)].to_vec();
    let pair = [&[name], &pair[1..]].concat().join(" ");
    let inner = if entry(LAUNCHERS, name).is_some() {
        of_launcher(name, words)?
    } else if entry(LAUNCHERS, &pair).is_some() {
        of_launcher(&pair, words)?
    } else if ASK.contains(&name) || ASK.contains(&pair.as_str()) || word.contains(['=', WILD]) {
        return None;
    } else if entry(SCRIPTS, name).is_some() {
        of_script(name, words)?
    } else if name == "find" {
        of_find(&words[1..])?
    } else {
        of_arguments(name, &words[1..])?
    };
    own.extend(inner);
    Some(own)
}

fn of_launcher(name: &str, words: &[&str]) -> Option<Named> {
    let (count, flags) = entry(LAUNCHERS, name)?;
    let mut at = 1 + name.matches(' ').count();
    while words.get(at).map_or(false, |word| listed(flags, word)) {
        at += 1;
    }
    let rest = words.get(at + count..).filter(|rest| !rest.is_empty())?;
    if words[at..=at + count].iter().any(|word| word.starts_with('-')) {
        return None;
    }
    of_program(rest, false)
}

fn of_script(name: &str, words: &[&str]) -> Option<Named> {
    let flags = entry(SCRIPTS, name)?;
    let mut at = 1;
    while words.get(at).map_or(false, |word| listed(flags, word)) {
        at += 1;
    }
    let rest = &words[at..];
    match rest {
        [] => Some(Named::new()),
        ["-c", ..] if name == "python" => Some(Named::new()),
        ["-c" | "-lc", text] if SHELLS.contains(&name) => operands(text),
        ["-m", module @ ..] if name == "python" && !module.is_empty() => of_program(module, true),
        [script, ..] => (!script.starts_with('-')).then(|| vec![one(script, "file")]),
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
    let begins = |word: &str| EXPRESSIONS.iter().any(|each| word.starts_with(each));
    if rest.iter().any(|word| begins(word)) {
        return None;
    }
    Some(paths.iter().map(|path| one(path, "any")).collect())
}

fn of_arguments(name: &str, words: &[&str]) -> Option<Named> {
    let mut name = name.to_string();
    let mut words = words;
    if let Some(flags) = entry(NESTED, &name) {
        while let [flag, rest @ ..] = words {
            if !listed(flags, flag) {
                break;
            }
            words = rest;
        }
        if let [next, rest @ ..] = words {
            if next.starts_with('-') {
                return None;
            }
            name = format!("{name} {next}");
            words = rest;
        }
        if ASK.contains(&name.as_str()) || entry(LAUNCHERS, &name).is_some() {
            return None;
        }
    }
    if let Some(rule) = entry(RULES, &name) {
        return of_rule(rule, words);
    }
    match entry(BANS, &name) {
        Some(bans) => unless(bans, words),
        None => Some(Named::new()),
    }
}

/// Return that nothing need be there, unless one of the words is barred.
fn unless(bans: &str, words: &[&str]) -> Option<Named> {
    for word in words {
        let long = word.starts_with("--");
        let option = if long { word.split('=').next()? } else { word };
        if listed(bans, option) {
            return None;
        }
        if !long
            && word.starts_with('-')
            && word.chars().skip(1).any(|letter| listed(bans, &format!("-{letter}")))
        {
            return None;
        }
        if listed(bans, "/") && (word.starts_with('/') || word.split('/').any(|part| part == ".."))
        {
            return None;
        }
        let local =
            word.starts_with(['.', '/']) || word.ends_with(".whl") || word.ends_with(".tar.gz");
        if listed(bans, ".") && local {
            return None;
        }
    }
    Some(Named::new())
}

fn of_rule(rule: Rule, words: &[&str]) -> Option<Named> {
    let (kind, skip, flags, values, instead, last) = rule;
    let (paths, skipping) = arguments(words, flags, values, instead)?;
    let skip = if skipping { skip } else { 0 };
    let mut named = Named::new();
    for path in paths.iter().skip(skip).filter(|path| **path != "-") {
        named.extend(of_kind(kind, path)?);
    }
    if !last.is_empty() && named.len() > 1 {
        named.last_mut()?.1 = last.to_string();
    }
    Some(named)
}

/// Return the words that are no options, and whether the first of them may be no paths.
fn arguments<'a>(
    words: &[&'a str],
    flags: &str,
    values: &str,
    instead: &str,
) -> Option<(Vec<&'a str>, bool)> {
    let letters: String = flags.split(' ').filter(|flag| !flag.starts_with("--")).collect();
    let mut found = Vec::new();
    let (mut skipping, mut at) = (true, 0);
    while let Some(word) = words.get(at).copied() {
        at += 1;
        if !word.starts_with('-') || word == "-" {
            found.push(word);
            continue;
        }
        let (name, attached) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        if listed(values, name) || listed(flags, name) {
            at += usize::from(listed(values, name) && !attached);
            skipping = skipping && !listed(instead, name);
            continue;
        }
        if name.as_bytes().get(1) == Some(&b'-') {
            return None;
        }
        for (place, letter) in word.char_indices().skip(1) {
            let option = format!("-{letter}");
            skipping = skipping && !listed(instead, &option);
            if listed(values, &option) {
                at += usize::from(place + letter.len_utf8() == word.len());
                break;
            }
            if letter == '-' || !letters.contains(letter) {
                return None;
            }
        }
    }
    Some((found, skipping))
}

fn of_kind(kind: &str, path: &str) -> Option<Named> {
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

/// Whether a word is one of those in a text.
fn listed(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|each| each == word)
}

/// The entry of a table under a name.
fn entry<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}
