"""What a person sees: names made harmless, tables that fit the screen, figures in fitting units."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from unicodedata import combining, east_asian_width

import click

_WORDS = {
    "green": "exists resolved allow",
    "yellow": "likely ambiguous directory refuse refused advise advised",
    "red": "absent guard.failed store.failed",
    "cyan": "rewrite corrected",
    "blue": "outside assumed",
    "magenta": "strategy.shift",
}
COLOURS = {word: colour for colour, words in _WORDS.items() for word in words.split()}
"""The colour of a cell that is one of these words: a status, an action, a kind of event."""

_LEAST = 24
"""Cells of a last column for its text to be broken at; with fewer a row is one line."""
_FIGURE = re.compile(r"[-+<]?[\d,.]*(%| [µm]?s)?")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], room: int | None = None) -> str:
    """Return the lines of a table; columns of figures are flush right.

    Args:
        head: The names of the columns, or none.
        rows: The cells of each row, all of one length.
        room: Cells of the screen; None for any. The text of a last column goes on in further lines.
    """
    return "\n".join("  ".join(line).rstrip() for line in _lines(head, rows, room))


def show(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> None:
    """Print a table, as wide as the screen; elsewhere a row is one line."""
    is_seen = os.isatty(1) or os.environ.get("COLUMNS")
    room = max(60, shutil.get_terminal_size().columns) if is_seen else None
    for number, line in enumerate(_lines(head, rows, room)):
        is_head = head and number == 0
        text = "  ".join(line if is_head else map(_coloured, line)).rstrip()
        click.echo(click.style(text, dim=True) if is_head else text)


def _coloured(cell: str) -> str:
    word = cell.strip()
    return cell.replace(word, click.style(word, fg=COLOURS[word])) if word in COLOURS else cell


def _lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], room: int | None
) -> Iterator[list[str]]:
    """Yield the padded cells of each line."""
    whole = [[*map(plain, row)] for row in ([head] if head else []) + [*rows]]
    columns = [*zip(*whole, strict=True)]
    right = [all(map(_FIGURE.fullmatch, column[bool(head) :])) for column in columns]
    sizes = [max(map(width, column)) for column in columns]
    rest = (room or 0) - sum(size + 2 for size in sizes[:-1])
    is_broken = rest >= _LEAST and not all(right[-1:])
    for row in whole:
        # A name stays whole, also one that is too long, so that it can be copied.
        texts = row[-1:]
        if is_broken:
            texts = wrap(row[-1], rest, break_on_hyphens=False, break_long_words=False)
        for number, text in enumerate(texts or [""]):
            cells = row[:-1] if number == 0 else [""] * (len(row) - 1)
            yield [*map(padded, (*cells, text), sizes, right)]


def plain(text: str) -> str:
    """Return a text in which nothing acts on the terminal: what does not print is escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def near(path: str, root: str = "") -> str:
    """Return a path the short way: relative to the project inside it, else with `~` for home."""
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
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def padded(text: str, cells: int, right: bool = False) -> str:
    """Return a text with spaces up to a width; flush right, the spaces come first."""
    spaces = " " * (cells - width(text))
    return spaces + text if right else text + spaces


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `1,200 files`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def percent(share: float) -> str:
    """Return a probability, finer where decisions are made; never 0 or 100 for what may be."""
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
