//! The one deadline of a hook: the twin of `truepath.hook.deadline`.

use std::env::var;
use std::time::Duration;

const SECONDS: f64 = 2.0;
const LEAST: f64 = 0.3;
const MOST: f64 = 9.0;

/// For a hook in all, with what a user may have set.
pub fn seconds() -> Duration {
    let set = var("TRUEPATH_HOOK_SECONDS").ok().and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = set.filter(|seconds| seconds.is_finite()).unwrap_or(SECONDS);
    Duration::from_secs_f64(seconds.clamp(LEAST, MOST))
}
