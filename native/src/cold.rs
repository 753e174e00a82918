//! Running the client in Python with the same input, environment and output.

use std::io::Write;
use std::process::{Command, Stdio};

/// `alone`: without asking the warm process, or having one started.
pub fn run(host: &str, python: Option<&str>, script: Option<&str>, data: &[u8], alone: bool) {
    let mut command = match (python, script) {
        (Some(python), Some(script)) => of(python, &["-I", "-S", script]),
        (Some(python), None) => of(python, &["-I", "-m", "truepath", "hook"]),
        _ => of("truepath-hook", &[]),
    };
    if alone {
        command.env("TRUEPATH_SERVE", "0");
    }
    if let Ok(mut child) = command.arg(host).stdin(Stdio::piped()).spawn() {
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(data);
        }
        let _ = child.wait();
    }
}

fn of(program: &str, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    command
}
