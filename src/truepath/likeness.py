"""How alike two names are by their letters: as rapidfuzz says, without its import for a few names.

That import is 21 ms of a hook that answers a miss, as long as some thousand comparisons here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MANY = 5_000
"""Names from which on the import takes less time than to compare them here: 4 microseconds each."""

Scored = tuple[str, float, int]
"""A name, its ratio, and its place among those that were compared."""


def ratio(one: str, other: str) -> float:
    """Return how alike two texts are, 0 to 100: `rapidfuzz.fuzz.ratio`.

    It is twice the length of the longest common subsequence, by the length of both texts.
    """
    return _ratio(_places(one), len(one), other)


def edits(one: str, other: str, most: int) -> int:
    """Return the edits between two texts; `most` + 1 where there are more than `most`.

    An edit adds, drops or replaces a letter, or swaps two neighbours: `rapidfuzz.distance.OSA`.
    """
    one, other = _without_ends(one, other)
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, left in enumerate(one, start=1):
        now = [row]
        for at, right in enumerate(other):
            count = min(last[at] + (left != right), last[at + 1] + 1, now[at] + 1)
            if row > 1 and at and left == other[at - 1] and one[row - 2] == right:
                count = min(count, before[at - 1] + 1)
            now.append(count)
        before, last = last, now
    return min(last[-1], most + 1)


def alike(wanted: str, names: Sequence[str], *, floor: float, limit: int) -> list[Scored]:
    """Return the names most like the wanted one, best first: `rapidfuzz.process.extract`.

    Args:
        wanted: The name.
        names: Those to compare it with.
        floor: The ratio that a name has at least.
        limit: How many are returned at most.
    """
    if len(names) >= _MANY:
        from rapidfuzz import fuzz, process

        return process.extract(wanted, names, scorer=fuzz.ratio, score_cutoff=floor, limit=limit)
    places, length = _places(wanted), len(wanted)
    found = [
        (name, score, at)
        for at, name in enumerate(names)
        if _may_have(floor, length, len(name)) and (score := _ratio(places, length, name)) >= floor
    ]
    found.sort(key=lambda each: -each[1])
    return found[:limit]


def _may_have(floor: float, one: int, other: int) -> bool:
    """Return whether two texts of such lengths may have a ratio: all of the shorter in common."""
    return floor * max(one, other) <= (200 - floor) * min(one, other) + 1


def _places(text: str) -> Mapping[str, int]:
    """Return where each letter is in a text, as the bits of a number."""
    places: dict[str, int] = {}
    for at, letter in enumerate(text):
        places[letter] = places.get(letter, 0) | 1 << at
    return places


def _ratio(places: Mapping[str, int], length: int, other: str) -> float:
    """Return the ratio of a text, of which the letters' places are given, and another.

    A row of the table of common subsequences is one number (Hyyro 2004, "Bit-parallel LCS-length
    computation revisited"): its zeros are the letters that are in common.
    """
    both = length + len(other)
    if not both:
        return 100.0
    whole = row = (1 << length) - 1
    for letter in other:
        if same := row & places.get(letter, 0):
            row = (row + same | row - same) & whole
    common = length - row.bit_count() if length else 0
    return (1.0 - (both - 2 * common) / both) * 100


def _without_ends(one: str, other: str) -> tuple[str, str]:
    """Return two texts without what they begin and end with in common."""
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]
