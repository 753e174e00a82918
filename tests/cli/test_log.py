"""`truepath log`: the last events, for a person and as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commandline import ran

import truepath
from truepath.cli.log import lines
from truepath.config.user_dirs import state_folder
from truepath.journal.event import KINDS, Event
from truepath.journal.journal import JsonlSink, journal_path

SOURCES = Path(truepath.__file__).parents[1]


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


def test_without_a_journal_it_says_so_beside_the_data(capsys):
    done = ran(capsys, "log")
    assert (done.code, done.out) == (0, "")
    assert "nothing was intercepted yet" in done.err


def test_what_a_guard_corrects_is_shown(make_repo, capsys):
    repo = make_repo({"docs/status.md": "all green\n"})
    guard = truepath.Guard(repo)
    guard.before(truepath.ToolCall("read_file", {"path": "docs/status.md:4"}, host="gemini"))
    done = ran(capsys, "log")
    assert done.code == 0
    (line,) = done.out.splitlines()
    assert "corrected" in line
    assert "docs/status.md:4 -> docs/status.md" in line
    assert "gemini" in line


def test_a_line_has_when_what_for_which_path_for_whom_and_how_long():
    (line,) = lines([corrected()])
    parts = line.split()
    assert parts[2:] == ["corrected", "read", "specs/0.md", "->", "docs/0.md", *parts[7:]]
    assert parts[7:] == ["claude-code", "1.2", "ms"]
    assert parts[0] == time.strftime("%Y-%m-%d", time.localtime(1_700_000_000))


def test_what_was_used_after_an_answer_is_named():
    (line,) = lines([Event(event="path.used", time=0.0, tool="Read", target="docs/guide.md")])
    assert "docs/guide.md" in line
    (line,) = lines([Event(event="agent.searched", time=0.0, tool="Glob")])
    assert "Glob" in line


def test_a_refusal_names_what_was_offered():
    event = corrected(event="path.refused", resolved="", candidates=("a/x.py", "b/x.py"))
    (line,) = lines([event])
    assert "specs/0.md ? a/x.py, b/x.py" in line


@pytest.mark.parametrize("kind", [*KINDS])
def test_every_kind_of_event_has_a_line(kind):
    (line,) = lines([Event(event=kind, time=0.0, error="ValueError at x:1")])
    assert kind.removeprefix("path.") in line


def test_names_in_events_are_shown_on_one_line():
    (line,) = lines([corrected(requested="a\x1b[31mb\u2028c", resolved="d\x07")])
    assert line.isprintable()


def test_it_shows_the_last_events_oldest_first(journal, capsys):
    for number in range(30):
        journal(corrected(number))
    shown = ran(capsys, "log").out.splitlines()
    assert [line.split()[4] for line in shown] == [f"specs/{n}.md" for n in range(10, 30)]
    assert len(ran(capsys, "log", "-n", "3").out.splitlines()) == 3
    assert "specs/29.md" in ran(capsys, "log", "-n", "1").out
    assert ran(capsys, "log", "-n", "0").out == ""


def test_json_is_the_journal_line_for_line(journal, capsys):
    for number in range(3):
        journal(corrected(number))
    done = ran(capsys, "log", "--json", "-n", "2")
    assert [one["requested"] for one in done.objects] == ["specs/1.md", "specs/2.md"]
    kept = Path(journal_path(state_folder(os.environ))).read_text().splitlines()
    assert done.out.splitlines() == kept[1:]


def test_a_line_that_is_no_event_is_counted_and_passed_over(journal, capsys):
    journal(corrected(1))
    with open(journal_path(state_folder(os.environ)), "a") as file:
        file.write("no event\n")
    journal(corrected(2))
    done = ran(capsys, "log")
    assert done.code == 0
    assert len(done.out.splitlines()) == 2
    assert "1 line" in done.err


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: an open file cannot be renamed"
)
def test_following_misses_and_repeats_nothing_when_the_journal_rotates():
    path = journal_path(state_folder(os.environ))
    small = JsonlSink(path, max_bytes=1500)
    small(corrected(0))
    process = subprocess.Popen(
        [sys.executable, "-m", "truepath", "log", "--follow", "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        seen = [json.loads(process.stdout.readline())["requested"]]
        for batch in range(3):  # each turns the files over more than once
            numbers = range(1 + 12 * batch, 13 + 12 * batch)
            for number in numbers:
                small(corrected(number))
            seen += [json.loads(process.stdout.readline())["requested"] for _ in numbers]
    finally:
        process.kill()
        rest = process.communicate()[0]
    assert os.path.exists(path.replace("events.", "events.3."))
    assert seen == [f"specs/{number}.md" for number in range(37)]
    assert rest == ""


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: interrupts differ")
def test_following_shows_events_as_they_come_until_interrupted(journal):
    import signal

    journal(corrected(1))
    process = subprocess.Popen(
        [sys.executable, "-m", "truepath", "log", "--follow", "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background job ignores interrupts, and so would what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    try:
        assert json.loads(process.stdout.readline())["requested"] == "specs/1.md"
        journal(corrected(2))
        assert json.loads(process.stdout.readline())["requested"] == "specs/2.md"
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=40)
    finally:
        process.kill()
        process.communicate()
    assert [text.strip() for text in rest] == ["", ""]
    assert process.returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: folders open as files")
def test_a_journal_that_cannot_be_read_is_one_line(capsys):
    os.makedirs(journal_path(state_folder(os.environ)))
    done = ran(capsys, "log")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")


def test_a_kind_of_event_that_is_not_known_acts_on_no_terminal(journal, capsys):
    journal(corrected(event="later\x1b[31m", operation="fly\x07"))
    done = ran(capsys, "log")
    assert "later\\x1b[31m" in done.out
    assert "fly\\x07" in done.out


def test_only_what_is_asked_for_is_shown(make_repo, journal, monkeypatch, capsys):
    here = make_repo({"README.md": ""})
    monkeypatch.chdir(here)
    for number, project in enumerate((str(here), "/srv/other", str(here))):
        journal(corrected(number, project=project, time=time.time() - 7200 * (2 - number)))

    assert len(ran(capsys, "log", "--project").out.splitlines()) == 2
    assert len(ran(capsys, "log", "--since", "3h").out.splitlines()) == 2
    assert len(ran(capsys, "log", "--since", "1h", "--project").out.splitlines()) == 1
    (total,) = ran(capsys, "stats", "--project", "--json").objects
    assert total["total"]["misses"] == 2
