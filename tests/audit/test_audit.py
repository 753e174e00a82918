"""From a transcript to its record: misses, what followed, what they cost, what would
have been.
"""

from __future__ import annotations

import json
import pickle
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from claude import ROOT, transcript
from rows import check_each, read

from truepath.audit.aftermath import is_meant
from truepath.audit.audit import audit_transcript
from truepath.audit.figures import add_up
from truepath.audit.misses import named
from truepath.audit.record import COLUMNS, redacted
from truepath.audit.sources import Source, parts
from truepath.audit.transcript import Call

HERE = Path(__file__).parents[1] / "transcripts"
STORIES = sorted(
    path
    for path in [*HERE.iterdir(), *HERE.glob("gemini-cli/chats/*")]
    if path.name not in ("gemini-cli", "README.md")
)


@pytest.fixture
def orders(make_repo):
    files = {
        "docs/status.md": "all green",
        "src/app.py": "print('orders')",
        "README.md": "",
    }
    return str(make_repo(files))


def _audited(source, **options):
    """Return a record's rows: its session's, and its findings' but the failures."""
    rows = [SimpleNamespace(**row) for row in audit_transcript(source, **options)]
    return rows[0], [row for row in rows[1:] if row.kind not in ("failure", "answer")]


def test_every_format_has_one_miss_that_cost_two_calls(orders):
    def check(path):
        (source,) = parts(str(path))
        session, (miss,) = _audited(source, repo=orders)
        assert (session.problem, session.bad_lines) == ("", 0)
        assert session.calls == (5 if path.name == "swe-agent.traj" else 4)
        assert miss.kind == "miss"
        assert miss.target.endswith("specs/status.md")
        assert (miss.followed, miss.truth) == ("found", "docs/status.md")
        assert (miss.calls_lost, miss.loop) == (2, 1)
        assert (miss.would, miss.shown, miss.verdict) == (
            "assumed",
            "docs/status.md",
            "right",
        )
        assert miss.tokens_lost in (0, 290)
        untimed = path.name in ("swe-agent.traj", "vscode.json")
        assert untimed or miss.seconds_lost == pytest.approx(8, abs=1)

    check_each(STORIES, check, lambda path: path.name)


def test_without_the_project_it_is_unknown_what_would_have_been():
    session, (miss,) = _audited(Source(str(HERE / "claude-code.jsonl")))
    assert session.project == ROOT
    assert (miss.followed, miss.truth) == ("found", "docs/status.md")
    assert (miss.would, miss.shown, miss.verdict) == ("unknown", "", "unknown")


def test_a_transcript_that_cannot_be_read_costs_itself_alone(tmp_path, monkeypatch):
    session, findings = _audited(Source(str(tmp_path / "gone.jsonl")))
    assert "gone.jsonl" in session.problem
    assert findings == []
    monkeypatch.setattr("truepath.audit.audit.named", None)  # a fault of our own
    session, _ = _audited(Source(str(HERE / "pi.jsonl")))
    assert session.problem.endswith("pi.jsonl: TypeError")


def test_the_record_is_the_same_in_another_process(orders):
    source = Source(str(HERE / "codex.jsonl"))
    audit = pickle.loads(pickle.dumps(partial(audit_transcript, repo=orders)))
    assert json.loads(json.dumps(audit(source))) == audit_transcript(
        source, repo=orders
    )


def test_all_rows_have_the_same_columns(orders):
    rows = audit_transcript(Source(str(HERE / "pi.jsonl")), repo=orders)
    assert [row["kind"] for row in rows] == ["session", "failure", "miss"]
    assert len({row["record"] for row in rows}) == 1
    assert all(tuple(row) == tuple(COLUMNS) for row in rows)
    kinds = {"int64": int, "double": (int, float), "string": str}
    for row in rows:
        for name, value in row.items():
            assert value is None or isinstance(value, kinds[COLUMNS[name]]), name


