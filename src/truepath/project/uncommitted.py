"""What git's index tells of a path that is not on the disk: left out, removed, or moved.

Neither the work tree nor the contents of files are read: a file that was moved has the inode, the
size and the time of change that the index recorded under its old path.
"""

from __future__ import annotations

import os
import re
import time

from truepath.project.git import GitError, git
from truepath.project.git_folder import enclosing, git_folder
from truepath.project.history import Fate

_ENTRY = re.compile(
    rb"([A-Za-z?]) \d+ [0-9a-f]+ \d\t([^\0]*)\0  ctime: .*\n  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: (\d+)\n  uid: .*\n  size: (\d+)\t.*\n"
)
"""An entry as `git ls-files -t --stage --debug -z` prints it."""

_MOST = 5000
"""Untracked files that are looked at, at most; each costs 2 microseconds."""

_MOST_MOVED = 50
"""Files of a folder that are looked for, at most."""


def in_index(root: str, path: str, untracked: bytes, ends: float) -> Fate | None:
    """Return what became of a path that git's index has and the disk has not; None if git has not.

    `path` is relative to `root`, as are the `untracked` names, each ended by a NUL. The path of a
    folder that the index has ends in `/`.
    """
    try:
        ask = ("ls-files", "-t", "--stage", "--debug", "-z", "--", path)
        entries = _ENTRY.findall(git(root, *ask, timeout=ends - time.monotonic()))
    except GitError:
        return None
    if not entries:
        return None
    path += "/" * (os.fsdecode(entries[0][1]) != path)
    if entries[0][0] == b"S":
        place = git_folder(enclosing(root) or root) or ""
        sparse = os.path.exists(os.path.join(place, "info", "sparse-checkout"))
        return Fate("left-out" if sparse else "skipped", path)
    moved = {_moved_to(root, path, entry, untracked) for entry in entries[:_MOST_MOVED]}
    target = moved.pop() if len(moved) == 1 else ""
    kept = path.endswith("/") or target.rpartition("/")[2] == path.rpartition("/")[2]
    known = Fate("renamed", target.rstrip("/"), certain=kept)
    return known if known.path else Fate("removed", path)


def _moved_to(root: str, path: str, entry: tuple[bytes, ...], untracked: bytes) -> str:
    """Return where `path`, an entry's file or a folder above it, is now; "" if unknown."""
    rest = os.fsdecode(entry[1])[len(path.rstrip("/")) :]
    seconds, nanos, inode, size = map(int, entry[2:])
    for name in map(os.fsdecode, untracked.split(b"\0", _MOST)[:_MOST]):
        try:
            found = os.lstat(os.path.join(root, name))
        except (OSError, ValueError):
            continue
        own = (found.st_mtime_ns, found.st_ino & 0xFFFFFFFF, found.st_size)
        if own == (seconds * 10**9 + nanos, inode, size) and name.endswith(rest):
            return name[: len(name) - len(rest)]
    return ""
