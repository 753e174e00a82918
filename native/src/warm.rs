//! Asking the warm process (see `truepath.hook.daemon_protocol`). Every doubt is a None.

use std::env::vars_os;
use std::fs::symlink_metadata;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::thread::spawn;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::deadline;
use crate::json::parse;
use crate::session::state_folder;

const CONNECT: Duration = Duration::from_millis(50);

/// The part of a hook's seconds for an answer; what is left is for Python.
const SHARE: f64 = 0.6;

/// For an answer.
pub fn timeout() -> Duration {
    deadline::seconds().mul_f64(SHARE)
}

const LONGEST: usize = 100;

extern "C" {
    fn geteuid() -> u32;
}

pub fn ask(host: &str, data: &[u8], began: SystemTime) -> Option<Vec<u8>> {
    if crate::is_off("TRUEPATH_SERVE") {
        return None;
    }
    let path = state_folder()? + "/serve.sock";
    if path.len() > LONGEST || !is_ours(&path) {
        return None;
    }
    let timeout = timeout();
    let until = Instant::now() + timeout;
    let mut link = connect(path)?;
    link.set_write_timeout(Some(timeout)).ok()?;
    link.write_all(&question(host, data, began)?).ok()?;
    let said = read_all(&mut link, until)?;
    let answer = said.strip_prefix(b"ok\n")?;
    is_whole(answer).then(|| answer.to_vec())
}

/// Whether a socket is the user's own: whoever made another could read the event.
fn is_ours(path: &str) -> bool {
    // SAFETY: geteuid takes nothing, always succeeds and touches no memory.
    let user = unsafe { geteuid() };
    symlink_metadata(path)
        .map_or(false, |found| found.file_type().is_socket() && found.uid() == user)
}

/// The standard library connects without a limit, so another thread does it.
fn connect(path: String) -> Option<UnixStream> {
    let (sender, receiver) = channel();
    spawn(move || sender.send(UnixStream::connect(path)));
    receiver.recv_timeout(CONNECT).ok()?.ok()
}

fn question(host: &str, data: &[u8], began: SystemTime) -> Option<Vec<u8>> {
    let since = began.duration_since(UNIX_EPOCH).ok()?;
    let began = format!("{}.{:09}", since.as_secs(), since.subsec_nanos());
    let mut names = Vec::new();
    for (name, value) in vars_os() {
        if !names.is_empty() {
            names.push(0);
        }
        names.extend_from_slice(name.as_bytes());
        names.push(b'=');
        names.extend_from_slice(value.as_bytes());
    }
    let mut said = format!("truepath-1 {}\n", env!("CARGO_PKG_VERSION")).into_bytes();
    for part in [host.as_bytes(), began.as_bytes(), &names, data] {
        said.extend_from_slice(format!("{}:", part.len()).as_bytes());
        said.extend_from_slice(part);
        said.push(b',');
    }
    Some(said)
}

fn read_all(link: &mut UnixStream, until: Instant) -> Option<Vec<u8>> {
    let mut said = Vec::new();
    let mut chunk = [0; 16384];
    loop {
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        link.set_read_timeout(Some(left)).ok()?;
        match link.read(&mut chunk) {
            Ok(0) => return Some(said),
            Ok(count) => said.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Whether an answer came to its end: a process that is killed leaves half of one.
fn is_whole(answer: &[u8]) -> bool {
    answer.is_empty() || std::str::from_utf8(answer).map_or(false, |text| parse(text).is_some())
}
