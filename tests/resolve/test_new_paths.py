"""What is about to be made and looks wrong, and what is made without a word."""

from __future__ import annotations

import os

import pytest
import repos
from past import text
from rows import check_each

from truepath import Guard, ToolCall, Workspace
from truepath.project import git as runner
from truepath.project.history import History

FILES = [
    "backend/src/acme_api/config.py",
    "backend/src/acme_api/main.py",
    "backend/tests/test_main.py",
    "specs/status.md",
    "specs/roadmap.md",
    "lib/one.py",
    "lib/two.py",
    "dropped/x.py",
    "src/flask/app.py",
    "src/flask/cli.py",
    "tests/test_basic.py",
    "sessions.py",
    "textutil/a.py",
    "README.md",
]
MOVES = {
    "backend": "packages/api",
    "specs/status.md": "docs/status.md",
    "specs/roadmap.md": "docs/roadmap.md",
    "lib/one.py": "aa/one.py",
    "lib/two.py": "bb/two.py",
}
POLICIES = ["careful", "recover", "suggest"]


def moved(top):
    """Make a repository whose files were moved as in `MOVES`, and one of whose folders is gone."""
    repos.start(top, {path: text(path) for path in FILES})
    for old, new in MOVES.items():
        (top / new).parent.mkdir(parents=True, exist_ok=True)
        repos.run_git(top, "mv", old, new)
    repos.run_git(top, "rm", "-r", "--quiet", "dropped")
    repos.run_git(top, "commit", "--quiet", "--message=move")
    for left in ("specs", "lib"):  # `git mv` leaves the folder that it empties
        (top / left).rmdir()


@pytest.fixture
def repo(copy_of):
    return copy_of(moved)


def write(path):
    return "write_file", {"file_path": path, "content": "x"}


def shell(command):
    return "Bash", {"command": command}


def edit(path):
    return "Edit", {"file_path": path, "old_string": "", "new_string": "x"}


