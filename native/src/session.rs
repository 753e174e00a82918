//! Whether a session needs no more than a line about a successful call: the twin of
//! `truepath.session.keys` and `truepath.config.user_dirs`.

use std::env::var_os;
use std::fs::{metadata, symlink_metadata, DirBuilder, File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::json::Value;
use crate::path_uses::RequiredPath;
use crate::tables::part;

const LARGEST: u64 = 1_000_000;
const LONGEST: usize = 100;
const MOST_STEPS: u64 = 4096;
/// Settings for which only the engine knows whether an event needs an answer.
const VARIABLES: [&str; 2] = ["TRUEPATH_STORE", "TRUEPATH_OTHER_CHECKOUTS"];
const SETTINGS: [&str; 2] = ["store", "other_checkouts"];
const CHOSEN: &str = "TRUEPATH_STATE";

extern "C" {
    fn geteuid() -> u32;
}

/// Whether it does; then the `documents` that it reads are left beside the session, and `step`, if
/// there is one, if that has misses.
pub fn is_heard(
    session: &str,
    agent: &str,
    makes: bool,
    paths: &[RequiredPath],
    step: impl Fn() -> Option<String>,
    documents: impl Fn() -> Vec<String>,
) -> bool {
    let is_blank = |text: &str| text.trim().is_empty();
    let is_unset = |name: &&str| variable(name).map_or(false, |text| is_blank(&text));
    if session.is_empty() || !VARIABLES.iter().all(is_unset) {
        return false;
    }
    // What asks for more than a look is a line of the user's settings.
    let settings = match below("XDG_CONFIG_HOME", ".config") {
        Some(settings) => settings,
        None => return false,
    };
    let settings = format!("{settings}/config.toml");
    let text = read(&settings, metadata(&settings).ok()).unwrap_or_default();
    if SETTINGS.iter().any(|name| holds(&text, name.as_bytes())) {
        return false;
    }
    let file = match (state_folder(), session_file(session, agent)) {
        (Some(folder), Some(file)) => format!("{folder}/sessions/{file}"),
        _ => return false,
    };
    let awaited = awaits(&file, paths);
    if awaited.is_some() {
        for document in documents() {
            let _ = leave(&file, &document); // else an answer says a little less
        }
    }
    match awaited {
        Some("") => true,
        Some(_) if !makes => step().map_or(true, |step| leave(&file, &step).is_some()),
        _ => false,
    }
}

/// The folder of the user's state; None if only Python can tell.
pub fn state_folder() -> Option<String> {
    let own = variable(CHOSEN)?;
    if own.is_empty() {
        let usual =
            if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };
        return below("XDG_STATE_HOME", usual);
    }
    let path = match own.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home()? + rest,
        _ => own,
    };
    let plain = path.starts_with('/') && !path.split('/').any(|part| part == "..");
    plain.then_some(path) // a relative one is Python's to leave out
}

fn below(name: &str, usual: &str) -> Option<String> {
    let given = variable(name)?;
    let parent = if given.starts_with('/') { given } else { format!("{}/{usual}", home()?) };
    Some(format!("{}/truepath", parent.trim_end_matches('/')))
}

fn home() -> Option<String> {
    variable("HOME").filter(|home| home.starts_with('/'))
}

/// A variable's text, "" if it is not set; None if it is not UTF-8.
fn variable(name: &str) -> Option<String> {
    var_os(name).unwrap_or_default().into_string().ok()
}

/// The name of a session's file; None for a long name, which needs a digest.
fn session_file(session: &str, agent: &str) -> Option<String> {
    let name = format!("{session}\0{agent}\0");
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let plain = name.bytes().all(|byte| is_digit(byte) || matches!(byte, b'-' | 0));
    if name.len() <= LONGEST && is_digit(name.as_bytes()[0]) && plain {
        return Some(format!("{}.json", name.replace('\0', "_")));
    }
    let data = name.trim_end_matches('\0');
    let digits = data.bytes().rev().flat_map(|byte| [byte & 15, byte >> 4]);
    let digits: String = digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
    (data.len() <= LONGEST).then(|| format!("{digits}x.json"))
}

