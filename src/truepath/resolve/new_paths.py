"""Paths that are about to be created, which may be wrong if an existing folder is
meant.

A write creates missing folders silently, so no error reveals a typo in one. A write is
never sent to another file; the answer names the folder that is meant, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import basename, dirname, join

from truepath.paths import fold, is_absolute
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.resolve.facts import Facts
from truepath.resolve.likelihood import (
    Match,
    in_other_number,
    is_other_spelling,
    words,
)
from truepath.resolve.past import Past, past
from truepath.resolve.places import Place, Reading
from truepath.resolve.question import with_mark
from truepath.resolve.reasons import NUMBERED, ROWS
from truepath.resolve.spellings import HOME, without_percents
from truepath.resolve.vetoes import Case, judge_case
from truepath.types import Candidate, Resolution

CONFIDENCE = 0.9
"""The reported confidence, on which nothing depends."""

_SURE = ("undecorated", "slashed", "same-path")
"""Places that a new file surely means, where the folder exists there."""


def looks_wrong(facts: Facts, bare: Resolution) -> Resolution:
    """Return the resolution of a missing path that is about to be created.

    If it looks wrong, the status is `ambiguous`, with the path that is meant, whose
    folder exists; it permits `recover` if only a folder is wrong.
    """
    tree, reading = facts.tree, facts.reading
    wrong = replace(bare, status="ambiguous")
    above = [*_ends(dirname(reading.target))]
    for folder in above:
        if tree.kind(folder) == "file":
            return replace(wrong, cause="file-above", note=f"{folder} is a file")
    if basename(reading.target).lower() == "nul":
        return replace(wrong, cause="null-device")
    before = past(tree, reading)
    if before.just_left == reading.target:
        return bare  # it is made again where it was
    is_folder = bare.operation == "mkdir" or bare.written.endswith("/")
    for reason, place in _meant(facts, before, bare.written, folder=is_folder):
        if tree.may_name(place.path):
            return _led_to(place, reason, facts, wrong, folder=is_folder)
    home = re.match(HOME, bare.written)
    if home and _is_made(facts, home[0], above):
        note = f"{home[0]} is not expanded; the home folder is {tree.home}"
        return replace(wrong, cause="home", note=note)
    return bare if _is_inside(reading) else replace(bare, status="outside")


def _led_to(
    place: Place, reason: str, facts: Facts, wrong: Resolution, *, folder: bool
) -> Resolution:
    """Return the resolution of a new path that was probably meant to be at a place."""
    meant = replace(place, before_rename=facts.reading.target)
    match = Match(place.path, folder, meant, {"the-path": 1})
    case = Case(
        match=match,
        chance=CONFIDENCE,
        reason=ROWS[reason],
        facts=facts,
        ranked=[(match, CONFIDENCE)],
    )
    judgement = judge_case(case)
    candidate = Candidate(place.path, CONFIDENCE, reason, place.words, folder)
    led = replace(
        wrong,
        candidates=(candidate,),
        permits=judgement.permit,
        held_back=judgement.held_back,
        cause=judgement.told,
    )
    return with_mark(led) if "marked-wrong" in led.held_back else led


def _is_made(facts: Facts, name: str, folders: list[str]) -> bool:
    """Return whether one of some folders has a name, and does not exist."""
    same = [folder for folder in folders if basename(folder) == name]
    return any(facts.tree.kind(folder) is None for folder in same)


def _is_inside(reading: Reading) -> bool:
    """Return whether the path points into the project as it was written."""
    return bool(reading.places) and reading.places[0].path == reading.target


def _ends(path: str) -> Iterator[str]:
    """Yield the folders of a path, outermost first, then the path itself."""
    for end, char in enumerate(path):
        if char == "/":
            yield path[:end]
    if path:
        yield path


def _meant(
    facts: Facts, before: Past, written: str, *, folder: bool
) -> Iterator[tuple[str, Place]]:
    """Yield where a new path was probably meant to be, each with its reason."""
    tree, reading = facts.tree, facts.reading
    target, inside = reading.target, _is_inside(reading)
    made = target if folder else dirname(target)
    # The outermost folder that would be made.
    new_folder = next((end for end in _ends(made) if tree.kind(end) is None), "")
    makes_folder = bool(new_folder) or not inside
    for place in reading.places[inside:]:
        if _is_meant(facts, place, written, makes_folder=makes_folder, folder=folder):
            yield "spelling" if place.is_same_path else "near", place
    if inside and new_folder:
        yield from _siblings(tree, target, new_folder)
        yield from _renamed(before, lambda place: _has_folder(tree, place))
    elif inside:
        yield from _twins(tree, target)
        yield from _renamed(before, lambda place: tree.kind(place.path) is not None)


def _renamed(
    before: Past, is_there: Callable[[Place], bool]
) -> Iterator[tuple[str, Place]]:
    """Yield where the path, or its folder, was renamed to; a rename that git only
    supposes is no reason to ask.
    """
    for place in before.places:
        if place.evidence == "renamed" and is_there(place):
            yield "renamed", place


def _is_meant(
    facts: Facts, place: Place, written: str, *, makes_folder: bool, folder: bool
) -> bool:
    """Return whether a new path is probably meant to be at another place of its
    text.
    """
    tree, target = facts.tree, facts.reading.target
    # A bare name is made here, not in a folder above; a folder that exists as it was
    # written is meant.
    if place.kind == "above" or place.leaves_folder or not _has_folder(tree, place):
        return False
    # Of an absolute path in the project, the agent's folder says nothing.
    is_exact = _is_inside(facts.reading) and is_absolute(written, facts.frame.flavour)
    if is_exact and place.kind == "from-root":
        return False
    if _is_side(tree, target, place.path, written) or _is_package(tree, target, place):
        return False
    name = basename(target)
    # A new name may have percent signs, or begin with `@`.
    plain = (without_percents(target), join(dirname(target), name.removeprefix("@")))
    is_beside = dirname(place.path) == dirname(target)
    if place.path in plain and is_beside and not tree.kind(place.path):
        return False
    is_sure = not folder and place.kind in _SURE
    # `shop/` in a project `shop`, or `docs/docs/`, is created on purpose.
    if makes_folder and (is_sure or "/" in place.path):
        return True
    return is_sure and _is_decorated(name, basename(place.path))


def _is_decorated(name: str, plain: str) -> bool:
    """Return whether a new name is `plain` with decorations: `09:10:17Z.md` is not
    `09`.
    """
    # In `a\__init__.py`, the backslash may be a separator or an escape.
    if name == plain or "\\_" in name or "\\" in plain:
        return False
    return "." in plain or "." not in name


def _has_folder(tree: Tree, place: Place) -> bool:
    """Return whether the folder of a place exists."""
    return tree.kind(dirname(place.path)) == "folder"


def _is_side(tree: Tree, target: str, path: str, written: str) -> bool:
    """Return whether `a/` is a folder, not a side of a diff: it exists, or only a name
    is below.
    """
    side, _, rest = written.rstrip("/").partition("/")
    here = target.removesuffix(f"{side}/{rest}")
    taken = len(side) == 1 and here != target and path == here + rest
    return taken and ("/" not in rest or bool(tree.kind(here + side)))


def _is_package(tree: Tree, target: str, place: Place) -> bool:
    """Return whether a repeated folder is a new Python package, named as its project's
    folder, which is no package itself: `examples/shop/shop/__init__.py`.
    """
    package = dirname(target)
    beside = join(dirname(package), "__init__.py")
    is_inner = basename(package) == basename(dirname(package))
    is_start = basename(target) == "__init__.py" and is_inner
    return is_start and place.path == beside and not tree.kind(beside)


def _twins(tree: Tree, target: str) -> Iterator[tuple[str, Place]]:
    """Yield the entries of a folder that a new name is hardly told from: one on some
    disks.
    """
    above, _, name = target.rpartition("/")
    words = "exists, with another case, other blanks or another Unicode form"
    for other in tree.entries(above):
        if other != name and _letters(other) == _letters(name):
            path = f"{above}/{other}".lstrip("/")
            yield "spelling", Place(path, "beside", words)


def _letters(name: str) -> str:
    """Return a name in small letters, in one Unicode form, without blanks."""
    return "".join(fold(name).split())


def _siblings(tree: Tree, target: str, gone: str) -> Iterator[tuple[str, Place]]:
    """Yield the place in the only existing folder that the first new folder is a
    misspelling of.
    """
    above, _, name = gone.rpartition("/")
    beside = [child[:-1] for child in tree.children(above) if child.endswith("/")]
    alike = [other for other in beside if is_other_spelling(name, other)]
    if len(alike) != 1:
        return
    number = in_other_number(name, alike[0])
    few = min(fold(name), fold(alike[0]), key=len)
    if number and few not in NUMBERED:
        return  # `attrs` beside `attr` is another package
    if number or not _is_word(tree, name, alike[0]):
        there = f"{above}/{alike[0]}".lstrip("/")
        reason = "folder-number" if number else "folder-misspelt"
        path = there + target[len(gone) :]
        yield reason, Place(path, "beside", f"{there}/ exists")


def _is_word(tree: Tree, name: str, other: str) -> bool:
    """Return whether what a new folder's name has in place of another's is a word of
    the project: `with-nestjs` beside `with-nextjs`, where a file is named for `nestjs`.
    """
    new_words = [word for word in words(name) if word not in words(other)]
    return bool(new_words) and all(tree.names().has_word(word) for word in new_words)
