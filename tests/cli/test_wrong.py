"""`truepath wrong`: what is marked is not done again, whoever asks; all else is as it
was.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hooks
import pytest
from commandline import ran
from rows import check_each

from truepath import Guard, ToolCall, Workspace
from truepath.config.user_dirs import projects_folder, user_file
from truepath.project.marks import is_wrong, mark

MOVED = "specs/status.md"
FILES = {
    "specs/status.md": "STATUS all green\n",
    "specs/zones.md": "ZONES of the plant\n",
    "src/app/settings.py": "SECRET = 'hunter2'\n",
    "src/app/turbine.py": "",
    "tests/test_app.py": "",
}


@pytest.fixture
def make_project(make_repo, move):
    def make():
        repo = make_repo(FILES)
        move(repo, "specs", "docs")
        return repo

    return make


@pytest.fixture
def project(make_project, monkeypatch):
    repo = make_project()
    monkeypatch.chdir(repo)
    return repo


def marks():
    return Path(projects_folder(os.environ), "wrong.jsonl")


def used(answer):
    """Return what a call runs with in place of what was written; None where with
    nothing.
    """
    return next(iter(answer.get("updatedInput", {}).values()), None)


def asked(repo, path=MOVED, **more):
    return hooks.answer(hooks.event(repo, path, **more))


def bash(command):
    return {"tool": "Bash", "tool_input": {"command": command}}


CALLS = [  # why, the call, what it was led to, the policy
    ("renamed", {"path": MOVED}, f"{MOVED} -> docs/status.md"),
    ("shown", bash("head -3 lib/turbine.py"), "lib/turbine.py -> src/app/turbine.py"),
    ("decorations", {"path": "docs/status.md:12"},
     "docs/status.md:12 -> docs/status.md"),
    ("what is run", bash("sh app/settings.py"),
     "app/settings.py -> src/app/settings.py", "recover"),
    ("a folder that is entered", bash("cd specs && ls"), "specs -> docs"),
    ("backslashes", bash(r"cat src\app\turbine.py"),
     r"src\app\turbine.py -> src/app/turbine.py"),
    ("another machine's root", {"path": "/workspace/src/app/turbine.py"},
     "/workspace/src/app/turbine.py -> src/app/turbine.py"),
    ("a place for what is made", {"path": "test/new.py", "tool": "Write"},
     "test/new.py -> tests/new.py", "recover"),
]  # fmt: skip


def test_the_next_call_with_what_was_marked_is_not_led_to_it_nor_asked_about_it(
    project, capsys, monkeypatch
):
    def check(row):
        _, call, line, *policy = row
        monkeypatch.setenv("TRUEPATH_POLICY", *policy or ["careful"])
        assert used(asked(project, **call))
        done = ran(capsys, "wrong")
        assert done.code == 0
        assert done.out == f"marked as wrong: {line}\n"
        assert ran(capsys, "wrong").out == f"already {done.out}"
        answer = asked(project, **call)
        if answer is not None:  # a new path is made as it was written
            assert used(answer) is None
            said = answer.get("permissionDecisionReason") or answer["additionalContext"]
            assert "(the user marked what looks like it as wrong)" in said
            assert "Did you mean" not in said
        assert ran(capsys, "wrong", "--undo").out == done.out.replace(
            "marked as", "no longer"
        )
        assert used(asked(project, **call))

    check_each(CALLS, check, name=lambda row: row[0])


def resolutions(repo, path, capsys):
    """Yield what every door says of a path."""
    yield Guard(repo).workspace.resolve(path).to_dict()
    yield (
        Guard(repo)
        .before(ToolCall("read_file", {"path": path}))
        .resolutions[0]
        .to_dict()
    )
    yield ran(capsys, "resolve", "--json", path).objects[0]
    yield ran(capsys, "check", "--json", "--", f"cat {path}").objects[0]["paths"][0]


def test_every_door_gives_the_same_answer(project, capsys):
    asked(project)
    ran(capsys, "wrong")
    for said in resolutions(project, MOVED, capsys):
        assert (said["status"], said["permits"], said["path"]) == (
            "ambiguous",
            "named",
            None,
        )
        assert [each["path"] for each in said["candidates"]] == ["docs/status.md"]


def test_without_the_private_folder_no_mark_is_known_and_a_subfolder_knows_it(
    project, capsys
):
    asked(project, "app/turbine.py")
    ran(capsys, "wrong")
    assert Workspace(project).resolve("app/turbine.py").status == "resolved"
    inner = Guard(project / "src").workspace
    assert inner.resolve("../app/turbine.py").permits == "named"


def test_only_this_pair_in_this_project_is_marked(
    project, make_project, capsys, git, tmp_path
):
    asked(project)
    ran(capsys, "wrong")
    linked = tmp_path / "linked"
    git(project, "worktree", "add", "--quiet", str(linked))
    for repo, path in (
        (project, "status.md:3"),
        (make_project(), MOVED),
        (linked, MOVED),
    ):
        assert used(asked(repo, path)) == str(repo / "docs/status.md"), (repo, path)
    assert used(asked(project)) is None


DECORATED = ["{}:3", "`{}`", "{}#L3-L9", " {} ", "{}:", "'{}':12"]


def test_a_mark_holds_for_the_path_with_decorations_and_no_further(project, capsys):
    asked(project, "docs/status.md:12")
    asked(project, f"{project}/{MOVED}")
    asked(project, **bash(r"cat src\app\turbine.py"))
    marked = [each["id"] for each in ran(capsys, "log", "--json").objects]
    assert [ran(capsys, "wrong", each).code for each in marked] == [0, 0, 0]
    for written in (
        shape.format(path) for shape in DECORATED for path in (MOVED, "./" + MOVED)
    ):
        assert used(asked(project, tool_input={"file_path": written})) is None, written
    for written in ("docs/status.md:13", "src/app/turbine.py:1"):
        assert used(asked(project, written)), written


def test_a_project_that_is_reached_through_a_link_is_the_same(
    project, tmp_path, capsys
):
    asked(project, "app/turbine.py")
    link = tmp_path / "link"
    link.symlink_to(project, target_is_directory=True)
    asked(link)
    assert ran(capsys, "wrong").out == f"marked as wrong: {MOVED} -> docs/status.md\n"
    assert used(asked(link)) is used(asked(project)) is None
    assert len(ran(capsys, "log", "--event", "path.refused").out.splitlines()) == 2


def test_an_event_is_named_by_what_the_log_shows_of_it_and_by_nothing_shorter(
    project, capsys
):
    asked(project)
    (event,) = ran(capsys, "log", "--json").objects
    assert ran(capsys, "wrong", event["id"][-5:]).code == 1
    assert not marks().exists()
    assert ran(capsys, "wrong", event["id"][-8:]).code == 0


@pytest.mark.parametrize(
    "written", ["token=abc/status.md", f"{MOVED}\n", "a" * 1100 + f"/{MOVED}"]
)
def test_what_the_journal_keeps_in_part_is_not_said_to_be_marked(
    project, capsys, written
):
    assert used(asked(project, written))
    done = ran(capsys, "wrong")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == "error: it cannot be marked: its path is not whole in the journal\n"
    )
    assert not marks().exists()


def test_a_file_that_was_denied_since_is_not_named(project, capsys):
    asked(project)
    Path(user_file(os.environ)).parent.mkdir(parents=True)
    Path(user_file(os.environ)).write_text("deny = ['docs/**']\n")
    for words in ([], ["--json"], ["--undo"]):
        done = ran(capsys, "wrong", *words)
        assert "docs" not in done.out + done.err
    assert not marks().exists()


def test_marks_that_are_made_at_once_are_all_kept(tmp_path):
    pairs = [(str(tmp_path), "/root", f"{number}.md", "a.md") for number in range(24)]
    with ThreadPoolExecutor(len(pairs)) as threads:
        [*threads.map(lambda pair: mark(*pair, wrong=True), pairs)]
    assert all(is_wrong(*pair) for pair in pairs)


def test_each_of_two_marks_holds_until_it_is_taken_back(project, capsys):
    asked(project)
    asked(project, "app/turbine.py")
    first, second = (each["id"] for each in ran(capsys, "log", "--json").objects)
    for event in (first, second, first[-6:]):
        assert ran(capsys, "wrong", event).code == 0
    assert len(marks().read_text().splitlines()) == 2
    assert ran(capsys, "wrong", "--undo", first).out.startswith(
        "no longer wrong: specs/"
    )
    assert used(asked(project))
    assert used(asked(project, "app/turbine.py")) is None
    assert ran(capsys, "wrong", "--undo").out.startswith("no longer wrong: app/")
    assert used(asked(project, "app/turbine.py"))


@pytest.mark.parametrize("words", [[], ["--undo"], ["ffff\x1b"], ["--json"]])
def test_where_there_is_nothing_to_mark_it_says_so_in_one_line(
    project, capsys, words, monkeypatch
):
    monkeypatch.setenv("TRUEPATH_JOURNAL", "0")
    asked(project)
    monkeypatch.delenv("TRUEPATH_JOURNAL")
    asked(project, "nothing/like/it.xyz")
    done = ran(capsys, "wrong", *words)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("no ")
    assert done.err.endswith(" (see `truepath log`)\n")
    assert done.err.rstrip("\n").isprintable()
    assert not marks().exists()


def test_an_event_of_another_project_is_marked_there(
    project, make_project, capsys, monkeypatch
):
    other = make_project()
    asked(other)
    (event,) = ran(capsys, "log", "--all", "--json").objects
    assert ran(capsys, "wrong").code == 1
    assert ran(capsys, "wrong", event["id"], "--project", str(project)).code == 1
    assert ran(capsys, "wrong", event["id"]).code == 0
    assert used(asked(other)) is None
    assert used(asked(project))
    shutil.rmtree(other)
    done = ran(capsys, "wrong", event["id"])
    assert (done.code, done.out) == (2, "")
    assert "does not exist" in done.err


@pytest.mark.parametrize(
    "data", [b"", b"\xff\0[[[", b'["a"]\n5\n{}\n' + b"[" * 99_999, b" " * 5_000_000]
)
def test_a_file_that_is_broken_marks_nothing_and_is_mended(project, capsys, data):
    marks().parent.mkdir(parents=True, exist_ok=True)
    marks().write_bytes(data)
    assert used(asked(project))
    assert ran(capsys, "wrong").code == 0
    assert used(asked(project)) is None
    assert stat.S_IMODE(marks().stat().st_mode) == 0o600 or os.name == "nt"


def test_a_file_of_that_name_in_a_project_is_no_mark(project, capsys):
    asked(project)
    ran(capsys, "wrong")
    shutil.move(marks(), project / "wrong.jsonl")
    assert used(asked(project))


def test_the_case_says_what_happened_and_why_and_nothing_of_contents(project, capsys):
    asked(project, "app/settings.py")
    (event,) = ran(capsys, "log", "--json").objects
    (why,) = ran(capsys, "resolve", "--why", "--json", "app/settings.py").objects
    done = ran(capsys, "wrong", "--json")
    case = json.loads(done.out)
    assert done.err == "it has names of files in it; edit them before you send it\n"
    of_event = ("event", "host", "tool", "operation", "policy", "requested", "reason")
    assert {name: case[name] for name in of_event} == {
        name: event[name] for name in of_event
    }
    assert (case["led_to"], case["confidence"]) == (
        "src/app/settings.py",
        event["confidence"],
    )
    assert case["now"] == {name: why[name] for name in case["now"]}
    assert case["now"]["features"]["src/app/settings.py"]["same-name"] > 0
    assert "hunter2" not in done.out
    assert str(project) not in json.dumps({**case, "requested": ""})
    assert used(asked(project, "app/settings.py")), "a look marks nothing"
    assert not marks().exists()
    ran(capsys, "wrong")
    assert (
        json.loads(ran(capsys, "wrong", "--undo", "--json").out)["now"]["permits"]
        == "named"
    )
    assert used(asked(project, "app/settings.py")) is None, (
        "nor does it take a mark back"
    )


def test_a_setting_of_the_user_that_is_wrong_marks_nothing(project, capsys):
    asked(project)
    Path(user_file(os.environ)).parent.mkdir(parents=True)
    Path(user_file(os.environ)).write_text("policy = 'bold'\n")
    assert ran(capsys, "wrong").code == 2
    assert not marks().exists()
