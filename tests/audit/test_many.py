"""Many transcripts: where they are found, what they add up to, and a dead worker."""

from __future__ import annotations

import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from unicodedata import category

import pytest
from poison import audit_or_die

from truepath.audit import parquet
from truepath.audit.audit import audit_transcript
from truepath.audit.figures import add_up, chosen
from truepath.audit.page import page
from truepath.audit.parquet import write
from truepath.audit.pool import audited, in_processes
from truepath.audit.record import call_id, record
from truepath.audit.sources import Source, below, on_this_machine

HERE = Path(__file__).parents[1] / "transcripts"

HOMES = [  # a transcript, and where its program keeps it
    ("claude-code.jsonl", ".claude/projects/-home-ada-orders/5e55.jsonl"),
    (
        "claude-code.jsonl",
        ".claude/projects/-home-ada-orders/5e55/subagents/agent-1.jsonl",
    ),
    ("codex.jsonl", ".codex/sessions/2026/03/02/rollout-1.jsonl"),
    (
        "gemini-cli/chats/session-2026-03-02T09-00-5e55.jsonl",
        ".gemini/tmp/o/chats/session-1.jsonl",
    ),
    ("qwen-code.jsonl", ".qwen/projects/-home-ada-orders/chats/5e55.jsonl"),
    ("copilot-cli.jsonl", ".copilot/session-state/5e55/events.jsonl"),
    ("pi.jsonl", ".pi/agent/sessions/--home-ada-orders--/1_5e55.jsonl"),
    ("kimi-cli.jsonl", ".kimi/sessions/5e55/5e55/wire.jsonl"),
    ("cline.messages.json", ".cline/data/sessions/1/1.messages.json"),
    ("cline-native.json", ".cline/data/tasks/1/api_conversation_history.json"),
]


def test_each_program_on_this_machine_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, place in HOMES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / name, tmp_path / place)
    found = {os.path.relpath(each.path, tmp_path) for each in on_this_machine({})}
    assert found == {place for _, place in HOMES}


def test_a_variable_that_moves_a_program_moves_its_transcripts(tmp_path):
    place = tmp_path / "elsewhere" / "sessions" / "a.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    environ = {"CODEX_HOME": str(tmp_path / "elsewhere")}
    assert Source(str(place)) in set(on_this_machine(environ))


def test_a_folder_is_searched_but_for_installed_packages(tmp_path):
    for name in (
        "a/s.jsonl",
        "b.traj",
        "c/node_modules/x/package.json",
        ".git/x.json",
        "d.txt",
    ):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("{}")
    found = sorted(
        os.path.relpath(each.path, tmp_path) for each in below(str(tmp_path))
    )
    assert found == ["a/s.jsonl", "b.traj"]
    with pytest.raises(OSError, match="gone"):
        list(below(str(tmp_path / "gone")))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    os.mkfifo(tmp_path / "b.json")
    problems = [
        audit_transcript(source)[0]["problem"] for source in below(str(tmp_path))
    ]
    assert ["is not a regular file" in problem for problem in problems] == [True] * 2


def test_a_repository_stands_for_its_sessions(tmp_path, make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "all green", "src/app.py": ""})
    text = (HERE / "claude-code.jsonl").read_text("utf-8")
    for name, folder in (("a", str(repo)), ("b", "/home/ada/other")):
        place = tmp_path / ".claude" / "projects" / "p" / f"{name}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace("/home/ada/orders", folder), "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    ((session, _, miss),) = audited([str(repo)])
    assert (session["project"], miss["shown"]) == (str(repo), "docs/status.md")
    assert len(list(audited([]))) == 2
    (tmp_path / "link").symlink_to(repo)
    assert len(list(audited([str(tmp_path / "link")]))) == 1


def _copies(tmp_path, count):
    text = (HERE / "pi.jsonl").read_text("utf-8")
    for at in range(count):
        (tmp_path / f"{at:03}.jsonl").write_text(
            text.replace("5e55-pi", f"s{at}"), "utf-8"
        )
    return [Source(str(path)) for path in sorted(tmp_path.glob("*.jsonl"))]


def test_all_cores_give_the_records_that_one_gives(tmp_path):
    sources = _copies(tmp_path, 40)
    assert [*in_processes(sources, audit_transcript)] == [
        *map(audit_transcript, sources)
    ]


def test_a_worker_that_dies_costs_its_transcript_alone(tmp_path):
    (tmp_path / "poison.jsonl").write_text("{}")
    sources = _copies(tmp_path, 20)
    records = [rows[0] for rows in in_processes(sources, audit_or_die)]
    assert len({row["source"] for row in records}) == len(records) == 21
    problems = [os.path.basename(row["source"]) for row in records if row["problem"]]
    assert problems == ["poison.jsonl"]


def _miss(**columns):
    known = {
        "kind": "miss",
        "at": 1,
        "tool": "Read",
        "operation": "read",
        "followed": "left",
    }
    known |= {"written": "a", "target": "a", "truth": "", "calls_lost": 1}
    known |= {"seconds_lost": None, "tokens_lost": 0, "loop": 1, "would": "left_alone"}
    return {**known, "shown": "", "verdict": "unknown", **columns}


def _record(*findings, ids=range(10), **columns):
    session = columns.get("session", "1")
    known = {
        "source": "/s",
        "format": "pi",
        "model": "m",
        "session": session,
        "project": "/p",
    }
    known |= {
        "calls": len(ids),
        "call_ids": "".join(call_id(session, each) for each in ids),
    }
    return record({**known, **columns}, findings)


