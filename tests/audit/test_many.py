"""Many transcripts: where they are found, what is kept, what they add up to, and a dead worker."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from html.parser import HTMLParser
from pathlib import Path

import pytest
from poison import audit_or_die

from truepath.audit import parquet
from truepath.audit.audit import Auditor, audit_transcript
from truepath.audit.figures import Damaged, Group, Week, add_up
from truepath.audit.kept import Kept
from truepath.audit.local import run
from truepath.audit.page import page
from truepath.audit.parquet import write
from truepath.audit.places import below, on_this_machine
from truepath.audit.record import Finding, Record
from truepath.audit.sources import Source
from truepath.audit.table import of_parquet, of_records
from truepath.cli.audit import _audited
from truepath.errors import ConfigError

HERE = Path(__file__).parents[1] / "transcripts"

HOMES = [  # a transcript, and where its program keeps it
    ("claude-code.jsonl", ".claude/projects/-home-ada-orders/5e55.jsonl"),
    ("claude-code.jsonl", ".claude/projects/-home-ada-orders/5e55/subagents/agent-1.jsonl"),
    ("codex.jsonl", ".codex/sessions/2026/03/02/rollout-1.jsonl"),
    ("gemini-cli/chats/session-2026-03-02T09-00-5e55.jsonl", ".gemini/tmp/o/chats/session-1.jsonl"),
    ("qwen-code.jsonl", ".qwen/projects/-home-ada-orders/chats/5e55.jsonl"),
    ("copilot-cli.jsonl", ".copilot/session-state/5e55/events.jsonl"),
    ("pi.jsonl", ".pi/agent/sessions/--home-ada-orders--/1_5e55.jsonl"),
    ("cline.messages.json", ".cline/data/sessions/1/1.messages.json"),
    ("cline-xml.json", ".cline/data/tasks/1/api_conversation_history.json"),
    ("openhands-events", ".openhands/conversations/1/events"),
]


def test_each_program_on_this_machine_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, place in HOMES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
        copy(HERE / name, tmp_path / place)
    found = {os.path.relpath(each.path, tmp_path) for each in on_this_machine({})}
    assert found == {place for _, place in HOMES}


def test_a_variable_that_moves_a_program_moves_its_transcripts(tmp_path):
    place = tmp_path / "elsewhere" / "sessions" / "a.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    environ = {"CODEX_HOME": str(tmp_path / "elsewhere")}
    assert Source(str(place)) in set(on_this_machine(environ))


def test_a_folder_is_searched_but_for_installed_packages(tmp_path):
    for name in ("a/s.jsonl", "b.traj", "c/node_modules/x/package.json", ".git/x.json", "d.txt"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("{}")
    found = sorted(os.path.relpath(each.path, tmp_path) for each in below(str(tmp_path)))
    assert found == ["a/s.jsonl", "b.traj"]
    with pytest.raises(OSError, match="gone"):
        list(below(str(tmp_path / "gone")))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    os.mkfifo(tmp_path / "b.json")
    records = [audit_transcript(source) for source in below(str(tmp_path))]
    assert [each.problem.rpartition(" is ")[2] for each in records] == ["no regular file"] * 2


def test_a_repository_has_those_on_its_branch_of_checkpoints(make_repo, git):
    text = (HERE / "pi.jsonl").read_text("utf-8")
    repo = make_repo({"ab/cdef/0/full.jsonl": text, "ab/cdef/0/prompt.txt": "x"})
    git(repo, "branch", "entire/checkpoints/v1")
    git(repo, "rm", "-rq", "ab")
    git(repo, "commit", "-qm", "code")
    (source,) = below(str(repo))
    assert audit_transcript(source).session == "5e55-pi"


def _copies(tmp_path, count):
    text = (HERE / "pi.jsonl").read_text("utf-8")
    for at in range(count):
        (tmp_path / f"{at:03}.jsonl").write_text(text.replace("5e55-pi", f"s{at}"), "utf-8")
    return [Source(str(path)) for path in sorted(tmp_path.glob("*.jsonl"))]


def test_all_cores_give_the_records_that_one_gives(tmp_path):
    sources = _copies(tmp_path, 40)
    found = sorted(run(sources, Auditor(), workers=2), key=lambda each: each.source)
    assert found == [audit_transcript(source) for source in sources]


def test_a_worker_that_dies_costs_its_transcript_alone(tmp_path):
    (tmp_path / "poison.jsonl").write_text("{}")
    sources = _copies(tmp_path, 20)
    records = {each.source: each for each in run(sources, audit_or_die, workers=2)}
    assert len(records) == 21
    problems = [os.path.basename(name) for name, each in records.items() if each.problem]
    assert problems == ["poison.jsonl"]


def test_a_transcript_on_which_the_audit_fails_costs_itself_alone(tmp_path):
    for count in (3, 20):
        records = list(run(_copies(tmp_path, count), _fails_at_two, workers=2))
        assert len(records) == count
        (problem,) = [each.problem for each in records if each.problem]
        assert problem.endswith("002.jsonl: ZeroDivisionError")


def _fails_at_two(source):
    return 1 / 0 if source.path.endswith("002.jsonl") else audit_transcript(source)


def test_an_unchanged_transcript_is_not_read_again(tmp_path):
    environ = {"TRUEPATH_STATE": str(tmp_path / "state")}
    (source,) = _copies(tmp_path, 1)
    record = audit_transcript(source)
    kept = Kept(environ, "")
    assert list(kept.known([source])) == []
    kept.keep([record])
    assert list(kept.known([source])) == [record]
    assert os.name == "nt" or (tmp_path / "state" / "audit.db").stat().st_mode & 0o077 == 0
    assert list(Kept(environ, "/repo").known([source])) == []
    with open(source.path, "a", encoding="utf-8") as file:
        file.write("\n{}\n")
    assert list(kept.known([source])) == []


@pytest.mark.parametrize("content", [b"no database at all, but long enough", b""])
def test_what_is_kept_and_broken_counts_as_nothing(tmp_path, content):
    (tmp_path / "audit.db").write_bytes(content)
    (source,) = _copies(tmp_path, 1)
    kept = Kept({"TRUEPATH_STATE": str(tmp_path)}, "")
    kept.keep([audit_transcript(source)])
    assert len(list(kept.known([source]))) == (0 if content else 1)


def test_a_record_kept_by_another_version_is_left_alone(tmp_path):
    (source,) = _copies(tmp_path, 1)
    kept = Kept({"TRUEPATH_STATE": str(tmp_path)}, "")
    kept.keep([audit_transcript(source)])
    with sqlite3.connect(tmp_path / "audit.db") as database:
        database.execute("UPDATE kept SET record = ?", (json.dumps({"findings": [], "new": 1}),))
    assert list(kept.known([source])) == []


def _miss(**fields):
    known = {"kind": "miss", "at": 1, "time": 1.0, "tool": "Read", "operation": "read"}
    known |= {"written": "a", "target": "a", "cause": "invented", "followed": "left"}
    return Finding(**{**known, "calls_lost": 1, "loop": 1, **fields})


def _record(*findings, **fields):
    known = {"source": "/s", "format": "pi", "model": "m", "session": "1", "calls": 10}
    return Record(**{**known, "tree": "git", "findings": findings, **fields})


def test_figures_are_sums_over_sessions():
    records = [
        _record(
            _miss(followed="again", loop=1),
            _miss(place=1, loop=2, calls_lost=3, seconds_lost=60.0, tokens_lost=500_000),
            _miss(place=2, kind="alarm", would="refused"),
            missed_calls=2,
            started=1_772_442_000.0,
        ),
        _record(_miss(would="corrected", verdict="right"), format="codex", missed_calls=1),
        _record(format="", problem="gone", source="/x", session=""),
        _record(format="", source="/notes.json", session="", bad_lines=1, bad_at="7"),
    ]
    found = add_up(of_records(records))
    assert (found.sessions, found.calls, found.misses, found.missed_calls) == (2, 20, 3, 3)
    assert (found.calls_lost, found.seconds_lost, found.per_thousand) == (5, 60.0, 150.0)
    assert (found.loops, found.longest_loop, len(found.alarms)) == (1, 2, 1)
    assert (found.unread, found.unknown) == (("gone",), 1)
    assert found.price(4.0) == pytest.approx(2.0)
    assert found.would["corrected"] == {"right": 1, "wrong": 0, "unknown": 0}
    assert found.weeks == (Week(1_772_064_000, 10, 2),)
    assert found.damaged == (Damaged("/notes.json", "", 1, "7"),)
    assert list(found.by["host"].items()) == [("pi", Group(10, 2, 4)), ("codex", Group(10, 1, 1))]
    assert found.worst[0].calls_lost == 4
    assert json.loads(json.dumps(found.to_dict()))["by"]["cause"]["invented"]["misses"] == 3


def test_nothing_adds_up_to_nothing():
    found = add_up(of_records([]))
    assert (found.sessions, found.misses, found.seconds_lost, found.worst) == (0, 0, 0, ())


def test_a_session_that_was_recorded_twice_counts_once():
    short, long = _record(calls=3, source="/a"), _record(_miss(), calls=9, source="/b")
    other = _record(session="2", source="/c")
    unnamed = [_record(session="", source=source) for source in ("/d", "/e")]
    table = of_records([short, long, other, *unnamed])
    assert list(table.records()) == [long, other, *unnamed]


def test_parquet_gives_the_figures_that_the_records_give(tmp_path):
    records = [audit_transcript(source) for source in below(str(HERE))]
    table = of_records(records)
    assert {*map(str, table.records())} < {*map(str, records)}
    for place in (f"{tmp_path}/a.parquet", f"{tmp_path}/b.parquet/"):
        write(table.rows(), place)
        again = of_parquet([place])
        assert add_up(again) == add_up(table)
        assert list(again.rows()) == list(table.rows())


def test_a_folder_of_parquet_has_a_file_for_so_many_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "PART", 3)
    rows = [row for at in range(4) for row in _record(session=str(at)).rows()]
    assert write(rows, f"{tmp_path}/a.parquet/") == 4
    assert sorted(os.listdir(tmp_path / "a.parquet")) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    assert add_up(of_parquet([f"{tmp_path}/a.parquet"])).sessions == 4


def test_rows_of_another_version_are_refused(tmp_path):
    (row,) = _record().rows()
    write([{**row, "version": 99}], f"{tmp_path}/a.parquet")
    with pytest.raises(ConfigError, match="version"):
        of_parquet([f"{tmp_path}/a.parquet"])


class _Checked(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]


def test_the_page_needs_no_network_and_no_name_in_it_is_markup():
    hostile = '<script>alert("x")</script>'
    record = _record(
        _miss(tool=hostile, cause="invented"),
        _miss(place=1, kind="alarm", written=hostile, would="refused"),
        source=hostile,
        model=hostile,
    )
    text = page(add_up(of_records([record])), price=3.0)
    checked = _Checked()
    checked.feed(text)
    assert "script" not in checked.tags
    assert checked.links == []
    assert {"details", "summary", "table"} <= checked.tags
    assert "prefers-color-scheme: dark" in text
    assert "http" not in text
    assert page(add_up(of_records([]))).count("<h1>") == 1


def test_what_an_interrupted_audit_has_read_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    sources = _copies(tmp_path, 3)
    records = _audited([str(tmp_path)], None, {"engine": "local", "repo": None, "fresh": False})
    next(records)
    records.close()
    assert len(list(Kept(os.environ, "").known(sources))) == 1
