//! The tables that Python declares, as `export.py` wrote them.

use crate::json::{parse, Value};

const TABLES: &str = include_str!("../tables.json");

/// Return one part of the tables: each is on its own line, so that only what is asked for is
/// parsed.
pub fn part(name: &str) -> Option<Value<'static>> {
    let start = format!("\"{name}\":");
    let line = TABLES.lines().find_map(|line| line.strip_prefix(start.as_str()))?;
    parse(line.trim_end_matches(','))
}