def test_redacted_no_name_of_a_path_is_left(orders):
    rows = audit_transcript(Source(str(HERE / "pi.jsonl")), repo=orders)
    session, _, miss = redacted(rows, b"key")
    for word in ("status", "specs", "docs", "home/ada", "orders", "transcripts"):
        assert word not in json.dumps([session, miss])
    assert miss["shown"] == miss["truth"]
    assert miss["truth"].count("/") == 1
    assert redacted(rows, b"other")[2]["truth"] != miss["truth"]


def test_a_name_that_is_no_text_has_a_question_mark(tmp_path):
    _, (miss,) = _audited(transcript(tmp_path, _gone("src/\ud800.py")))
    assert miss.written == "src/?.py"


def _step(tool, arguments, answer, failed=None, **more):
    given = {"id": "1", "cwd": ROOT, "turn": 1, **more}
    return Call(tool=tool, arguments=arguments, answer=answer, failed=failed, **given)


def test_what_the_answer_calls_missing_is_a_miss_and_what_looks_like_one_is_none():
    def check(row):
        step = _step(row["tool"], row["arguments"], row["answer"], row["failed"])
        expected = [
            path if path[0] == "/" else f"{ROOT}/{path}" for path in row["missed"]
        ]
        assert [each.target for each in named(step) if each.missed] == expected

    check_each(read("audit/misses"), check)


def _gone(path):
    return ("Read", {"file_path": path}, "File does not exist.", True)


def _read(path):
    return ("Read", {"file_path": path}, "1 x", False)


def _write(path):
    return ("Write", {"file_path": path, "content": "x"}, "File created", False)


SEARCH = ("Grep", {"pattern": "x"}, "docs/a.md", False)

# calls, then for each miss: what followed, calls lost, loop, what was meant
FOLLOWED = [
    ([_gone("a/x.py"), _read("b/x.py")], [("found", 1, 1, "b/x.py")]),
    ([_gone("a/x.py"), SEARCH, _read("b/x.py")], [("found", 2, 1, "b/x.py")]),
    ([_gone("a/x.py"), _read("b/y.py")], [("left", 1, 1, "")]),
    ([_gone("a/x.py"), _write("a/x.py")], [("made", 1, 1, "")]),
    ([_gone("a/x.py"), _read("a/x.py")], [("left", 1, 1, "")]),
    ([_gone("a/x.py"), "user", _read("b/x.py")], [("left", 1, 1, "")]),
    (
        [_gone("a/x.py"), _gone("b/x.py"), SEARCH, _read("c/x.py")],
        [("again", 1, 1, "c/x.py"), ("found", 2, 2, "c/x.py")],
    ),
    (
        [_gone("a/x.py"), _gone("b/x.py"), _gone("c/x.py")],
        [("again", 1, 1, ""), ("again", 1, 2, ""), ("left", 1, 3, "")],
    ),
    ([_gone("a/index.ts"), _read("b/index.ts")], [("left", 1, 1, "")]),
    (
        [_gone("a/web/index.ts"), _read("b/web/index.ts")],
        [("found", 1, 1, "b/web/index.ts")],
    ),
    ([_gone("a/x.py"), *[SEARCH] * 15, _read("b/x.py")], [("left", 1, 1, "")]),
]


def test_another_spelling_of_a_path_is_what_was_meant():
    def check(row):
        assert is_meant(row["missed"], row["opened"]) is row["meant"]
        assert is_meant(row["opened"], row["missed"]) is row["meant"]

    check_each(read("audit/spellings"), check)


def test_a_correction_of_the_spelling_is_right(tmp_path, orders):
    _, (miss,) = _audited(
        transcript(tmp_path, _gone("docs/stauts.md"), _read("docs/status.md")),
        repo=orders,
    )
    assert (miss.truth, miss.would, miss.verdict) == (
        "docs/status.md",
        "assumed",
        "right",
    )


