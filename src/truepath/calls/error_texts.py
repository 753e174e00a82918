"""Error texts: which paths they say are missing, and whether the host has already helped.

Their wording is in `error_shapes.txt`. Knows neither calls nor disks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache

LONGEST_TEXT = 100_000
"""Characters that are read; hosts cut tool output far below this."""

LONGEST_LINE = 1_000
"""Characters; a longer line is data, not a message."""

MOST_PATHS = 20
"""Paths that are returned; an answer never names more."""

_WORDS = {
    "QUOTED": r"(?:'(?P<a>[^']+)'|\"(?P<b>[^\"]+)\"|`(?P<d>[^`']+)[`']"
    r"|\u2018(?P<c>[^\u2019]+)\u2019)",
    "BARE": r"(?P<e>.+?)",
    "REST": r"(?P<e>.+)",
    "WORD": r"(?P<e>\S+)",
    "GONE": r"(?:[Nn]o such file(?: or directory)?|Directory nonexistent|[Nn]ot a directory)",
    "CANNOT": r"(?:[Cc]an ?not|[Cc]an't|[Cc]ould not|[Cc]ouldn't|[Ff]ailed to|[Uu]nable to)",
    "DOES_NOT": r"(?:does not|doesn't|do not) exist",
    "PLACE": r"(?:[Ff]ile|[Pp]ath|[Dd]irectory|[Ff]older|[Ss]earch paths?)",
}
"""What the words of `error_shapes.txt` stand for."""
_WORDS["PATH"] = rf"(?:{_WORDS['QUOTED']}|(?P<e>[^\s'\"\u2018`:].*?))"

_KEYWORDS = (
    "no such|not exist|n't exist|not found|not match|enoent|enotdir|nonexistent|cannot find|"
    "not a directory|can't cd|could not|unable to|destination=|unknown revision|not contain|"
    "is not a|fileexception|no files match|error opening dir|filenotfound"
).split("|")
"""A line that has none of these, in any letter case, has none of the shapes."""

_WITHOUT_PATH = (
    r"(?m)^(?:<tool_use_error>)?(?:Error: )?"
    r"(?:(?:Notebook )?[Ff]ile does not exist|Path does not exist|Directory does not exist"
    r"|Parent directory does not exist|File not found)(?:[.<\s]|$)"
    r"|no file was found at the specified path|cannot find the (?:file|path) specified"
    r"|FileNotFoundError|\(os error 2\)|\bENOENT\b"
)
_SUGGESTED = (
    r"(?i)did you mean\b|perhaps you meant|similar (?:files|paths|names) (?:exist|found|are)"
    r"|not found; resolved to"
)


def missing_paths(text: str) -> tuple[str, ...]:
    """Return the paths that an error text says are not there, as it spells them, in order.

    At most `MOST_PATHS`, without repetition. Paths that a host names in a wording of its own
    without saying which one is missing are not guessed.
    """
    found = dict.fromkeys(path for line in _lines(text) if (path := _missing(line)))
    return (*found,)[:MOST_PATHS]


def is_missing(text: str) -> bool:
    """Whether an error text says that some path is not there, named or not."""
    short = text[:LONGEST_TEXT]
    # A program that is not installed is no path: `spawn .../rg ENOENT`.
    spawned = any("spawn" in line and "ENOENT" in line for line in short.splitlines())
    named = any(map(_missing, _lines(short)))
    return named or (not spawned and re.search(_WITHOUT_PATH, short) is not None)


def already_suggested(text: str) -> bool:
    """Whether the host has itself said which path may be meant."""
    return re.search(_SUGGESTED, text[:LONGEST_TEXT]) is not None


def _lines(text: str) -> Iterator[str]:
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text[:LONGEST_TEXT])
    if not _has_keyword(plain):  # nearly every answer of a tool: it need not be parted
        return
    for line in plain.splitlines():
        clean = line.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
        if len(clean) <= LONGEST_LINE and _has_keyword(clean):
            yield clean


def _has_keyword(text: str) -> bool:
    low = text.lower()
    return any(keyword in low for keyword in _KEYWORDS)


def _missing(line: str) -> str | None:
    shapes = _shapes()
    for shape in shapes:
        if match := _compiled(shape).search(line):
            groups = match.groupdict()
            if quoted := next((groups[name] for name in "abcd" if groups.get(name)), None):
                return quoted
            # Before a path that no quotes delimit, there is who speaks.
            bare = groups["e"].rsplit(": ", 1)[-1] if shape is shapes[-1] else groups["e"]
            return bare.removeprefix("*** ").strip() or None
    return None


@cache
def _shapes() -> Sequence[str]:
    with open(f"{os.path.dirname(__file__)}/error_shapes.txt", encoding="utf-8") as file:
        return [line for line in file.read().split("\n") if line and line[0] != "#"]


@cache  # one by one, when their turn comes: most texts fit one of the first
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(re.sub("|".join(_WORDS), lambda word: _WORDS[word[0]], shape))
