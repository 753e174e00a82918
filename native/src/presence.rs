//! Whether an event needs no answer: the twin of `truepath.hook.presence`.

use std::fs::{metadata, symlink_metadata};
use std::io::ErrorKind;

use crate::event_schema::{named, required_paths, step};
use crate::json::Value;
use crate::session;

pub fn is_quiet(table: &Value, event: &Value, data: &str) -> bool {
    let required = match required_paths(table, event, data) {
        Some(required) => required,
        None => return false,
    };
    if !required.iter().all(|(path, kind)| is_present(path, kind)) {
        return false;
    }
    let text = |what| named(event, table, what).and_then(Value::text).unwrap_or("");
    let cwd = text("cwd");
    if required.iter().any(|(path, _)| is_elsewhere(path, cwd)) {
        return false;
    }
    // In a loop of misses, a new file may be refused.
    let made = |(path, kind): &(String, String)| {
        matches!(kind.as_str(), "new" | "target") && metadata(path).is_err()
    };
    let step = || step(table, event, !required.is_empty());
    session::is_heard(text("session"), text("agent"), required.iter().any(made), step)
}

fn is_present(path: &str, kind: &str) -> bool {
    match metadata(path) {
        Ok(found) => match kind {
            "any" | "entry" | "target" => true,
            "folder" => found.is_dir(),
            _ => !found.is_dir(),
        },
        Err(error) => {
            let new = matches!(kind, "new" | "target");
            error.kind() == ErrorKind::NotFound && new && makes_a_file(path)
        }
    }
}

/// Characters of a decoration within a path.
const DECORATING: [char; 10] = [':', '\\', '%', '#', '?', '"', '\'', '`', '<', '>'];
/// What programs write for a missing value.
const NO_VALUES: [&str; 3] = ["None", "null", "undefined"];

/// Whether a missing path would be a new file with a plain name in an existing folder.
fn makes_a_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    let ends = |letter: char| letter.is_ascii_alphanumeric() || "_-+".contains(letter);
    let plain = name.chars().last().map_or(false, ends);
    plain
        && !path.contains(DECORATING)
        && !NO_VALUES.contains(&name)
        && symlink_metadata(path).is_err()
        && metadata(above(path)).map_or(false, |found| found.is_dir())
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
    let own = cwd.trim_end_matches('/');
    if path.strip_prefix(own).map_or(false, |rest| rest.starts_with('/')) {
        return false;
    }
    top(above(path)).map_or(false, |there| Some(there) != top(cwd))
}

/// The nearest folder at or above a folder with a `.git`.
fn top(mut folder: &str) -> Option<&str> {
    loop {
        if symlink_metadata(crate::uses::join(folder, ".git")).is_ok() {
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
