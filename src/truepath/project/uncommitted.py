"""Where a path of git's index went without a commit: to the file that still has its
inode, its size and its time of change, as after a move in an editor or by `mv`.
"""

from __future__ import annotations

import os
import re

from truepath.project.git import GitError, git
from truepath.project.history import Fate
from truepath.project.names import Names
from truepath.records import dataclass, replace

Stamp = tuple[int, ...]
"""What a rename keeps of a file: seconds and nanoseconds of its change, inode, size."""

_ENTRY = (
    rb"\d{6} [0-9a-f]+ ([0-3])\t([^\0]*)\0  ctime: .*\n  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: (\d+)\n  uid: .*\n  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
"""An entry of the index, as `git ls-files -s --debug -z` prints it; that of `add -N`
has no time."""

_SKIPPED = 1 << 30
"""The flag of what is outside a sparse checkout, or was marked so by hand."""

_MOST_ASKED = 200
"""Namesakes that git is asked about, at most: Windows passes 32 KB to a program."""

_MOST_LOOKED_AT = 5000
"""Names that are looked at, at most, the untracked ones first; each costs 2
microseconds."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file that the index has."""

    name: str
    is_merged: bool
    """Whether it is in no conflict."""
    stamp: Stamp
    is_skipped: bool
    """Whether git takes no notice of what the disk has there."""


def moved(root: str, path: str, names: Names, ends: float) -> Fate | None:
    """Return what became of a file or folder that the disk has not: it was renamed or
    emptied, or git's index has `kept` it; None if that has not either.
    """
    namesakes = names.ends_with(os.path.basename(path))[:_MOST_ASKED]
    try:
        index = _in_index(root, [path, *namesakes], ends)
    except GitError:
        return None
    entries = [each for each in index if f"{each.name}/".startswith(f"{path}/")]
    if not entries:
        return None
    lost = {entry.stamp: entry.name[len(path) :] for entry in entries}
    moved_to, left = _found_again(root, lost, names)
    # The same inode, size and time: it is the file itself, whatever it is called now.
    if len(moved_to) == 1:
        [(there, rest)] = moved_to.items()
        keeps_name = bool(rest) or os.path.basename(there) == os.path.basename(path)
        return Fate("renamed", there, certain=keeps_name and not left)
    if moved_to:
        return Fate("emptied", moved_to=tuple(sorted(moved_to)))
    kept = Fate("kept", path)
    if not all(entry.is_merged for entry in entries):
        return replace(kept, state="conflict")
    if all(entry.is_skipped for entry in entries) and _is_sparse(root, ends):
        return replace(kept, state="sparse")
    # Nothing has its inode: it was copied, or written anew by an editor.
    old = {entry.name for entry in index if entry.stamp[0]}  # else only announced
    new = sorted({*namesakes} - old)
    new = [name for name in new if os.path.isfile(f"{root}/{name}")]
    return replace(kept, moved_to=tuple(new) if len(new) == 1 else ())


def _in_index(root: str, paths: list[str], ends: float) -> list[_Entry]:
    """Return the entries of the index at and below some paths."""
    printed = git(root, "ls-files", "-s", "--debug", "-z", "--", *paths, ends=ends)
    return [
        _Entry(
            name=os.fsdecode(name),
            is_merged=stage == b"0",
            stamp=tuple(map(int, stamp)),
            is_skipped=bool(int(flags, 16) & _SKIPPED),
        )
        for stage, name, *stamp, flags in re.findall(_ENTRY, printed)
    ]


def _is_sparse(root: str, ends: float) -> bool:
    """Return whether the checkout is a sparse one."""
    ask = ("config", "--type=bool", "core.sparseCheckout")
    try:
        return git(root, *ask, ends=ends, ok=(0, 1)).strip() == b"true"
    except GitError:
        return False


def _found_again(
    root: str, lost: dict[Stamp, str], names: Names
) -> tuple[dict[str, str], dict[Stamp, str]]:
    """Return where files went that were below a path, each new place of it with what
    followed the path; and the files that went nowhere.
    """
    left = dict(lost)
    moved_to: dict[str, str] = {}
    # The untracked names are the last ones, and a new place is mostly one of them.
    for name in [*names][: -_MOST_LOOKED_AT - 1 : -1]:
        try:
            status = os.lstat(f"{root}/{name}")
        except (OSError, ValueError):
            continue
        seconds, nanoseconds = divmod(status.st_mtime_ns, 10**9)
        # Git keeps 32 bits of an inode's number.
        inode = status.st_ino & 0xFFFFFFFF
        stamp = (seconds, nanoseconds, inode, status.st_size)
        rest = left.get(stamp)
        if rest is not None and name.endswith(rest):
            moved_to[name.removesuffix(rest)] = left.pop(stamp)
    return moved_to, left