def test_each_miss_of_a_session_is_asked_of_the_same_project(tmp_path, orders):
    missed = transcript(tmp_path, _gone("docs/stauts.md"), _gone("src/ap.py"))
    session, found = _audited(missed, repo=orders)
    assert session.problem == ""
    assert [miss.shown for miss in found] == ["docs/status.md", "src/app.py"]


def test_a_path_that_a_command_names_twice_is_missed_once(tmp_path):
    said = (
        "types/ [error opening dir]\n"
        "find: \u2018types/\u2019: No such file or directory"
    )
    call = ("Bash", {"command": "tree types/ || find types/"}, said, True)
    _, found = _audited(transcript(tmp_path, call))
    assert [miss.target for miss in found] == ["types"]


def test_what_followed_a_miss_is_what_the_agent_did(tmp_path):
    def check(row):
        calls, expected = row
        _, findings = _audited(transcript(tmp_path, *calls))
        assert [
            (each.followed, each.calls_lost, each.loop, each.truth) for each in findings
        ] == expected

    check_each(FOLLOWED, check, lambda row: str(row[1]))


OFFER = "PreToolUse:Read hook error: PATH_NOT_FOUND: `a/x.py`. Did you mean {}?"
# the answer, whether the call failed, the calls after it, whether it was followed
OFFERED = [
    (OFFER.format("`b/x.py` (the same name)"), True, [_read("b/x.py")], ["found"]),
    (
        OFFER.format("one of: `b/x.py`, `c/x.py`"),
        True,
        [SEARCH, _read(f"{ROOT}/c/x.py")],
        ["found"],
    ),
    (
        "PATH_NOT_FOUND: `a/x.py`. Use `b/x.py` instead.",
        True,
        [_read("b/x.py")],
        ["found"],
    ),
    (
        "PATH_NOT_FOUND: `a/x.py`.\nNext: Read `b/x.py`",
        True,
        [_read("b/x.py")],
        ["found"],
    ),
    (
        "Error: PATH_NOT_FOUND: `a/x.py`. Check which:\n`b/x.py`\n`c/x.py`",
        True,
        [_read("c/x.py")],
        ["found"],
    ),
    (OFFER.format("`b/x.py`"), True, [_read("c/x.py")], ["left"]),
    (OFFER.format("`b/x.py`"), True, [[SEARCH, _read("b/x.py")]], ["found"]),
    (OFFER.format("`b/x.py`"), True, ["user", _read("b/x.py")], ["left"]),
    (OFFER.format("`b/x.py`"), True, [], ["left"]),
    (OFFER.format("`b/x.py`"), False, [_read("b/x.py")], []),  # a file that quotes one
    ("PATH_NOT_FOUND: `a/x.py`.", True, [_read("b/x.py")], []),
]


def test_answers_of_truepath_that_named_a_file_were_followed_or_not(tmp_path):
    def check(row):
        answer, failed, calls, followed = row
        call = ("Read", {"file_path": "a/x.py"}, answer, failed)
        rows = audit_transcript(transcript(tmp_path, call, *calls))
        assert [
            each["followed"] for each in rows if each["kind"] == "answer"
        ] == followed
        found = add_up([rows])
        assert (found["answers"], found["answers_followed"]) == (
            len(followed),
            followed.count("found"),
        )

    check_each(OFFERED, check, lambda row: row[0])


def test_a_call_of_the_same_turn_is_not_what_was_meant(tmp_path):
    source = transcript(tmp_path, _gone("a/x.py"), _read("b/x.py"))
    text = Path(source.path).read_text("utf-8")
    lines = text.replace('"id": "m1"', '"id": "m0"').splitlines()
    Path(source.path).write_text("\n".join(lines[at] for at in (0, 2, 1, 3)), "utf-8")
    _, (miss,) = _audited(source)
    assert (miss.followed, miss.truth) == ("left", "")


