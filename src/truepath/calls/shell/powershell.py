"""Read a PowerShell line that is one plain command: a program in `programs.txt`, listed as `PS` and
its name in lower case, and words without special characters.

Anything else is not understood. Backslashes become slashes.
"""

from __future__ import annotations

import re

from truepath.calls.shell import programs
from truepath.calls.shell.reader import Line, Simple, Word
from truepath.paths import LONGEST

_WORD = re.compile(
    r"[ \t]*(?:'([^'\n*?\[\u2018-\u201f]+)'|\"([^\"`$\n*?\[\u2018-\u201f]+)\"|([\w./\\:+-]+))"
    r"(?=[ \t]|\Z)"
)
_DRIVE = re.compile(r"(?:[A-Za-z]:)?[^:]*")


def read(text: str) -> Line | None:
    """Return the command of a line; None if it has more, or is not in the table.

    No word of it can be replaced.
    """
    words: list[Word] = []
    at, end = 0, len(text.rstrip(" \t"))
    while at < end <= LONGEST:
        match = _WORD.match(text, at, end)
        value = match[match.lastindex or 0].replace("\\", "/") if match else ":"
        if match is None or not _DRIVE.fullmatch(value):  # not `Env:PATH`
            return None
        start, at = match.start(match.lastindex or 0), match.end()
        if not words:
            value = f"PS {value.lower()}" if match[3] else ""
        words.append(Word(start, at, value.lower() if value[0:1] == "-" else value, plain=False))
    known = at == end and bool(words) and programs.rule(words[0].value or "") is not None
    return Line(text, (Simple("", False, tuple(words), ()),)) if known else None
