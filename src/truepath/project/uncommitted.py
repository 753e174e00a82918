"""Where a path of git's index went without a commit: to the file that still has its inode, its size
and its time of change. Neither contents nor filters are needed for that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from truepath.project.git import GitError, git
from truepath.project.history import Fate

_ENTRY = (
    rb"([^\0]*)\0  ctime: .*\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n  uid: .*\n"
    rb"  size: (\d+)\t.*\n"
)
"""An entry of the index, as `git ls-files --debug -z` prints it."""

_MOST = 5000
"""Names that are looked at, at most, the untracked ones first; each costs 2 microseconds."""


def moved(root: str, path: str, names: Iterable[str], ends: float) -> Fate | None:
    """Return what became of a file or folder that the disk has not: it was renamed or emptied, or
    git's index has `kept` it; None if that has not either.
    """
    ask = ("ls-files", "--debug", "-z", "--", path)
    try:
        listed = re.findall(_ENTRY, git(root, *ask, ends=ends))
    except GitError:
        return None
    lost = {(*map(int, own),): os.fsdecode(name)[len(path) :] for name, *own in listed}
    went: dict[str, str] = {}
    for name in [*names][: -_MOST - 1 : -1]:
        try:
            found = os.lstat(f"{root}/{name}")
        except (OSError, ValueError):
            continue
        own = (*divmod(found.st_mtime_ns, 10**9), found.st_ino & 0xFFFFFFFF, found.st_size)
        if name.endswith(rest := lost.get(own, "\0")):
            went[name.removesuffix(rest)] = lost.pop(own)
    if len(went) != 1:
        kept = Fate("kept", path) if listed else None
        return Fate("emptied", went=tuple(sorted(went))) if went else kept
    new, rest = went.popitem()
    same = bool(rest) or os.path.basename(new) == os.path.basename(path)
    return Fate("renamed", new, certain=same and not lost)
