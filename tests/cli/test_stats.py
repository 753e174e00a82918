"""`truepath stats`: the sums as a table and as JSON."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest
from commandline import ran

import truepath
from truepath.config.user_dirs import state_folder
from truepath.journal.event import Event
from truepath.journal.journal import JsonlSink, journal_path
from truepath.journal.statistics import cost_file

DAY = 86_400.0


@pytest.fixture
def journal():
    return JsonlSink(journal_path(state_folder(os.environ)))


def miss(kind="path.corrected", *, age=0.0, number=0, **fields):
    known = {"host": "claude-code", "tool": "Read", "session": f"s{number}"}
    known |= {
        "requested": f"a/{number}.py",
        "target": f"a/{number}.py",
        "elapsed_us": 4000,
    }
    if kind == "path.corrected":
        known |= {"resolved": "b.py", "status": "resolved", "reason": "renamed"}
        known |= {"end": "ran"}
    return Event(event=kind, time=time.time() - age, **known | fields)


def test_without_a_journal_it_says_so_beside_the_data(capsys):
    done = ran(capsys, "stats")
    assert (done.code, done.out) == (0, "")
    assert "no events found in this project" in done.err
    assert ran(capsys, "stats", "--json").objects[0]["total"]["misses"] == 0


def test_what_is_lost_and_what_failed_is_said_by_cause_and_version(journal, capsys):
    for version in ("0.1.0", "0.2.0", "0.2.0", ""):
        failed = {"error": "ValueError at policy.py:199", "version": version}
        journal(Event(event="guard.failed", time=time.time(), **failed))
    late = "no answer within 2 s of CPU"
    journal(Event(event="guard.failed", time=time.time(), error=late, version="0.2.0"))
    lost = f"83 {time.time() - 60:.6f} {time.time():.6f}\n"
    Path(f"{journal_path(state_folder(os.environ))}.lost").write_text(lost)

    done = ran(capsys, "stats")
    assert "83 events could not be written since 2" in done.err
    assert re.search(r"ValueError at policy.py:199 +4 +0.1.0, 0.2.0\n", done.out)
    assert re.search(rf"{late} +1 +0.2.0\n", done.out)
    assert "83 events could not be written since 2" in ran(capsys, "log").err
    [data] = ran(capsys, "stats", "--json").objects
    assert (data["lost"], data["failures"][late]) == (83, {"0.2.0": 1})


def test_the_sums_are_a_table_without_rows_of_nothing(journal, capsys):
    for number in range(3):
        journal(miss(number=number))
    journal(miss("path.absent", number=9, streak=2))
    done = ran(capsys, "stats")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("4 missed paths, ")
    assert re.search(r"corrected +3 +75%", done.out)
    assert re.search(r"nothing like it +1 +25%", done.out)
    assert re.search(r"missed again for the same target +1 +25%", done.out)
    assert re.search(r"time added +4.0 ms", done.out)
    assert " 0" not in done.out


def test_a_correction_counts_by_its_end_and_what_it_was_worth_is_said(journal, capsys):
    ends = {"ran": 3, "failed": 1, "dropped": 2, "declined": 1, "": 1}
    number = 0
    for end, times in ends.items():
        for _ in range(times):
            number += 1
            sent = miss(number=number, end="")
            journal(sent)
            if end:
                journal(miss("path.ended", of=sent.id, end=end))
    shown = miss("path.assumed", number=20, end="ran", status="likely")
    journal(shown)
    journal(miss("path.followed", of=shown.id, end="other"))
    out = ran(capsys, "stats").out
    assert re.search(r"corrected +4 ", out)
    assert re.search(r"corrected, and run as written +2 ", out)
    assert re.search(r"corrected, and refused by you +1 ", out)
    assert re.search(r"corrected, its end not known +1 ", out)
    assert re.search(r"corrected, and failed on something else +1 ", out)
    assert out.splitlines()[-1] == (
        "this week: 4 paths put right, 7 calls, 26,000 tokens saved; "
        "1 shown that were not meant; 1 refused by you"
    )
    (data,) = ran(capsys, "stats", "--json").objects
    assert data["worth"] == {
        "put_right": 4,
        "calls_saved": 7,
        "seconds_saved": 0,
        "tokens_saved": 26_000,
        "not_meant": 1,
        "declined": 1,
    }
    (line,) = [
        each["text"]
        for each in ran(capsys, "doctor", "--json").objects[0]["findings"]
        if each["check"] == "worth"
    ]
    assert line in out


@pytest.mark.parametrize(
    ("kept", "line"),
    [
        (
            '{"missed": 40, "calls": 120, "seconds": 2400, "tokens": 200000}',
            "this week: 1 path put right, 3 calls, 1 minute, 5,000 tokens saved",
        ),
        ('{"missed": 19, "calls": 120, "seconds": 2400, "tokens": 200000}', ""),
        ('{"missed": 40, "calls": -1, "seconds": 2400, "tokens": 200000}', ""),
        ('{"missed": 40}', ""),
        ("[]", ""),
    ],
)
def test_the_own_cost_of_a_miss_counts_where_enough_were_audited(
    journal, capsys, kept, line
):
    journal(miss())
    Path(cost_file(state_folder(os.environ))).write_text(kept)
    out = ran(capsys, "stats").out.splitlines()[-1]
    assert out == (line or "this week: 1 path put right, 2 calls, 6,500 tokens saved")


def test_what_followed_is_a_rate_by_rule(journal, capsys):
    ends = ["took", "took", "other", "again", ""]
    for number, end in enumerate(ends):
        known = {"candidates": ("b.py",), "reason": "near", "held_back": ("uncertain",)}
        told = miss("path.refused", number=number, status="ambiguous", **known)
        journal(told)
        if end:
            journal(miss("path.followed", of=told.id, end=end))
    several = {"candidates": ("b.py", "c.py"), "reason": "near"}
    journal(miss("path.refused", number=9, **several))
    (data,) = ran(capsys, "stats", "--json").objects
    rates = {"took": 2, "other": 1, "again": 1, "left": 1}
    assert data["followed"] == {"near": rates, "uncertain": rates}


def test_a_share_too_small_to_round_is_no_zero_and_what_is_nothing_has_no_row(
    journal, capsys
):
    for number in range(201):
        journal(miss("path.absent" if number else "path.advised", number=number))
    out = ran(capsys, "stats").out
    assert re.search(r"advised +1 +<1%", out)
    assert not re.search(r"missed again|loops| 0%", out)


def test_calls_of_ones_own_guard_count_though_they_name_no_host(
    make_repo, capsys, monkeypatch
):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    guard = truepath.Guard(".", journal=True)
    guard.before(truepath.ToolCall("read_file", {"path": "specs/status.md"}))

    out = ran(capsys, "stats", "--by", "host").out

    assert out.startswith("1 missed path, ")
    assert out.splitlines()[-1].split()[-1] == "-"


def test_a_folder_that_is_read_is_no_missed_path_but_a_check(
    make_repo, capsys, monkeypatch
):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    guard = truepath.Guard(".", journal=True)
    guard.before(truepath.ToolCall("read_file", {"path": "docs"}))
    guard.before(truepath.ToolCall("list_directory", {"path": "docs/status.md"}))

    (data,) = ran(capsys, "stats", "--json").objects

    assert (data["total"]["misses"], data["checks"]) == (0, {"wrong-kind": 2})
    assert "missed" not in ran(capsys, "stats").out
    logged = ran(capsys, "log").out.splitlines()
    assert logged[0].endswith("  docs (a folder)")
    assert logged[1].endswith("docs/status.md (a file)")


def test_groups_are_rows_with_the_largest_first(journal, capsys):
    journal(miss(tool="a\x1b[31m\u202eb"))
    journal(miss(number=1))
    journal(miss(number=2))
    table = ran(capsys, "stats", "--by", "tool").out.split("\n\n")[1].splitlines()
    assert table[0].split()[-2:] == ["added", "tool"]
    rows = [(row.split()[0], row.split()[-1]) for row in table[1:]]
    assert rows == [("2", "Read"), ("1", "a\\x1b[31m\\u202eb")]


def test_json_is_one_object_with_every_figure(journal, capsys):
    journal(miss())
    journal(miss("path.absent", number=1, host="codex", tool="a\udcffb"))
    (data,) = ran(capsys, "stats", "--json", "--by", "host").objects
    assert (data["total"]["misses"], data["total"]["repeated"]) == (2, 0)
    assert {name: each["misses"] for name, each in data["groups"].items()} == {
        "claude-code": 1,
        "codex": 1,
    }
    assert data["first"] <= data["last"]
    (line,) = ran(capsys, "stats", "--json", "--by", "tool").out.splitlines()
    assert "a\udcffb" in json.loads(line)["groups"]


@pytest.mark.parametrize(
    ("since", "number"),
    [("30m", 1), ("2h", 2), ("7d", 3), ("3w", 4), ("2020-01-01T09:00Z", 4)],
)
def test_only_what_came_since_is_counted(journal, capsys, since, number):
    for at, age in enumerate((10 * DAY, 3 * DAY, 3600.0, 60.0)):
        journal(miss(age=age, number=at))
    (data,) = ran(capsys, "stats", "--json", "--since", since).objects
    assert data["total"]["misses"] == number


@pytest.mark.parametrize("since", ["soon", "7", "7y", "-1d", "", "2026-99-01"])
def test_a_time_that_is_none_is_refused_in_one_line(capsys, since):
    done = ran(capsys, "stats", "--since", since)
    assert (done.code, done.out) == (2, "")
    assert "neither like 30m" in done.err


def test_events_of_a_kind_are_counted_with_what_became_of_them(journal, capsys):
    journal(miss("path.refused", candidates=("b.py",)))
    journal(miss(number=1))
    (data,) = ran(capsys, "stats", "--json", "--event", "path.refused").objects
    assert (data["total"]["misses"], data["total"]["outcomes"]["refused"]) == (1, 1)
    assert (
        "'store.failed' is not one of"
        in ran(capsys, "stats", "--event", "store.failed").err
    )


def test_checks_are_counted_beside_the_misses_and_alone(journal, capsys):
    for number in range(3):
        journal(miss("check.advised", number=number, reason="other-blanks"))
    journal(miss("check.ranged", number=4, reason="too-large"))
    done = ran(capsys, "stats")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"other-blanks +3\n", done.out)
    assert re.search(r"too-large +1\n", done.out)
    assert "missed" not in done.out
    journal(miss())
    (data,) = ran(capsys, "stats", "--json").objects
    assert (data["total"]["misses"], data["checks"]) == (
        1,
        {"other-blanks": 3, "too-large": 1},
    )
