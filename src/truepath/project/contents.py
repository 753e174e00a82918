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
from truepath.project.git import GitError, git, zsplit
from truepath.project.git_folder import enclosing

LARGEST = 1_000_000
"""Bytes of a file that is searched; source files have about a hundredth of that."""

_GREP = "grep -l -z -I -F --untracked --exclude-standard --no-textconv -e".split()


def holders(
    root: str, texts: Sequence[str], is_open: Callable[[str], bool], ends: float
) -> list[str] | None:
    """Return the files that contain all texts, compared line by line without
    indentation.

    None if git gives no answer by `ends`, on the monotonic clock, or all texts are
    blank. `is_open` says whether a file may be read.
    """
    wanted = [_lines(text.encode("utf-8", "replace")).strip(b"\n") for text in texts]
    wanted = [text for text in wanted if text]
    # `git grep` does not search submodules.
    has_submodules = os.path.exists(os.path.join(root, ".gitmodules"))
    if not wanted or has_submodules or not enclosing(root):
        return None
    line = max(b"\n".join(wanted).split(b"\n"), key=len)
    # Half of the time is left for reading the files.
    halfway = (time.monotonic() + ends) / 2
    try:
        printed = git(root, *_GREP, os.fsdecode(line), ends=halfway, ok=(0, 1))
    except GitError:
        return None
    holding: set[str] = set()
    for path in zsplit(printed):
        if time.monotonic() >= ends:
            return None
        if is_open(path) and _holds(f"{root}/{path}", line, wanted):
            holding.add(path)
    return sorted(holding)


def _holds(file: str, line: bytes, wanted: list[bytes]) -> bool:
    try:
        entry = os.lstat(file)
        if not S_ISREG(entry.st_mode) or not len(line) <= entry.st_size <= LARGEST:
            return False
        data = read(file, LARGEST)
    except (OSError, ValueError):
        return False
    lines = _lines(data)
    return all(text in lines for text in wanted)


def _lines(data: bytes) -> bytes:
    """Return a text with each line stripped."""
    return b"\n".join([line.strip() for line in data.split(b"\n")])