def test_a_call_that_worked_and_would_have_been_refused_is_a_false_alarm(
    tmp_path, orders
):
    calls = [
        _read("src/app.py"),
        _write("doc/new.md"),
        _write("docs/new.md"),
        _write("notes/a.md"),
    ]
    _, (alarm,) = _audited(transcript(tmp_path, *calls), repo=orders)
    assert (alarm.kind, alarm.at, alarm.target) == ("alarm", 1, "doc/new.md")
    assert (alarm.would, alarm.verdict) == ("named", "wrong")


def test_a_correction_is_wrong_where_a_file_outside_was_meant(tmp_path, orders):
    calls = [_gone("docs/satus.md"), _read("/home/ada/notes/satus.md")]
    _, (miss,) = _audited(transcript(tmp_path, *calls), repo=orders)
    assert (miss.truth, miss.shown) == ("/home/ada/notes/satus.md", "docs/status.md")
    assert miss.verdict == ("unknown" if miss.would == "named" else "wrong")


def test_what_the_agent_made_is_known_from_then_on(tmp_path, orders):
    calls = [
        _write("lib/fresh.py"),
        SEARCH,
        _gone("src/fresh.py"),
        _read("lib/fresh.py"),
    ]
    _, (miss,) = _audited(transcript(tmp_path, *calls), repo=orders)
    assert (miss.shown, miss.verdict) == ("lib/fresh.py", "right")


def test_the_tree_is_that_of_the_sessions_time(tmp_path, make_repo, git):
    repo = make_repo({"old/status.md": "x"})
    git(repo, "mv", "old", "docs")
    _commit_of_april(git, repo)
    _, (miss,) = _audited(
        transcript(tmp_path, _gone("specs/status.md")), repo=str(repo)
    )
    assert miss.shown == "old/status.md"


def test_renames_are_known_as_of_the_sessions_time(tmp_path, make_repo, git):
    """The real guard reads git's history, and what came later it cannot know."""
    repo = make_repo(
        {"specs/plan.md": "a plan of our own", "lib/plan.md": "another", "b.md": ""}
    )
    git(repo, "mv", "specs", "docs")
    git(repo, "commit", "-qm", "specs are docs now")
    source = transcript(tmp_path, _gone("specs/plan.md"), _read("docs/plan.md"))
    _, (miss,) = _audited(source, repo=str(repo))
    assert (miss.would, miss.shown, miss.verdict) == (
        "corrected",
        "docs/plan.md",
        "right",
    )
    git(repo, "mv", "docs", "guides")
    _commit_of_april(git, repo)
    assert _audited(source, repo=str(repo))[1] == [miss]


def test_the_sessions_folder_is_the_root_before_one_below_it_that_has_the_same_names(
    tmp_path, make_repo, git
):
    repo = make_repo({"app/x.py": "x", "app/y.py": "y", "app/z.py": "z"})
    for name in ("x.py", "y.py"):
        git(repo, "mv", f"app/{name}", name)
    _commit_of_april(git, repo)
    calls = [_read(f"{ROOT}/app/x.py"), _read(f"{ROOT}/app/y.py"), _gone("app/zz.py")]
    source = transcript(tmp_path, *calls)
    assert _audited(source, repo=str(repo))[0].project == ROOT
    text = Path(source.path).read_text("utf-8")
    Path(source.path).write_text(text.replace(ROOT, r"C:\\Users\\ada\\orders"), "utf-8")
    assert _audited(source, repo=str(repo))[0].project == "C:/Users/ada/orders"


def test_the_root_is_the_top_of_the_work_tree_that_the_session_was_in(
    tmp_path, make_repo
):
    repo = make_repo({"app/x.py": "x", "x.py": "x"})
    source = transcript(tmp_path, _read(f"{repo}/app/x.py"), _gone("y.py"))
    place = Path(source.path)
    place.write_text(place.read_text("utf-8").replace(ROOT, f"{repo}/app"), "utf-8")
    session, _ = _audited(source)
    assert session.project == str(repo)