/// What a stored state waits for: nothing or steps; None if it owes a text, a corrected call is
/// open, or a file was offered that has the name of one of the paths.
///
/// A read by a tool with a limit of size is waited for where its file has failed for that, and an
/// edit where one of its file has failed, until the file is another.
fn awaits(file: &str, paths: &[RequiredPath]) -> Option<&'static str> {
    let found = symlink_metadata(file).ok().filter(is_own);
    let state = match read(file, found) {
        Some(state) => state,
        None => return Some(""),
    };
    let has_failed = |path: &RequiredPath, note: &str| {
        part(note)?.text().map(|note| holds(&state, (note.to_string() + &mark_of(path)).as_bytes()))
    };
    for path in paths {
        let by_size = path.largest.is_some() && has_failed(path, "failed by size")?;
        if by_size || path.kind == "edit" && has_failed(path, "failed edit")? {
            return None;
        }
    }
    let markers = part("idle markers")?;
    let has = |marker: &Value| marker.text().map_or(false, |text| holds(&state, text.as_bytes()));
    match markers.list() {
        [owes, open, offers, misses] if has(owes) && has(open) => {
            let offered = !has(offers);
            let named = |path: &RequiredPath| may_hold(&state, name_of(&path.path));
            if offered && paths.iter().any(named) {
                return None;
            }
            Some(if offered || !has(misses) { "steps" } else { "" })
        }
        _ => None,
    }
}

/// What a file has only until it is written or replaced; "" if it cannot be looked at.
fn mark_of(required: &RequiredPath) -> String {
    let mark = |found: Metadata| {
        // The nanoseconds of a time since the epoch, as one number.
        let time = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
        format!("{}.{time}", found.ino())
    };
    metadata(&required.path).map_or(String::new(), mark)
}

/// The last name of a path.
fn name_of(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a state may have a text; one that JSON escapes may be there.
fn may_hold(state: &[u8], name: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    !name.bytes().all(plain) || holds(state, format!("\"{name}\"").as_bytes())
}

/// Append a step to those beside a state, if they are few; None if that fails.
fn leave(file: &str, step: &str) -> Option<()> {
    let path = format!("{file}.steps");
    let few = step.starts_with("discovery") || step.starts_with("document");
    let most = if few { MOST_STEPS / 2 } else { MOST_STEPS };
    match symlink_metadata(&path) {
        Ok(found) if !is_own(&found) => return None, // opening a pipe may block
        Ok(found) if found.len() >= most => return Some(()),
        _ => {}
    }
    let folder = Path::new(&path).parent()?;
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
    }
    let mut how = OpenOptions::new();
    let mut out = how.append(true).create(true).mode(0o600).open(path).ok()?;
    out.write_all(step.as_bytes()).ok()
}

/// Whether what was found is a file, no link, and the user's alone.
fn is_own(found: &Metadata) -> bool {
    // SAFETY: geteuid touches no memory, and cannot fail.
    let is_users = found.uid() == unsafe { geteuid() };
    found.is_file() && is_users && found.mode() & 0o022 == 0
}

/// The contents of a regular file of limited size, because opening a pipe may block.
fn read(file: &str, found: Option<Metadata>) -> Option<Vec<u8>> {
    found.filter(|found| found.is_file() && found.len() <= LARGEST)?;
    let mut text = Vec::new();
    File::open(file).ok()?.take(LARGEST).read_to_end(&mut text).ok()?;
    Some(text)
}

fn holds(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::session_file;

    #[test]
    fn a_session_has_the_file_that_python_gives_it() {
        let long = "A".repeat(100);
        for (session, agent, file) in [
            ("019a-b", "", "019a-b__.json"),
            ("019a-b", "c", "019a-b_c_.json"),
            ("ses_1", "", "13f5375637x.json"),
            ("é", "", "9a3cx.json"),
            (long.as_str(), "", &("14".repeat(100) + "x.json")),
        ] {
            assert_eq!(session_file(session, agent).as_deref(), Some(file));
        }
        assert_eq!(session_file(&"A".repeat(101), ""), None);
    }
}
