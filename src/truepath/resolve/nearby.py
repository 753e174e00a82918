"""What exists near a missing path: the nearest folder, and files of the same name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from truepath.likeness import ratio
from truepath.paths import fold
from truepath.records import dataclass
from truepath.resolve.workspace import Workspace
from truepath.types import Resolution

_ALIKE = 3
"""Entries of a folder that come first because their names are like the wanted one."""

_ALIKE_FROM = 60
"""The ratio (0 to 100) at which a name is like the wanted one: `models` and `modles` have 83."""


@dataclass(frozen=True, slots=True)
class Around:
    """The entries near a path that does not exist."""

    folder: str = ""
    """The nearest folder that exists, root-relative, `""` for the root."""
    entries: Sequence[str] = ()
    """What is in that folder, the likest names first."""
    namesakes: int = 0
    """How many files and folders of the project have the very name."""
    spell: Callable[[str], str] = str
    """Write a root-relative path as this agent can use it."""


def around(workspace: Workspace, resolution: Resolution, cwd: str | None) -> Around:
    """Return the entries near a path, for an agent in `cwd`."""
    spell = partial(workspace.spell, written=resolution.written, cwd=cwd)
    folder, entries = nearest(workspace, resolution.target)
    if workspace.checkout(folder, resolution.written, cwd=cwd) != workspace.root:
        entries = []  # of this project's folder, and another one's is asked about
    return Around(folder, entries, _namesakes(workspace, resolution), spell)


def _namesakes(workspace: Workspace, resolution: Resolution) -> int:
    name = resolution.target.rstrip("/").rpartition("/")[2]
    if not name or not resolution.searched.names:
        return 0
    names = workspace.names()
    alike = {*names.named(name), *names.folders_named(name)}
    return sum(path.rpartition("/")[2] == name for path in alike)


def nearest(workspace: Workspace, target: str) -> tuple[str, list[str]]:
    """Return `target` where it is a folder, else the nearest one above it that is, and its
    entries: the few likest names first, then the others as they are sorted, hidden ones last.

    Only names that may be shown: listed in the project, neither ignored nor secret. Nothing for
    a target outside the project.
    """
    if _is_outside(target):
        return "", []
    folder, name = target, ""
    while folder and workspace.kind(folder) != "folder":
        folder, _, name = folder.rpartition("/")
    prefix = f"{folder}/" if folder else ""
    entries = [
        entry
        for entry in workspace.children(folder)
        if workspace.may_name(prefix + entry.rstrip("/"))
    ]
    return folder, _by_likeness(name, entries)


def first_missing_folder(workspace: Workspace, target: str) -> str:
    """Return the outermost folder of `target` that does not exist, or "" when its folder does."""
    parts = target.split("/")[:-1]
    if _is_outside(target):
        return ""
    for at in range(len(parts)):
        folder = "/".join(parts[: at + 1])
        if workspace.kind(folder) != "folder":
            return folder
    return ""


def _is_outside(target: str) -> bool:
    return target.startswith(("/", "..")) or target[1:2] == ":"


def _by_likeness(name: str, entries: list[str]) -> list[str]:
    wanted = fold(name)
    ratios = ((ratio(wanted, fold(entry.rstrip("/"))), entry) for entry in entries)
    alike = sorted((-likeness, entry) for likeness, entry in ratios if likeness >= _ALIKE_FROM)
    first = [entry for _, entry in alike[:_ALIKE]]
    rest = [entry for entry in entries if entry not in first]
    return [*first, *sorted(rest, key=lambda entry: entry.startswith("."))]
