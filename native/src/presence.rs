//! Whether an event needs no answer: the twin of `truepath.hook.presence`.

use std::fs::{canonicalize, metadata, read, symlink_metadata};
use std::io::ErrorKind;
use std::path::Path;

use crate::event_schema::{documents, named, required, step};
use crate::json::Value;
use crate::path_uses::{LookedFor, RequiredPath};
use crate::session;

/// Bytes of a file with scripts or targets, at most.
const LARGEST: u64 = 1_000_000;

pub fn is_quiet(table: &Value, event: &Value, data: &str) -> bool {
    let needs = match required(table, event, data) {
        Some(needs) => needs,
        None => return false,
    };
    let text = |what| named(event, table, what).and_then(Value::text).unwrap_or("");
    let cwd = text("cwd");
    if !needs.contents.iter().all(holds) {
        return false;
    }
    if !needs.paths.iter().all(|required| is_present(required, cwd)) {
        return false;
    }
    if needs.paths.iter().any(|required| is_elsewhere(&required.path, cwd)) {
        return false;
    }
    // In a loop of misses, a new file may be refused.
    let is_made = |required: &RequiredPath| {
        matches!(required.kind.as_str(), "new" | "target") && metadata(&required.path).is_err()
    };
    let makes = needs.paths.iter().any(is_made);
    let step = || step(table, event, !needs.paths.is_empty());
    let read = || documents(table, event, &needs.paths).unwrap_or_default();
    session::is_heard(text("session"), text("agent"), makes, &needs.paths, step, read)
}

/// Whether a folder has what a command needs there, or one above has it.
fn holds(lookup: &LookedFor) -> bool {
    let start = match canonicalize(&lookup.folder) {
        Ok(start) => start,
        Err(_) => return false,
    };
    for place in start.ancestors().take(if lookup.above { usize::MAX } else { 1 }) {
        for name in &lookup.files {
            let path = place.join(name);
            if symlink_metadata(&path).is_ok() {
                return lookup.texts.is_empty() || contains(&path, &lookup.texts);
            }
        }
    }
    false
}

fn contains(path: &Path, texts: &[String]) -> bool {
    match metadata(path) {
        Ok(found) if found.is_file() && found.len() <= LARGEST => {}
        _ => return false,
    }
    let content = read(path).unwrap_or_default();
    let has = |text: &String| content.windows(text.len()).any(|part| part == text.as_bytes());
    texts.iter().filter(|text| !text.is_empty()).all(has)
}

/// Whether a path is as required: the twin of `truepath.config.files.entry_kind` and of `_is_present`
/// in `truepath.hook.presence`.
fn is_present(required: &RequiredPath, cwd: &str) -> bool {
    let RequiredPath { path, kind, largest } = required;
    let is_larger = |size: u64| largest.map_or(false, |largest| size > largest);
    match metadata(path) {
        Ok(found) if !found.is_dir() && is_larger(found.len()) => false,
        Ok(found) => match kind.as_str() {
            "any" | "entry" | "target" => true,
            "folder" => found.is_dir(),
            _ => !found.is_dir(),
        },
        Err(error) => {
            let new = matches!(kind.as_str(), "new" | "target");
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