def patch(path):
    return "apply_patch", {"input": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"}


LOOKS_WRONG = [
    # call, the place that is meant, reason
    (write("backend/src/acme_api/new.py"), "packages/api/src/acme_api/new.py", "a folder moved"),
    (write("backend/new.py"), "packages/api/new.py", "its top moved"),
    (write("backend/deep/er/new.py"), "packages/api/deep/er/new.py", "so would a new one below it"),
    (write("specs/status.md"), "docs/status.md", "the very file moved"),
    (write("specs/new.md"), "docs/new.md", "all files of the folder went to one place"),
    (write("lib/one.py"), "aa/one.py", "the folder went to two, the file to one"),
    (edit("backend/src/new.py"), "packages/api/src/new.py", "an edit of nothing makes a file"),
    (patch("backend/src/new.py"), "packages/api/src/new.py", "so does a patch"),
    (shell("mkdir -p backend/src/new"), "packages/api/src/new/", "a folder is made"),
    (shell("mkdir backend"), "packages/api/", "the folder itself is"),
    (shell("cat > backend/x.py <<E\nx\nE"), "packages/api/x.py", "a shell writes"),
    (
        shell("mkdir -p backend/x && touch backend/x/a.py"),
        "packages/api/x/",
        "all of it or nothing",
    ),
    (write("src/flask/app.py:12"), "src/flask/app.py", "a line"),
    (write("src\\flask\\cli.py"), "src/flask/cli.py", "backslashes"),
    (write("src/flask/app.py,"), "src/flask/app.py", "a comma"),
    (write("src/flask/app.py)"), "src/flask/app.py", "a bracket"),
    (write("sessions.py\\n"), "sessions.py", "a newline, escaped"),
    (write("sessions.py\n"), "sessions.py", "a newline"),
    (write("sessions.py\u200b"), "sessions.py", "an invisible sign"),
    (write("src%2Fflask%2Fapp.py"), "src/flask/app.py", "escapes of a URL"),
    (write("tests/test_basic.py::test_x"), "tests/test_basic.py", "a test"),
    (write("a/src/flask/app.py"), "src/flask/app.py", "a side of a diff"),
    (write("HEAD:src/flask/app.py"), "src/flask/app.py", "what is committed"),
    (shell("echo x > 'src/flask/app.py:12'"), "src/flask/app.py", "a line, by a shell"),
    (patch("src/flask/app.py:12"), "src/flask/app.py", "a line, by a patch"),
    (write("None"), "", "a missing value of Python"),
    (write("undefined"), "", "of JavaScript"),
    (write("null"), "", "of JSON"),
    (shell("touch null"), "", "by a shell"),
]

IS_MADE = [
    (write("src/flask/new.py"), "a new file in a folder that is there"),
    (write("fresh/x/new.py"), "a folder that never was"),
    (write("lib/new.py"), "the files of a folder went to two places"),
    (write("dropped/y.py"), "a folder was deleted, not moved"),
    (write("notes.txt(1)"), "a name with a sign; there is no other"),
    (write("a:b"), "the same"),
    (write("x.py,v"), "the same"),
    (write("README.md,v"), "the name of a file of RCS"),
    (write("new.py:12"), "what is undone is not there"),
    (write("HEAD:new.py"), "neither is this"),
    (write("a/README.md"), "a folder `a` with a file of its own"),
    (write("a/src/flask/new.py"), "no file is there without the `a`"),
    (write("src/flask:12"), "a folder has no lines"),
    (write("src/None"), "a name in a folder is no missing value"),
    (write("null.py"), "nor is a part of a name"),
    (write("backend"), "a file of the root, no folder is made"),
    (write("testutil/a.py"), "another word than `textutil`"),
    (write("/nowhere/backend/x.py"), "outside the project"),
    (shell("cd / && cat > backend.py"), "a command that went outside"),
    (shell("mkdir summarise"), "a word like no folder's"),
    (shell("mkdir -p .claude/scripts"), "a program's folder"),
    (shell("mkdir fresh && cd fresh && touch a.py"), "a new folder and what is in it"),
    (shell("mkdir -p a/src"), "a folder is no diff's side"),
]


def ask(guard, call, turn="1", session="s", **more):
    tool, arguments = call
    return guard.before(ToolCall(tool, arguments, session=session, turn=turn, **more))


@pytest.mark.parametrize("policy", POLICIES)
def test_it_looks_wrong_once_and_is_written_nowhere_else(repo, policy, tmp_path):
    store = str(tmp_path / "store")
    # The first asks git, the others a map.
    assert policy == "careful" or History(str(repo), store=store).build()
    workspace = Workspace(repo, store=store, timeout_s=10.0)
    guard = Guard(workspace=workspace, policy=policy)

    def check(row):
        call, meant, _ = row
        first, again = (ask(guard, call, turn, session=repr(row)) for turn in "12")
        assert first.action == "refuse"
        assert first.text.startswith("PATH_LOOKS_WRONG: ")
        assert (f"Did you mean `{meant}`?" in first.text) is bool(meant)
        assert "send the same call again" in first.text
        assert (again.action, again.text, again.arguments) == ("allow", "", call[1])

    check_each(LOOKS_WRONG, check)


def test_it_is_made_without_a_word(repo):
    guard = Guard(repo, policy="recover", timeout_s=10.0)

    def check(row):
        decision = ask(guard, row[0], session=repr(row))
        assert (decision.action, decision.text) == ("allow", "")

    check_each(IS_MADE, check)


def test_the_answer_says_what_moved_where_and_when(repo, git):
    short, day = git(repo, "log", "-1", "--format=%h %cs", "--abbrev=7", "--", "backend").split()

    answer = ask(Guard(repo), write("backend/new.py")).text

    assert answer == (
        f"PATH_LOOKS_WRONG: `backend/new.py`: backend/ moved to packages/api/ in {short}, {day}. "
        "Did you mean `packages/api/new.py`? If not, send the same call again."
    )


def test_an_absolute_path_is_answered_with_one(repo):
    answer = ask(Guard(repo), write(f"{repo}/backend/new.py")).text

    assert f"Did you mean `{repo}/packages/api/new.py`?" in answer


def test_a_moved_folder_that_was_made_anew_on_purpose_is_filled_in_peace(repo):
    guard = Guard(repo)
    (repo / "backend").mkdir()

    for path in ("backend/x.py", "backend/src/acme_api/new.py", "backend/new/y.py"):
        assert ask(guard, write(path)).action == "allow", path


def test_a_move_that_is_not_committed_is_work_under_way(repo, git):
    git(repo, "mv", "textutil", "texts")

    assert ask(Guard(repo), write("textutil/b.py")).action == "allow"


def test_what_the_user_asked_for_is_made(repo):
    prompt = "please add backend/new.py again"

    assert ask(Guard(repo), write("backend/new.py"), prompt=prompt).action != "refuse"


def test_without_time_for_history_a_new_folder_is_made(repo):
    assert ask(Guard(repo, timeout_s=0.0), write("backend/new.py")).action == "allow"


@pytest.mark.parametrize("policy", ["guide", "observe"])
def test_who_only_watches_refuses_nothing(repo, policy):
    for path in ("backend/new.py", "src/flask/app.py:12", "None"):
        assert ask(Guard(repo, policy=policy), write(path)).action == "allow", path


def test_what_may_not_be_named_is_not(make_repo, move):
    repo = make_repo({"old/a.pem": text("a"), "old/b.pem": text("b"), ".env": ""})
    move(repo, "old", "secrets")
    guard = Guard(repo)

    assert ask(guard, write(".env:12")).action == "allow"
    assert "secrets" not in ask(guard, write("old/a.pem")).text


def test_a_new_file_in_a_folder_that_is_there_starts_no_git_and_lists_nothing(repo, monkeypatch):
    started, listed = [], []
    run, scan = runner.command, os.scandir
    monkeypatch.setattr(runner, "command", lambda *args: started.append(args) or run(*args))
    monkeypatch.setattr(os, "scandir", lambda *args: listed.append(args) or scan(*args))
    guard = Guard(repo)

    for path in ("src/flask/new.py", "new.md", "docs/[id].tsx", "src/flask/new_2+x"):
        assert ask(guard, write(path)).action == "allow"

    assert (started, listed) == ([], [])


def test_a_folder_of_its_own_parent_s_name_is_made_on_purpose():
    workspace = Workspace.from_names(["docs/a.md", "docs/b.md", "src/c.py"])

    assert workspace.resolve("docs/docs/new.md", "write").status == "absent"
