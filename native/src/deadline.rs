//! The deadline of a hook: the twin of `truepath.hook.deadline`.

use std::env::var;
use std::time::Duration;

const SECONDS: f64 = 2.0;
const LEAST: f64 = 0.1;
const MOST: f64 = 9.0;
/// Seconds of the clock for each of CPU, of which Python counts its own.
const CLOCK: f64 = 5.0;

const SIGALRM: i32 = 14;

extern "C" {
    fn signal(signal: i32, handler: usize) -> usize;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: i32) -> !;
}

/// End this program when the time of its hook is over, even while it waits for the event's end.
pub fn keep() {
    // SAFETY: neither touches memory, and the handler does nothing but end.
    unsafe {
        signal(SIGALRM, end as extern "C" fn(i32) as usize);
        alarm(seconds().as_secs_f64().ceil() as u32);
    }
}

/// Let it run on: its child ends in time, or is ended here.
pub fn lift() {
    // SAFETY: it touches no memory.
    unsafe { alarm(0) };
}

extern "C" fn end(_: i32) {
    // SAFETY: it may be called in a handler.
    unsafe { _exit(0) }
}

/// The total time of a hook by the clock, by default or as set by the user.
pub fn seconds() -> Duration {
    let set = var("TRUEPATH_HOOK_SECONDS").ok().and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = set.filter(|seconds| seconds.is_finite()).unwrap_or(SECONDS);
    Duration::from_secs_f64((CLOCK * seconds.max(LEAST)).min(MOST))
}
