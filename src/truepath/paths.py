"""How POSIX, Windows and macOS read a path, as pure functions on text.

Nothing here touches the disk or depends on the running system, so every flavour can be
tested everywhere. It must not know projects, tools or hosts.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from truepath import TYPE_CHECKING, Late

LONGEST = 4096
"""Characters; no kernel accepts a longer path (PATH_MAX on Linux)."""

if TYPE_CHECKING:
    import unicodedata
    from collections.abc import Sequence
    from typing import Literal

    Flavour = Literal["posix", "windows", "macos"]
else:
    unicodedata = Late("unicodedata")
    Flavour = str
"""Which system's rules a path follows: `macos` is POSIX that ignores case and Unicode
form."""


def native() -> Flavour:
    """Return the flavour of the running system. Cygwin counts as POSIX."""
    flavours: dict[str, Flavour] = {"win32": "windows", "darwin": "macos"}
    return flavours.get(sys.platform, "posix")


def is_absolute(path: str, flavour: Flavour) -> bool:
    r"""Return whether the path does not depend on a working directory.

    On Windows `C:/x`, `\\server\share`, `\\?\C:\x`, `/c/x` and the rooted `\top` are
    absolute (`join` gives a rooted one the drive of its base); the drive-relative `C:x`
    is not.
    """
    return _anchor(path, flavour)[0].endswith("/")


def normalise(path: str, flavour: Flavour) -> str:
    r"""Return the path with `/` between its names and no `.`, `..`, doubled or trailing
    slash.

    Lexical: links are not followed. Leading `..` stay when the path is relative and
    vanish at a root. The result for the folder itself is `""`. On Windows the drive
    letter becomes upper case; `\\?\`, `/c/`, `/mnt/c/` and `/cygdrive/c/` become that
    drive; trailing dots and spaces of a name are dropped, as Windows does.
    """
    return _render(*_split(path, flavour), flavour)


def join(base: str, path: str, flavour: Flavour) -> str:
    """Return `path` as seen from the folder `base`, normalised."""
    anchor, parts = _split(path, flavour)
    if anchor and flavour != "windows":
        return _render(anchor, parts, flavour)
    # On Windows, a path may have a drive or begin at a root, and depend on the base.
    base_anchor, base_parts = _split_base(base, flavour)
    if anchor == "/" and flavour == "windows" and base_anchor.endswith("/"):
        return _render(base_anchor, parts, flavour)
    if anchor and anchor != base_anchor.rstrip("/"):  # `C:x` continues a folder on C:
        return _render(anchor, parts, flavour)
    return _render(base_anchor, _collapse([*base_parts, *parts], base_anchor), flavour)


def relative_to(path: str, root: str, flavour: Flavour) -> str | None:
    """Return the path below `root`, spelled as in `path`: `""` for the root, None
    outside.

    Names compare as the flavour's file systems compare them. Both paths must be
    absolute, or relative to the same folder.
    """
    anchor, parts = _split(path, flavour)
    root_anchor, root_parts = _split(root, flavour)
    depth = len(root_parts)
    above = [anchor, *parts[:depth]]
    wanted = [root_anchor, *root_parts]
    rest = parts[depth:]
    # Nearly always they are equal as they are.
    if above != wanted and _keys(above, flavour) != _keys(wanted, flavour):
        return None
    return None if rest[:1] == [".."] else "/".join(rest)


def _keys(names: Sequence[str], flavour: Flavour) -> list[str]:
    return [key(name, flavour) for name in names]


def key(path: str, flavour: Flavour) -> str:
    """Return a key that normalised paths share when they name the same file.

    POSIX: the path itself. Windows: lower case, letter by letter as on NTFS (`ß` is not
    `ss`).
    macOS: full case folding and one Unicode form as on APFS (`ß` is `ss`).
    """
    if flavour == "posix":
        return path
    if flavour == "windows":
        path = _trimmed(path.replace("\\", "/"))
    if path.isascii() or flavour == "windows":
        return path.lower()
    return _caseless(path)


# Patterns are compiled at first use: most processes use none of them.
_DRIVE = r"([A-Za-z]):(/?)"
_MOUNTED_DRIVE = r"/(?:mnt/+|cygdrive/+)?([A-Za-z])(?:/|\Z)"
"""How msys (`/c`), WSL (`/mnt/c`) and Cygwin (`/cygdrive/c`) write a drive."""
_SHARE = r"//([^/]+)(?:/+([^/]+))?"
_TRAILING = r"(?<=[^/. ])[. ]+(?=/|\Z)"
"""Dots and spaces at the end of a name: Win32 drops them, so they never distinguish two
files. A name that is only dots is kept."""


def _split(path: str, flavour: Flavour) -> tuple[str, list[str]]:
    """Return the anchor and the names of a path, without `.` and `..`."""
    anchor, rest = _anchor(path, flavour)
    if flavour == "windows":
        rest = _trimmed(rest)
    return anchor, _collapse(rest.split("/"), anchor)


@lru_cache(maxsize=64)  # one folder is the base of many paths
def _split_base(base: str, flavour: Flavour) -> tuple[str, list[str]]:
    return _split(base, flavour)


def _trimmed(path: str) -> str:
    """Return a path as Win32 reads it."""
    if path.endswith((".", " ")) or "./" in path or " /" in path:
        return re.sub(_TRAILING, "", path)
    return path


def _anchor(path: str, flavour: Flavour) -> tuple[str, str]:
    """Return the anchor (`/`, `C:/`, `C:`, `//server/share/` or "") and the rest."""
    if flavour == "windows":
        return _windows_anchor(_plain_prefix(path.replace("\\", "/")))
    return ("/", path[1:]) if path.startswith("/") else ("", path)


