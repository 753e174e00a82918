//! `truepath-native HOST [--python PATH] [--script PATH]`: a hook event on stdin, an answer or
//! nothing on stdout, status 0 always.
//!
//! It handles only the common case: the paths of a call exist, so there is no answer. In any doubt
//! it passes the same bytes to Python.

// Rust's own start reads its stack's bounds and sets handlers for signals: half of the system calls
// of a run, and of no use to a program that reads once and ends.
#![cfg_attr(not(test), no_main)]

#[cfg(not(unix))]
compile_error!("truepath-native is for Unix; elsewhere the client in Python serves");

mod deadline;
mod event_schema;
mod json;
mod path_uses;
mod presence;
mod programs;
mod python;
mod reader;
mod session;
mod tables;

use std::env::var;
use std::ffi::CStr;
use std::io::{copy, sink, stdin, Read};
use std::os::raw::c_char;
use std::process::exit;
use std::time::SystemTime;

/// Bytes of an event that are read at once. Most have one or two thousand; one that writes a whole
/// file has more, and memory that is not touched costs nothing.
const USUAL: usize = 1 << 16;
/// Bytes of an event that are looked at; Python says what there is to say of a larger one.
const LARGEST: u64 = 4_000_000;

#[cfg_attr(not(test), no_mangle)]
extern "C" fn main(count: i32, words: *const *const c_char) -> i32 {
    // Whatever goes wrong in here, the agent's call goes on as it came.
    std::panic::set_hook(Box::new(|_| exit(0)));
    // `std::env::args` is empty under musl where Rust's own start is left out.
    // SAFETY: C gives as many strings as it says, and they stay.
    let word = |at| unsafe { CStr::from_ptr(*words.add(at)) };
    let words: Vec<String> =
        (1..count as usize).map(|at| word(at).to_string_lossy().into_owned()).collect();
    match words.first().map(String::as_str) {
        Some("--version") => println!("truepath-native {}", env!("CARGO_PKG_VERSION")),
        Some(host) => attend(host, option(&words, "--python"), option(&words, "--script")),
        None => {}
    }
    0
}

fn attend(host: &str, python: Option<&str>, script: Option<&str>) {
    let began = SystemTime::now();
    deadline::keep();
    let mut data = Vec::with_capacity(USUAL);
    let mut input = stdin().lock();
    let _ = input.by_ref().take(LARGEST + 1).read_to_end(&mut data);
    if data.len() as u64 > LARGEST {
        let _ = copy(&mut input, &mut sink());
    }
    if is_off("TRUEPATH") || is_off("CLAUDE_RESOLVE_PATH") || is_quiet(host, &data) {
        return;
    }
    python::run(host, [python, script], data, began);
}

/// Whether a variable turns truepath off.
pub fn is_off(name: &str) -> bool {
    let value = var(name).unwrap_or_default().trim().to_lowercase();
    matches!(value.as_str(), "0" | "false" | "no" | "off")
}

fn is_quiet(host: &str, data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let text = std::str::from_utf8(data).ok();
    match (tables::part(&format!("host {host}")), text, text.and_then(json::parse)) {
        (Some(table), Some(text), Some(event @ json::Value::Table(_))) => {
            presence::is_quiet(&table, &event, text)
        }
        _ => false,
    }
}

fn option<'a>(words: &'a [String], name: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| word == name)?;
    words.get(at + 1).map(String::as_str)
}
