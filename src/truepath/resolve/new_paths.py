"""A path that is about to be made: a new one is fine, unless an existing folder is meant.

A write makes missing folders without a word, so a slip there is the one mistake that no error
reveals. Nothing is led to another file; the answer names the place that is meant, once.
"""

from __future__ import annotations

from truepath.records import replace
from truepath.resolve.candidates import past
from truepath.resolve.likelihood import in_other_number, is_other_spelling
from truepath.resolve.places import UNDECORATED, Place
from truepath.types import Candidate

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

    from truepath.project.tree import Tree
    from truepath.resolve.places import Reading
    from truepath.types import Resolution

CONFIDENCE = 0.9
"""What is told of the place that is meant; nothing is decided by it."""

_NO_VALUES = frozenset({"None", "null", "undefined"})
"""How Python, JSON and JavaScript write that there is no value."""


def unmade(tree: Tree, reading: Reading, bare: Resolution) -> Resolution:
    """Return what is true of a path that is about to be made, and is not there.

    `ambiguous` with the place that is meant where the written one looks wrong, and permits
    `recover` where only a folder is to be repaired. The place may not be there yet; its folder is.
    """
    folder = bare.operation == "mkdir" or reading.written.endswith("/")
    wrong = replace(bare, status="ambiguous")
    if reading.written in _NO_VALUES:
        return replace(wrong, note="what a program writes for a missing value")
    above = _ends(reading.target.rpartition("/")[0])
    if blocked := next((end for end in above if tree.kind(end) == "file"), ""):
        return replace(wrong, note=f"{blocked} is a file")
    for ground, place in _meant(tree, reading, folder=folder):
        if tree.may_name(place.path):
            repairs = not reading.outside and tree.kind(place.path) is None
            meant = Candidate(place.path, CONFIDENCE, ground, place.reason, folder)
            return replace(wrong, candidates=(meant,), permits="recover" if repairs else "named")
    inside = not reading.places or reading.places[0].path == reading.target
    return bare if inside else replace(bare, status="outside")


def _ends(path: str) -> Iterator[str]:
    """Yield a path's outermost folder first, and the path itself last."""
    parts = path.split("/")
    return ("/".join(parts[: at + 1]) for at in range(len(parts)) if path)


def _meant(tree: Tree, reading: Reading, *, folder: bool) -> Iterator[tuple[str, Place]]:
    """Yield where a new path was probably meant to go, each with its ground."""
    target = reading.target
    inside = bool(reading.places) and reading.places[0].path == target
    made = target if folder else target.rpartition("/")[0]
    gone = next((end for end in _ends(made) if tree.kind(end) is None), "")
    for place in reading.places[inside:]:
        if _leads_there(tree, place, reading, makes=bool(gone) or not inside, folder=folder):
            yield "spelling" if place.same else "near", place
    if inside and gone:
        yield from _siblings(tree, target, gone)
        for place in past(tree, reading).places:
            if _has_folder(tree, place):
                yield "renamed", place


def _has_folder(tree: Tree, place: Place) -> bool:
    return tree.kind(place.path.rpartition("/")[0]) == "folder"


def _leads_there(tree: Tree, place: Place, reading: Reading, *, makes: bool, folder: bool) -> bool:
    """Return whether a place is likelier than the written one.

    Where a folder would be made: its own is there. Else a file must be there under the plain name.
    """
    side, _, rest = reading.written.partition("/")
    if len(side) == 1 and rest == place.path and ("/" not in rest or tree.kind(side)):
        return False  # `a/` is no side of a diff: a name alone is below it, or it is there
    if not makes:
        plain = place.reason == UNDECORATED and not folder
        return plain and tree.kind(place.path) == "file"
    # `shop/` in a project `shop`, or `docs/docs/`, is made on purpose.
    return "/" in place.path and _has_folder(tree, place)


def _siblings(tree: Tree, target: str, gone: str) -> Iterator[tuple[str, Place]]:
    """Yield the place in the one folder of which the first new folder is a misspelling."""
    above, _, name = gone.rpartition("/")
    beside = [child[:-1] for child in tree.children(above) if child.endswith("/")]
    alike = [other for other in beside if is_other_spelling(name, other)]
    if len(alike) == 1:
        there = f"{above}/{alike[0]}".lstrip("/")
        number = in_other_number(name, alike[0])
        ground = "folder-number" if number else "folder-misspelt"
        yield ground, Place(there + target[len(gone) :], f"{there}/ exists")
