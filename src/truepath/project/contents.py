"""Which files hold what a tool call says of them.

Files are read, compared and forgotten: nothing of them is kept, told or logged. Only what may be
named to an agent is opened.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from functools import cached_property

from truepath.records import dataclass, field
from truepath.types import Contents

LARGEST = 1_000_000
"""Bytes of a file that is looked into. Source files are a hundredth of it."""

MOST = 50
"""Candidates that are looked into: as many as a resolution carries."""

MOST_SEARCHED = 4_000
"""Files of a search, at most: `benchmarks/contents.py` prints what they cost."""

SECONDS = 0.09
"""From the beginning of a miss, until when files are looked into: a miss stays below 0.1 where its
names are listed in less."""

LEAST = 0.03
"""Seconds for looking into files, however long the names took. 50,000 names take 0.07."""

_NO_TEXT = 8_000
"""Bytes at the beginning of a file, of which none is NUL in a text: git looks as far."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a file is compared with, as bytes."""

    texts: tuple[bytes, ...]
    """Texts whose lines have neither indentation nor blanks at their ends."""
    line: bytes
    """Their longest line: a file without it need not be compared."""
    words: tuple[bytes, ...] = ()
    lines: int = 0

    @property
    def least(self) -> int:
        """The bytes of a file that holds all of it, at least."""
        return max(map(len, self.texts), default=0)

    def held_by(self, data: bytes) -> bool | None:
        """Return whether a file with this content holds all of it; None where nobody can tell."""
        if data.find(b"\0", 0, _NO_TEXT) >= 0:
            return None
        if self.lines and data.count(b"\n") + 1 < self.lines:
            return False
        if any(word not in data for word in self.words):
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


@dataclass()
class Files:
    """The files of a project, to be looked into for one path, from the beginning of its miss on."""

    root: str
    may_name: Callable[[str], bool]
    """Says whether a path may be shown: else its file is not opened, links included."""
    is_closed: Callable[[str], bool]
    """The same by the name alone, which costs no look at the disk."""
    _began: float = field(default_factory=time.monotonic)

    @cached_property
    def _ends(self) -> float:
        """When to stop, on the monotonic clock."""
        return max(self._began + SECONDS, time.monotonic() + LEAST)

    def holding(self, paths: Sequence[str], said: Contents) -> dict[str, bool]:
        """Return, for each file that can be looked into, whether it holds what is said of it.

        Args:
            paths: Files that may be named, the likeliest first; links are followed.
            said: What is said of the one that is meant.
        """
        looked: dict[str, bool] = {}
        what = wanted(said)
        for path in paths[:MOST]:
            if what is None or time.monotonic() >= self._ends:
                break
            try:
                held = _held(place := f"{self.root}/{path}", os.stat(place), what)
            except (OSError, ValueError):
                continue
            if held is not None:
                looked[path] = held
        return looked

    def holders(self, paths: Sequence[str], said: Contents) -> list[str] | None:
        """Return the files that hold what is said, at most two; None where one of them could not be
        looked into. Those that must not be opened, and links, are left out.
        """
        what, found = wanted(said), []
        if what is None or len(paths) > MOST_SEARCHED:
            return None
        for path in paths:
            if time.monotonic() >= self._ends:
                return None
            held = False if self.is_closed(path) else _held_by_plain(f"{self.root}/{path}", what)
            if held is None:
                return None
            if held and self.may_name(path):
                found.append(path)
                if len(found) > 1:
                    break
        return found

    def text(self, path: str, most: int) -> str:
        """Return the text of a file of at most so many bytes; "" where it cannot be read."""
        from truepath.config.regular_file import read

        try:
            data = read(f"{self.root}/{path}", most) if self.may_name(path) else b""
        except (OSError, ValueError):
            return ""
        return data.decode("utf-8-sig", "replace")


def _held_by_plain(file: str, what: Wanted) -> bool | None:
    """Return whether a file holds something; a link, a pipe, a device and no file do not."""
    try:
        found = os.lstat(file)
    except (OSError, ValueError):
        return False
    return _held(file, found, what) if stat.S_ISREG(found.st_mode) else False


def _held(file: str, found: os.stat_result, what: Wanted) -> bool | None:
    """Return whether a file holds something; None where it cannot be looked into."""
    from truepath.config.regular_file import read

    if found.st_size < what.least:
        return False
    try:
        # Room for more bytes than it has would cost more than the reading.
        return what.held_by(read(file, found.st_size)) if found.st_size <= LARGEST else None
    except (OSError, ValueError):
        return None


def _lines(data: bytes) -> bytes:
    """Return a text without indentation, and without blanks and carriage returns at line ends."""
    return b"\n".join([line.strip() for line in data.split(b"\n")])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
