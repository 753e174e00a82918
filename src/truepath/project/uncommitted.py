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

_ENTRY = (
    rb"([^\0]*)\0  ctime: .*\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n  uid: .*\n"
    rb"  size: (\d+)\t.*\n"
)
"""An entry of the index, as `git ls-files --debug -z` prints it; that of `add -N` has
no time."""

_MOST = 5000
"""Names that are looked at, at most, the untracked ones first; each costs 2
microseconds."""


def moved(root: str, path: str, names: Names, ends: float) -> Fate | None:
    """Return what became of a file or folder that the disk has not: it was renamed or
    emptied, or git's index has `kept` it; None if that has not either.
    """
    same = names.ends_with(os.path.basename(path))[
        :200
    ]  # Windows passes 32 KB to a program
    ask = ("ls-files", "--debug", "-z", "--", path, *same)
    try:
        listed = re.findall(_ENTRY, git(root, *ask, ends=ends))
    except GitError:
        return None
    has = {os.fsdecode(name): (*map(int, own),) for name, *own in listed}
    lost = {
        own: x[len(path) :] for x, own in has.items() if f"{x}/".startswith(f"{path}/")
    }
    new = [x for x in same if not has.get(x, (0,))[0] and os.path.isfile(f"{root}/{x}")]
    kept = Fate("kept", path, went=(*new,) if len(new) == 1 else ()) if lost else None
    went: dict[str, str] = {}
    for name in [*names][: -_MOST - 1 : -1]:
        try:
            found = os.lstat(f"{root}/{name}")
        except (OSError, ValueError):
            continue
        own = (
            *divmod(found.st_mtime_ns, 10**9),
            found.st_ino & 0xFFFFFFFF,
            found.st_size,
        )
        if name.endswith(rest := lost.get(own, "\0")):
            went[name.removesuffix(rest)] = lost.pop(own)
    if len(went) != 1:
        return Fate("emptied", went=tuple(sorted(went))) if went else kept
    there, rest = went.popitem()
    certain = bool(rest) or os.path.basename(there) == os.path.basename(path)
    return Fate("renamed", there, certain=certain and not lost)
