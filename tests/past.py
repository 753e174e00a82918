"""Repositories with a past: files that can be told apart, and history asked both ways."""

from __future__ import annotations

import pathlib
import random

from truepath.project.history import History

LONG = 20.0
"""Seconds; tests of meaning must not depend on how busy the machine is."""


def text(seed: str, lines: int = 40) -> str:
    """Return a file whose lines are like no other seed's."""
    chosen = random.Random(seed)
    return "".join(f"{seed} line {n} {chosen.getrandbits(64):x}\n" for n in range(lines))


def edited(content: str, every: int = 7) -> str:
    """Return a file with some of its lines changed."""
    lines = content.splitlines(keepends=True)
    return "".join("changed\n" if n % every == 0 else line for n, line in enumerate(lines))


def ask(repo, path, deadline=LONG):
    """Ask git itself and a map; they must agree; return the answer."""
    cold = History(str(repo)).fate(path, deadline=deadline)
    history = History(str(repo))
    assert history.build()
    warm = history.fate(path, deadline=deadline)
    assert (warm.kind, warm.path) == (cold.kind, cold.path)
    assert warm.complete
    assert cold.complete
    return warm


def answer(repo, path):
    fate = ask(repo, path)
    return fate.kind, fate.path


def snapshot(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        info = path.lstat()
        found[str(path)] = (info.st_mtime_ns, info.st_size, info.st_mode)
    return found
