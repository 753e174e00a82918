"""A name fit for a text: file names are hostile."""

from __future__ import annotations

import unicodedata

_LONGEST_NAME = 160
"""Characters of one name in a text."""

_LONGEST_PATH = 320
"""Characters of a path in a text, so that it can be used unchanged: the longest in 90
repositories has 246, before which an absolute path has the project's own folder."""


def shown(name: str, *, longest: int = _LONGEST_NAME) -> str:
    """Return a name fit for a text: quoted, on one line, cut, nothing left to obey.

    Backticks, control, format and unassigned characters (escape codes, newlines, text direction)
    are written as escapes, so a name can neither end its line nor look like one of truepath's.
    """
    safe = "".join(
        char if char == " " or _is_plain(char) else char.encode("unicode_escape").decode()
        for char in name
    ).replace("`", "\\x60")
    if max(map(len, safe.split("/"))) <= _LONGEST_NAME:
        longest = max(longest, _LONGEST_PATH)
    if len(safe) > longest:
        keep = longest // 2 - 2
        safe = f"{safe[:keep]}...{safe[-keep:]}"
    return f"`{safe}`"


def _is_plain(char: str) -> bool:
    return (char.isascii() and char.isprintable()) or unicodedata.category(char)[0] in "LMNPS"
