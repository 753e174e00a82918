"""The folder that a pattern of file names begins in."""

from __future__ import annotations

_WILD = frozenset("*?[]{}()!\\")


def folder_of(pattern: object) -> str:
    """Return the folders before the first wildcard, or before the name; "" for none.

    `docs/*/a.md` begins in `docs`, `**/a.md` and `a.md` in none.
    """
    if not isinstance(pattern, str):
        return ""
    *folders, _ = pattern.split("/")
    plain: list[str] = []
    for name in folders:
        if _WILD & set(name):
            break
        plain.append(name)
    return "/".join(plain)
