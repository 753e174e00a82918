"""A real path written wrongly, in the ways that agents do it; for the demo."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truepath.resolve.workspace import Workspace

_CODE = (".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java", ".kt", ".rb", ".c", ".cpp", ".md")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One wrong way to write a path."""

    name: str
    written: str
    cwd: str | None = None


def pick(names: Iterable[str], workspace: Workspace) -> str | None:
    """Return a file that lies two folders deep or more and whose name nothing else has.

    The same one each time; None when there is none.
    """
    paths = [*names]
    counts = Counter(_name(path).casefold() for path in paths)
    alone = [
        path
        for path in paths
        if path.count("/") >= 2
        and path.endswith(_CODE)
        and len(_stem(path)) >= 6
        and _is_plain(path)
        and counts[_name(path).casefold()] == 1
    ]
    # The longest name says most; ties go to the first in the alphabet.
    for path in sorted(alone, key=lambda path: (-min(len(_stem(path)), 16), path)):
        if workspace.kind(path) == "file" and workspace.may_name(path):
            return path
    return None


def mistakes_of(path: str, workspace: Workspace) -> list[Mistake]:
    """Return wrong ways to write `path`, a file two folders deep or more; none of them exists."""
    return [
        mistake
        for mistake in _ways(path, workspace.root)
        if not os.path.lexists(os.path.join(workspace.root, mistake.cwd or "", mistake.written))
    ]


def _ways(path: str, root: str) -> Iterator[Mistake]:
    folder, name = os.path.split(path)
    top, _, below = path.partition("/")
    above = os.path.dirname(folder)
    stem, extension = os.path.splitext(name)
    middle = len(stem) // 2
    yield Mistake("a folder left out", f"{above}/{name}")
    yield Mistake("a folder too many", f"{folder}/core/{name}")
    yield Mistake("the top folder left out", below)
    yield Mistake("the shell is in that folder", path, cwd=top)
    yield Mistake("the project's name in front", f"{os.path.basename(root)}/{path}")
    yield Mistake("as in a container", f"/workspace/{path}")
    yield Mistake("another case", f"{folder}/{name.swapcase()}")
    yield Mistake("a letter lost", f"{folder}/{stem[:middle]}{stem[middle + 1 :]}{extension}")
    yield Mistake("as a diff prints it", f"a/{path}")
    yield Mistake("with a line number", f"{path}:12")
    yield Mistake("another folder", f"{above}/elsewhere/{name}")
    yield Mistake("no such file", f"{folder}/{stem[::-1]}_v2{extension}")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    return os.path.splitext(_name(path))[0]


def _is_plain(path: str) -> bool:
    return path.isascii() and path.isprintable() and " " not in path
