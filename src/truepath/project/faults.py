"""Why git does not work in a project at all: it refuses a repository of another user,
or cannot read it. It is asked once, and what it says is kept for a while.
"""

from __future__ import annotations

import os
import time
from zlib import crc32

from truepath.config.files import read_own, write
from truepath.config.user_dirs import make_private
from truepath.errors import suppress
from truepath.project.git import GitError, complaint

AGAIN_S = 60.0
"""Seconds after which git is asked again: a person may have done what it says."""

_LONGEST = 10_000
"""Bytes of what git says, at most; its advice has 200."""

OWNERSHIP = "dubious ownership"
"""What git 2.35 and later says of a repository whose folder another user owns, as in
containers and on mounts."""


def known_fault(root: str, store: str | None) -> str:
    """Return what git said of a folder within the last minute; "" if it worked, or was
    not asked.
    """
    file = _file(root, store)
    with suppress(OSError):
        if time.time() - os.stat(file).st_mtime < AGAIN_S:
            return os.fsdecode(read_own(file, _LONGEST))
    return ""


def fault(root: str, store: str | None, ends: float) -> str:
    """Return what git says where it does not work in a folder; "" if it does."""
    said = known_fault(root, store)
    if said:
        return said
    with suppress(GitError):
        said = complaint(root, ends)
    if said and store is not None:
        with suppress(OSError):
            make_private(store)
            write(_file(root, store), os.fsencode(said)[:_LONGEST])
    return said


def _file(root: str, store: str | None) -> str:
    return os.path.join(store or os.devnull, f"fault-{crc32(os.fsencode(root)):08x}")
