//! JSON as a tree of borrowed text. It is stricter than Python's parser, which gets what it
//! rejects.

use std::borrow::Cow;

const DEEPEST: usize = 100;

#[derive(Debug)]
pub enum Value<'a> {
    Null,
    Bool(#[allow(dead_code)] bool), // only tests ask which
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Table(Vec<(Cow<'a, str>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// The value under a name, the last of several as in Python; of a list, the one at a number.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        match self {
            Value::Table(entries) => {
                entries.iter().rev().find(|entry| entry.0 == name).map(|entry| &entry.1)
            }
            Value::List(items) => items.get(name.parse::<usize>().ok()?),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    pub fn list(&self) -> &[Value<'a>] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Whether a list of texts contains this one.
    pub fn holds(&self, text: &str) -> bool {
        self.list().iter().any(|item| item.text() == Some(text))
    }
}

/// Return the value of a JSON text; None if it is not certainly valid.
pub fn parse(text: &str) -> Option<Value<'_>> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blank();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: &str) -> Option<()> {
        self.text[self.at..].starts_with(wanted).then(|| self.at += wanted.len())
    }

    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        self.blank();
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'"' => self.string().map(Value::Text),
            b'{' => self.table(depth),
            b'[' => self.items(depth),
            b't' => self.take("true").map(|()| Value::Bool(true)),
            b'f' => self.take("false").map(|()| Value::Bool(false)),
            b'n' => self.take("null").map(|()| Value::Null),
            _ => self.number(),
        }
    }

    fn table(&mut self, depth: usize) -> Option<Value<'a>> {
        let mut entries = Vec::new();
        self.at += 1;
        self.blank();
        if self.take("}").is_some() {
            return Some(Value::Table(entries));
        }
        loop {
            self.blank();
            let name = self.string()?;
            self.blank();
            self.take(":")?;
            entries.push((name, self.value(depth + 1)?));
            self.blank();
            if self.take(",").is_none() {
                self.take("}")?;
                return Some(Value::Table(entries));
            }
        }
    }

    fn items(&mut self, depth: usize) -> Option<Value<'a>> {
        let mut items = Vec::new();
        self.at += 1;
        self.blank();
        if self.take("]").is_some() {
            return Some(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blank();
            if self.take(",").is_none() {
                self.take("]")?;
                return Some(Value::List(items));
            }
        }
    }

    fn number(&mut self) -> Option<Value<'a>> {
        let start = self.at;
        let _ = self.take("-");
        if self.take("0").is_none() {
            self.digits()?;
        }
        if self.take(".").is_some() {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(Value::Number(self.text.get(start..self.at)?))
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.take("\"")?;
        let mut owned = String::new();
        let mut start = self.at;
        loop {
            // Most of an event is one text, a file's: what needs no look is passed over at once.
            let rest = &self.text.as_bytes()[self.at..];
            self.at += rest.iter().position(|&byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
            match self.peek()? {
                b'"' => {
                    let rest = &self.text[start..self.at];
                    self.at += 1;
                    if owned.is_empty() {
                        return Some(Cow::Borrowed(rest));
                    }
                    owned.push_str(rest);
                    return Some(Cow::Owned(owned));
                }
                b'\\' => {
                    owned.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    owned.push(self.escaped()?);
                    start = self.at;
                }
                _ => return None,
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return None,
        })
    }

    /// A lone surrogate is rejected; Python can represent one.
    fn unicode(&mut self) -> Option<char> {
        let first = self.four()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.take("\\u")?;
        let second = self.four()?;
        if !(0xdc00..0xe000).contains(&second) {
            return None;
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn four(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let value = parse(r#" {"a": ["\u00e9\ud83d\ude00\n", "x", -1.5e3, true, null]} "#).unwrap();
        let items = value.get("a").unwrap().list();
        assert_eq!(items[0].text(), Some("é😀\n"));
        assert_eq!(items[1].text(), Some("x"));
    }

    #[test]
    fn of_two_values_with_one_name_the_last_counts() {
        let value = parse(r#"{"a": "x", "a": "y"}"#).unwrap();
        assert_eq!(value.get("a").unwrap().text(), Some("y"));
    }

    #[test]
    fn what_is_no_json_or_not_for_certain_is_refused() {
        for text in [
            "",
            "nul",
            "{",
            "[1,]",
            "{\"a\"}",
            "01",
            "1.",
            "\"\n\"",
            "\"\\x\"",
            "NaN",
            "1 2",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\u12\"",
            "-",
            "'a'",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_none());
    }
}