def test_figures_are_sums_over_sessions():
    records = [
        _record(
            _miss(followed="again", loop=1),
            _miss(loop=2, calls_lost=3, seconds_lost=60.0, tokens_lost=500_000),
            _miss(at=2, kind="alarm", would="refused"),
            started=1_772_442_000.0,
        ),
        _record(
            _miss(would="corrected", shown="b", verdict="right"),
            format="codex",
            session="2",
        ),
        _record(format="", problem="gone", source="/x", session="", ids=()),
        _record(format="", source="/notes.json", session="", bad_lines=1, ids=()),
    ]
    found = add_up(records)
    assert (found["sessions"], found["calls"], found["misses"]) == (2, 20, 3)
    assert (found["missed_calls"], found["per_thousand"]) == (2, 100.0)
    assert (found["calls_lost"], found["seconds_lost"]) == (5, 60.0)
    assert (found["loops"], found["longest_loop"], len(found["alarms"])) == (1, 2, 1)
    assert (found["unread"], found["bad_lines"]) == (["gone"], 1)
    assert (found["right"], found["wrong"], found["unknown"]) == (1, 0, 0)
    assert found["would"]["corrected"] == {"right": 1, "wrong": 0, "unknown": 0}
    assert found["since"] == 1_772_442_000.0
    assert [*found["by"]["host"]] == ["pi", "codex"]
    assert found["by"]["host"]["pi"] == {"calls": 10, "misses": 2, "calls_lost": 4}
    (missed,) = found["missed"]
    assert (missed["target"], missed["times"], missed["calls_lost"]) == ("a", 3, 5)
    assert json.loads(json.dumps(found)) == found


def test_nothing_adds_up_to_nothing():
    found = add_up([])
    assert (found["sessions"], found["misses"], found["seconds_lost"]) == (0, 0, 0)


ANSWERS = [
    ({"would": "corrected", "shown": "b"}, "corrected to b"),
    ({"would": "assumed", "shown": "b"}, "shown b"),
    ({"would": "named", "shown": "b\nc"}, "refused, naming b, c"),
    ({"would": "refused"}, "refused: nothing is there"),
    ({"would": "left_alone"}, "let run"),
    ({"would": "unknown"}, "not known"),
]


def test_each_missed_path_says_what_would_have_come_of_it():
    for columns, answer in ANSWERS:
        (missed,) = add_up([_record(_miss(**columns))])["missed"]
        assert missed["answer"] == answer
    often = [_miss(would="unknown"), _miss(), *[_miss(would="assumed", shown="b")] * 2]
    (missed,) = add_up([_record(*often)])["missed"]
    assert (missed["answer"], missed["times"]) == ("shown b", 4)


def test_a_call_that_was_recorded_twice_counts_once():
    short = _record(_miss(at=1), ids=range(3), source="/a")
    long = _record(_miss(at=1), _miss(at=8), source="/b")
    resumed = _record(_miss(at=0), _miss(at=2), ids=(8, 9, 10), source="/c")
    empty = [_record(ids=(), source=source, session="e") for source in ("/d", "/e")]
    once = chosen([short, resumed, *empty, long])
    assert [rows[0]["source"] for rows in once] == ["/b", "/c", "/d"]
    assert [rows[0]["calls"] for rows in once] == [10, 1, 0]
    assert [row["at"] for rows in once for row in rows[1:]] == [1, 8, 2]
    assert chosen(once) == once


def test_two_runs_of_one_instance_are_two_sessions(tmp_path):
    for name in ("a", "b"):
        shutil.copy(HERE / "swe-agent.traj", tmp_path / f"{name}.traj")
    assert add_up(chosen(audited([str(tmp_path)])))["sessions"] == 2


def test_parquet_gives_the_figures_that_the_records_give(tmp_path):
    records = chosen(map(audit_transcript, below(str(HERE))))
    (tmp_path / "b.parquet").mkdir()
    every = [row for rows in records for row in rows]
    for name, rows in (("a.parquet", every), ("b.parquet/c.parquet", every[::-1])):
        place = f"{tmp_path}/{name}"
        write(rows, place)
        again = chosen(parquet.read([place, os.path.dirname(place)]))
        assert again == records
        assert add_up(again) == add_up(records)


class _Checked(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]


def test_the_page_needs_no_network_and_no_name_in_it_is_markup():
    hostile = '<script>alert("x")</script>\x1b[31m\u202e\x9b\u2066'
    rows = _record(
        *(_miss(target=f"{hostile}{at}", tool=hostile) for at in range(11)),
        _miss(kind="alarm", written=hostile, would="named", shown=hostile),
        source=hostile,
        model=hostile,
        project=hostile,
    )
    text = page(add_up([rows]))
    checked = _Checked()
    checked.feed(text)
    assert "script" not in checked.tags
    assert checked.links == []
    assert {"details", "summary", "table"} <= checked.tags
    assert "prefers-color-scheme: dark" in text
    assert not re.search("https?:", text)
    assert "\\x1b[31m\\u202e" in text
    assert {char for char in text if category(char) in ("Cc", "Cf")} == {"\n"}
    assert page(add_up([])).count("<h1>") == 1


def test_the_page_names_the_project_and_what_is_missing():
    known = _record(
        _miss(target="doc/a.md", would="assumed", shown="docs/a.md"),
        project="/src/shop",
    )
    text = page(add_up([known]))
    assert "What wrong paths cost in /src/shop" in text
    assert "doc/a.md" in text
    assert "shown docs/a.md" in text
    assert "--repo" not in text
    unknown = page(
        add_up([known, _record(_miss(would="unknown"), session="2", project="/src/b")])
    )
    assert "in 2 projects" in unknown
    assert "give its repository, <code>--repo DIR</code>" in unknown
