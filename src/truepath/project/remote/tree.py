"""A project in a sandbox: one command looks at a path, and if it is missing, one lists
all names.

Commands in a sandbox are slow, so there are no others: after the listing, a path exists
if it is in it. Nothing is kept after the answer.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache

from truepath.errors import SandboxError
from truepath.paths import relative_to
from truepath.project.git import SAFE_CONFIG, SETTINGS, USERS_OWN, zsplit
from truepath.project.names import Names
from truepath.project.remote.sandbox import Runner, Sandbox
from truepath.project.tree import Tree
from truepath.project.walk import GENERATED
from truepath.types import EntryKind

_KINDS: Mapping[str, EntryKind] = {"d": "folder", "f": "file"}
"""What the script prints -> the kind of entry."""


class RemoteTree(Tree):
    """A project in a sandbox, without history, contents or other work trees."""

    def __init__(
        self,
        runner: Runner,
        root: str,
        *,
        deny: Sequence[str] = (),
        limit: int,
        timeout_s: float,
    ) -> None:
        """Take an absolute folder in a sandbox; nothing is read yet."""
        super().__init__(Names(b""), root, "posix", deny)
        self._sandbox = Sandbox(runner, timeout_s)
        self._limit = limit
        self.begin()

    def begin(self) -> None:
        self._looked: dict[str, tuple[str, str]] = {}
        self._listed = False

    def changed(self) -> None:
        self.begin()

    def entry_kind_at(self, absolute: str) -> EntryKind:
        inside = (
            None
            if ".." in absolute.split("/")
            else relative_to(absolute, self.root, "posix")
        )
        if inside is not None and self._listed and absolute not in self._looked:
            return self._names.kind(inside)
        kind = _KINDS.get(self._look(absolute)[0])
        if kind is None and inside is not None:
            self.names()  # what follows is the search for candidates
        return kind

    def inside(self, absolute: str) -> str | None:
        if ".." in absolute.split("/"):
            _, real = self._look(absolute)
            _, root = self._look(self.root)
            if real and root:
                return relative_to(real, root, "posix")
        return super().inside(absolute)

    def kind(self, path: str) -> EntryKind:
        return self.entry_kind_at(self._absolute(path))

    def names(self) -> Names:
        if not self._listed:
            self._names = self._list()
            self._listed = True
        return self._names

    def children(self, folder: str) -> Sequence[str]:
        self.names()
        return super().children(folder)

    def broken_link_target(self, path: str) -> str | None:
        kind, _ = self._look(self._absolute(path))
        return "" if kind == "l" else None

    def _look(self, absolute: str) -> tuple[str, str]:
        """Return what is at an absolute path, as the script prints it, and its real
        path.
        """
        if "\0" in absolute:
            return "", ""
        if absolute not in self._looked:
            paths = [*dict.fromkeys((absolute, self.root))]
            lines = zsplit(self._sandbox.output(_script("look"), *paths))
            if len(lines) != len(paths):
                raise SandboxError("the sandbox's answer does not fit the question")
            for path, line in zip(paths, lines, strict=True):
                letter, _, real = line.partition("=")
                self._looked[path] = letter, real
        return self._looked[absolute]

    def _list(self) -> Names:
        """List the names, without links: their targets may be outside."""
        sections: dict[str, list[str]] = {"gone": [], "files": []}
        section: list[str] = []
        records = iter(zsplit(self._sandbox.output(_script("list"), self.root)))
        for record in records:  # an empty one, and then a name, begin each section
            if record:
                section.append(record.removeprefix("./"))
            else:
                section = sections.setdefault(next(records, ""), [])
        if "whole" not in sections:
            raise SandboxError(f"{self.root!r} in the sandbox cannot be listed")
        gone = {*sections["gone"]}
        names = [name for name in sections["files"] if name not in gone]
        return Names.of(names[: self._limit], cut_short=len(names) > self._limit)


@cache
def _script(name: str) -> str:
    """Return a script in POSIX shell, for any `sh` including busybox's."""
    with open(
        os.path.join(os.path.dirname(__file__), f"{name}.sh"), encoding="ascii"
    ) as file:
        text = "".join(line for line in file if not line.startswith("#"))
    for mark, words in (
        ("@kept@", "|".join(f"{each}*" for each in USERS_OWN)),
        ("@settings@", " ".join(f"{each}={value}" for each, value in SETTINGS.items())),
        ("@config@", " ".join(f"-c {each}={value}" for each, value in SAFE_CONFIG)),
        ("@excluded@", " ".join(f"--exclude={each}/" for each in sorted(GENERATED))),
        (
            "@pruned@",
            " -o ".join(f"-name {each}" for each in (".git", *sorted(GENERATED))),
        ),
    ):
        text = text.replace(mark, words)
    return text
