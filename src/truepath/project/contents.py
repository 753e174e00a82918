"""Find the files of a project that contain some texts.

`git grep` tells which files to open. Their contents are compared and never stored,
shown or logged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from stat import S_ISREG

from truepath.config.files import read
from truepath.patience import check
from truepath.project.git import GitError, git, zsplit
from truepath.project.git_folder import enclosing

LARGEST_SEARCHED = 1_000_000
"""Bytes of a file that is searched; source files have about a 100th of that."""

_GREP = (
    "grep", "-l", "-z", "-I", "-F",
    "--untracked", "--exclude-standard", "--no-textconv",
)  # fmt: skip


def holders(
    root: str,
    texts: Sequence[str],
    is_open: Callable[[str], bool],
    ends: float,
    among: Sequence[str] | None = None,
) -> list[str] | None:
    """Return the files, of all or `among` some, that contain all texts, compared line
    by line without indentation.

    None if git gives no answer by `ends`, on the monotonic clock, or all texts are
    blank. `is_open` says whether a file may be read.
    """
    lines = (_lines(text.encode("utf-8", "replace")).strip(b"\n") for text in texts)
    wanted = [text for text in lines if text]
    if not wanted:
        return None
    longest = max((line for text in wanted for line in text.split(b"\n")), key=len)
    paths = _grepped(root, longest, ends) if among is None else among
    if paths is None:
        return None
    holding = []
    for path in paths:
        check()
        if time.monotonic() >= ends:
            return None
        if is_open(path) and _holds(f"{root}/{path}", longest, wanted):
            holding.append(path)
    return sorted({*holding})


def _grepped(root: str, line: bytes, ends: float) -> list[str] | None:
    """Return the files that contain a line; None if git gives no answer."""
    # `git grep` does not search submodules.
    if not enclosing(root) or os.path.exists(os.path.join(root, ".gitmodules")):
        return None
    # Half of the time is left for reading the files.
    halfway = (time.monotonic() + ends) / 2
    words = (*_GREP, "-e", os.fsdecode(line))
    try:
        return zsplit(git(root, *words, ends=halfway, ok=(0, 1)))
    except GitError:
        return None


def _holds(file: str, line: bytes, wanted: list[bytes]) -> bool:
    """Return whether a regular file contains all texts, the longest line first."""
    try:
        status = os.lstat(file)
        fits = len(line) <= status.st_size <= LARGEST_SEARCHED
        if not S_ISREG(status.st_mode) or not fits:
            return False
        lines = _lines(read(file, LARGEST_SEARCHED))
    except (OSError, ValueError):
        return False
    return all(text in lines for text in wanted)


def _lines(data: bytes) -> bytes:
    """Return a text with each line stripped."""
    return b"\n".join([line.strip() for line in data.split(b"\n")])
