"""Sessions in SQLite: what is read, with the log beside it, and what is left alone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import threading
import tracemalloc
from contextlib import closing
from functools import partial
from pathlib import Path

import databases
import pytest
from databases import BEGAN, MODEL, ROOT, STORY
from rows import check_each

from truepath.audit.audit import audit_transcript
from truepath.audit.database import connected
from truepath.audit.pool import audited, in_processes
from truepath.audit.readers import STORES
from truepath.audit.readers.crush import EARLIER
from truepath.audit.sources import Source, is_newer, on_this_machine, parts, read

HERE = Path(__file__).parents[1] / "transcripts"
NAMES = {"crush": ".crush/crush.db", "opencode-go": ".opencode/opencode.db"}
MAKERS = {"crush": databases.crush, "opencode-go": databases.opencode_go}


@pytest.fixture(params=NAMES)
def kept(request, tmp_path):
    """Return a format, and a function that makes a database of it beside some code."""
    place = tmp_path / "code" / NAMES[request.param]
    return request.param, partial(MAKERS[request.param], place)


def _seen(folder):
    """Return all that is in a folder: the contents and the times of each file."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        about = path.stat()
        data = path.read_bytes() if path.is_file() else b""
        seen[path] = hashlib.sha256(data).hexdigest(), about.st_mtime_ns, about.st_mode
    return seen


def test_it_tells_the_story_of_every_format(kept):
    name, make = kept
    (source,) = parts(str(make()))
    found = read(source)
    assert (found.format, found.session, found.model) == (name, "s0", MODEL)
    assert (found.cwd, found.bad_lines) == (ROOT, 0)
    missed, _, opened, shown = found.calls
    assert (missed.failed, opened.failed) == (True, False)
    assert (missed.time, missed.answered) == (BEGAN + 4, BEGAN + 8)
    assert [shown.turn, shown.answer[-18:]] == [4, "1|# Readme\n</file>"]
    session, failure, miss = audit_transcript(source)
    assert session["problem"] == ""
    assert failure["failure"] == "missing path, file tool"
    assert (miss["followed"], miss["truth"], miss["calls_lost"]) == (
        *("found", "docs/status.md"), 2,
    )  # fmt: skip


def test_each_format_with_a_database_is_tried():
    # A database of OpenCode in Go is one of Crush's, which it became.
    assert {store.NAME for store in STORES} | {EARLIER} == {*MAKERS, "opencode"}


def test_a_database_of_opencode_holds_a_transcript_for_each_session(tmp_path):
    place = databases.opencode(tmp_path / "opencode.db", HERE / "opencode.json")
    sources = list(parts(str(place)))
    assert [source.part for source in sources] == ["b", "ses_5e55"]
    assert len(read(sources[1]).calls) == 4
    assert read(sources[1]).cwd == ROOT


def test_what_is_in_the_log_alone_is_read_and_nothing_is_changed_or_made(kept):
    _, make = kept
    owner = []
    place = make(STORY, STORY, open_in=owner)
    with closing(owner[0]):
        before = _seen(place.parents[1])
        assert place.with_name(f"{place.name}-wal") in before
        first, second = parts(str(place))
        assert len(read(first).calls) == len(read(second).calls) == 4
        assert _seen(place.parents[1]) == before


def test_nothing_is_made_beside_a_database_whose_log_was_left_there(kept, tmp_path):
    _, make = kept
    owner = []
    place = make(open_in=owner)
    away = tmp_path / "away"
    away.mkdir()
    with closing(owner[0]):  # as a program leaves it that is killed
        for name in (place.name, f"{place.name}-wal"):
            shutil.copy(place.with_name(name), away)
    before = _seen(away)
    (source,) = parts(str(away / place.name))
    assert len(read(source).calls) == 4
    assert _seen(away) == before


def test_its_program_may_write_and_end_while_it_is_read(kept):
    _, make = kept
    owner = []
    place = make(open_in=owner)
    with connected(str(place), keep=True) as database:
        rows = database.execute("SELECT id FROM messages")
        rows.fetchone()  # in the midst of it
        owner[0].execute("PRAGMA busy_timeout = 0")
        databases.add(owner[0], "later", STORY)
        owner[0].commit()
        busy, *_ = owner[0].execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert busy == 0
        owner[0].close()
        assert not place.with_name(f"{place.name}-wal").exists()
        assert len(rows.fetchall()) == 8
    assert [source.part for source in parts(str(place))] == ["later", "s0"]


def test_a_write_that_was_not_ended_is_not_read(kept):
    _, make = kept
    place = make()
    with closing(sqlite3.connect(place, isolation_level=None)) as owner:
        owner.execute("PRAGMA cache_size = 1")  # so that it writes before it commits
        owner.execute("BEGIN")
        for at in range(40):
            databases.add(owner, f"half{at}", STORY)
        assert place.with_name(f"{place.name}-journal").stat().st_size
        before = _seen(place.parent)
        assert [source.part for source in parts(str(place))] == ["s0"]
        assert _seen(place.parent) == before
        owner.execute("ROLLBACK")


