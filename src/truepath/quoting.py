"""Quote a file name for a text that is read: file names are hostile."""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = Late("unicodedata")

_LONGEST_NAME = 160
"""Characters of one name."""

_LONGEST_PATH = 320
"""Characters of a path, so that it can be used as shown: the longest in 90 repositories
has 246, and an absolute path has the project's folder before that."""


def shown(name: str, *, longest: int = _LONGEST_NAME) -> str:
    """Return a name in backticks, on one line, shortened in the middle to `longest`
    characters.

    Backticks, control, format and unassigned characters (escape codes, newlines, text
    direction) are escaped, so a name can neither end its line nor look like a line of
    truepath's.
    """
    safe = escaped(name).replace("`", "\\x60")
    # Of a path with names of usual lengths, all is needed.
    if max(map(len, safe.split("/"))) <= _LONGEST_NAME:
        longest = max(longest, _LONGEST_PATH)
    if len(safe) > longest:
        keep = longest // 2 - 2
        safe = f"{safe[:keep]}...{safe[-keep:]}"
    return f"`{safe}`"


def escaped(text: str) -> str:
    """Return a text on one line, without control, format and unassigned characters."""
    return "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    """Return a character, or its escape if it is not one to be read."""
    is_plain = char.isprintable()
    if not char.isascii():
        # A letter, mark, number, punctuation or symbol.
        is_plain = unicodedata.category(char)[0] in "LMNPS"
    if is_plain:
        return char
    if "\udc80" <= char <= "\udcff":  # a byte of a name that is not UTF-8
        return f"\\x{ord(char) & 0xFF:02x}"
    return char.encode("unicode_escape").decode()


def escaped_line(line: str) -> str:
    """Return a line of a file with its tabs, and without other control, format and
    unassigned characters.
    """
    return "\t".join(map(escaped, line.split("\t")))
