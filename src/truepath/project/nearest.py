"""The names of a project that are most like a written one.

A name with a slip in it still has most of its letters in a row. So the stem is cut into
pieces, and only names that contain one of the rarest pieces are compared letter by
letter: a few hundred of 50,000. Of few names, all are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from truepath.paths import fold
from truepath.patience import check
from truepath.project.names import Names

_NEAR = 0.6
"""The lowest likeness, from 0 to 1, at which two names count as similar."""

_MOST = 8
"""Files and folders that are named, at most."""

_FEW = 20_000
"""Bytes of names, about 400, of which all are compared: that takes 3 ms."""

_LETTERS = 4
"""Letters of a piece of a long stem."""

_LONG = 8
"""Letters of a stem from which it has three pieces: those of a shorter one would be in
most names."""

_MOST_PIECES = 4
"""Pieces of a stem, at most: each is counted in all names."""

_SEARCHED = 3
"""Pieces that are searched for: a slip spoils one, or two that touch."""

_COMMON = 4000
"""Names from which a piece that they contain tells too little, if there is a rarer one:
each takes 10 microseconds to compare."""


def nearest(names: Names, name: str) -> list[str]:
    """Return files and folders whose names are similar to `name`, the most similar
    first.
    """
    wanted = fold(name)
    pieces: Sequence[str] = ()
    pool = names
    if len(names.blob) > _FEW:
        pieces = _pieces(wanted.lstrip(".").partition(".")[0])
        pool = _with_a_piece(names, wanted, pieces)
    paths: dict[str, None] = {}  # in this order
    all_parts = {*os.fsdecode(pool.blob).replace("/", "\0").split("\0")} - {""}
    parts = {fold(part) for part in all_parts}
    if pieces:
        parts = {part for part in parts if any(piece in part for piece in pieces)}
    for part in _ranked(parts, wanted):
        if len(paths) >= _MOST:
            break
        paths.update(dict.fromkeys(pool.ends_with(part)))
        paths.update(dict.fromkeys(pool.folders_named(part)))
    return [*paths][:_MOST]


def _with_a_piece(names: Names, wanted: str, pieces: Sequence[str]) -> Names:
    """Return the names that contain one of the rarest pieces of the wanted one."""
    counts = {piece: names.count(_code(piece)) for piece in pieces if piece}
    there = [piece for piece in counts if counts[piece]]
    rarest = sorted(there, key=lambda piece: counts[piece])[:_SEARCHED]
    # One that many have is searched for only if there is no other.
    sought = [piece for piece in rarest if counts[piece] <= _COMMON] or rarest[:1]
    lines = [names.containing(_code(piece)) for piece in sought]
    if not wanted.isascii():  # the disk may write a piece in another way
        lines.append(names.odd())
    return Names(b"".join(lines))


def _pieces(stem: str) -> Sequence[str]:
    """Return pieces of a stem, so many that a slip between two leaves another whole."""
    size = len(stem)
    if size < _LONG:
        half = max(2, (size - 1) // 2)  # one in the middle is in neither
        return [stem[:half], stem[-half:]]
    count = min(max(3, size // _LETTERS), _MOST_PIECES)
    ends = [at * size // count for at in range(count + 1)]
    return [stem[start:end] for start, end in pairwise(ends)]


def _ranked(parts: Iterable[str], wanted: str) -> list[str]:
    """Return those of some names that are like the wanted one, best first."""
    masks: dict[str, int] = {}  # letter -> the places where the wanted one has it
    for at, letter in enumerate(wanted):
        masks[letter] = masks.get(letter, 0) | 1 << at
    likeness: dict[str, float] = {}
    for number, part in enumerate(parts):
        check(number)
        size = len(part) + len(wanted)
        # No more letters can be in common than the shorter has.
        if 2 * min(len(part), len(wanted)) >= _NEAR * size:
            likeness[part] = 2 * _in_common(masks, len(wanted), part) / size
    near = [part for part in likeness if likeness[part] >= _NEAR]
    return sorted(near, key=lambda part: (-likeness[part], part))


def _in_common(masks: Mapping[str, int], size: int, other: str) -> int:
    """Return how many letters a text of `size` has in common with another one, in the
    same order: the length of their longest common subsequence.

    It is computed for all places of the text at once: H. Hyyrö, "Bit-Parallel
    LCS-length Computation Revisited", 2004.
    """
    whole = (1 << size) - 1
    row = whole
    for letter in other:
        matches = row & masks.get(letter, 0)
        row = ((row + matches) | (row - matches)) & whole
    return size - row.bit_count()


def _code(piece: str) -> bytes:
    return piece.encode("utf-8", "surrogatepass")