def test_a_copy_leaves_nothing_behind(kept, tmp_path, monkeypatch):
    _, make = kept
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    owner = []
    place = make(STORY, STORY, open_in=owner)
    with closing(owner[0]):
        for source in parts(str(place)):
            read(source)
        assert [*temporary.iterdir()] == []


def test_each_core_reads_sessions_of_one_database(kept):
    _, make = kept
    owner = []
    place = make(*[STORY] * 12, open_in=owner)
    with closing(owner[0]):
        sources = [*parts(str(place))]
        read(sources[0])  # whose copy the processes get with the fork
        records = [*in_processes(sources, audit_transcript, workers=2)]
        assert [rows[0]["part"] for rows in records] == [each.part for each in sources]
        assert {(rows[0]["problem"], rows[0]["calls"]) for rows in records} == {("", 4)}


def test_threads_read_it_side_by_side(kept):
    _, make = kept
    owner = []
    sources = [*parts(str(make(*[STORY] * 4, open_in=owner)))]
    counts = []

    def count(source):
        counts.append(len(read(source).calls))

    with closing(owner[0]):
        threads = [threading.Thread(target=count, args=(each,)) for each in sources]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    assert counts == [4] * 4


def test_a_large_database_takes_no_memory_of_its_size(tmp_path):
    place = databases.crush(tmp_path / "crush.db", *[STORY] * 40)
    with closing(sqlite3.connect(place)) as owner:
        more = json.dumps([{"type": "text", "data": {"text": "x" * 1_000_000}}])
        for at in range(40):
            owner.execute(
                "INSERT INTO messages (id, session_id, role, parts, created_at) "
                "VALUES (?, ?, 'assistant', ?, 0)",
                (f"m{at}", f"s{at // 20}", more),
            )
        owner.commit()
    sources = [*parts(str(place))]
    assert len(read(sources[0]).calls) == 4  # what is imported once is no memory of it
    tracemalloc.start()
    for source in sources:
        read(source)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert place.stat().st_size > 40e6
    assert most < 12e6  # a few of its messages, of 1 MB each


ODD = [  # what the parts of the user's message are, how many lines are bad, and calls
    ("{not json", 1, 4),
    ('{"type": "text"}', 1, 4),
    ("[1, null, []]", 0, 4),
    ('[{"type": "tool_call", "data": 7}, {"type": "tool_result"}]', 0, 5),
    ('[{"type": "tool_call", "data": {"id": 1, "name": [], "input": "{"}}]', 0, 5),
    (b'[{"type": "text", "data": {"text": "\xff"}}]', 0, 4),
    (None, 1, 4),
]


def test_an_odd_message_costs_itself_alone(tmp_path):
    def check(row):
        written, bad, calls = row
        place = databases.crush(tmp_path / f"{ODD.index(row)}-crush.db")
        with closing(sqlite3.connect(place)) as owner:
            owner.execute(
                "UPDATE messages SET parts = CAST(? AS TEXT) WHERE role = 'user'",
                ("" if written is None else written,),
            )
            owner.commit()
        (source,) = parts(str(place))
        found = read(source)
        assert (found.bad_lines, len(found.calls)) == (bad, calls)
        assert audit_transcript(source)[0]["problem"] == ""

    check_each(ODD, check, lambda row: repr(row[0]))


UNREADABLE = [  # what is in the file, and what is said
    (b"no database, and long enough to be looked at as one", "is not a database"),
    (b"", "no sessions of a program that is known"),
    ("CREATE TABLE t (a)", "no sessions of a program that is known"),
    ("CREATE TABLE messages (session_id, parts, provider)", "no such column"),
]


def test_what_is_no_database_of_a_known_program_is_named(tmp_path):
    def check(row):
        content, said = row
        place = tmp_path / f"{UNREADABLE.index(row)}-crush.db"
        place.write_bytes(content if isinstance(content, bytes) else b"")
        if isinstance(content, str):
            with closing(sqlite3.connect(place)) as owner:
                owner.execute(content)
        (source,) = parts(str(place))
        problem = audit_transcript(source)[0]["problem"]
        assert problem.startswith(f"{place}: ")
        assert said in problem

    check_each(UNREADABLE, check, lambda row: row[1])


def test_a_database_that_was_cut_is_named_or_read_in_part(kept):
    _, make = kept
    place = make(*[STORY] * 30)
    whole = place.read_bytes()
    for size in range(100, len(whole), 4096):
        place.write_bytes(whole[:size])
        for source in parts(str(place)):
            assert audit_transcript(source)[0]["kind"] == "session"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "crush.db")
    (source,) = parts(str(tmp_path / "crush.db"))
    assert "not a regular file" in audit_transcript(source)[0]["problem"]


