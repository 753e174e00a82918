"""Repositories with a past: made of steps, with files that can be told apart."""

from __future__ import annotations

import os
import pathlib
import random
from collections.abc import Mapping

import repos


def text(seed: str, lines: int = 40) -> str:
    """Return a file whose lines are like no other seed's; "" for no seed."""
    chosen = random.Random(seed)
    return "".join(
        f"{seed} line {n} {chosen.getrandbits(64):x}\n" for n in range(lines if seed else 0)
    )


def edited(content: str, every: int = 7) -> str:
    """Return a file with some of its lines changed."""
    lines = content.splitlines(keepends=True)
    return "".join("changed\n" if n % every == 0 else line for n, line in enumerate(lines))


def step(repo: pathlib.Path, does: Mapping[str, object]) -> str:
    """Do what a step says in one commit, and return it.

    `write` has the seed of a file's text by its path; `move` has pairs, of files or folders;
    `remove` and `edit` have paths.
    """
    moves: list[tuple[str, str]] = [*does.get("move", ())]
    for old, new in moves:
        (repo / new).parent.mkdir(parents=True, exist_ok=True)
        os.rename(repo / old, repo / new)
    for path in does.get("remove", ()):
        (repo / path).unlink()
    for path in does.get("edit", ()):
        (repo / path).write_text(edited((repo / path).read_text()))
    repos.write_files(repo, {path: text(seed) for path, seed in does.get("write", {}).items()})
    return repos.commit_all(repo)
