"""What is really there, next to a path that is not: the nearest folder and its entries."""

from __future__ import annotations

from truepath.paths import fold
from truepath.workspace import Workspace


def nearest(workspace: Workspace, target: str) -> tuple[str, list[str]]:
    """Return `target` where it is a folder, else the nearest one above it that is, and its
    entries, likest name first.

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


def invented(workspace: Workspace, target: str) -> str:
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
    from rapidfuzz import fuzz

    wanted = fold(name)
    return sorted(entries, key=lambda entry: (-fuzz.ratio(wanted, fold(entry.rstrip("/"))), entry))
