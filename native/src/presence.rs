//! Whether an event needs no answer: the twin of `truepath.hook.presence`.

use std::fs::{canonicalize, metadata, read, symlink_metadata};
use std::io::ErrorKind;
use std::path::Path;

use crate::event_schema::{named, required_paths, step};
use crate::json::Value;
use crate::session;

/// Bytes of a file with scripts or targets, at most.
const LARGEST: u64 = 1_000_000;

pub fn is_quiet(table: &Value, event: &Value, data: &str) -> bool {
    let required = match required_paths(table, event, data) {
        Some(required) => required,
        None => return false,
    };
    let text = |what| named(event, table, what).and_then(Value::text).unwrap_or("");
    let cwd = text("cwd");
    let (needs, required): (Vec<_>, Vec<_>) = required.into_iter().partition(is_need);
    if !needs.iter().all(|(folder, kind)| holds(folder, kind)) {
        return false;
    }
    if !required.iter().all(|(path, kind)| is_present(path, kind, cwd)) {
        return false;
    }
    if required.iter().any(|(path, _)| is_elsewhere(path, cwd)) {
        return false;
    }
    // In a loop of misses, a new file may be refused.
    let made = |(path, kind): &(String, String)| {
        matches!(kind.as_str(), "new" | "target") && metadata(path).is_err()
    };
    let made = required.iter().any(made);
    let limited = required.iter().any(|(_, kind)| kind.contains(' '));
    let step = || step(table, event, !required.is_empty());
    session::is_heard(text("session"), text("agent"), made, limited, step)
}

fn is_need((_, kind): &(String, String)) -> bool {
    kind.starts_with("above ") || kind.starts_with("here ")
}

/// Whether a folder has what a command needs there, or one above has it.
fn holds(folder: &str, kind: &str) -> bool {
    let mut words = kind.split(' ');
    let above = words.next() == Some("above");
    let files = words.next().unwrap_or("");
    let texts: Vec<&str> = words.collect();
    let start = match canonicalize(folder) {
        Ok(start) => start,
        Err(_) => return false,
    };
    for place in start.ancestors().take(if above { usize::MAX } else { 1 }) {
        for name in files.split('/') {
            let path = place.join(name);
            if symlink_metadata(&path).is_ok() {
                return texts.is_empty() || contains(&path, &texts);
            }
        }
    }
    false
}

fn contains(path: &Path, texts: &[&str]) -> bool {
    match metadata(path) {
        Ok(found) if found.is_file() && found.len() <= LARGEST => {}
        _ => return false,
    }
    let content = read(path).unwrap_or_default();
    let has = |text: &&str| content.windows(text.len()).any(|part| part == text.as_bytes());
    texts.iter().filter(|text| !text.is_empty()).all(has)
}

fn is_present(path: &str, kind: &str, cwd: &str) -> bool {
    let (kind, most) = kind.split_once(' ').unwrap_or((kind, ""));
    match metadata(path) {
        Ok(found) if !found.is_dir() && most.parse().map_or(false, |most| found.len() > most) => {
            false
        }
        Ok(found) => match kind {
            "any" | "entry" | "target" => true,
            "folder" => found.is_dir(),
            _ => !found.is_dir(),
        },
        Err(error) => {
            let new = matches!(kind, "new" | "target");
            error.kind() == ErrorKind::NotFound && new && makes_a_file(path, cwd)
        }
    }
}

/// Whether a missing path would be a new file, in a folder that exists, outside the agent's folder
/// and every repository.
fn makes_a_file(path: &str, cwd: &str) -> bool {
    let folder = above(path);
    !is_below(path, cwd)
        && symlink_metadata(path).is_err()
        && metadata(folder).map_or(false, |found| found.is_dir())
        && top(folder).is_none()
}

fn is_below(path: &str, cwd: &str) -> bool {
    let rest = path.strip_prefix(cwd.trim_end_matches('/'));
    rest.map_or(false, |rest| rest.starts_with('/'))
}

/// The same as `os.path.dirname`.
fn above(path: &str) -> &str {
    match path.rfind('/') {
        None => "",
        Some(at) => {
            let head = path[..at].trim_end_matches('/');
            if head.is_empty() {
                &path[..=at]
            } else {
                head
            }
        }
    }
}

/// Whether a path is in another work tree than the agent's, where an existing path can be the
/// wrong one.
fn is_elsewhere(path: &str, cwd: &str) -> bool {
    if cwd.is_empty() || path.split('/').any(|part| part == "..") {
        return true;
    }
    if is_below(path, cwd) {
        return false;
    }
    top(above(path)).map_or(false, |there| Some(there) != top(cwd))
}

/// The nearest folder at or above a folder with a `.git`.
fn top(mut folder: &str) -> Option<&str> {
    loop {
        if symlink_metadata(crate::path_uses::join(folder, ".git")).is_ok() {
            return Some(folder);
        }
        let higher = above(folder);
        if higher == folder {
            return None;
        }
        folder = higher;
    }
}

#[cfg(test)]
mod tests {
    use super::above;

    #[test]
    fn a_folder_is_found_as_python_finds_it() {
        for (path, folder) in [
            ("/a/b", "/a"),
            ("/a", "/"),
            ("/", "/"),
            ("a", ""),
            ("a/", "a"),
            ("//a", "//"),
            ("/a//b", "/a"),
        ] {
            assert_eq!(above(path), folder, "{path}");
        }
    }
}
