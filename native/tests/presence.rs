//! The program over the cases that both clients are held to (`tests/corpus/presence.jsonl`).
//! A script stands in for Python and says when it is asked.

#[allow(dead_code)]
#[path = "../src/json.rs"]
mod json;

use std::fs::{
    create_dir_all, metadata, read_to_string, remove_dir_all, set_permissions, write, Permissions,
};
use std::io::Write;
use std::os::unix::fs::{symlink, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use json::{parse, Value};

const FILES: [&str; 7] = [
    "repo/.git/HEAD",
    "repo/docs/a.md",
    "repo/src/app.py",
    "repo/a b.txt",
    "other/.git/HEAD",
    "other/x.py",
    "plain/y.py",
];

/// A folder of its own that goes when it is dropped, with a stand-in for Python.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let root = std::env::temp_dir().join(format!("truepath-{}-{name}", std::process::id()));
        let _ = remove_dir_all(&root);
        let place = Place(root.clone());
        // When the hook began is another number each time; without one it is not asked at all.
        let script =
            "#!/bin/sh\nwords=\"$*\"\ncase $words in *\" --began \"[0-9]*) ;; *) exit 1 ;; esac\n\
            echo \"asked ${words% --began *}\"\nexec cat\n";
        place.put("python", script);
        set_permissions(root.join("python"), Permissions::from_mode(0o755)).unwrap();
        place
    }

    fn put(&self, name: &str, content: &str) {
        let path = self.0.join(name);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, content).unwrap();
    }

    fn root(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn run(&self, words: &[&str], data: &[u8], environ: &[(String, String)]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_truepath-native"))
            .args(words)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.0.join("home"))
            .env("TRUEPATH_STATE", self.0.join("state"))
            .envs(environ.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(data);
        child.wait_with_output().unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = remove_dir_all(&self.0);
    }
}

fn table<'a, 'b>(case: &'b Value<'a>, name: &str) -> &'b [(std::borrow::Cow<'a, str>, Value<'a>)] {
    match case.get(name) {
        Some(Value::Table(entries)) => entries,
        _ => &[],
    }
}

/// What a state keeps of a file, which a case writes as `MARK`.
fn mark_of(path: &Path) -> String {
    let found = metadata(path).unwrap();
    let time = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
    format!("{}.{time}", found.ino())
}

/// Make what a case needs; return its environment.
fn lay_out(case: &Value, place: &Place) -> Vec<(String, String)> {
    let content = case.get("content").and_then(Value::text).unwrap_or("");
    let own = case.get("files").map_or(&[][..], |files| files.list());
    for name in FILES.into_iter().chain(own.iter().filter_map(Value::text)) {
        place.put(name, content);
    }
    for (name, size) in table(case, "sizes") {
        place.put(name, &"x".repeat(size.text().unwrap().parse().unwrap()));
    }
    let mark = mark_of(&place.0.join("repo/docs/a.md"));
    for folder in ["state", "home"] {
        for (name, text) in table(case, folder) {
            let text = text.text().unwrap().replace("MARK", &mark);
            place.put(&format!("{folder}/{name}"), &text);
        }
    }
    for (name, target) in table(case, "links") {
        symlink(target.text().unwrap(), place.0.join(&**name)).unwrap();
    }
    let replaced = |text: &Value| text.text().unwrap().replace("ROOT", place.root());
    table(case, "environ").iter().map(|(name, text)| (name.to_string(), replaced(text))).collect()
}

/// The text of the case's event, as it stands in its line.
fn event_of(line: &str, root: &str) -> String {
    let start = line.find("\"event\": ").unwrap() + 9;
    let end = (start + 1..=line.len())
        .find(|&end| line.is_char_boundary(end) && parse(&line[start..end]).is_some())
        .unwrap();
    line[start..end].replace("ROOT", root)
}

#[test]
fn an_event_is_quiet_where_the_shared_table_says_so() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/presence.jsonl");
    for (number, line) in read_to_string(corpus).unwrap().lines().enumerate() {
        let case = parse(line).unwrap();
        let reason = case.get("reason").unwrap().text().unwrap();
        let place = Place::new(&number.to_string());
        let environ = lay_out(&case, &place);
        let event = event_of(line, place.root());
        let host = case.get("host").unwrap().text().unwrap();
        let python = format!("{}/python", place.root());
        let done = place.run(&[host, "--python", &python], event.as_bytes(), &environ);
        assert!(done.status.success() && done.stderr.is_empty(), "{reason}");
        let expected = match case.get("quiet") {
            Some(Value::Bool(true)) => String::new(),
            _ => format!("asked -I -m truepath hook {host}\n{event}"),
        };
        assert_eq!(String::from_utf8(done.stdout).unwrap(), expected, "{reason}");
    }
}

#[test]
fn what_is_no_event_is_for_python_byte_by_byte() {
    let place = Place::new("bytes");
    let python = format!("{}/python", place.root());
    for data in [&b""[..], b"{", b"[]", b"\xff\xfe", b"{\"a\": \"\\ud800\"}", &[b'['; 300_000]] {
        let done = place.run(&["claude-code", "--python", &python, "--script", "x.py"], data, &[]);
        assert!(done.status.success());
        assert_eq!(done.stdout, [&b"asked -I -S x.py claude-code\n"[..], data].concat());
    }
}

#[test]
fn without_anyone_to_ask_it_is_silent() {
    let place = Place::new("nobody");
    for words in [&["claude-code", "--python", "/nowhere"][..], &["claude-code"], &[]] {
        let done = place.run(words, b"{", &[]);
        assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty());
    }
}

#[test]
fn it_says_its_version() {
    let done = Place::new("version").run(&["--version"], b"", &[]);
    assert_eq!(done.stdout, format!("truepath-native {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
}
