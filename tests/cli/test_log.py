"""`truepath log`: the last events, for a person and as JSON."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from commandline import ran

import truepath
from truepath.config.user_dirs import state_folder
from truepath.journal.event import KINDS, Event
from truepath.journal.journal import JsonlSink, journal_path


@pytest.fixture
def journal():
    return JsonlSink(journal_path(state_folder(os.environ)))


def corrected(number=0, **more):
    fields = {
        "event": "path.corrected",
        "time": 1_700_000_000.0 + number,
        "host": "claude-code",
        "operation": "read",
        "requested": f"specs/{number}.md",
        "resolved": f"docs/{number}.md",
        "replacement": f"docs/{number}.md",
        "elapsed_us": 1234,
    }
    return Event(**{**fields, **more})


def test_what_doctor_writes_to_try_the_journal_is_shown_if_it_is_asked_for(
    journal, capsys
):
    journal.write(Event(event="journal.tried", time=1.7e9, host="truepath"))
    assert "no events found" in ran(capsys, "log", "--all").err
    assert "tried" in ran(capsys, "log", "--all", "--event", "journal.tried").out


def test_without_a_journal_it_says_so_beside_the_data(capsys):
    done = ran(capsys, "log")
    assert (done.code, done.out) == (0, "")
    assert "no events found in this project" in done.err


def test_what_a_guard_corrects_is_shown_and_found_in_the_command(
    make_repo, journal, capsys, monkeypatch
):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    command = "cat docs/status.md:4"
    guard = truepath.Guard(repo, on_event=journal)
    decision = guard.before(
        truepath.ToolCall("Bash", {"command": command}, host="gemini")
    )
    (line,) = ran(capsys, "log").out.splitlines()
    assert "  corrected  read  docs/status.md:4 -> docs/status.md" in line
    told = said(ran(capsys, "log", line.split()[0]).out)
    start, old, new = int(told["index"]), told["requested"], told["replacement"]
    assert (
        command[:start] + new + command[start + len(old) :]
        == decision.arguments["command"]
    )


def said(out):
    return dict(line.split(maxsplit=1) for line in out.splitlines())


def test_of_an_event_all_is_shown(journal, capsys):
    event = corrected(
        reason="renamed", candidates=("docs/0.md", "b.md"), project="/srv/shop"
    )
    journal(event)
    journal(corrected(1))
    told = said(ran(capsys, "log", event.id[-6:]).out)
    assert told["id"] == event.id
    assert told["time"] == "2023-11-14T22:13:20.000Z"
    assert (told["reason"], told["candidates"]) == ("renamed", "docs/0.md, b.md")
    assert ran(capsys, "log", event.id, "--json").out == event.to_json() + "\n"


def test_an_event_that_is_not_there_is_one_line(capsys):
    done = ran(capsys, "log", "ffff\x1b")
    assert (done.code, done.out) == (1, "")
    assert done.err == "no event has the id ffff\\x1b (see `truepath log`)\n"


ROWS = [
    (
        {
            "event": "path.refused",
            "requested": "x.py",
            "candidates": ("a/x.py", "b/x.py"),
        },
        "refused  x.py ? a/x.py, b/x.py",
    ),
    (
        {
            "event": "path.refused",
            "requested": "/srv/shop/x.py",
            "project": "/srv/shop",
        },
        "refused  x.py",
    ),
    (
        {
            "event": "check.ranged",
            "requested": "x.py",
            "resolved": "x.py",
            "reason": "too-large",
        },
        "check.ranged  x.py (too-large)",
    ),
    (
        {"event": "path.absent", "requested": "a\x1b[31mb\u2028c"},
        "absent  a\\x1b[31mb\\u2028c",
    ),
    ({"event": "later\x1b[31m", "requested": "x"}, "later\\x1b[31m  x"),
    *[
        (
            {"event": kind, "error": "ValueError at x:1"},
            f"{kind.removeprefix('path.')}  ValueError",
        )
        for kind in KINDS
        if kind not in ("path.ended", "path.followed", "journal.tried")
    ],
]


@pytest.mark.parametrize("end", ["ran", "failed", "dropped", "declined", ""])
@pytest.mark.parametrize("kind", ["path.corrected", "path.assumed"])
def test_a_correction_is_one_by_its_end_and_that_has_no_line(
    journal, capsys, kind, end
):
    event = corrected(event=kind)
    journal(event)
    journal(corrected(1, event="path.followed", of="1", end="took"))
    if end:
        journal(corrected(2, event="path.ended", of=event.id, end=end))
    (line,) = ran(capsys, "log").out.splitlines()
    done = end if end not in ("", "ran") else kind.removeprefix("path.")
    assert f"  {done}  read  specs/0.md -> docs/0.md" in line
    (line,) = ran(capsys, "log", "--event", "path.followed").out.splitlines()
    assert "  took  read  docs/1.md" in line


@pytest.mark.parametrize(("fields", "shown"), ROWS)
def test_every_kind_of_event_has_one_line(journal, capsys, fields, shown):
    journal(Event(time=1e9, **fields))
    (line,) = ran(capsys, "log", "--all").out.splitlines()
    assert line.isprintable()
    assert " ".join(shown.split()) in " ".join(line.split())


def test_it_shows_the_last_events_oldest_first_as_they_are_kept(journal, capsys):
    for number in range(30):
        journal(corrected(number))
    shown = ran(capsys, "log").out.splitlines()
    assert [line.split()[5] for line in shown] == [
        f"specs/{n}.md" for n in range(10, 30)
    ]
    assert "specs/29.md" in ran(capsys, "log", "-n", "1").out
    kept = Path(journal_path(state_folder(os.environ))).read_text().splitlines()
    assert ran(capsys, "log", "--json", "-n", "2").out.splitlines() == kept[-2:]


def test_a_line_that_is_no_event_is_counted_and_passed_over(journal, capsys):
    journal(corrected(1))
    with open(journal_path(state_folder(os.environ)), "a") as file:
        file.write("no event\n")
    journal(corrected(2))
    journal(corrected(3, project=f"{os.getcwd()}\0"))
    done = ran(capsys, "log")
    assert (done.code, len(done.out.splitlines())) == (0, 2)
    assert "1 line" in done.err


def test_only_what_is_asked_for_is_shown(make_repo, journal, monkeypatch, capsys):
    here = make_repo({"README.md": ""})
    monkeypatch.chdir(here)
    for number, project in enumerate((str(here), "/srv/other", str(here))):
        journal(
            corrected(number, project=project, time=time.time() - 7200 * (2 - number))
        )

    for words, count in (
        ([], 2),
        (["--all"], 3),
        (["--project", str(here)], 2),
        (["--project", os.path.dirname(here)], 0),
        (["--all", "--since", "3h"], 2),
        (["--since", "1h"], 1),
        (["--event", "path.corrected"], 2),
        (["--event", "path.refused", "--all"], 0),
        (["--event", "path.refused", "--event", "path.corrected", "--all"], 3),
    ):
        assert len(ran(capsys, "log", *words).out.splitlines()) == count, words
        (total,) = ran(capsys, "stats", "--json", *words).objects
        assert total["total"]["misses"] == count, words


def test_of_a_large_journal_the_last_events_are_found_first(journal, capsys):
    for number in range(3):
        journal(corrected(number))
    path = Path(journal_path(state_folder(os.environ)))
    path.rename(path.with_suffix(".1.jsonl"))
    for number in range(3, 5):
        journal(corrected(number))
    shown = ran(capsys, "log", "-n", "3").out.splitlines()
    assert [line.split()[5] for line in shown] == [f"specs/{n}.md" for n in (2, 3, 4)]
    (first,) = ran(capsys, "log", "--json", "-n", "5").objects[:1]
    assert ran(capsys, "log", first["id"]).out.startswith("schema ")
