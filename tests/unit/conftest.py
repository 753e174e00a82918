"""Commits in one word, for tests that need a past."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture
def commit(git):
    def commit(repo, message="next"):
        git(repo, "add", "--all")
        git(repo, "commit", "--quiet", "--allow-empty", f"--message={message}")
        return git(repo, "rev-parse", "HEAD").strip()

    return commit


@pytest.fixture
def move(git, commit):
    """Rename in a commit of its own."""

    def move(repo, old, new):
        os.makedirs(os.path.dirname(repo / new), exist_ok=True)
        git(repo, "mv", old, new)
        return commit(repo, f"move {old}")

    return move


@pytest.fixture
def drop(git, commit):
    def drop(repo, *paths):
        git(repo, "rm", "-r", "--quiet", *paths)
        return commit(repo, "drop")

    return drop


@pytest.fixture
def git_that(tmp_path, monkeypatch):
    """Return `git_that(pattern, does)`: git, but for calls like the shell's `pattern`."""

    def put(pattern, does):
        real, folder = shutil.which("git"), tmp_path / "bin"
        folder.mkdir()
        case = f'case "$*" in {pattern}) {does};; *) exec {real} "$@";; esac'
        (folder / "git").write_text(f"#!/bin/sh\n{case}\n")
        (folder / "git").chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    return put
