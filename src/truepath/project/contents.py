"""Which files hold what a tool call says of them.

Files are read, compared and forgotten: nothing of them is kept, told or logged. Only what may be
named to an agent is opened.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence

from truepath.records import dataclass
from truepath.types import Contents

LARGEST = 1_000_000
"""Bytes of a file that is looked into. Source files are a hundredth of it."""

MOST = 50
"""Candidates that are looked into: as many as a resolution carries."""

MOST_SEARCHED = 4_000
"""Files of a search. 6 to 13 microseconds a file on one core of a cloud machine."""

SECONDS = 0.06
"""For all that is looked into for one path: as long as a first miss takes without."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a file is compared with, as bytes."""

    texts: tuple[bytes, ...]
    """Texts whose lines have neither indentation nor blanks at their ends."""
    line: bytes
    """Their longest line: a file without it need not be compared."""
    words: tuple[bytes, ...] = ()
    lines: int = 0

    def held_by(self, data: bytes) -> bool | None:
        """Return whether a file with this content holds all of it; None where nobody can tell."""
        if b"\0" in data:
            return None
        if data.count(b"\n") + 1 < self.lines or any(word not in data for word in self.words):
            return False
        if self.line in data:
            lines = _lines(data)
            if all(text in lines for text in self.texts):
                return True
        return False if self.line.isascii() or _is_utf8(data) else None


def wanted(said: Contents) -> Wanted | None:
    """Return what files are compared with; None where a tool call says nothing of them."""
    try:
        whole = [_lines(text.encode("utf-8", "surrogateescape")) for text in said.texts]
        words = tuple(word.encode("utf-8", "surrogateescape") for word in said.words)
    except UnicodeEncodeError:
        return None
    texts = tuple(text.strip(b"\n") for text in whole if text.strip())
    longest = max((line for text in texts for line in text.split(b"\n")), key=len, default=b"")
    if not texts and not words and said.lines < 2:
        return None
    return Wanted(texts, longest, words, said.lines)


def holding(root: str, paths: Sequence[str], said: Contents, *, ends: float) -> dict[str, bool]:
    """Return, for each file that can be looked into, whether it holds what is said of it.

    Args:
        root: The project's folder.
        paths: Files below it that may be named, the likeliest first; links are followed.
        said: What is said of the one that is meant.
        ends: When to stop, on the monotonic clock.
    """
    looked: dict[str, bool] = {}
    what = wanted(said)
    if what is None:
        return looked
    for path in paths[:MOST]:
        if time.monotonic() >= ends:
            break
        held = _held(f"{root}/{path}", what)
        if held is not None:
            looked[path] = held
    return looked


def holders(
    root: str,
    paths: Sequence[str],
    said: Contents,
    *,
    is_closed: Callable[[str], bool],
    ends: float,
) -> list[str] | None:
    """Return the files that hold what is said; None where one of them could not be looked into.

    Args:
        root: The project's folder.
        paths: Files below it, at most `MOST_SEARCHED`; a link among them is none.
        said: What is said of the one that is meant.
        is_closed: Tells of a path that its file must not be opened.
        ends: When to stop, on the monotonic clock.
    """
    what, found = wanted(said), []
    if what is None or len(paths) > MOST_SEARCHED:
        return None
    for path in paths:
        if time.monotonic() >= ends:
            return None
        place = f"{root}/{path}"
        if is_closed(path) or not _is_plain(place):
            continue
        held = _held(place, what)
        if held is None:
            return None
        found += [path] if held else []
    return found


def _held(file: str, what: Wanted) -> bool | None:
    from truepath.config.regular_file import read

    try:
        return what.held_by(read(file, LARGEST))
    except (OSError, ValueError):
        return None


def _is_plain(file: str) -> bool:
    """Whether a file is no link, no pipe and no device."""
    try:
        return stat.S_ISREG(os.lstat(file).st_mode)
    except (OSError, ValueError):
        return False


def _lines(data: bytes) -> bytes:
    """Return a text without indentation, and without blanks and carriage returns at line ends."""
    return b"\n".join([line.strip() for line in data.split(b"\n")])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
