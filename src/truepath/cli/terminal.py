"""Output for a person: escaped names, tables that fit, figures with units."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, east_asian_width

import click

_WORDS = {
    "green": "exists resolved allow ok",
    "yellow": "likely ambiguous directory refuse refused advise advised note warning:",
    "red": "absent guard.failed store.failed fault",
    "cyan": "rewrite corrected",
    "blue": "outside assumed",
    "magenta": "strategy.shift",
}
COLOURS = {word: colour for colour, words in _WORDS.items() for word in words.split()}
"""The colour of a cell that is one of these words: a status, an action, a kind of
event."""

_SCREEN, _BESIDE = 40, 24
"""Cells at least: of a screen, and of a last column beside the others, if it is not
narrower; with fewer it goes below them."""
_INDENT, _BELOW = "  ", 4
"""The empty cell before what goes below, and where that begins."""
_FIGURE = re.compile(r"[-+<]?[\d,.]*(%| [µm]?s)?")
_WORD = re.compile(" *(?:`[^`]*`|[^ ])+")
"""What stays on one line: a word, or text in backticks, so that it can be copied."""


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], room: int | None = None
) -> str:
    """Return the lines of a table; columns of figures are flush right.

    Args:
        head: The names of the columns, or none.
        rows: The cells of each row, all of one length.
        room: Cells of the screen; None for any. What does not fit of the last column
            goes on in further lines. No word is broken: a path stays whole, so that it
            can be copied.
    """
    return "\n".join("  ".join(line).rstrip() for line in _lines(head, rows, room))


def show(
    rows: Iterable[Sequence[str]], head: Sequence[str] = (), *, err: bool = False
) -> None:
    """Print a table, as wide as the screen; elsewhere a row is one line."""
    is_seen = os.isatty(2 if err else 1) or os.environ.get("COLUMNS")
    room = max(_SCREEN, shutil.get_terminal_size().columns) if is_seen else None
    for number, line in enumerate(_lines(head, rows, room)):
        if head and number == 0:
            click.echo(click.style("  ".join(line).rstrip(), dim=True), err=err)
            continue
        for place, cell in enumerate(line):
            word = cell.strip()
            if word in COLOURS:
                line[place] = cell.replace(word, click.style(word, fg=COLOURS[word]))
        click.echo("  ".join(line).rstrip(), err=err)


def _lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], room: int | None
) -> Iterator[list[str]]:
    """Yield the padded cells of each line."""
    whole = [[*map(plain, row)] for row in ([head] if head else []) + [*rows]]
    columns = [*zip(*whole, strict=True)]
    right = [all(map(_FIGURE.fullmatch, column[bool(head) :])) for column in columns]
    sizes = [max(map(width, column)) for column in columns]
    for row in whole:
        *line, last = map(padded, row, sizes, right)
        yield from _broken(line, last, room or sys.maxsize)


def _broken(line: list[str], text: str, room: int) -> Iterator[list[str]]:
    """Yield a line with a text after it, and the lines on which the text continues.

    The text has spaces up to the width of its column.
    """
    words = _WORD.findall(text.rstrip())
    rest = room - sum(width(cell) + 2 for cell in line)
    needs = max([_BESIDE, *(width(word.strip()) for word in words)])
    if rest < min(width(text), needs, room - _BELOW):
        if "".join(line).strip():
            yield line
        line = [_INDENT]
        rest = room - _BELOW
    text = ""
    used = 0
    for word in words:
        if used and used + width(word) > rest:
            yield [*line, text]
            line, text, used = [" " * width(cell) for cell in line], word.lstrip(), 0
        else:
            text += word
        used += width(word)
    yield [*line, text]


def plain(text: str) -> str:
    """Return a text with control characters escaped, so that it cannot affect the
    terminal.
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text
    )


def near(path: str, root: str = "") -> str:
    """Return a path the short way: relative to the project inside it, else with `~` for
    home.
    """
    for folder, sign in ((root, ""), (os.path.expanduser("~"), "~/")):
        start = folder.rstrip(os.sep) + os.sep
        if folder and path.startswith(start):
            return sign + path[len(start) :] or "."
    return path


def width(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
        for char in text
    )


def padded(text: str, cells: int, right: bool = False) -> str:
    """Return a text with spaces up to a width; flush right, the spaces come first."""
    spaces = " " * (cells - width(text))
    return spaces + text if right else text + spaces


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `1,200 files`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def percent(share: float) -> str:
    """Return a probability, finer from 90 % on, and never 0 or 100 %."""
    if share >= 0.9:
        return f"{min(share, 0.999):.1%}"
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def duration(seconds: float) -> str:
    """Return a time with its unit, two or three digits of it."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.{1 if seconds < 0.01 else 0}f} ms"
    return f"{seconds:.1f} s"
