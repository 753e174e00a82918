"""Paths that are about to be created, which may be wrong if an existing folder is
meant.

A write creates missing folders silently, so no error reveals a typo in one. A write is
never sent to another file; the answer names the folder that is meant, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from posixpath import basename, dirname, join

from truepath.paths import fold, is_absolute
from truepath.project.tree import Tree
from truepath.records import dataclass, replace
from truepath.resolve.facts import Facts
from truepath.resolve.likelihood import Match, words
from truepath.resolve.past import Past, past
from truepath.resolve.places import Place, Reading
from truepath.resolve.reasons import NUMBERED, ROWS
from truepath.resolve.spellings import (
    HOME,
    in_other_number,
    is_other_spelling,
    without_percents,
)
from truepath.resolve.vetoes import Case, judge_case
from truepath.types import Candidate, Resolution

CONFIDENCE = 0.9
"""The reported confidence, on which nothing depends."""

_SURE = ("undecorated", "slashed", "same-path")
"""Places that a new file surely means, where the folder exists there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """Where a new path was probably meant to be."""

    facts: Facts
    written: str
    reason: str
    """The row of `REASONS`."""
    place: Place
    names: tuple[str, str] = ("", "")
    """The first new folder, and the one beside it of which it may be a misspelling."""

    @property
    def target(self) -> str:
        """Where the written path points."""
        return self.facts.reading.target


@dataclass(frozen=True, slots=True)
class NewPathVeto:
    """A row of the table of what leaves a new path as it was written."""

    name: str
    applies: Callable[[Meant], bool]
    sentence: str


def resolution_of_new(facts: Facts, bare: Resolution) -> Resolution:
    """Return the resolution of a missing path that is about to be created.

    If it looks wrong, the status is `ambiguous`, with the path that is meant, whose
    folder exists; it permits `recover` if only a folder is wrong.
    """
    tree = facts.tree
    reading = facts.reading
    wrong = replace(bare, status="ambiguous")
    unmade = _unmade(facts, wrong)
    if unmade is not None:
        return unmade
    before = past(tree, reading)
    if before.just_left == reading.target:
        return bare  # it is made again where it was
    is_folder = bare.operation == "mkdir" or bare.written.endswith("/")
    held_back: list[str] = []
    for meant in _meant(facts, before, bare.written, folder=is_folder):
        rows = [veto.name for veto in NEW_PATH_VETOES if veto.applies(meant)]
        held_back += rows
        if rows or not tree.may_name(meant.place.path):
            continue
        led = _led_to(meant, wrong, folder=is_folder)
        if led.cause != "marked-wrong":
            return led
        held_back.append(led.cause)
    bare = replace(bare, held_back=tuple(held_back))
    home = re.match(HOME, bare.written)
    if home and _makes(facts, home[0]):
        note = f"{home[0]} is not expanded; the home folder is {tree.home}"
        return replace(wrong, cause="home", note=note)
    return bare if _is_inside(reading) else replace(bare, status="outside")


def _unmade(facts: Facts, wrong: Resolution) -> Resolution | None:
    """Return the resolution of a path at which no file can be made, or none that is
    meant; None for another.
    """
    target = facts.reading.target
    for folder in _ends(dirname(target)):
        if facts.tree.kind(folder) == "file":
            return replace(wrong, cause="file-above", note=f"{folder} is a file")
    # `> nul` of Windows' cmd makes a file of that name elsewhere.
    if basename(target).lower() == "nul":
        return replace(wrong, cause="null-device")
    return None


def _led_to(meant: Meant, wrong: Resolution, *, folder: bool) -> Resolution:
    """Return the resolution of a new path that was probably meant to be at a place."""
    place = replace(meant.place, before_rename=meant.target)
    match = Match(place.path, folder, place, {"the-path": 1})
    case = Case(
        match=match,
        chance=CONFIDENCE,
        reason=ROWS[meant.reason],
        facts=meant.facts,
        ranked=[(match, CONFIDENCE)],
    )
    judgement = judge_case(case)
    candidate = Candidate(place.path, CONFIDENCE, meant.reason, place.words, folder)
    return replace(
        wrong,
        candidates=(candidate,),
        permits=judgement.permit,
        held_back=judgement.held_back,
        cause=judgement.told,
    )


def _makes(facts: Facts, name: str) -> bool:
    """Return whether a folder of a name would be made."""
    for folder in _ends(dirname(facts.reading.target)):
        if basename(folder) == name and facts.tree.kind(folder) is None:
            return True
    return False


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
) -> Iterator[Meant]:
    """Yield where a new path was probably meant to be, before the table of vetoes."""
    target = facts.reading.target
    inside = _is_inside(facts.reading)
    made = target if folder else dirname(target)
    new_folder = _new_folder(facts.tree, made)
    makes_folder = bool(new_folder) or not inside
    places = facts.reading.places
    for place in places[1:] if inside else places:  # the first is the path itself
        if _is_meant(facts, place, makes_folder=makes_folder, folder=folder):
            reason = "spelling" if place.is_same_path else "near"
            yield Meant(facts=facts, written=written, reason=reason, place=place)
    if not inside:
        return
    if new_folder:
        yield from _siblings(facts, written, new_folder)
    else:
        yield from _twins(facts, written)
    for place in _renamed(facts.tree, before, new_folder):
        yield Meant(facts=facts, written=written, reason="renamed", place=place)


