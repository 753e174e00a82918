"""Where a path of git's index went without a commit: to the file that still has its
inode, its size and its time of change. Neither contents nor filters are needed for
that.
"""

from __future__ import annotations

import os
import re

from truepath.project.git import GitError, git
from truepath.project.history import Fate
from truepath.project.names import Names

Stamp = tuple[int, ...]
"""What a rename keeps of a file: seconds and nanoseconds of its change, inode, size."""

_ENTRY = (
    rb"([^\0]*)\0  ctime: .*\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n  uid: .*\n"
    rb"  size: (\d+)\t.*\n"
)
"""An entry of the index, as `git ls-files --debug -z` prints it; that of `add -N` has
no time."""

_MOST_ASKED = 200
"""Namesakes that git is asked about, at most: Windows passes 32 KB to a program."""

_MOST_LOOKED_AT = 5000
"""Names that are looked at, at most, the untracked ones first; each costs 2
microseconds."""


def moved(root: str, path: str, names: Names, ends: float) -> Fate | None:
    """Return what became of a file or folder that the disk has not: it was renamed or
    emptied, or git's index has `kept` it; None if that has not either.
    """
    namesakes = names.ends_with(os.path.basename(path))[:_MOST_ASKED]
    try:
        index = _in_index(root, [path, *namesakes], ends)
    except GitError:
        return None
    lost = {
        stamp: name[len(path) :]
        for name, stamp in index.items()
        if f"{name}/".startswith(f"{path}/")
    }
    moved_to, left = _found_again(root, lost, names)
    if len(moved_to) == 1:
        [(there, rest)] = moved_to.items()
        keeps_name = bool(rest) or os.path.basename(there) == os.path.basename(path)
        return Fate("renamed", there, certain=keeps_name and not left)
    if moved_to:
        return Fate("emptied", moved_to=tuple(sorted(moved_to)))
    if not lost:
        return None
    new = [name for name in namesakes if _is_new(root, name, index)]
    return Fate("kept", path, moved_to=tuple(new) if len(new) == 1 else ())


def _in_index(root: str, paths: list[str], ends: float) -> dict[str, Stamp]:
    """Return the entries of the index at and below some paths."""
    printed = git(root, "ls-files", "--debug", "-z", "--", *paths, ends=ends)
    return {
        os.fsdecode(name): tuple(map(int, stamp))
        for name, *stamp in re.findall(_ENTRY, printed)
    }


def _is_new(root: str, name: str, index: dict[str, Stamp]) -> bool:
    """Return whether a file is not in the index, or only announced to it."""
    seconds = index[name][0] if name in index else 0
    return seconds == 0 and os.path.isfile(f"{root}/{name}")


def _found_again(
    root: str, lost: dict[Stamp, str], names: Names
) -> tuple[dict[str, str], dict[Stamp, str]]:
    """Return where files went that were below a path, each new place of it with what
    followed the path; and the files that went nowhere.
    """
    left = dict(lost)
    moved_to: dict[str, str] = {}
    for name in [*names][: -_MOST_LOOKED_AT - 1 : -1]:
        stamp = _stamp(f"{root}/{name}")
        rest = left.get(stamp)
        if rest is not None and name.endswith(rest):
            moved_to[name.removesuffix(rest)] = left.pop(stamp)
    return moved_to, left


def _stamp(absolute: str) -> Stamp:
    try:
        status = os.lstat(absolute)
    except (OSError, ValueError):
        return ()
    seconds, nanoseconds = divmod(status.st_mtime_ns, 10**9)
    # Git keeps 32 bits of an inode's number.
    return (seconds, nanoseconds, status.st_ino & 0xFFFFFFFF, status.st_size)
