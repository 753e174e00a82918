"""The schemas in `docs/schemas` are those of the code, and what the commands print is
valid.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import hooks
import pytest
from commandline import ran
from jsonschema import Draft202012Validator
from rows import check_each

from truepath.config.settings import load, parsed

PROJECT = Path(__file__).parents[1]


def validator(name):
    schema = json.loads((PROJECT / f"docs/schemas/{name}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture
def project(make_repo, move, monkeypatch):
    repo = make_repo(
        {"specs/status.md": "all green\n", "a/util.py": "", "b/util.py": ""}
    )
    move(repo, "specs", "docs")
    monkeypatch.chdir(repo)
    return repo


def test_they_are_those_of_the_code():
    spec = importlib.util.spec_from_file_location(
        "schemas", PROJECT / "docs/schemas.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stale = [
        str(file) for file, text in module.files() if file.read_text("utf-8") != text
    ]
    assert not stale, "run: .venv/bin/python docs/schemas.py"


WRONG = (PROJECT / "tests/config/wrong.jsonl").read_text("utf-8").splitlines()
SETTINGS = [
    'policy = "recover"\ndeny = ["vendor/"]\n[rules]\nedit = "refuse"\n',
    'journal = false\nstore = "redis://localhost:6379/0"\nenabled = true\n',
    'beside_hooks = "rewrite"\nharmless_hooks = ["cat >> ~/log"]\n',
    'roots = {"/app" = ".", "/srv/x" = "src"}\n',
    'roots = {"/app" = "../other"}\n',
    'roots = {"app" = "."}\n',
    *(json.loads(line)["text"] for line in WRONG),
]


def test_settings_are_valid_where_truepath_takes_them(isolated, project):
    file, known = isolated / ".config/truepath/config.toml", validator("settings")
    file.parent.mkdir(parents=True)
    environ = {"HOME": str(isolated)}

    def check(text):
        file.write_text(text)
        is_taken = not load(str(project), environ).problems
        try:
            assert known.is_valid(parsed(text)) == is_taken
        except ValueError:
            assert not is_taken

    check_each(SETTINGS, check, repr)


PATHS = [
    "specs/status.md",
    "docs/status.md",
    "x/util.py",
    "nope.py",
    "docs/",
    "/etc/hosts",
    "a*",
]
COMMANDS = [
    "cat specs/status.md",
    "rm specs/status.md",
    "cat nope.md",
    "echo",
    "sed -i s/a/b/ x.py",
]


def test_what_commands_print_is_valid(project, capsys):
    for args in (["--json"], ["--json", "--why"], ["--json", "--operation", "edit"]):
        for line in ran(capsys, "resolve", *args, *PATHS).objects:
            validator("resolve").validate(line)
    for command in COMMANDS:
        validator("check").validate(
            json.loads(ran(capsys, "check", "--json", "--", command).out)
        )
    for path in PATHS:
        hooks.answer(hooks.event(project, path))
    events = ran(capsys, "log", "--json").objects
    assert len(events) > 2
    for event in events:
        validator("log").validate(event)


def test_what_policy_and_doctor_print_is_valid(project, capsys):
    for policy in ("careful", "observe", "recover"):
        done = ran(capsys, "policy", "--json", "--policy", policy)
        validator("policy").validate(json.loads(done.out))
    for args in ((), ("claude-code",)):
        validator("doctor").validate(
            json.loads(ran(capsys, "doctor", "--json", *args).out)
        )


def test_what_install_and_uninstall_print_is_valid(isolated, project, capsys):
    for command, args, is_done in (
        ("install", ("--dry-run",), False),
        ("install", (), True),
        ("install", (), False),
        ("uninstall", ("--dry-run",), False),
        ("uninstall", (), True),
        ("uninstall", (), False),
    ):
        done = ran(capsys, command, "claude-code", "--json", *args)
        printed = json.loads(done.out)
        validator("install").validate(printed)
        assert (done.code, printed["done"]) == (0, is_done)
        is_needed = is_done or bool(args)
        assert [file["path"][-22:] for file in printed["files"]] == (
            ["/.claude/settings.json"] if is_needed else []
        )
    settings = isolated / ".kimi-code/config.toml"
    settings.parent.mkdir()
    settings.write_text("hooks = []\n")
    done = ran(capsys, "install", "kimi", "--json")
    printed = json.loads(done.out)
    validator("install").validate(printed)
    assert (done.code, "PreToolUse" in printed["by_hand"]) == (1, True)


def test_what_stats_print_is_valid_with_misses_and_without(project, capsys):
    validator("stats").validate(json.loads(ran(capsys, "stats", "--json").out))
    for path in PATHS:
        hooks.answer(hooks.event(project, path))
    for args in ((), ("--by", "tool"), ("--by", "cause"), ("--event", "path.absent")):
        done = ran(capsys, "stats", "--json", *args)
        validator("stats").validate(json.loads(done.out))


WRONG_OUTPUTS = [
    ("stats", {"first": None, "last": None, "checks": {}}, "no sums"),
    ("policy", {"policy": "strict", "rules": {}, "reasons": {}}, "no such preset"),
    ("doctor", {"well": "yes", "findings": []}, "a text for a boolean"),
    ("doctor", {"well": True, "findings": [{"host": "pi"}]}, "half a finding"),
    ("doctor", {"well": True, "findings": [], "more": 1}, "a field that is not there"),
]


def test_what_no_command_prints_is_not_valid():
    def check(row):
        name, output, _ = row
        assert not validator(name).is_valid(output)

    check_each(WRONG_OUTPUTS, check, lambda row: row[2])


def test_each_has_an_id_that_resolves_beside_it():
    for file in (PROJECT / "docs/schemas").glob("*.json"):
        assert json.loads(file.read_text("utf-8"))["$id"] == file.name


def test_what_an_audit_prints_is_valid(project, capsys):
    transcripts = str(PROJECT / "tests/transcripts")
    for args in ([transcripts], [transcripts, "--repo", str(project)]):
        done = ran(capsys, "audit", "--json", *args)
        assert done.code == 0
        validator("audit").validate(json.loads(done.out))
