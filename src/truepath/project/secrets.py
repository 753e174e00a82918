"""What must never be offered to an agent: secrets, and what the user has denied.

Names alone decide. All that is known of secrets is in `secrets.txt`.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truepath.project.walk import Rules

_TEMPLATES = (".example", ".sample", ".template", ".dist")
_SEALED = (".enc", ".gpg", ".age")
_BACKUP = re.compile(
    r"(?:[-_.](?:bak|backup|old|orig|original|save|saved|copy|tmp|rej)\d*|\.\d+|\.?~[\d~]*| copy)+$"
)
"""What editors, people and tools put behind a name to keep another state of the same file."""

_LONGEST_NAME = 255
"""Characters of one name, on every file system in wide use."""


def is_secret(path: str) -> bool:
    """Tell by its name alone whether a file holds credentials, or lies where they are kept.

    `path` may be relative or absolute. Case does not matter, nor do dots and spaces at the end
    of a name: some file systems open the same file either way.
    """
    names = [name.rstrip(". ") for name in path.casefold().replace("\\", "/").split("/")]
    table, name = _table(), _without_backup(names[-1])
    if not {*table["folders"]}.isdisjoint(names):
        return True
    if name.endswith(_TEMPLATES):
        return False
    return (
        not {name, names[-1]}.isdisjoint(table["names"])  # `secring.gpg` is no sealed `secring`
        or name.endswith(table["endings"])
        or name.startswith(table["beginnings"])
        or ("." not in name and name.startswith(table["keys"]))
        or "/".join((*names[-2:-1], name)) in table["pairs"]
        or _says_so(table, name, names[:-1])
    )


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[str, ...]]:
    """Return the words of each section of the table."""
    with open(os.path.join(os.path.dirname(__file__), "secrets.txt"), encoding="utf-8") as file:
        lines = [line for line in file.read().split("\n") if not line.startswith("#")]
    sections = (part.partition("]") for part in "\n".join(lines).split("[")[1:])
    return {name: tuple(words.split()) for name, _, words in sections}


def _says_so(table: Mapping[str, tuple[str, ...]], name: str, folders: list[str]) -> bool:
    """Tell whether the words of a data file's name say that it holds credentials."""
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
        or (said in table["alone"] and extension in table["alone-data"] and not translated)
        or f"-{said}".endswith(tuple(f"-{each}" for each in table["ends"]))
        or any(each in said for each in table["within"])
        or (folders[-1:] == ["secrets"] and extension != "xml")
    )


def _without_backup(name: str) -> str:
    """Return the name that another is a backup or a sealed form of: `.env` of `.env.bak`."""
    if name.endswith((".swp", ".swo")):  # of an editor: `.NAME.swp`, or `..env.swp`
        name = name[:-4]
        name = name[1:] if name.startswith("..") or name[1:] in _table()["names"] else name
    elif len(name) > 2 and name[0] == name[-1] == "#":
        name = name[1:-1]
    for sealed in _SEALED:
        name = name.removesuffix(sealed)
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
        """Tell whether `path`, relative to the root, or a folder above it is denied.

        A path that holds a name longer than any disk allows is denied: to judge it could take
        as long as it is long.
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
        # Whether the path is a folder is not known: denied either way is denied.
        denied = any(rules.verdict(folder, folder=True) for folder in folders)
        return denied or bool(rules.verdict(whole, folder=False))
