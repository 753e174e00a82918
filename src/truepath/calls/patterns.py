"""The folder that a pattern of file names begins in."""

from __future__ import annotations

from itertools import takewhile

_WILD = frozenset("*?[]{}()!\\")


def folder_of(pattern: object) -> str:
    """Return the folders before the first wildcard, or before the name; "" for none.

    `docs/*/a.md` begins in `docs`, `**/a.md` and `a.md` in none.
    """
    folders = pattern.split("/")[:-1] if isinstance(pattern, str) else ()
    return "/".join(takewhile(_WILD.isdisjoint, folders))
