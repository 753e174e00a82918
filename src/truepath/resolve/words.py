"""Whether a word is in the list: those of dictionaries, common names, and those of computing.

The list is `words.txt`, made by `benchmarks/words.py`, and read when the first word is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Protocol

_ENDINGS = ("", "s", "es")
"""With one of these a word is a word still: its plural, or its third person."""


class _Names(Protocol):
    """The names of a project."""

    def has_word(self, word: str) -> bool:
        """Return whether a word in lower case is one of a name's."""


def words_of(names: _Names) -> Callable[[str], bool]:
    """Return what tells the words of a project: those in the list, and those in its own names."""
    return lambda word: is_word(word) or names.has_word(word)


def is_word(word: str) -> bool:
    """Return whether a word in lower case is in the list, or a plural of one that is."""
    return word.isascii() and any(
        _is_listed(word.removesuffix(end).encode()) for end in _ENDINGS if word.endswith(end)
    )


def _is_listed(word: bytes) -> bool:
    """Look for a word by halves: to split the list takes longer than to search it."""
    text = _listed()
    low, high = 0, len(text)
    while low < high:
        start = text.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = text.index(b"\n", start)
        found = text[start:end]
        if found == word:
            return True
        low, high = (end + 1, high) if found < word else (low, start)
    return False


@cache
def _listed() -> bytes:
    """Return the list: sorted, a word a line."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt"), "rb") as file:
        return file.read()
