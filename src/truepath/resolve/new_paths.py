"""Paths that are about to be created, which may be wrong if an existing folder is
meant.

A write creates missing folders silently, so no error reveals a typo in one. A write is
never sent to another file; the answer names the folder that is meant, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname

from truepath.paths import fold
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.resolve.facts import Facts, folders_above
from truepath.resolve.likelihood import Match, folder_left
from truepath.resolve.past import Past, past
from truepath.resolve.places import Place, Reading
from truepath.resolve.reasons import NUMBERED, ROWS
from truepath.resolve.spellings import HOME, in_other_number, is_other_spelling
from truepath.resolve.vetoes import judge
from truepath.types import Candidate, Resolution

CONFIDENCE = 0.9
"""The reported confidence, on which nothing depends."""

_SURE = ("undecorated", "slashed", "same-path")
"""Places that a new file surely means, where the folder exists there."""

_FROM_AGENT = ("from-root", "without-project")
"""Places that the agent's folder tells, of which an absolute path says nothing."""


Meant = tuple[str, Place]
"""Where a new path was probably meant to be, after the row of `REASONS`."""


def resolution_of_new(facts: Facts, bare: Resolution) -> Resolution:
    """Return the resolution of a missing path that is about to be created.

    If it looks wrong, the status is `ambiguous`, with the path that is meant, whose
    folder exists; it permits `recover` if only a folder is wrong.
    """
    tree = facts.tree
    target = facts.reading.target
    wrong = replace(bare, status="ambiguous")
    for folder in folders_above(target):
        if tree.kind(folder) == "file":
            return replace(wrong, cause="file-above", note=f"{folder} is a file")
    # `> nul` of Windows' cmd makes a file of that name elsewhere.
    if basename(target).lower() == "nul":
        return replace(wrong, cause="null-device")
    before = past(tree, facts.reading)
    if before.just_left == target:
        return bare  # it is made again where it was
    is_folder = bare.operation == "mkdir" or bare.written.endswith("/")
    held_back: list[str] = []
    for reason, meant in _meant(facts, before, folder=is_folder):
        if tree.may_name(meant.path):
            place = replace(meant, before_rename=target)
            match = Match(place.path, is_folder, place, {"the-path": 1})
            judgement = judge([(match, CONFIDENCE)], facts, ROWS[reason])
            if judgement.told == "marked-wrong":
                held_back.append(judgement.told)
                continue
            words = (reason, place.words, is_folder)
            candidate = Candidate(place.path, CONFIDENCE, *words)
            return replace(
                wrong,
                candidates=(candidate,),
                permits=judgement.permit,
                held_back=judgement.held_back,
                cause=judgement.told,
            )
    bare = replace(bare, held_back=tuple(held_back))
    home = re.match(HOME, bare.written)
    if home and _makes(facts, home[0]):
        note = f"{home[0]} is not expanded; the home folder is {tree.home}"
        return replace(wrong, cause="home", note=note)
    return bare if _is_inside(facts.reading) else replace(bare, status="outside")


def _makes(facts: Facts, name: str) -> bool:
    """Return whether a folder of a name would be made."""
    for folder in folders_above(facts.reading.target):
        if basename(folder) == name and facts.tree.kind(folder) is None:
            return True
    return False


def _is_inside(reading: Reading) -> bool:
    """Return whether the path points into the project as it was written."""
    return bool(reading.places) and reading.places[0].path == reading.target


def _meant(facts: Facts, before: Past, *, folder: bool) -> Iterator[Meant]:
    """Yield where a new path was probably meant to be."""
    tree = facts.tree
    target = facts.reading.target
    inside = _is_inside(facts.reading)
    made = folders_above(f"{target}/" if folder else target)
    new_folder = next((each for each in made if tree.kind(each) is None), "")
    makes_folder = bool(new_folder) or not inside
    for place in facts.reading.places[inside:]:  # the first is the path itself
        if _is_meant(facts, place, makes_folder=makes_folder, folder=folder):
            is_same = place.is_same_path and _is_sure(place, target)
            yield "spelling" if is_same else "near", place
    if not inside:
        return
    yield from _siblings(facts, new_folder) if new_folder else _twins(facts)
    for place in before.places:
        # What would be made in a folder that moved need not be there yet.
        is_there = _has_folder(tree, place) if new_folder else tree.kind(place.path)
        # A rename that git only supposes is no reason to ask, nor is one that freed
        # the name.
        keeps_name = basename(place.path) == basename(place.before_rename)
        if place.evidence == "renamed" and keeps_name and is_there:
            yield "renamed", place


def _is_meant(facts: Facts, place: Place, *, makes_folder: bool, folder: bool) -> bool:
    """Return whether a new path is probably meant to be at another place of its
    text.
    """
    # A bare name is made here, not in a folder above; a program may make its copy now;
    # a folder that exists as it was written is meant.
    if place.kind in ("above", "program-copy") or place.leaves_folder:
        return False
    if not _has_folder(facts.tree, place):
        return False
    if facts.is_absolute and not facts.reading.outside and place.kind in _FROM_AGENT:
        return False
    is_sure = not folder and _is_sure(place, facts.reading.target)
    # `shop/` in a project `shop`, or `docs/docs/`, is created on purpose.
    if makes_folder and (is_sure or "/" in place.path):
        return True
    name = basename(facts.reading.target)
    plain = basename(place.path)
    # In `a\__init__.py`, the backslash may be a separator or an escape.
    if not is_sure or name == plain or "\\_" in name or "\\" in plain:
        return False
    # `09:10:17Z.md` is not `09`.
    return "." in plain or "." not in name


def _is_sure(place: Place, target: str) -> bool:
    """Return whether a new path surely means a place, if its folder exists. One may
    repeat a folder, or be in one called `a`, on purpose.
    """
    is_side = basename(folder_left(target, place.path)) in ("a", "b")
    return place.kind in _SURE and not is_side


def _has_folder(tree: Tree, place: Place) -> bool:
    """Return whether the folder of a place exists."""
    return tree.kind(dirname(place.path)) == "folder"


def _twins(facts: Facts) -> Iterator[Meant]:
    """Yield the entries of a folder that a new name is hardly told from: one on some
    disks.
    """
    above, _, name = facts.reading.target.rpartition("/")
    words = "it exists, in another case or form"
    for other in facts.tree.entries(above):
        if other != name and _letters(other) == _letters(name):
            place = Place(f"{above}/{other}".lstrip("/"), "beside", words)
            yield "spelling", place


def _letters(name: str) -> str:
    """Return a name in small letters, in one Unicode form, without blanks."""
    return "".join(fold(name).split())


def _siblings(facts: Facts, new_folder: str) -> Iterator[Meant]:
    """Yield the place in the only existing folder that the first new folder is a
    misspelling of.
    """
    above, _, name = new_folder.rpartition("/")
    children = facts.tree.children(above)
    beside = [child[:-1] for child in children if child.endswith("/")]
    alike = [other for other in beside if is_other_spelling(name, other)]
    # Of two, none is meant more than the other.
    if len(alike) != 1:
        return
    reason = "folder-misspelt"
    if in_other_number(name, alike[0]):
        # `attrs` beside `attr` is another package.
        if min(fold(name), fold(alike[0]), key=len) not in NUMBERED:
            return
        reason = "folder-number"
    there = f"{above}/{alike[0]}".lstrip("/")
    path = there + facts.reading.target[len(new_folder) :]
    place = Place(path, "beside", f"{there}/ exists")
    # Folders below that are not there yet are made nowhere but where they were written.
    yield reason if _has_folder(facts.tree, place) else "near", place
