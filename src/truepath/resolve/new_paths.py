"""Paths that are about to be created, which may be wrong if an existing folder is
meant.

A write creates missing folders silently, so no error reveals a typo in one. A write is
never sent to another file; the answer names the folder that is meant, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname, join

from truepath.paths import fold
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.resolve.likelihood import Match, in_other_number, is_other_spelling
from truepath.resolve.past import past
from truepath.resolve.places import ABOVE, SAME, SLASHED, UNDECORATED, Place, Reading
from truepath.resolve.reasons import PUT_AWAY, SET_ASIDE, is_in
from truepath.resolve.spellings import HOME, without_percents
from truepath.types import Candidate, Resolution

CONFIDENCE = 0.9
"""The reported confidence, on which nothing depends."""


def unmade(tree: Tree, reading: Reading, bare: Resolution) -> Resolution:
    """Return the resolution of a missing path that is about to be created.

    If it looks wrong, the status is `ambiguous`, with the path that is meant, whose
    folder exists; it permits `recover` if only a folder is wrong.
    """
    folder = bare.operation == "mkdir" or bare.written.endswith("/")
    wrong = replace(bare, status="ambiguous")
    above = [*_ends(dirname(reading.target))]
    if blocked := next((end for end in above if tree.kind(end) == "file"), ""):
        return replace(wrong, note=f"{blocked} is a file")
    for reason, place in _meant(tree, reading, bare.written, folder=folder):
        if tree.may_name(place.path):
            repairs = not reading.outside and _has_folder(tree, place)
            repairs = (
                repairs and tree.kind(place.path) is None and place.past != "supposed"
            )
            repairs = repairs and (folder or tree.kind(dirname(reading.target)) is None)
            repairs = repairs and (reason == "spelling" or not tree.names().cut_short)
            match = Match(place.path, folder, Place(reading.target), {})
            repairs = repairs and not is_in(
                PUT_AWAY if reason == "renamed" else SET_ASIDE, match
            )
            meant = Candidate(place.path, CONFIDENCE, reason, place.why, folder)
            return replace(
                wrong, candidates=(meant,), permits="recover" if repairs else "named"
            )
    home = re.match(HOME, bare.written)
    if home and any(
        basename(end) == home[0] and tree.kind(end) is None for end in above
    ):
        return replace(
            wrong, note=f"{home[0]} is not expanded; the home folder is {tree.home}"
        )
    return bare if _is_inside(reading) else replace(bare, status="outside")


def _is_inside(reading: Reading) -> bool:
    return bool(reading.places) and reading.places[0].path == reading.target


def _ends(path: str) -> Iterator[str]:
    """Yield the folders of a path, outermost first, then the path itself."""
    parts = path.split("/")
    return ("/".join(parts[: at + 1]) for at in range(len(parts)) if path)


def _meant(
    tree: Tree, reading: Reading, written: str, *, folder: bool
) -> Iterator[tuple[str, Place]]:
    """Yield where a new path was probably meant to be, each with its reason."""
    target, inside = reading.target, _is_inside(reading)
    name = basename(target)
    made = target if folder else dirname(target)
    gone = next((end for end in _ends(made) if tree.kind(end) is None), "")
    makes = bool(gone) or not inside
    for place in reading.places[inside:]:
        # A bare name is made here, not in a folder above.
        side = _is_side(tree, target, place.path, written)
        if side or place.why == ABOVE or not _has_folder(tree, place):
            continue
        plain = (
            without_percents(target),
            join(dirname(target), name.removeprefix("@")),
        )
        new = place.path in plain and not tree.kind(place.path)
        if new and dirname(place.path) == dirname(target):
            continue  # a new name may have percent signs, or begin with `@`
        sure = not folder and place.why in (UNDECORATED, SLASHED, SAME)
        # `shop/` in a project `shop`, or `docs/docs/`, is created on purpose.
        in_new_folder = makes and (sure or "/" in place.path)
        if in_new_folder or (sure and _is_decorated(name, basename(place.path))):
            yield "spelling" if place.same else "near", place
    if not inside:
        return
    yield from _siblings(tree, target, gone) if gone else _twins(tree, target)
    for place in past(tree, reading).places:
        if _has_folder(tree, place) if gone else tree.kind(place.path):
            yield "renamed", place


def _is_decorated(name: str, plain: str) -> bool:
    """Return whether a new name is `plain` with decorations: `09:10:17Z.md` is not
    `09`.
    """
    # In `a\__init__.py`, the backslash may be a separator or an escape.
    likely = (
        "\\_" not in name and "\\" not in plain and ("." in plain or "." not in name)
    )
    return name != plain and likely


def _has_folder(tree: Tree, place: Place) -> bool:
    return tree.kind(dirname(place.path)) == "folder"


def _is_side(tree: Tree, target: str, path: str, written: str) -> bool:
    """Return whether `a/` is a folder, not a side of a diff: it exists, or only a name
    is below.
    """
    side, _, rest = written.rstrip("/").partition("/")
    here = target.removesuffix(f"{side}/{rest}")
    taken = len(side) == 1 and here != target and path == here + rest
    return taken and ("/" not in rest or bool(tree.kind(here + side)))


def _twins(tree: Tree, target: str) -> Iterator[tuple[str, Place]]:
    """Yield the entries of a folder that a new name is hardly told from: one on some
    disks.
    """
    above, _, name = target.rpartition("/")
    why = "exists, with another case, other blanks or another Unicode form"
    for other in tree.entries(above):
        alike = {"".join(fold(each).split()) for each in (name, other)}
        if other != name and len(alike) == 1:
            yield "spelling", Place(f"{above}/{other}".lstrip("/"), why)


def _siblings(tree: Tree, target: str, gone: str) -> Iterator[tuple[str, Place]]:
    """Yield the place in the only existing folder that the first new folder is a
    misspelling of.
    """
    above, _, name = gone.rpartition("/")
    beside = [child[:-1] for child in tree.children(above) if child.endswith("/")]
    alike = [other for other in beside if is_other_spelling(name, other)]
    if len(alike) == 1:
        there = f"{above}/{alike[0]}".lstrip("/")
        number = in_other_number(name, alike[0])
        reason = "folder-number" if number else "folder-misspelt"
        yield reason, Place(there + target[len(gone) :], f"{there}/ exists")
