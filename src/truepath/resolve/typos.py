"""Whether a name is a misspelling of another, or a name of its own.

Pure text; the caller says which words exist.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Literal

from truepath import likeness
from truepath.paths import fold

IsWord = Callable[[str], bool]
"""Given a word in lower case, whether somebody may have meant it."""

_LENGTHS = {1: 3, 2: 9}
"""The letters that the shorter of two words has at least, by how many letters a slip gets wrong."""

_MOST = max(_LENGTHS)


def edits(wrong: str, right: str) -> int:
    """Return the edits (1 or 2) between two folded names that are long enough for so many, else 0.

    An edit adds, drops or replaces a letter, or swaps two neighbours (optimal string alignment).
    Another first letter and other digits make another name: `fcode` and `ccode`, `03` and `04`.
    """
    shorter = min(len(wrong), len(right))
    count = likeness.edits(wrong, right, _MOST)
    if count not in _LENGTHS or shorter < _LENGTHS[count] or digits(wrong) != digits(right):
        return 0
    return count if wrong[0] == right[0] or sorted(wrong) == sorted(right) else 0


def digits(name: str) -> list[str]:
    return [char for char in name if char.isdigit()]


def slipped(name: str, other: str) -> int:
    """Return how many letters (1 or 2) a slip of the hand got wrong; 0 where these are two names.

    One or two words of the name are words of the other with letters wrong; the rest is the same,
    separators included: `_handler` and `handler` are two names.
    """
    wrong, right = _words(name), _words(other)
    if len(wrong) != len(right) or _WORD.split(name) != _WORD.split(other):
        return 0
    pairs = [pair for pair in zip(wrong, right, strict=True) if pair[0] != pair[1]]
    if len(pairs) > _MOST:
        return 0
    counts = [_slip_edits(*pair, alone=len(wrong) == 1) for pair in pairs]
    return sum(counts) if all(counts) and sum(counts) <= _MOST else 0


def _slip_edits(wrong: str, right: str, *, alone: bool) -> int:
    """Return how many letters of a word are wrong; 0 where it is a word of its own.

    Near misses that people mean differ in the first letter (`react`, `preact`), in the ending
    (`timer`, `posts`), in a short word (`eos`) or in a number (`benchmarks/slips.py`). A slip is in
    the middle of a word.
    """
    count = edits(wrong, right)
    shorter = min(len(wrong), len(right))
    if not count or not (wrong + right).isalpha() or (shorter == 3 and not alone):
        return 0
    if count == 1 and sorted(wrong) == sorted(right):
        return count
    if count == 1 and right.startswith(wrong):
        return count * (shorter >= 5 and right[-1] not in _ENDINGS)
    if wrong[-1] != right[-1] or wrong.startswith(right):
        return 0
    replaces = count == 1 and len(wrong) == len(right)
    return count * (shorter >= 6 or not replaces)


def typo(name: str, other: str, is_word: IsWord) -> Literal["misspelt", "another-word", ""]:
    """Say whether a name is another one misspelt or holds another word; "" where neither.

    A typo of a word is no word: `comunities` is none, `trail` and `trial` both are.
    """
    wrong, right = Counter(_words(name)), Counter(_words(other))
    odd, meant = [*(wrong - right).elements()], [*(right - wrong).elements()]
    if not odd:
        return ""
    pairs = zip(odd, meant, strict=False)
    words = any(map(is_word, odd)) or any(_are_compounds(*pair, is_word) for pair in pairs)
    return "another-word" if words else "misspelt"


def _are_compounds(one: str, other: str, is_word: IsWord) -> bool:
    """Return whether two words are compounds that share one word: `formdata`, `fromdata`.

    A part has four letters at least: `buttton` is not `butt` and `ton`.
    """
    splits = []
    for length in range(4, min(len(one), len(other)) - 3):
        if one[:length] == other[:length]:
            splits.append((one[:length], one[length:], other[length:]))
        if one[-length:] == other[-length:]:
            splits.append((one[-length:], one[:-length], other[:-length]))
    return any(all(map(is_word, split)) for split in splits)


def misspelling(
    name: str, other: str, is_word: IsWord
) -> tuple[Literal["misspelt", "another-word"], ...]:
    """Return the evidence that a name is another one with letters wrong, or holds another word."""
    said = typo(name, other, is_word)
    if said == "another-word" or (said == "misspelt" and slipped(name, other)):
        return (said,)
    return ()


def is_misspelt(name: str, other: str, is_word: IsWord) -> bool:
    """Return whether a slip of the hand made a name that is no word out of another."""
    return slipped(name, other) > 0 and typo(name, other, is_word) == "misspelt"


def in_other_number(name: str, other: str) -> bool:
    """Return whether one word of a name is the other's in singular or plural, and the rest same."""
    left, right = _words(name), _words(other)
    if len(left) != len(right) or _WORD.split(name) != _WORD.split(other):
        return False
    pairs = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return len(pairs) == 1 and _plural(*pairs[0])


def _plural(one: str, other: str) -> bool:
    few, many = sorted((one, other), key=len)
    plurals = {few + "s", few + "es"} | ({few[:-1] + "ies"} if few[-1] == "y" else set())
    return len(few) > 2 and many in plurals


_ENDINGS = "adnrsxy"
"""Letters that make another word of a word: `route` and `router`, `post` and `posts`."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
"""A word inside a name: `check_point`, `checkPoint` and `CheckPoint` have two."""


def _words(name: str) -> list[str]:
    """Return the words of a name, folded."""
    return [fold(word) for word in _WORD.findall(name)]
