"""A path that is about to be made: new is fine, unless it is a slip of what is there."""

from __future__ import annotations

from dataclasses import replace

from truepath.resolve.anchors import Aim, Target
from truepath.resolve.outside import SLIPS
from truepath.resolve.prefixes import place
from truepath.resolve.question import Question, Tree
from truepath.types import Candidate, EntryKind, Resolution, Status

SLIP_CONFIDENCE = 0.9
"""The confidence told for the folder that a new path is taken for a slip of; never acted on."""


def unmade(tree: Tree, seen: Aim, asked: Question, stands: EntryKind) -> Resolution:
    """Resolve a path that is about to be made."""
    candidate = None if stands else _slip(tree, seen, asked)
    status: Status = "directory" if stands else "ambiguous" if candidate else "absent"
    if status == "absent" and seen.inside is None:
        status = "outside"
    return Resolution(
        asked.written,
        status,
        asked.operation,
        candidates=(candidate,) if candidate else (),
        target=seen.target,
        note=stands or "",
        outside=seen.outside,
    )


def _slip(tree: Tree, seen: Aim, asked: Question) -> Candidate | None:
    """Return where a new path was probably meant to go, when that is not where it points."""
    from truepath.resolve.folder_typos import find_slip

    folder = asked.operation == "mkdir" or asked.kind == "folder" or seen.folder
    if not folder and (plain := _undecorated(tree, seen)):
        return plain
    if tree.literal(seen.absolute.rpartition("/")[0]) != "folder":
        for target in seen.targets:
            likely = _is_meant(target, seen.inside) and _parent_there(tree, target.path)
            if likely and _would_fail(tree, target) and tree.may_name(target.path):
                return Candidate(target.path, SLIP_CONFIDENCE, target.evidence, folder)
    elif not folder:
        return None
    if seen.inside is None:
        return None
    slip = find_slip(seen.inside, tree.folders, last_is_folder=folder)
    if slip is None or not tree.may_name(slip.meant):
        return None
    names = tree.search(None)[0]
    if not names.has_folder(slip.meant) or slip.is_other_word(names):
        return None  # ignored, or not listed yet; or a word that the project uses
    return Candidate(slip.path, SLIP_CONFIDENCE, (slip.evidence,), folder)


def _undecorated(tree: Tree, seen: Aim) -> Candidate | None:
    """Return the file that is there once the decorations around a path are undone."""
    for target in seen.targets:
        plain = target.plain and "diff-prefix" not in target.evidence
        if plain and tree.kind(target.path) == "file" and tree.may_name(target.path):
            return Candidate(target.path, SLIP_CONFIDENCE, target.evidence)
    return None


def first_new(tree: Tree, made: Resolution) -> str:
    """Return the first folder, root-relative, that a new path would make; "" for none."""
    parts = made.target.split("/")
    folders = parts if made.operation == "mkdir" else parts[:-1]
    above = ("/".join(folders[: at + 1]) for at in range(len(folders)))
    return next((folder for folder in above if not tree.kind(folder)), "")


def instead(made: Resolution, folder: str, meant: str) -> Resolution:
    """Return the resolution of a new path that is meant to be made below another folder."""
    path = meant + made.target[len(folder) :]
    best = Candidate(path, SLIP_CONFIDENCE, ("folder-renamed",), made.operation == "mkdir")
    return replace(made, status="ambiguous", candidates=(best,))


def _would_fail(tree: Tree, target: Target) -> bool:
    """Return whether nothing can be made at the path that was read: outside, a home or a first
    folder of the disk must be there. Below the project's own folder misspelt it is made by mistake.
    """
    if not target.read_as or not SLIPS.isdisjoint(target.evidence):
        return True
    if "container-root" in target.evidence and "/" not in target.path:
        return False  # `/app/data` is where a container keeps its own
    return tree.literal(place(target.read_as)) != "folder"


def _is_meant(target: Target, written: str | None) -> bool:
    """Return whether a new path may be meant for another place, whose folder is there.

    A new folder `a` or `w` is no sign of a diff. `docs/docs/` and `shop/` in a project `shop` are
    made on purpose (in 37 projects every time but for renames), unless the folders in them are
    those that stand in `docs/` or in the project already.
    """
    evidence = set(target.evidence)
    if not evidence or "diff-prefix" in evidence:
        return False
    if written is None or evidence.isdisjoint(("doubled", "root-name")):
        return True
    parts, folders = written.split("/"), target.path.split("/")[:-1]
    pairs = zip(folders, parts, strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), len(folders))
    return len(folders) > same or parts[same].startswith(".")


def _parent_there(tree: Tree, path: str) -> bool:
    return tree.kind(path.rpartition("/")[0]) == "folder"
