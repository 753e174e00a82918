"""One settings file: its TOML, and the line of each setting.

Knows files and TOML; must not know which settings there are.
"""

from __future__ import annotations

import os
import re
import stat
import sys

from truepath.errors import ConfigError
from truepath.records import dataclass

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_MOST_BYTES = 1_000_000
"""Larger is no settings file; reading it would hold up a tool call."""

_LIST = r"[ \t]*=[ \t]*\[((?:\s|,|#[^\n]*|\"[^\"\n]*\"|'[^'\n]*')*)"
"""A list of plain texts, as far as it is well formed."""
_TEXT = r"#[^\n]*|\"([^\"\n]*)\"|'([^'\n]*)'"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What one file sets."""

    path: str
    table: str
    """The dotted name of the table that is ours, or empty for the whole file."""
    text: str
    settings: Mapping[str, Any]

    def place(self, *names: str) -> str:
        """Return `file:line` of a setting, or the file where its line is not to be found."""
        line = _line_of(self.text, [*self.table.split("."), *names] if self.table else [*names])
        return f"{self.path}:{line}" if line else self.path


def read(path: str, table: str = "") -> SettingsFile | None:
    """Return what a file sets, or None when it is not there or has no such table.

    Raises:
        ConfigError: It cannot be read or is not TOML; one line that says where and why.
    """
    try:
        text = _text_of(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read ({_reason(error)}); it is ignored") from error
    # Most projects' pyproject.toml does not know us, and parsing it costs more than all else.
    if text is None or (table and "truepath" not in text):
        return None
    found = _parse(path, text)
    for name in table.split(".") if table else ():
        found = found.get(name) if isinstance(found, dict) else None
    return SettingsFile(path, table, text, found) if isinstance(found, dict) else None


def salvaged(path: str, table: str, name: str) -> list[str]:
    """Return the texts of a list in a file that is not TOML as a whole; none where that is lost.

    Args:
        path: The file.
        table: The dotted name of the list's table, "" for the top.
        name: The list.
    """
    try:
        text = _text_of(path) or ""
    except (OSError, ValueError):
        return []
    own: list[str] = [] if not table else table.split(".")
    here: list[str] = []
    kept: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("["):
            here = _key(line.strip("[ \t").partition("]")[0])
        kept += [line] if here == own else []
    found = re.search(rf"^[ \t]*{name}{_LIST}", "\n".join(kept), re.MULTILINE)
    texts = re.findall(_TEXT, found[1]) if found else []
    return [each for pair in texts for each in pair if each]


def _parse(path: str, text: str) -> Any:  # whatever the file holds
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is not valid TOML ({_reason(error)}); it is ignored") from error


def _text_of(path: str) -> str | None:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    # A pipe under that name would keep the call waiting for ever.
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is no file")
    if status.st_size > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES:,} bytes")
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(text.split())


def _line_of(text: str, names: list[str]) -> int | None:
    """Return the line of a setting, counted from 1; a TOML parser does not tell.

    Where it is inside a value (`rules = {read = "x"}`), that is the value's first line.
    """
    table: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        left, equals, _ = line.strip().partition("=")
        if left.startswith("["):
            table = _key(left.strip("[ ").partition("]")[0])
            if table == names:
                return number
        elif equals:
            key = [*table, *_key(left)]
            if key == names[: len(key)]:
                return number
    return None


def _key(dotted: str) -> list[str]:
    return [part.strip(" \t\"'") for part in dotted.split(".")]
