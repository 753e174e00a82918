"""Commits in one word, for tests that need a past."""

from __future__ import annotations

import os

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
