//! Whether an event needs an answer: the twin of `truepath.hosts.table`.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::json::Value;
use crate::path_uses::{join, looks_around, must_exist, Required, RequiredPath};
use crate::tables::part;

/// Return what must exist for an event to pass unchecked; None if only a full check can tell.
pub fn required(table: &Value, event: &Value, data: &str) -> Option<Required> {
    let name = match named(event, table, "event") {
        None => return Some(Required::default()),
        Some(name) => name.text()?,
    };
    if is_of_agent(table, event) {
        return Some(Required::default());
    }
    if let Some(marks) = table.get("marks")?.get(name) {
        let lower = data.to_ascii_lowercase();
        let found =
            marks.list().iter().any(|mark| mark.text().map_or(true, |mark| lower.contains(mark)));
        return (!found).then(Required::default);
    }
    let before = table.get("calls")?.holds(name);
    if !before {
        if !table.get("failures")?.holds(name) {
            return Some(Required::default());
        }
        let unmet = table.get("unmet")?.list();
        let lower = if unmet.is_empty() { String::new() } else { data.to_ascii_lowercase() };
        if unmet.iter().any(|mark| mark.text().map_or(true, |mark| lower.contains(mark))) {
            return None;
        }
    }
    let is_in = |code: &Value| code.text().map_or(false, |code| data.contains(code));
    if !before && part("refusals")?.list().iter().any(is_in) {
        return Some(Required::default());
    }
    let tool = named(event, table, "tool")?.text()?;
    let cwd = named(event, table, "cwd")?.text().filter(|cwd| !cwd.is_empty())?;
    let input = named(event, table, "input");
    if let Some(rule) = table.get("paths")?.get(tool) {
        let limit = table.get("limits")?.get(tool).and_then(Value::number);
        return in_argument(rule, limit, input, cwd);
    }
    if let Some(rule) = table.get("commands")?.get(tool) {
        return if before { in_command(rule, input, cwd) } else { None };
    }
    None
}

/// Return the step that an event is in its session, as a line; None if it is none. `named` says
/// whether the event names paths, which exist.
pub fn step(table: &Value, event: &Value, named_paths: bool) -> Option<String> {
    let name = named(event, table, "event")?.text()?;
    let before = table.get("calls")?.holds(name);
    let kind = if is_of_agent(table, event) {
        "prompt"
    } else if table.get("prompts")?.holds(name) {
        named(event, table, "prompt")?.text().filter(|typed| !typed.is_empty())?;
        "prompt"
    } else if before && looks(table, event).unwrap_or(false) {
        "discovery"
    } else if before && named_paths {
        "success"
    } else {
        return None;
    };
    let turn = match named(event, table, "turn") {
        Some(Value::Text(turn)) => turn.as_ref(),
        Some(Value::Number(turn)) => turn,
        _ => "",
    };
    line(kind, turn)
}

fn line(kind: &str, rest: &str) -> Option<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{kind} {}.{:03} {rest}\n", now.as_secs(), now.subsec_millis()))
}

/// The documents that a call is about to read, each as such a line.
pub fn documents(table: &Value, event: &Value, paths: &[RequiredPath]) -> Option<Vec<String>> {
    let name = named(event, table, "event")?.text()?;
    let is_before = table.get("calls")?.holds(name) && !is_of_agent(table, event);
    let names = part("documents").filter(|_| is_before)?;
    let is_document = |path: &&RequiredPath| {
        let name = path.path.rsplit('/').next().unwrap_or("");
        let is_read = matches!(path.kind.as_str(), "file" | "entry" | "any");
        is_read && names.holds(name) && !path.path.contains('\n')
    };
    Some(paths.iter().filter(is_document).filter_map(|path| line("document", &path.path)).collect())
}

/// Whether a sub-agent that no event names begins or has ended.
fn is_of_agent(table: &Value, event: &Value) -> bool {
    let is_in = |list, what| {
        let text = named(event, table, what).and_then(Value::text);
        text.zip(table.get(list)).map_or(false, |(text, list)| list.holds(text))
    };
    is_in("agents", "event") || is_in("agent tools", "tool")
}

