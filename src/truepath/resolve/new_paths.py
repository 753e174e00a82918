"""A path that is about to be made: a new one is fine, unless an existing one is meant.

Nothing is redirected here; the answer names the place that is meant, once.
"""

from __future__ import annotations

from truepath.resolve.anchors import PathQuery, Target
from truepath.resolve.outside import SLIPS
from truepath.resolve.prefixes import place
from truepath.resolve.question import Question, Tree
from truepath.types import Candidate, EntryKind, Resolution, Status

SLIP_CONFIDENCE = 0.9
"""The confidence told for the place that a new path is taken for a slip of; never acted on."""

NO_VALUE = "what a program writes for a missing value"

_NO_VALUES = frozenset({"None", "null", "undefined"})
"""How Python, JSON and JavaScript write it."""

Meant = tuple[Candidate | None, str]
"""The place that is meant, where one is known, and what speaks for it beside the names."""


def unmade(tree: Tree, seen: PathQuery, asked: Question, entry: EntryKind) -> Resolution:
    """Resolve a path that is about to be made."""
    meant = None if entry else _meant(tree, seen, asked)
    status: Status = "directory" if entry else "ambiguous" if meant else "absent"
    if status == "absent" and seen.inside is None:
        status = "outside"
    candidate, note = meant or (None, "")
    return Resolution(
        asked.written,
        status,
        asked.operation,
        candidates=(candidate,) if candidate else (),
        target=seen.target,
        note=entry or note,
        outside=seen.outside,
    )


def _meant(tree: Tree, seen: PathQuery, asked: Question) -> Meant | None:
    """Return where a new path was probably meant to go, when that is not where it points."""
    if not _NO_VALUES.isdisjoint((asked.written, seen.inside)):
        return None, NO_VALUE
    folder = asked.operation == "mkdir" or asked.kind == "folder" or seen.folder
    slip = None if folder else _undone(tree, seen)
    if slip:
        return slip, ""
    makes = tree.entry_kind_at(seen.absolute.rpartition("/")[0]) != "folder"
    slip = _read_otherwise(tree, seen, folder=folder) if makes else None
    if not slip and seen.inside is not None and (makes or folder):
        slip = _typo(tree, seen.inside, folder=folder)
        return (slip, "") if slip else _moved(tree, seen.inside, folder=folder)
    return (slip, "") if slip else None


def _undone(tree: Tree, seen: PathQuery) -> Candidate | None:
    """Return the file that a path is once the decorations around it are undone."""
    for target in seen.targets:
        if not target.plain or tree.kind(target.path) != "file":
            continue
        if "diff-prefix" in target.evidence and not _is_diff_side(tree, seen, target):
            continue
        # What is ignored is not named.
        if tree.may_name(target.path) and tree.search(None)[0].kind(target.path) == "file":
            return Candidate(target.path, SLIP_CONFIDENCE, target.evidence)
    return None


def _is_diff_side(tree: Tree, seen: PathQuery, target: Target) -> bool:
    """Return whether `a/` is no folder and more than a name is below it, as in no `a/README.md`."""
    side = seen.absolute.removesuffix("/" + target.path)
    return "/" in target.path and tree.entry_kind_at(side) is None


def _read_otherwise(tree: Tree, seen: PathQuery, *, folder: bool) -> Candidate | None:
    """Return the place in a folder that is there, of a path whose own folder is not."""
    for target in seen.targets:
        likely = _is_meant(target, seen.inside) and _parent_there(tree, target.path)
        if likely and _would_fail(tree, target) and tree.may_name(target.path):
            return Candidate(target.path, SLIP_CONFIDENCE, target.evidence, folder)
    return None


def _typo(tree: Tree, inside: str, *, folder: bool) -> Candidate | None:
    """Return the place in the sibling that the first new folder is a typo of."""
    from truepath.resolve.folder_typos import find_slip

    slip = find_slip(inside, tree.folders, last_is_folder=folder)
    if slip is None or not tree.may_name(slip.meant):
        return None
    names = tree.search(None)[0]
    if not names.has_folder(slip.meant) or slip.is_other_word(names):
        return None  # ignored, or not listed yet; or a word that the project uses
    return Candidate(slip.path, SLIP_CONFIDENCE, (slip.evidence,), folder)


def _moved(tree: Tree, inside: str, *, folder: bool) -> Meant | None:
    """Return the place of a path, or of the folder around it, that history says has moved.

    A path that history does not know, or not in time, is new. So is one in a folder that moved and
    was made anew: somebody meant that.
    """
    gone = _first_missing(tree, inside, folder=folder)
    past = tree.search(gone)[1] if gone else None
    if past is None or past.path != gone or past.fate.kind not in ("renamed", "deleted"):
        return None
    above = gone.rpartition("/")[0]
    if above and past.follow(above).kind == "renamed":
        return None
    for path in dict.fromkeys((inside, inside.rpartition("/")[0], gone)):
        fate = past.fate if path == gone else past.follow(path)
        meant = f"{fate.path}{inside[len(path) :]}"
        whole = fate.kind == "renamed" and "partly" not in fate.evidence
        if not whole or not _COMMITTED.issuperset(fate.evidence[:1]):
            continue
        if fate.path and tree.kind(fate.path) and tree.may_name(meant):
            candidate = Candidate(meant, SLIP_CONFIDENCE, fate.evidence, folder)
            if path == inside and not folder:
                return candidate, fate.clause.told(tree.may_name)
            return candidate, f"{path}/ moved to {fate.path}/ in {fate.commit[:7]}, {fate.date}"
    return None


_COMMITTED = frozenset({"renamed", "folder-renamed", "copied"})
"""A move that is not committed is work under way, and what is made in its old place part of it."""


def _first_missing(tree: Tree, inside: str, *, folder: bool) -> str:
    """Return the outermost folder that would be made; "" where a file of the root is."""
    parts = inside.split("/")
    ends = ("/".join(parts[: at + 1]) for at in range(len(parts) - (not folder)))
    return next((end for end in ends if tree.kind(end) is None), "")


def _would_fail(tree: Tree, target: Target) -> bool:
    """Return whether nothing can be made at the path that was read: outside, a home or a first
    folder of the disk must be there. Below the project's own folder misspelt it is made by mistake.
    """
    if not target.read_as or not SLIPS.isdisjoint(target.evidence):
        return True
    if "container-root" in target.evidence and "/" not in target.path:
        return False  # `/app/data` is where a container keeps its own
    return tree.entry_kind_at(place(target.read_as)) != "folder"


def _is_meant(target: Target, written: str | None) -> bool:
    """Return whether a new path may be meant for another place, whose folder is there.

    A new folder `a` or `w` is no sign of a diff. `docs/docs/` and `shop/` in a project `shop` are
    made on purpose (in 37 projects every time but for renames), unless the folders in them are
    those that are in `docs/` or in the project already.
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
