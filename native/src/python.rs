//! Running the client in Python with the same input, environment and output.

use std::env::current_exe;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::spawn;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::deadline;

/// Additional time for an interpreter to end by itself.
const OVER: Duration = Duration::from_millis(300);

const SIGKILL: i32 = 9;
const SIGPIPE: i32 = 13;
const SIG_IGN: usize = 1;

extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
    fn signal(signal: i32, handler: usize) -> usize;
}

/// Run it until the time of the hook is over.
pub fn run(host: &str, [python, script]: [Option<&str>; 2], data: Vec<u8>, began: SystemTime) {
    deadline::lift();
    // SAFETY: signal touches no memory. Else a Python that reads nothing would end this program.
    unsafe { signal(SIGPIPE, SIG_IGN) };
    let mut command = match (python, script) {
        (Some(python), Some(script)) => of(python, &["-I", "-S", script]),
        (Some(python), None) => of(python, &["-I", "-m", "truepath", "hook"]),
        _ => match beside() {
            Some(client) => of(&client, &[]),
            None => return,
        },
    };
    command.arg(host);
    if let Ok(since) = began.duration_since(UNIX_EPOCH) {
        command.arg("--began").arg(format!("{}.{:09}", since.as_secs(), since.subsec_nanos()));
    }
    let mut child = match command.stdin(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(_) => return,
    };
    let number = child.id() as i32;
    let (sender, receiver) = channel();
    spawn(move || {
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(&data);
        }
        let _ = child.wait();
        let _ = sender.send(());
    });
    let gone = began.elapsed().unwrap_or_default();
    if receiver.recv_timeout(deadline::seconds().saturating_sub(gone) + OVER).is_err() {
        // SAFETY: kill touches no memory; the child was not waited for, so the number is its own.
        unsafe { kill(number, SIGKILL) };
    }
}

/// The client in Python next to this program, as both are installed; not one on PATH, where a
/// project may have put its own.
fn beside() -> Option<String> {
    let client = current_exe().ok()?.with_file_name("truepath-hook");
    client.into_os_string().into_string().ok()
}

fn of(program: &str, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    command
}