/// Whether a call lists or searches.
fn looks(table: &Value, event: &Value) -> Option<bool> {
    let tool = named(event, table, "tool")?.text()?;
    if let Some(rule) = table.get("paths")?.get(tool) {
        return Some(matches!(pair(rule)?.1, "any" | "folder"));
    }
    let commands = values(named(event, table, "input"), pair(table.get("commands")?.get(tool)?)?.0);
    Some(commands.into_iter().flatten().filter_map(Value::text).any(looks_around))
}

/// The field of an event that the table names.
pub fn named<'a, 'b>(event: &'b Value<'a>, table: &Value, what: &str) -> Option<&'b Value<'a>> {
    field(event, table.get(what)?.text()?)
}

/// The value of a field, with dots in its name; None if it is missing or null.
fn field<'a, 'b>(event: &'b Value<'a>, name: &str) -> Option<&'b Value<'a>> {
    let found = name.split('.').try_fold(event, |inner, part| inner.get(part))?;
    (!matches!(found, Value::Null)).then_some(found)
}

fn in_argument(
    rule: &Value,
    largest: Option<u64>,
    input: Option<&Value>,
    cwd: &str,
) -> Option<Required> {
    let (argument, kind) = pair(rule)?;
    let mut found = values(input, argument);
    let mut required = Required::default();
    if matches!(found[..], [None]) && matches!(kind, "any" | "folder") {
        found.clear();
    } else if found.is_empty() {
        return None;
    }
    for value in found {
        let path = value?.text().filter(|path| !path.is_empty())?;
        let path = join(cwd, path);
        required.paths.push(RequiredPath { path, kind: kind.to_string(), largest });
    }
    let pattern = input.and_then(|input| field(input, "pattern")).and_then(Value::text);
    let folder = pattern.map_or("", folder_of);
    if kind == "folder" && !folder.is_empty() {
        let searched = required.paths.first().map_or(cwd, |searched| searched.path.as_str());
        let below = join(searched, folder);
        required.add(below, kind);
    }
    Some(required)
}

/// The folders before the first wildcard of a pattern, or before its name: the twin of
/// `truepath.calls.patterns`.
fn folder_of(pattern: &str) -> &str {
    let wild = pattern.find(|letter| "*?[]{}()!\\".contains(letter)).unwrap_or(pattern.len());
    pattern[..wild].rfind('/').map_or("", |end| &pattern[..end])
}

fn in_command(rule: &Value, input: Option<&Value>, cwd: &str) -> Option<Required> {
    let (argument, folder) = pair(rule)?;
    let there = match input.filter(|_| !folder.is_empty()).and_then(|input| field(input, folder)) {
        None if folder == "." => folder,
        None => "",
        Some(value) => value.text()?,
    };
    let commands = values(input, argument);
    let mut required = Required::default();
    if !there.is_empty() {
        required.add(join(cwd, there), "folder");
    }
    if commands.is_empty() {
        return None;
    }
    let cwd = join(cwd, there);
    for command in commands {
        let needs = must_exist(command?.text()?, &cwd)?;
        required.paths.extend(needs.paths);
        required.contents.extend(needs.contents);
    }
    Some(required)
}

fn pair<'a>(rule: &'a Value) -> Option<(&'a str, &'a str)> {
    match rule.list() {
        [first, second] => Some((first.text()?, second.text()?)),
        _ => None,
    }
}

/// The values under a name whose parts with `[]` go through lists; None for null and for a missing
/// value.
fn values<'a, 'b>(value: Option<&'b Value<'a>>, name: &str) -> Vec<Option<&'b Value<'a>>> {
    let (part, rest) = name.split_once('.').map_or((name, None), |(part, rest)| (part, Some(rest)));
    let inner = value.and_then(|value| value.get(part.trim_end_matches("[]")));
    let each: Vec<Option<&Value>> = match inner {
        Some(Value::List(items)) if part.ends_with("[]") => items.iter().map(Some).collect(),
        _ => vec![inner],
    };
    each.into_iter()
        .flat_map(|value| match rest {
            Some(rest) => values(value, rest),
            None => vec![value.filter(|value| !matches!(value, Value::Null))],
        })
        .collect()
}
