"""What is kept of projects in the user's cache: the index of names, the map of history."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from truepath.config.regular_file import read
from truepath.project.history.store import identity_of
from truepath.project.index.layout import DamagedError
from truepath.project.index.store import header_at, is_intact

_KINDS = ("index", "history")
"""What a file's name begins with, up to the first dash."""


class Kept:
    """The files of one project, or of one repository."""

    __slots__ = ("files", "kind", "project")

    def __init__(self, kind: str, project: str, files: list[str]) -> None:
        """Take what was found.

        Args:
            kind: `index` or `history`.
            project: The project's folder, or the git folder of the repository; "" where no file
                tells it.
            files: The files, absolute.
        """
        self.kind, self.project, self.files = kind, project, files

    @property
    def size(self) -> int:
        """Return how many bytes the files have."""
        return sum(map(_size, self.files))

    @property
    def is_gone(self) -> bool:
        """Return whether the project is there no more."""
        return bool(self.project) and not os.path.isdir(self.project)

    @property
    def is_damaged(self) -> bool:
        """Return whether there are files and none tells whose they are, or names are not as they
        were written; this reads all of these.
        """
        if not self.project:
            return any(path.endswith((".names", ".map")) for path in self.files)
        return not all(is_intact(path) for path in self.files if path.endswith(".names"))

    def remove(self) -> None:
        """Remove the files; what is not there is no error."""
        for path in self.files:
            with suppress(OSError):
                os.unlink(path)


def kept_in(folder: str) -> list[Kept]:
    """Return what is kept in a folder, by project; nothing where there is no such folder."""
    groups: dict[str, list[str]] = {}
    for name in _names(folder):
        if name.partition("-")[0] in _KINDS:
            groups.setdefault(name.partition(".")[0], []).append(os.path.join(folder, name))
    found = [
        Kept(group.partition("-")[0], _project(files), files) for group, files in groups.items()
    ]
    return sorted(found, key=lambda kept: (kept.project, kept.kind))


def _names(folder: str) -> Iterable[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return ()


def _project(files: Iterable[str]) -> str:
    """Return whose files these are; "" where none tells."""
    for path in files:
        with suppress(OSError, DamagedError, ValueError):
            if path.endswith(".names"):
                return header_at(path).root
            if path.endswith(".map"):
                return identity_of(read(path, os.stat(path).st_size))
    return ""


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