def _plain_prefix(path: str) -> str:
    r"""Return the path without `\\?\` and `\\.\`, which only turn off Win32's own
    rules.
    """
    while path.startswith(("//?/", "//./")):
        if path[4:8].upper() == "UNC/":
            path = "//" + path[8:]
        elif re.match(_DRIVE, path[4:6]):
            path = path[4:]
        else:
            break  # a volume or a device: its name is read as a server's
    return path


def _windows_anchor(path: str) -> tuple[str, str]:
    """Return the anchor of a path with slashes, and the rest."""
    share = re.match(_SHARE, path)
    if share:
        names = [name for name in share.groups() if name]
        return "/".join(["/", *names, ""]), path[share.end() :]
    drive = re.match(_DRIVE, path)
    if drive:
        return f"{drive[1].upper()}:{drive[2]}", path[drive.end() :]
    mounted = re.match(_MOUNTED_DRIVE, path)
    if mounted:
        return f"{mounted[1].upper()}:/", path[mounted.end() :]
    return ("/", path[1:]) if path.startswith("/") else ("", path)


_NO_NAMES = frozenset(("", ".", ".."))


def _collapse(parts: list[str], anchor: str) -> list[str]:
    """Return the names of a path without empty ones, `.` and `..`."""
    if _NO_NAMES.isdisjoint(parts):  # nearly always
        return parts
    kept: list[str] = []
    for part in parts:
        if part in ("", "."):
            continue
        if part != "..":
            kept.append(part)
        elif kept and kept[-1] != "..":
            kept.pop()
        elif not anchor.endswith("/"):
            kept.append(part)  # a relative path may climb; at a root there is no above
    return kept


def _render(anchor: str, parts: list[str], flavour: Flavour) -> str:
    """Return the path with an anchor and names."""
    if not parts:
        return anchor.rstrip("/") if anchor.startswith("//") else anchor
    text = anchor + "/".join(parts)
    if flavour != "windows":
        return text
    # Without their dot, `./c:x` and `/./c/x` would name a drive.
    if _anchor(text, flavour)[0] != anchor:
        return f"{anchor}./{'/'.join(parts)}"
    return text


_SPACES = dict.fromkeys(
    [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "
)
"""Every Unicode space (category Zs) except U+0020. macOS puts U+202F before AM and PM
in the names of screenshots; word processors and web pages use U+00A0."""

INVISIBLE: dict[int, None] = dict.fromkeys(
    (
        *(0xAD, 0x180E, 0xFE0E, 0xFE0F, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
    )
)
"""Invisible characters: zero-width, direction marks, soft hyphen, variation selectors,
BOM."""

_STRAIGHT = {
    **dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x02BC], "'"),
    **dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0x2033], '"'),
    **dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-"),
}
"""Curly quotes and typographic dashes -> what a keyboard types."""

_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
"""Full-width ASCII, which East Asian input methods type."""
_LOOSE: dict[int, str | None] = {
    **_SPACES,
    **INVISIBLE,
    **_STRAIGHT,
    **_WIDE,
    0x149: "'n",
}
"""The case folding of U+0149 would bring a curly apostrophe back."""
_LOOSE_ANY = "[" + "".join(map(chr, _LOOSE)) + "]"

_CJK = (
    "\u2e80-\u2fdf\u3001-\u30ff\u3100-\u33ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_CJK_SPACES = f" +(?=[{_CJK}])|(?<=[{_CJK}]) +"
"""Spaces that models add: `3月2日` comes back as `3 月 2 日`. Names seldom have
them."""


def fold(text: str) -> str:
    """Return a key that texts share when they look alike, on any file system.

    It ignores case, Unicode form, the kind of space, quote and dash, invisible
    characters, full-width forms, and spaces around CJK. It is idempotent.
    """
    if text.isascii():
        return text.lower()
    if re.search(_LOOSE_ANY, text):
        text = text.translate(_LOOSE)
    text = _caseless(text)
    return re.sub(_CJK_SPACES, "", text) if " " in text else text


_WHOLE = {
    0xDF: "\uedf0",
    0x1E9E: "\uedf0",
    **{code: chr(code - 0x1000) for code in range(0xFB00, 0xFB07)},
}
"""Letters that case folding makes two of (`ß`, `ﬁ`) -> one for private use each."""


def letters(text: str) -> str:
    """Return a key like `fold` that keeps letters: `straße` is not `strasse`."""
    return fold(text if text.isascii() else text.translate(_WHOLE))


def _caseless(text: str) -> str:
    """Return the text in Unicode's canonical caseless form (Unicode 3.13, D145),
    composed.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