TOWN = {
    "AGENTS.md": "", ".town/config.json": "", "README.md": "", "x/a/b/c.py": "",
    "crew/dogs/boot/run.sh": "", "crew/dogs/AGENTS.md": "", "web/admin/a.ts": "",
}  # fmt: skip
BELOW = [  # the session's folder, what it opened there, and the root; None: not judged
    ("a folder with names that the top has too", "crew/dogs/boot",
     ["AGENTS.md", ".town/config.json"], None),
    ("and one that the top has under its own path", "crew/dogs/boot",
     ["AGENTS.md", "run.sh"], ""),
    ("a new folder beside known ones", "crew/dogs/late", ["AGENTS.md"], None),
    ("a folder that is above all that is tracked in it", "web/admin",
     ["README.md"], None),
    ("the top itself", "", ["AGENTS.md", "README.md"], ""),
    ("a copy of the project below such a folder", "crew/dogs/boot",
     ["AGENTS.md", "x/a/b/c.py"], "/crew/dogs/boot"),
    ("a clone in a folder of another project", "other/place",
     ["AGENTS.md", "README.md"], "/other/place"),
]  # fmt: skip


def test_a_session_below_the_root_is_not_rooted_where_the_same_names_are(
    tmp_path, make_repo
):
    repo = make_repo(TOWN)

    def check(row):
        _, folder, opened, root = row
        here = f"{ROOT}/{folder}".rstrip("/")
        calls = [_read(f"{here}/{name}") for name in opened]
        source = transcript(tmp_path, *calls, _gone("nope.md"))
        place = Path(source.path)
        text = place.read_text("utf-8").replace(f'"cwd": "{ROOT}"', f'"cwd": "{here}"')
        place.write_text(text, "utf-8")
        session, (miss,) = _audited(source, repo=str(repo))
        if root is None:
            assert miss.would == "unknown"
        else:
            assert session.project == f"{ROOT}{root}"
            assert miss.would != "unknown"

    check_each(BELOW, check, lambda row: row[0])


def test_a_folder_that_was_made_is_a_folder(tmp_path, orders):
    for command in ("mkdir -p docs/v1.2", "mkdir docs/notes.d", "ls docs/v1.2"):
        folder = command.split()[-1]
        calls = [("Bash", {"command": command}, "", False), _write(f"{folder}/a.md")]
        assert _audited(transcript(tmp_path, *calls), repo=orders)[1] == []


def _commit_of_april(git, repo):
    """Commit what is staged, after the sessions of these tests."""
    commit = git(
        repo,
        "commit-tree",
        git(repo, "write-tree").strip(),
        "-p",
        "HEAD",
        "-m",
        "later",
    )
    later = git(repo, "cat-file", "commit", commit.strip()).replace(
        " 1704164645 ", " 1775001600 "
    )
    commit = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", stdin=later)
    git(repo, "update-ref", "HEAD", commit.strip())


def test_a_tree_that_has_not_what_the_session_opened_is_not_taken(
    tmp_path, make_repo, git
):
    repo = make_repo({"old.md": "x"})
    calls = [_read("src/app.py"), _read("docs/status.md"), _gone("specs/status.md")]
    source = transcript(tmp_path, *calls)
    git(repo, "checkout", "-qb", "work")
    for name in ("src/app.py", "docs/status.md"):
        (repo / name).parent.mkdir()
        (repo / name).write_text("x")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "on a branch")
    git(repo, "checkout", "-q", "-")
    git(repo, "clone", "-q", "--single-branch", str(repo), str(tmp_path / "main"))
    _, (miss,) = _audited(source, repo=str(tmp_path / "main"))
    assert miss.would == "unknown"
    _, (miss,) = _audited(source, repo=str(repo))
    assert miss.shown == "docs/status.md"


def test_a_project_on_this_machine_needs_no_repo(tmp_path, orders):
    place = tmp_path / "s.jsonl"
    text = (HERE / "claude-code.jsonl").read_text("utf-8")
    place.write_text(text.replace(ROOT, orders), "utf-8")
    session, (miss,) = _audited(Source(str(place)))
    assert (session.project, miss.verdict) == (orders, "right")
