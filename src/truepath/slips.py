"""A path about to be made: is its new folder a slip of one that exists?

A write makes missing folders without a word, so a slip there is the one mistake that no error
reveals. Nothing is ever redirected to another file; the answer only names the folder next to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truepath.paths import fold
from truepath.targets import slip_edits

Folders = Callable[[str], Sequence[str]]
"""Given a root-relative folder, the names of the folders directly in it."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A new folder that looks like an existing one."""

    made: str
    """The folder that would be made, root-relative."""
    meant: str
    """The folder that is there, root-relative."""
    path: str
    """The whole path with the one replaced by the other."""
    evidence: str


def find_slip(path: str, folders: Folders, *, last_is_folder: bool) -> Slip | None:
    """Return the slip in `path`, if the first folder it would make looks like a sibling.

    Args:
        path: Root-relative, not there.
        folders: Lists the folders in a folder.
        last_is_folder: Whether the last segment is a folder too (mkdir), not a file.
    """
    parts = path.split("/")
    made = parts if last_is_folder else parts[:-1]
    parent: list[str] = []
    for at, name in enumerate(made):
        siblings = folders("/".join(parent))
        if name in siblings:
            parent.append(name)
            continue
        match = _sibling(name, siblings, made[at + 1 :], "/".join(parent), folders)
        if match is None:
            return None
        sibling, evidence = match
        return Slip(
            made="/".join([*parent, name]),
            meant="/".join([*parent, sibling]),
            path="/".join([*parent, sibling, *parts[at + 1 :]]),
            evidence=evidence,
        )
    return None


def _sibling(
    name: str, siblings: Sequence[str], below: Sequence[str], parent: str, folders: Folders
) -> tuple[str, str] | None:
    """Return the one sibling that `name` is a slip of, and why."""
    for evidence, alike in (
        ("case", _same_but_case),
        ("one-letter", _slip),
        ("cut-off", _cut_off),
    ):
        matches = [each for each in siblings if alike(name, each)]
        if len(matches) == 1:
            return matches[0], evidence
        if matches:
            return None
    if not below:
        return None
    prefix = f"{parent}/" if parent else ""
    matches = [each for each in siblings if below[0] in folders(prefix + each)]
    hidden = [each for each in matches if each.startswith(".") and name.startswith(".")]
    return (hidden[0], "same-below") if len(hidden) == 1 else None


def _same_but_case(name: str, sibling: str) -> bool:
    return fold(name) == fold(sibling)


def _slip(name: str, sibling: str) -> bool:
    return slip_edits(fold(name), fold(sibling)) > 0


def _cut_off(name: str, sibling: str) -> bool:
    """`w` for `work`: a beginning too short to be a name of its own."""
    return len(name) <= 2 < len(sibling) and fold(sibling).startswith(fold(name))
