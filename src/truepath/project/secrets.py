"""Paths that are never named to an agent: secrets, and what the user denies.

Only names decide; the table of secrets is `secrets.txt`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    from truepath.project import walk
else:
    walk = Late("truepath.project.walk")

_TEMPLATES = (".example", ".sample", ".template", ".dist")
_ENCRYPTED = (".enc", ".gpg", ".age")
_BACKUP = re.compile(
    r"(?:[-_.](?:bak|backup|old|orig|original|save|saved|copy|tmp|rej)\d*"
    r"|\.\d+|\.?~[\d~]*| copy)+$"
)
"""What editors, people and tools append to the name of a backup."""

_LONGEST_NAME = 255
"""Characters of one name on every file system in wide use."""


def is_secret(path: str) -> bool:
    """Return whether a file's name, or a folder above it, says that it holds
    credentials.

    `path` may be relative or absolute. Case is ignored, as are dots and spaces at the
    end of a name: some file systems open the same file either way.
    """
    path = path.casefold().replace("\\", "/")
    names = [name.rstrip(". ") for name in path.split("/")]
    table = _table()
    name = _without_backup(names[-1])
    if not {*table["folders"]}.isdisjoint(names):
        return True
    if name.endswith(_TEMPLATES):
        return False
    pair = "/".join((*names[-2:-1], name))
    # The whole name too: `secring.gpg` would lose its ending.
    is_named = name in _words("names") or names[-1] in _words("names")
    is_key = "." not in name and name.startswith(table["keys"])
    if is_named or is_key or pair in _words("pairs"):
        return True
    if name.endswith(table["endings"]) or name.startswith(table["beginnings"]):
        return True
    if _pattern().match(name) or _pattern().match(pair):
        return True
    return _says_so(table, name, names[:-1])


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[str, ...]]:
    """Return the words of each section of `secrets.txt`."""
    place = os.path.join(os.path.dirname(__file__), "secrets.txt")
    with open(place, encoding="utf-8") as file:
        lines = [line for line in file.read().split("\n") if not line.startswith("#")]
    sections = (part.partition("]") for part in "\n".join(lines).split("[")[1:])
    return {name: tuple(words.split()) for name, _, words in sections}


@lru_cache(maxsize=16)
def _words(section: str) -> frozenset[str]:
    """Return the words of a section, in which one is found at once."""
    return frozenset(_table()[section])


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """Return the globs of the table as one pattern."""
    return re.compile("|".join(map(translate, _table()["patterns"])))


def _says_so(
    table: Mapping[str, tuple[str, ...]], name: str, folders: list[str]
) -> bool:
    """Return whether the words in a data file's name say that it holds credentials."""
    stem, _, extension = name.rpartition(".")
    if not stem:  # no extension, or nothing but one
        stem = name
        extension = "-"
    if extension == "sql":
        return not {"dump", "backup"}.isdisjoint(_parts(stem))
    if extension not in _words("data"):
        return False
    words = _parts(stem)
    if not _words("made-up").isdisjoint(words):
        return False
    phrase = "-".join(_without_stage(words, table["stages"]))
    if folders[-1:] == ["secrets"] and extension != "xml":
        return True
    is_alone = phrase in table["alone"] and extension in table["alone-data"]
    if is_alone and _words("translated").isdisjoint(folders):
        return True
    endings = tuple(f"-{ending}" for ending in table["ends"])
    if phrase in table["whole"] or f"-{phrase}".endswith(endings):
        return True
    return any(part in phrase for part in table["within"])


def _parts(stem: str) -> list[str]:
    return [word for word in re.split(r"[-_.\s]+", stem) if word]


def _without_stage(words: Sequence[str], stages: Sequence[str]) -> Sequence[str]:
    """Return the words of a name without a stage and numbers at its end."""
    end = len(words)
    while end > 1 and (words[end - 1] in stages or words[end - 1].isdigit()):
        end -= 1
    return words[:end]


def _without_backup(name: str) -> str:
    """Return a name without the marks of a backup or an encrypted copy: `.env` for
    `.env.bak`.
    """
    if name.endswith((".swp", ".swo")):  # Vim: `.NAME.swp`, or `..env.swp`
        name = name[:-4]
        if name.startswith("..") or name[1:] in _words("names"):
            name = name[1:]
    elif len(name) > 2 and name[0] == name[-1] == "#":
        name = name[1:-1]
    for ending in _ENCRYPTED:
        name = name.removesuffix(ending)
    mark = _BACKUP.search(name)
    return name[: mark.start()] if mark and mark.start() else name


class Deny:
    """Paths that must not be named to an agent, as gitignore-style globs."""

    __slots__ = ("_patterns", "_rules")

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the globs; nothing is compiled before the first question."""
        self._patterns = tuple(patterns)
        self._rules: walk.IgnoreRules | None = None

    def __call__(self, path: str) -> bool:
        """Return whether `path`, relative to the root, or a folder above it is denied.

        A path with a name that is too long for any disk is denied: matching it could
        take very long.
        """
        if not self._patterns:
            return False
        if self._rules is None:
            self._rules = walk.IgnoreRules("\n".join(self._patterns))
        names = path.rstrip("/").split("/")
        if max(map(len, names)) > _LONGEST_NAME:
            return True
        for count in range(1, len(names) + 1):
            if self._rules.verdict("/".join(names[:count]), folder=True):
                return True
        # Whether the path is a folder is not known, so either verdict counts.
        return bool(self._rules.verdict("/".join(names), folder=False))
