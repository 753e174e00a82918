"""Paths that are never named to an agent: secrets, and what the user denies.

Only names decide; the table of secrets is `secrets.txt`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

TYPE_CHECKING = False  # loaded once an answer needs them
if TYPE_CHECKING:
    from truepath.project.walk import Rules

_TEMPLATES = (".example", ".sample", ".template", ".dist")
_ENCRYPTED = (".enc", ".gpg", ".age")
_BACKUP = re.compile(
    r"(?:[-_.](?:bak|backup|old|orig|original|save|saved|copy|tmp|rej)\d*|\.\d+|\.?~[\d~]*| copy)+$"
)
"""What editors, people and tools append to the name of a backup."""

_LONGEST_NAME = 255
"""Characters of one name on every file system in wide use."""


def is_secret(path: str) -> bool:
    """Return whether a file's name, or a folder above it, says that it holds
    credentials.

    `path` may be relative or absolute. Case is ignored, as are dots and spaces at the
    end of a
    name: some file systems open the same file either way.
    """
    names = [
        name.rstrip(". ") for name in path.casefold().replace("\\", "/").split("/")
    ]
    table, name = _table(), _without_backup(names[-1])
    if not {*table["folders"]}.isdisjoint(names):
        return True
    if name.endswith(_TEMPLATES):
        return False
    return (
        not {name, names[-1]}.isdisjoint(
            table["names"]
        )  # before ".gpg" was removed: `secring.gpg`
        or name.endswith(table["endings"])
        or name.startswith(table["beginnings"])
        or ("." not in name and name.startswith(table["keys"]))
        or (pair := "/".join((*names[-2:-1], name))) in table["pairs"]
        or any(
            fnmatchcase(each, glob)
            for each in (name, pair)
            for glob in table["patterns"]
        )
        or _says_so(table, name, names[:-1])
    )


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[str, ...]]:
    """Return the words of each section of `secrets.txt`."""
    with open(
        os.path.join(os.path.dirname(__file__), "secrets.txt"), encoding="utf-8"
    ) as file:
        lines = [line for line in file.read().split("\n") if not line.startswith("#")]
    sections = (part.partition("]") for part in "\n".join(lines).split("[")[1:])
    return {name: tuple(words.split()) for name, _, words in sections}


def _says_so(
    table: Mapping[str, tuple[str, ...]], name: str, folders: list[str]
) -> bool:
    """Return whether the words in a data file's name say that it holds credentials."""
    stem, dot, extension = name.rpartition(".")
    if not (dot and stem):
        stem, extension = name, "-"
    words = [word for word in re.split(r"[-_.\s]+", stem) if word]
    if extension == "sql":
        return not {"dump", "backup"}.isdisjoint(words)
    if extension not in table["data"] or not {*table["made-up"]}.isdisjoint(words):
        return False
    while len(words) > 1 and (words[-1] in table["stages"] or words[-1].isdigit()):
        words.pop()
    said = "-".join(words)
    translated = not {*table["translated"]}.isdisjoint(folders)
    return (
        said in table["whole"]
        or (
            said in table["alone"]
            and extension in table["alone-data"]
            and not translated
        )
        or f"-{said}".endswith(tuple(f"-{each}" for each in table["ends"]))
        or any(each in said for each in table["within"])
        or (folders[-1:] == ["secrets"] and extension != "xml")
    )


def _without_backup(name: str) -> str:
    """Return a name without the marks of a backup or an encrypted copy: `.env` for
    `.env.bak`.
    """
    if name.endswith((".swp", ".swo")):  # Vim: `.NAME.swp`, or `..env.swp`
        name = name[:-4]
        name = (
            name[1:] if name.startswith("..") or name[1:] in _table()["names"] else name
        )
    elif len(name) > 2 and name[0] == name[-1] == "#":
        name = name[1:-1]
    for ending in _ENCRYPTED:
        name = name.removesuffix(ending)
    found = _BACKUP.search(name)
    return name[: found.start()] if found and found.start() else name


class Deny:
    """Paths that must not be named to an agent, as gitignore-style globs."""

    __slots__ = ("_patterns", "_rules")

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the globs; nothing is compiled before the first question."""
        self._patterns = tuple(patterns)
        self._rules: Rules | None = None

    def __call__(self, path: str) -> bool:
        """Return whether `path`, relative to the root, or a folder above it is denied.

        A path with a name that is too long for any disk is denied: matching it could
        take very long.
        """
        if not self._patterns:
            return False
        if self._rules is None:
            from truepath.project.walk import Rules

            self._rules = Rules("\n".join(self._patterns))
        names = path.rstrip("/").split("/")
        if max(map(len, names)) > _LONGEST_NAME:
            return True
        rules, whole = self._rules, "/".join(names)
        folders = ("/".join(names[:count]) for count in range(1, len(names) + 1))
        # Whether the path is a folder is not known, so either verdict counts.
        denied = any(rules.verdict(folder, folder=True) for folder in folders)
        return denied or bool(rules.verdict(whole, folder=False))
