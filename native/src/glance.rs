//! A cheap look at a shell command: the twin of `truepath.calls.shell.fast`, with the same tables.

use crate::programs::{listed, of_program};
use crate::stakes::join;
use crate::words::{tokens, Token, WILD};

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
    let ignored = errors_ignored(&parts);
    let mut found = Named::new();
    let mut folder = String::new();
    for (at, (before, part)) in parts.iter().enumerate() {
        let moves = first(part) == "cd";
        let after = parts.get(at + 1).map_or("", |next| next.0);
        if moves
            && (ignored[at] || [*before, after].iter().any(|joint| matches!(*joint, "|" | "||")))
        {
            return None;
        }
        let named = if ignored[at] { Named::new() } else { named(part)? };
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
fn errors_ignored(parts: &[Part]) -> Vec<bool> {
    let asks = |part: &[Token]| listed("questions", first(part));
    let mut ignored = Vec::new();
    let (mut asked, mut late) = (false, false);
    for (at, (before, part)) in parts.iter().enumerate() {
        match *before {
            "" | ";" => (asked, late) = (false, false),
            "||" => (asked, late) = (false, true),
            "&&" => late = false,
            _ => {}
        }
        let alone = *before != "|" && !parts.get(at + 1).map_or(false, |next| next.0 == "|");
        ignored.push(is_silenced(part) || asked || late || is_tolerated(parts, at));
        asked = asked || (alone && (is_silenced(part) || asks(part)));
    }
    ignored
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
    if listed("reserved", words[0]) {
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

pub fn one(path: &str, kind: &str) -> (String, String) {
    (path.to_string(), kind.to_string())
}
