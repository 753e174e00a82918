//! Turn the part of `tables.json` about programs into Rust: a look at a command then reads nothing
//! at run time. What is said of hosts stays text, for one run needs one line of it.

#[allow(dead_code)]
#[path = "src/json.rs"]
mod json;

use std::env::var;
use std::fs::{read_to_string, write};
use std::path::Path;

use json::{parse, Value};

fn main() {
    println!("cargo:rerun-if-changed=tables.json");
    let text = read_to_string("tables.json").expect("tables.json is read");
    let tables = parse(&text).expect("tables.json is JSON");
    let mut code = String::new();
    if let Some(Value::Table(parts)) = tables.get("glance") {
        for (name, value) in parts {
            code += &format!("pub static {}: {};\n", name.to_uppercase(), item(value));
        }
    }
    let folder = var("OUT_DIR").expect("cargo names a folder");
    write(Path::new(&folder).join("glance.rs"), code).expect("the folder is written to");
}

/// Return the type and the value of a static: a text, texts, or texts by a name.
fn item(value: &Value) -> String {
    match value {
        Value::Table(entries) => {
            let each = |(name, value): &(_, Value)| format!("({name:?}, {}), ", literal(value));
            let kind = match entries.first() {
                Some((_, Value::List(rule))) if rule.len() == 2 => "(usize, &str)",
                Some((_, Value::List(_))) => "(&str, usize, &str, &str, &str, &str)",
                _ => "&str",
            };
            let body: String = entries.iter().map(each).collect();
            format!("&[(&str, {kind})] = &[{body}]")
        }
        Value::List(items) => {
            let body: String = items.iter().map(|item| literal(item) + ", ").collect();
            format!("&[&str] = &[{body}]")
        }
        other => format!("&str = {}", literal(other)),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Number(digits) => digits.to_string(),
        Value::List(items) => {
            let parts: Vec<String> = items.iter().map(literal).collect();
            format!("({})", parts.join(", "))
        }
        _ => unreachable!("no table holds anything else"),
    }
}