def test_databases_beside_the_code_of_this_user_are_found(tmp_path, monkeypatch):
    home = tmp_path / "home"
    found = [
        databases.crush(home / "src/shop/.crush/crush.db"),
        databases.opencode_go(home / "src/github.com/blog/.opencode/opencode.db"),
        databases.crush(tmp_path / "elsewhere/.state/crush.db"),  # in Crush's list
        databases.crush(tmp_path / "here/.crush/crush.db"),
    ]
    databases.crush(home / "src/node_modules/x/.crush/crush.db")
    databases.crush(home / ".cache/x/.crush/crush.db")
    listed = home / ".local/share/crush/projects.json"
    listed.parent.mkdir(parents=True)
    known = [
        {"path": str(tmp_path / "elsewhere"), "data_dir": ".state"},
        {"path": str(home / "src/shop"), "data_dir": str(home / "src/shop/.crush")},
        {"path": "/gone", "data_dir": "/gone/.crush"},
        7,
    ]
    listed.write_text(json.dumps({"projects": known}), "utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path / "here")
    sources = [*on_this_machine({})]
    assert sorted(source.path for source in sources) == sorted(map(str, found))
    listed.write_text("{", "utf-8")
    assert len([*on_this_machine({})]) == 3


def test_a_repository_has_the_sessions_beside_its_code(
    tmp_path, make_repo, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    repo = make_repo({"docs/status.md": "all green", "README.md": ""})
    databases.crush(repo / ".crush/crush.db")  # of another machine: `ROOT` is not here
    (rows,) = audited([str(repo)])
    (miss,) = [row for row in rows if row["kind"] == "miss"]
    assert (miss["shown"], miss["verdict"]) == ("docs/status.md", "right")


def test_what_a_session_named_says_where_it_ran(tmp_path):
    place = tmp_path / "shop/.crush/crush.db"
    relative = [("view", {"file_path": "a.md"}, "File not found: a.md", True, {})]
    own = [("view", {"file_path": f"{tmp_path}/shop/a"}, "<file>", False, {})]
    other = [("view", {"file_path": "/Users/ada/shop/a"}, "<file>", False, {})]
    databases.crush(place, relative, own, other)
    folders = [read(source).cwd for source in parts(str(place))]
    assert folders == [str(tmp_path / "shop"), str(tmp_path / "shop"), ""]


def _ran(command, said, place=ROOT, **about):
    told = {"start_time": 1, "working_directory": place, **about}
    return ("bash", {"command": command}, said, False, told)


def test_a_shell_that_stays_stays_where_it_went(tmp_path):
    stays = [
        _ran("ls", "a"),
        _ran("cd web", "no output", f"{ROOT}/web"),
        _ran("ls", ""),
    ]
    anew = [(*step[:4], {**step[4], "description": "x"}) for step in stays]
    sources = parts(str(databases.crush(tmp_path / "crush.db", stays, anew)))
    first, second = ([call.cwd for call in read(each).calls] for each in sources)
    assert first == [ROOT, ROOT, f"{ROOT}/web"]
    assert second == [ROOT, ROOT, ROOT]


ENDS = [  # how a command's answer ends, and whether the command failed
    ("no such thing\nExit code 2\n\n<cwd>/p</cwd>", True),
    ("Exit code 1", True),
    ("Exit code 0\n", False),
    ("Exit code 1\nis what make says", False),
    ("ok\n\n<cwd>/p</cwd>", False),
]


def test_a_command_failed_if_its_answer_ends_with_a_code(tmp_path):
    def check(row):
        said, failed = row
        place = tmp_path / f"{ENDS.index(row)}-crush.db"
        (source,) = parts(str(databases.crush(place, [_ran("make", said)])))
        assert [call.failed for call in read(source).calls] == [failed]

    check_each(ENDS, check, lambda row: row[0])


CONTENTS = [  # an answer, what is recorded beside it, the file's text, if it is whole
    ("<file>\n     1|a\n</file>", {"content": "a"}, "a"),
    ("<file>\n     7|a\n</file>", {"content": "a"}, None),
    ("     1|a\n(File has more lines. Use 'offset')", {"content": "a"}, None),
    ("content replaced in file", {"old_content": "a", "new_content": "b"}, "b"),
    ("content replaced in file", {}, None),
]


def test_the_text_of_a_file_is_known_from_a_look_at_all_of_it_and_from_an_edit(
    tmp_path,
):
    calls = [("edit", {"file_path": "a"}, row[0], False, row[1]) for row in CONTENTS]
    (source,) = parts(str(databases.crush(tmp_path / "crush.db", calls)))
    assert [call.content for call in read(source).calls] == [row[2] for row in CONTENTS]


def test_what_was_written_to_the_log_is_new(kept):
    _, make = kept
    owner = []
    place = make(open_in=owner)
    with closing(owner[0]):
        os.utime(place, (1, 1))
        assert is_newer(Source(str(place)), 1000)
        os.utime(f"{place}-wal", (1, 1))
        assert not is_newer(Source(str(place)), 1000)
