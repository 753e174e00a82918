"""`truepath undo-info`: what a correction changed, and nothing else."""

from __future__ import annotations

import os

import pytest
from commandline import ran

import truepath
from truepath.config.user_dirs import state_folder
from truepath.journal.event import Event
from truepath.journal.journal import JsonlSink, journal_path, read_events

FIELDS = {
    "host": "claude-code",
    "session": "s",
    "tool": "Bash",
    "operation": "read",
    "argument": "command",
    "index": 4,
    "requested": "specs/status.md",
    "replacement": "docs/status.md",
    "resolved": "docs/status.md",
    "status": "resolved",
    "confidence": 0.97,
    "ground": "renamed",
    "policy": "careful",
    "project": "/home/ada/shop",
}


@pytest.fixture
def path():
    return journal_path(state_folder(os.environ))


@pytest.fixture
def journal(path):
    return JsonlSink(path)


def event(name, kind="path.corrected", **fields):
    return Event(event=kind, time=1_700_000_000.0, id=name, **FIELDS | fields)


def said(out: str) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in out.splitlines())


def test_it_says_all_that_was_changed_and_why(journal, capsys):
    journal(event("0001aa"))
    done = ran(capsys, "undo-info", "0001aa")
    assert (done.code, done.err) == (0, "")
    told = said(done.out)
    assert told["when"].startswith("2023-11-1")
    del told["when"]
    assert told == {
        "event": "0001aa",
        "what": "path.corrected",
        "tool": "Bash",
        "argument": "command, at 4",
        "operation": "read",
        "from": "specs/status.md",
        "to": "docs/status.md",
        "file": "docs/status.md",
        "ground": "renamed",
        "confidence": "97.0%",
        "policy": "careful",
        "project": "/home/ada/shop",
        "host": "claude-code",
        "session": "s",
    }


def test_what_a_guard_changed_in_a_command_is_found_at_its_offset(make_repo, capsys, path):
    repo = make_repo({"docs/status.md": "", "docs/other.md": ""})
    command = "cat docs/status.md:4"
    decision = truepath.Guard(repo).before(truepath.ToolCall("Bash", {"command": command}))
    assert decision.action == "rewrite"
    told = said(ran(capsys, "undo-info").out)
    (kept,) = read_events(path)
    assert told["argument"] == "command, at 4"
    changed = command[: kept.index] + told["to"] + command[kept.index + len(told["from"]) :]
    assert changed == decision.arguments["command"]


def test_a_beginning_is_enough_when_it_is_the_only_one(journal, capsys):
    journal(event("0001aa"))
    journal(event("0002bb"))
    assert said(ran(capsys, "undo-info", "0002").out)["event"] == "0002bb"
    done = ran(capsys, "undo-info", "000")
    assert (done.code, done.out) == (1, "")
    assert "2 events begin with 000" in done.err


def test_a_whole_id_is_meant_before_a_beginning(journal, capsys):
    journal(event("0001"))
    journal(event("0001aa"))
    assert said(ran(capsys, "undo-info", "0001").out)["event"] == "0001"


def test_without_an_event_it_is_the_last_correction(journal, capsys):
    assert ran(capsys, "undo-info").code == 1
    journal(event("0001aa"))
    journal(event("0002bb"))
    journal(event("0003cc", kind="path.refused"))
    assert said(ran(capsys, "undo-info").out)["event"] == "0002bb"


def test_the_other_changes_of_the_call_are_shown_with_it(journal, capsys):
    journal(event("0001aa", call_id="c1"))
    journal(event("0002bb", call_id="c1", requested="specs/b.md"))
    journal(event("0003cc", call_id="c2"))
    journal(event("0004dd", call_id="c1", session="other"))
    first, second = ran(capsys, "undo-info", "0002").out.split("\n\n")
    assert [said(each)["event"] for each in (first, second)] == ["0001aa", "0002bb"]
    objects = ran(capsys, "undo-info", "0002", "--json").objects
    assert [each["requested"] for each in objects] == ["specs/status.md", "specs/b.md"]


def test_an_event_that_changed_nothing_says_so(journal, capsys):
    journal(event("0001aa", kind="path.refused", replacement=""))
    done = ran(capsys, "undo-info", "0001")
    assert done.code == 1
    assert "nothing was changed" in done.err
    assert "from" in said(done.out)


def test_an_event_that_is_not_there_is_one_line(capsys):
    done = ran(capsys, "undo-info", "ffff\x1b")
    assert (done.code, done.out) == (1, "")
    assert done.err == "no event begins with ffff\\x1b (see `truepath log --ids`)\n"


def test_names_are_shown_on_one_line(journal, capsys):
    journal(event("0001aa", requested="a\x1b[31m\u202eb"))
    out = ran(capsys, "undo-info").out
    assert all(line.isprintable() for line in out.splitlines())


def test_log_shows_the_ids_that_it_takes(journal, capsys):
    journal(event("0001aa"))
    (line,) = ran(capsys, "log", "--ids").out.splitlines()
    assert line.startswith("0001aa  ")
