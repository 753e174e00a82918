"""A project in a sandbox: one look at what is asked for, and one listing where it is not there.

A command in a sandbox takes longer than all else, so nothing else is looked at: after the listing,
what is in it is there, and what is not is absent. Nothing is kept beyond one answer.
"""

from __future__ import annotations

import os
import posixpath
from functools import cache
from typing import TYPE_CHECKING

from truepath.errors import SandboxError
from truepath.paths import relative_to
from truepath.project.git import SAFE_CONFIG, SETTINGS, USERS_OWN, zsplit
from truepath.project.names import Names
from truepath.project.remote.sandbox import Sandbox
from truepath.project.tree import Tree
from truepath.project.walk import GENERATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truepath.project.remote.sandbox import Runner
    from truepath.types import EntryKind


class RemoteTree(Tree):
    """A project in a sandbox. It has no history, no contents and no other work trees."""

    def __init__(
        self,
        runner: Runner,
        root: str,
        *,
        deny: Sequence[str] = (),
        limit: int,
        timeout_s: float,
    ) -> None:
        """Take a folder of a sandbox, absolute; nothing is read yet."""
        super().__init__(Names(b""), root, "posix", deny)
        self._sandbox, self._limit = Sandbox(runner, timeout_s), limit
        self.begin()

    def begin(self) -> None:
        self._looked: dict[str, tuple[EntryKind, bool, str]] = {}
        self._listed = False

    def changed(self) -> None:
        self.begin()

    def entry_kind_at(self, absolute: str) -> EntryKind:
        inside = None if ".." in absolute.split("/") else relative_to(absolute, self.root, "posix")
        if inside is not None and self._listed and absolute not in self._looked:
            return self._names.kind(inside)
        kind = self._look(absolute)[0]
        if kind is None and inside is not None:
            self.names()  # the next questions are about what else may be meant
        return kind

    def inside(self, absolute: str) -> str | None:
        if ".." in absolute.split("/"):
            real, root = self._look(absolute)[2], self._look(self.root)[2]
            if real and root:
                return relative_to(real, root, "posix")
        return super().inside(absolute)

    def kind(self, path: str) -> EntryKind:
        return self.entry_kind_at(self._absolute(path))

    def names(self) -> Names:
        if not self._listed:
            self._names, self._listed = self._list(), True
        return self._names

    def children(self, folder: str) -> list[str]:
        self.names()
        return super().children(folder)

    def dangles(self, path: str) -> bool:
        return self._look(self._absolute(path))[1]

    def _absolute(self, path: str) -> str:
        return posixpath.join(self.root, path) if path else self.root

    def _look(self, absolute: str) -> tuple[EntryKind, bool, str]:
        """Return what is at an absolute path, whether it is a link to nothing, and where it is."""
        if "\0" in absolute:
            return None, False, ""
        if absolute not in self._looked:
            asked = [*dict.fromkeys((absolute, self.root))]
            said = zsplit(self._sandbox.output(_script("look"), *asked))
            if len(said) != len(asked):
                raise SandboxError("the sandbox does not say what is there")
            for path, one in zip(asked, said, strict=True):
                kind, _, real = one.partition("=")
                entry: EntryKind = "folder" if kind == "d" else "file" if kind == "f" else None
                self._looked[path] = entry, kind == "l", real
        return self._looked[absolute]

    def _list(self) -> Names:
        """List the names anew. Links are none of them: what is behind one may lie outside."""
        said: dict[str, list[str]] = {"gone": [], "files": []}
        section: list[str] = []
        records = iter(zsplit(self._sandbox.output(_script("list"), self.root)))
        for record in records:  # only an empty one parts one section from the next
            if record:
                section.append(record.removeprefix("./"))
            else:
                section = said.setdefault(next(records, ""), [])
        if "whole" not in said:
            raise SandboxError(f"what is in {self.root!r} in the sandbox cannot be listed")
        gone = {*said["gone"]}
        names = [name for name in said["files"] if name not in gone]
        return Names.of(names[: self._limit], cut_short=len(names) > self._limit)


@cache
def _script(name: str) -> str:
    """Return what is run in a sandbox: POSIX shell for any `sh`, busybox's too."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.sh"), encoding="ascii") as file:
        text = "".join(line for line in file if not line.startswith("#"))
    for mark, words in (
        ("@kept@", "|".join(f"{each}*" for each in USERS_OWN)),
        ("@settings@", " ".join(f"{each}={value}" for each, value in SETTINGS.items())),
        ("@config@", " ".join(f"-c {each}={value}" for each, value in SAFE_CONFIG)),
        ("@excluded@", " ".join(f"--exclude={each}/" for each in sorted(GENERATED))),
        ("@pruned@", " -o ".join(f"-name {each}" for each in (".git", *sorted(GENERATED)))),
    ):
        text = text.replace(mark, words)
    return text
