"""Programs that leave a mark when they are run, in each folder of PATH where a project,
or another user, could put them.
"""

from __future__ import annotations

import os
from pathlib import Path

import repos

NAMES = (
    "git python python3 sh ls dirname cat jq node truepath truepath-hook "
    "truepath-native"
).split()
"""What truepath, its scripts and its plugin start, or might."""


def arm(folder: Path, mark: Path) -> Path:
    """Put the programs into a folder; each adds its own path to `mark`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        program = folder / name
        program.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\nexit 1\n')
        program.chmod(0o755)
    return folder


def laid(repo: Path, place: Path, mark: Path) -> str:
    """Return a PATH that begins with all of them, for a work tree at `repo`; `place` is
    a folder outside.
    """
    inside = [
        arm(repo / name, mark) for name in ("bin", ".venv/bin", "node_modules/.bin")
    ]
    link = place / "link"
    link.symlink_to(repo / "bin")
    shared = arm(place / "shared", mark)
    shared.chmod(0o777)
    below = arm(place / "open/bin", mark)
    below.parent.chmod(0o777)
    sticky = arm(place / "sticky", mark)
    sticky.chmod(0o1777)
    linked = place / "tree"
    repos.run_git(repo, "worktree", "add", "-q", str(linked))
    outside = [link, shared, below, sticky]
    relative = ["bin", "", ".", "./node_modules/.bin"]
    return os.pathsep.join(
        [*relative, *map(str, (*inside, *outside)), os.environ["PATH"]]
    )


def sprung(mark: Path) -> list[str]:
    """Return what was run."""
    return mark.read_text().splitlines() if mark.exists() else []
