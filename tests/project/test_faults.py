"""A project in which git does not work at all: the answer says so, and git is asked
again after a while.
"""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest
import repos
from disks import give_away

from truepath import Guard, ToolCall, Workspace
from truepath.project import faults

pytestmark = pytest.mark.skipif(os.name == "nt", reason="not on Windows: no shell")

FILES = {f"specs/{name}.md": f"all of {name}\n" * 9 for name in ("status", "plan")}
WRONG = "specs/status.md"


@pytest.fixture
def repo(make_repo, move):
    repo = make_repo(FILES)
    move(repo, "specs", "docs")
    return repo


def told(repo, store):
    workspace = Workspace(repo, store=str(store))
    [candidate, *_] = workspace.resolve(WRONG).candidates
    return candidate.path, workspace.resolve(WRONG).note


def later(store):
    """Let a minute pass for what is kept of git."""
    for file in pathlib.Path(store).iterdir():
        old = file.stat().st_mtime - faults.AGAIN_S - 1
        os.utime(file, (old, old))


def test_the_answer_says_that_git_does_not_work_and_git_is_asked_once(
    repo, tmp_path, monkeypatch
):
    store, config = tmp_path / "store", repo / ".git/config"
    asked = tmp_path / "asked"
    text = f'#!/bin/sh\necho >> {asked}\nexec {shutil.which("git")} "$@"\n'
    repos.write_files(tmp_path, {"bin/git": text})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    right = config.read_text()
    config.write_text("[core\n")

    assert told(repo, store)[1] == "its history is not known: git fails on it"
    once = asked.stat().st_size
    assert told(repo, store)[1] == "its history is not known: git fails on it"
    assert asked.stat().st_size == once
    config.write_text(right)
    later(store)
    path, note = told(repo, store)
    assert (path, note) == ("docs/status.md", "")


@pytest.mark.root
def test_the_repository_of_another_user_is_known_once_git_is_told_so(
    repo, tmp_path, monkeypatch
):
    store, config = tmp_path / "store", tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    give_away(repo)
    why = "its history is not known: git refuses it, dubious ownership"
    assert told(repo, store) == ("docs/status.md", why)
    guard = Guard(workspace=Workspace(repo, store=str(store)))
    edit = {"path": WRONG, "old_string": "all of plan", "new_string": "x"}
    decision = guard.before(ToolCall("edit_file", edit))
    assert (decision.action, why in decision.text) == ("refuse", True)
    config.write_text(f"[safe]\n\tdirectory = {repo}\n")
    later(store)
    assert told(repo, store)[1] == ""
