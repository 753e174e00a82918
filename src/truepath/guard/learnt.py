"""Where a missing path is by what the session and the project have learnt of folders:
one that was put right before, or that of a document that was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import isabs

from truepath.project.tree import Tree
from truepath.records import replace
from truepath.session.led import changed_places, document_places
from truepath.types import OPERATION_KINDS, READS, Candidate, Resolution

_TIES = frozenset({"unlikely", "rival", "weakly-alike"})
"""Rows that say no more than that other candidates are as good."""


def with_learnt(
    missing: Resolution, changes: Sequence[str], notes: Sequence[str], tree: Tree
) -> Resolution:
    """Return the resolution of a missing path with its place by some changes of
    folders, and notes of the session, first.

    A look is shown the only one, where nothing else speaks against it. For all else it
    is named: what was meant before proves nothing.
    """
    if missing.status not in ("ambiguous", "absent") or missing.cause:
        return missing
    found = {
        place: why
        for place, why in _places(missing, changes, notes, tree)
        if _fits(place, missing, tree)
    }
    if not found:
        return missing
    first = next(iter(found))
    likely = max((each.confidence for each in missing.candidates), default=1.0)
    is_folder = tree.kind(first) == "folder"
    meant = Candidate(first, likely, "near", found[first], is_folder)
    others = [other for other in missing.candidates if other.path != first]
    named = replace(missing, status="ambiguous", candidates=(meant, *others))
    is_shown = missing.operation in READS and _TIES.issuperset(missing.held_back)
    if len(found) > 1 or not is_shown:
        return named
    return replace(named, status="likely", path=first, permits="assumed")


def _places(
    missing: Resolution, changes: Sequence[str], notes: Sequence[str], tree: Tree
) -> Iterator[tuple[str, str]]:
    """Yield the places of a path, and what speaks for each."""
    for place, folder in changed_places(changes, missing.target):
        yield place, f"as before: {folder or '.'}/"
    if not missing.written.startswith(("/", "~")):
        for place, folder in document_places(notes, missing.written):
            # A quick look has noted it as it is on the disk.
            inside = tree.inside(place) if isabs(place) else place
            if inside is not None:
                yield inside, f"below {tree.inside(folder) or folder}/"


def _fits(place: str, missing: Resolution, tree: Tree) -> bool:
    """Return whether there is at a place what may be named and fits a question."""
    if place.startswith(("/", "..")):
        return False
    kind = tree.kind(place)
    needed = OPERATION_KINDS[missing.operation]
    return kind is not None and needed in ("any", kind) and tree.may_name(place)
