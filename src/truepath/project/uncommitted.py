"""What git's index has and the disk has not: removed or moved without a commit, outside
a sparse checkout, or in a merge that is not resolved.
"""

from __future__ import annotations

import os

from truepath.errors import suppress
from truepath.project.git import GitError, git, zsplit
from truepath.project.history import Fate
from truepath.project.names import Names

_MOST_ASKED = 200
"""Namesakes that git is asked about, at most: Windows passes 32 KB to a program."""


def kept(root: str, path: str, names: Names, ends: float) -> Fate | None:
    """Return that git's index has kept a file or folder that the disk has not, with the
    only new file of its name; None if the index has not either.
    """
    namesakes = names.ends_with(os.path.basename(path))[:_MOST_ASKED]
    ask = ("ls-files", "-t", "-z", "--", path, *namesakes)
    try:
        listed = zsplit(git(root, *ask, ends=ends))
    except GitError:
        return None
    # Each is a letter, a blank and a name: S for what is not checked out, M for what is
    # not merged.
    index = [(each[:1], each[2:]) for each in listed]
    states = {state for state, name in index if f"{name}/".startswith(f"{path}/")}
    if not states:
        return None
    if "M" in states:
        return Fate("kept", path, state="conflict")
    if states == {"S"}:
        # A person may have marked it so by hand, too.
        ask = ("config", "--type=bool", "core.sparseCheckout")
        with suppress(GitError):
            if git(root, *ask, ends=ends, ok=(0, 1)).strip() == b"true":
                return Fate("kept", path, state="sparse")
    known = {name for _, name in index}
    new = [name for name in namesakes if name not in known]
    new = [name for name in new if os.path.isfile(f"{root}/{name}")]
    return Fate("kept", path, moved_to=tuple(new) if len(new) == 1 else ())