def _new_folder(tree: Tree, made: str) -> str:
    """Return the outermost folder that would be made for a path; "" for none."""
    for folder in _ends(made):
        if tree.kind(folder) is None:
            return folder
    return ""


def _renamed(tree: Tree, before: Past, new_folder: str) -> Iterator[Place]:
    """Yield where the path, or its folder, was renamed to. A rename that git only
    supposes is no reason to ask, nor is one that freed the name.
    """
    for place in before.places:
        if basename(place.path) != basename(place.before_rename):
            continue
        # What would be made in a folder that moved need not be there yet.
        is_there = _has_folder(tree, place) if new_folder else tree.kind(place.path)
        if place.evidence == "renamed" and is_there:
            yield place


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
    is_sure = not folder and place.kind in _SURE
    # `shop/` in a project `shop`, or `docs/docs/`, is created on purpose.
    if makes_folder and (is_sure or "/" in place.path):
        return True
    name = basename(facts.reading.target)
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


def _twins(facts: Facts, written: str) -> Iterator[Meant]:
    """Yield the entries of a folder that a new name is hardly told from: one on some
    disks.
    """
    above, _, name = facts.reading.target.rpartition("/")
    words = "it exists, in another case or form"
    for other in facts.tree.entries(above):
        if other != name and _letters(other) == _letters(name):
            place = Place(f"{above}/{other}".lstrip("/"), "beside", words)
            yield Meant(facts=facts, written=written, reason="spelling", place=place)


def _letters(name: str) -> str:
    """Return a name in small letters, in one Unicode form, without blanks."""
    return "".join(fold(name).split())


def _siblings(facts: Facts, written: str, new_folder: str) -> Iterator[Meant]:
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
    there = f"{above}/{alike[0]}".lstrip("/")
    path = there + facts.reading.target[len(new_folder) :]
    is_number = in_other_number(name, alike[0])
    yield Meant(
        facts=facts,
        written=written,
        reason="folder-number" if is_number else "folder-misspelt",
        place=Place(path, "beside", f"{there}/ exists"),
        names=(name, alike[0]),
    )


def _is_absolute(meant: Meant) -> bool:
    facts = meant.facts
    inside = _is_inside(facts.reading)
    is_exact = inside and is_absolute(meant.written, facts.frame.flavour)
    return is_exact and meant.place.kind == "from-root"


def _is_side(meant: Meant) -> bool:
    side, _, rest = meant.written.rstrip("/").partition("/")
    here = meant.target.removesuffix(f"{side}/{rest}")
    is_side = len(side) == 1 and here != meant.target
    return is_side and "/" not in rest and meant.place.path == here + rest


def _is_package(meant: Meant) -> bool:
    """Return whether a repeated folder is a package in its project's folder, which is
    no package itself.
    """
    package = dirname(meant.target)
    is_inner = basename(package) == basename(dirname(package))
    if not is_inner or basename(meant.target) != "__init__.py":
        return False
    beside = join(dirname(package), "__init__.py")
    return meant.place.path == beside and not meant.facts.tree.kind(beside)


def _is_new_name(meant: Meant) -> bool:
    target = meant.target
    path = meant.place.path
    if dirname(path) != dirname(target) or meant.facts.tree.kind(path):
        return False
    without_at = join(dirname(target), basename(target).removeprefix("@"))
    return path in (without_percents(target), without_at)


def _is_other_package(meant: Meant) -> bool:
    singular = min(map(fold, meant.names), key=len)
    return meant.reason == "folder-number" and singular not in NUMBERED


def _is_word(meant: Meant) -> bool:
    name, other = meant.names
    if meant.reason != "folder-misspelt":
        return False
    new_words = [word for word in words(name) if word not in words(other)]
    project = meant.facts.tree.names()
    return bool(new_words) and all(project.has_word(word) for word in new_words)


NEW_PATH_VETOES: Sequence[NewPathVeto] = (
    NewPathVeto(
        "new-absolute",
        _is_absolute,
        "of an absolute path in the project, the agent's folder says nothing",
    ),
    NewPathVeto(
        "new-side",
        _is_side,
        "where only a name is below, `a/` is a folder, not the side of a diff: "
        "`a/notes.md`",
    ),
    NewPathVeto(
        "new-package",
        _is_package,
        "a Python package may be named as its project's folder: "
        "`examples/shop/shop/__init__.py`",
    ),
    NewPathVeto(
        "new-name",
        _is_new_name,
        "a new name may have percent signs, or begin with `@`",
    ),
    NewPathVeto(
        "new-plural",
        _is_other_package,
        "the plural of a name that is no common one is another folder: `attrs` beside "
        "`attr`",
    ),
    NewPathVeto(
        "new-word",
        _is_word,
        "what the new folder's name has in place of the other's is a word of the "
        "project: `with-nestjs` beside `with-nextjs`",
    ),
)
"""The table: a row that applies leaves a new path as it was written, and says why."""
