"""A command that is run in a folder of its own: the folder from here, the paths from there."""

from __future__ import annotations

import pytest

import truepath


@pytest.fixture
def repo(make_repo, move):
    repo = make_repo({"specs/status.md": "all green\n", "src/app/main.py": "", "src/app/b.py": ""})
    move(repo, "specs/status.md", "docs/status.md")
    return repo


def before(repo, command, folder, *, cwd=None):
    call = truepath.ToolCall(
        "run_shell_command", {"command": command, "dir_path": folder}, cwd=cwd or str(repo)
    )
    return truepath.Guard(repo).before(call)


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("cat main.py", "src/app"),
        ("cat app/main.py", "src"),
        ("cat ../docs/status.md", "src"),
        ("cd app && cat main.py", "src"),
        ("ls", "src/app"),
        ("python3 -c 'print(1)'", "src"),
        ("cat docs/status.md", "."),
        ("cat main.py", ""),
    ],
)
def test_a_command_whose_folder_and_paths_are_there_is_let_through(repo, command, folder):
    if folder:
        assert before(repo, command, folder).action == "allow"
    else:
        assert before(repo, command, folder, cwd=str(repo / "src/app")).action == "allow"


def test_an_absolute_folder_is_taken_as_it_is(repo):
    assert before(repo, "cat main.py", str(repo / "src/app")).action == "allow"


def test_a_path_that_is_missing_in_the_folder_is_corrected_from_there(repo):
    decision = before(repo, "cat ../specs/status.md", "src")
    assert decision.action == "rewrite"
    assert decision.arguments["dir_path"] == "src"
    assert decision.arguments["command"].endswith("docs/status.md")


def test_a_wrong_folder_is_corrected_and_the_paths_are_looked_for_there(repo):
    decision = before(repo, "cat main.py", "src/src/app")
    assert decision.action == "rewrite"
    assert decision.arguments == {"command": "cat main.py", "dir_path": "src/app"}


def test_of_paths_in_a_folder_that_is_nowhere_nothing_is_said(repo):
    decision = before(repo, "cat main.py", "quarterly/forecast")
    assert decision.action == "refuse"
    assert "main.py" not in decision.text
