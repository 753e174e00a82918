//! A cheap look at a shell command: the twin of `truepath.calls.shell.fast`, with the same tables.

use crate::programs::{listed, of_program};
use crate::stakes::join;
use crate::words::{tokens, Token, WILD};

/// Paths, relative to where a command runs, and what each must be.
pub type Named = Vec<(String, String)>;

const NULL: &str = "/dev/null";
/// A command of more words and operators is data: to look at each would be no cheap look.
const MOST: usize = 200;

/// A simple command, and the operator before it.
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
    let mut found = Named::new();
    let mut folder = String::new();
    for (at, (before, part)) in parts.iter().enumerate() {
        let moves = first(part) == "cd";
        let after = parts.get(at + 1).map_or("", |next| next.0);
        if moves
            && (is_silenced(part)
                || [*before, after].iter().any(|operator| matches!(*operator, "|" | "||")))
        {
            return None;
        }
        let named = if is_silenced(part) { Named::new() } else { named(part)? };
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
            Token::Operator(operator) => parts.push((operator, Vec::new())),
            other => parts.last_mut()?.1.push(other),
        }
    }
    if parts.len() > 1
        && parts.last().map_or(false, |(operator, part)| *operator == ";" && part.is_empty())
    {
        parts.pop();
    }
    let whole = parts.iter().all(|(_, part)| matches!(part.first(), Some(Token::Word(_))));
    whole.then_some(parts)
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
