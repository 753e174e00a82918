//! A shell command as words, operators and redirections, if it is no more than that.

/// Special characters outside quotes, except blanks.
const SPECIAL: &str = "\\'\"$`*?[]{}()<>&;|";
/// Special characters at the start of a word.
const LEADING: &str = "~#!";
/// Stands for a wildcard, which only the shell can expand.
pub const WILD: char = '\0';

pub enum Token {
    Word(String),
    Operator(&'static str),
    /// The operator with its number (`2>`), and its target.
    Redirection(String, String),
}

/// Return the tokens of a command; None if it has anything else, or nothing.
pub fn tokens(command: &str) -> Option<Vec<Token>> {
    let bytes = command.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &command[at..];
        match bytes[at] {
            b' ' => at += 1,
            b'\n' => {
                at += 1;
                if !matches!(tokens.last(), None | Some(Token::Operator(_))) {
                    tokens.push(Token::Operator(";"));
                }
            }
            b'&' | b'|' | b';' if !rest.starts_with("&>") => {
                let operator = ["&&", "||", "|", ";"]
                    .into_iter()
                    .find(|operator| rest.starts_with(operator))?;
                at += operator.len();
                if matches!(bytes.get(at), Some(b'&' | b'|' | b';')) {
                    return None;
                }
                tokens.push(Token::Operator(operator));
            }
            _ => {
                let (token, end) = match redirection(command, at) {
                    Some(found) => found?,
                    None => word(command, at).map(|(text, end)| (Token::Word(text), end))?,
                };
                at = end;
                if !matches!(bytes.get(at), None | Some(b' ' | b'\n' | b'&' | b'|' | b';')) {
                    return None;
                }
                tokens.push(token);
            }
        }
    }
    (!tokens.is_empty()).then_some(tokens)
}

/// Read `2>&1`, `> file`, `2>> file`, `&> file` and `< file`: None if there is none of them,
/// Some(None) if one is not plain.
fn redirection(command: &str, at: usize) -> Option<Option<(Token, usize)>> {
    let bytes = command.as_bytes();
    let mut start = at + usize::from(bytes[at].is_ascii_digit() || bytes[at] == b'&');
    let rest = &bytes[start..];
    if rest.starts_with(b">&") && bytes[at] != b'&' {
        let number = *bytes.get(start + 2)?;
        let sign = command[at..start + 2].to_string();
        let token = Token::Redirection(sign, char::from(number).to_string());
        return matches!(number, b'1' | b'2').then_some(Some((token, start + 3)));
    }
    start += match rest {
        [b'>', b'>', ..] => 2,
        [b'>' | b'<', ..] => 1,
        _ => return None,
    };
    let sign = command[at..start].to_string();
    while bytes.get(start) == Some(&b' ') {
        start += 1;
    }
    Some(word(command, start).map(|(target, end)| (Token::Redirection(sign, target), end)))
}

/// Read one word without its quotes; None if it is not plain.
fn word(command: &str, mut at: usize) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut letters = command[at..].chars();
    if letters.clone().next().map_or(true, |letter| LEADING.contains(letter)) {
        return None;
    }
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\n' | '&' | '|' | ';' => break,
            '\'' | '"' => {
                at = quoted(command, at + 1, letter, &mut text)?;
                letters = command[at..].chars();
                continue;
            }
            '*' | '?' => text.push(WILD),
            _ if SPECIAL.contains(letter) || letter < ' ' || letter == '\x7f' => return None,
            _ => text.push(letter),
        }
        at += letter.len_utf8();
    }
    (!text.is_empty()).then_some((text, at))
}

/// Read up to the closing quote and return the position after it; None if the shell expands it.
fn quoted(command: &str, mut at: usize, quote: char, text: &mut String) -> Option<usize> {
    let mut letters = command[at..].chars().peekable();
    while let Some(letter) = letters.next() {
        at += letter.len_utf8();
        if letter == quote {
            return Some(at);
        }
        if quote == '"' && matches!(letter, '$' | '`') {
            return None;
        }
        let next = letters.peek().copied();
        match next.filter(|next| quote == '"' && letter == '\\' && "$`\"\\\n".contains(*next)) {
            None => text.push(letter),
            Some(escaped) => {
                letters.next();
                at += 1;
                if escaped != '\n' {
                    text.push(escaped);
                }
            }
        }
    }
    None
}
