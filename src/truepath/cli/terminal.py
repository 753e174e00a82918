"""What a person sees: names made harmless, columns that line up, figures in fitting units."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from unicodedata import combining, east_asian_width

COLOURS = {
    "exists": "green",
    "resolved": "green",
    "likely": "yellow",
    "ambiguous": "yellow",
    "directory": "yellow",
    "absent": "red",
    "outside": "blue",
    "allow": "green",
    "rewrite": "cyan",
    "refuse": "yellow",
    "advise": "yellow",
}
"""The colour of each status and action."""


def plain(text: str) -> str:
    """Return a text in which nothing acts on the terminal: what does not print is escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def width(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def padded(text: str, cells: int, *, right: bool = False) -> str:
    """Return a text with spaces up to a width; flush right, the spaces come first."""
    spaces = " " * (cells - width(text))
    return spaces + text if right else text + spaces


def columns(
    rows: Iterable[Sequence[str]], *, widest: int = 60, right: Container[int] = ()
) -> list[list[str]]:
    """Return the rows with every cell but a row's last padded to its column.

    Args:
        rows: The cells of each row, all of one length.
        widest: Cells of the terminal; a longer cell shifts its own row instead of all of them.
        right: The columns that are flush right.
    """
    table = [list(row) for row in rows]
    sizes: dict[int, int] = {}
    for row in table:
        for at, cell in enumerate(row):
            if width(cell) <= widest:
                sizes[at] = max(sizes.get(at, 0), width(cell))
    return [
        [
            cell if at == len(row) - 1 and at not in right else _cell(cell, sizes, at, right)
            for at, cell in enumerate(row)
        ]
        for row in table
    ]


def _cell(cell: str, sizes: Mapping[int, int], at: int, right: Container[int]) -> str:
    return padded(cell, sizes.get(at, 0), right=at in right)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return lines of rows under a head; the first column is flush left, the others right."""
    lines = columns([head, *rows], right=range(1, len(head)))
    return "\n".join("  ".join(line).rstrip() for line in lines)


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `1,200 files`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def percent(share: float) -> str:
    """Return a probability, finer where decisions are made; never 100 for what is not certain."""
    return f"{min(share, 0.999):.1%}" if share >= 0.9 else f"{share:.0%}"


def share(part: float | None) -> str:
    """Return a measured share in percent, with more digits where it is small; `-` for none."""
    if part is None:
        return "-"
    return f"{part:.2%}" if part < 0.1 else f"{part:.1%}"


def duration(seconds: float) -> str:
    """Return a time with its unit, two or three digits of it."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.{1 if seconds < 0.01 else 0}f} ms"
    return f"{seconds:.1f} s"


@contextmanager
def unread_is_fine() -> Iterator[None]:
    """Go on where nobody reads what is printed any more (`truepath install HOST | head`)."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
