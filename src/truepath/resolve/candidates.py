"""Collect the existing paths that may be meant: at the places of the written path, by name, in
their folders. Their number is bounded; they are not ranked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from truepath.paths import fold, key
from truepath.project.tree import Tree
from truepath.records import dataclass, replace
from truepath.resolve.likelihood import (
    INDEX_STEMS,
    Match,
    best_match,
    name_relation,
    split_extension,
)
from truepath.resolve.places import FROM_ROOT, Place, Reading
from truepath.resolve.spellings import Frame
from truepath.types import Kind

Names = Callable[[str], list[str]]

POOL = 25
"""Paths of one name, at most: those that share most folders with the written path."""

_PARENTS = 3
"""Folders above a missing path whose history is asked for."""


def plausible(tree: Tree, reading: Reading, frame: Frame) -> Reading:
    """Drop the places that belong to something else on this machine.

    If the agent's folder also has the first folder of a path from the root, that one may be meant,
    so the place is no longer `same`.
    """
    kept: list[Place] = []
    for place in reading.places:
        around = f"{frame.root}/".startswith(f"{place.theirs}/")
        if place.theirs and not around and tree.entry_kind_at(place.theirs) == "folder":
            continue
        first = f"{frame.cwd}/{place.path.partition('/')[0]}"
        beside = place.why == FROM_ROOT and tree.entry_kind_at(first) is not None
        kept.append(replace(place, same=False) if beside and frame.cwd != frame.root else place)
    return replace(reading, places=tuple(kept))


@dataclass(frozen=True, slots=True)
class Past:
    """What the history tells about a missing path."""

    places: tuple[Place, ...] = ()
    """Where it is now."""
    note: str = ""
    """A note about a deleted path; else empty."""
    known: bool = True
    """Whether the history was read in time, or there is none."""
    exists: bool = False
    """Whether there is a history."""
    gone: bool = False
    """Whether it was deleted or perhaps renamed: then nothing else is changed in its place."""


def past(tree: Tree, reading: Reading) -> Past:
    """Return what happened to the written path, or to a folder that it was in."""
    note, known, exists, gone = "", True, False, False
    for place in [each for each in reading.places if each.same and not each.theirs][:3]:
        for path in _gone(tree, place.path):
            fate = tree.fate(path)
            if fate is None:
                return Past()
            known, exists = known and fate.kind != "unknown", True
            when = f"{fate.commit[:7]}, {fate.date}"
            if fate.kind == "renamed":
                whole, now = path == place.path, fate.path + place.path[len(path) :]
                if not fate.certain and {*tree.names().ends_with(place.path)} - {now}:
                    gone = True  # not certain, and for a read the name is better evidence
                    break
                what = "" if fate.certain else "perhaps "
                what += "renamed" if whole else "moved"
                why = f"{what} in {when}" if whole else f"{path}/ {what} in {when}"
                by = "renamed" if fate.certain else "supposed"
                moved = Place(now, why, same=whole and fate.certain, past=by)
                return Past((moved,), known=known, exists=True)
            if fate.kind == "deleted" and path == place.path:
                note = note or f"deleted in {when}"
                break
    gone, note = gone or bool(note), note or ("" if known else "its history is not known")
    return Past((), note, known=known, exists=exists, gone=gone)


def _gone(tree: Tree, path: str) -> Iterator[str]:
    """Yield those of a path and the folders above it that do not exist."""
    for _ in range(_PARENTS + 1):
        if path and not tree.kind(path):
            yield path
        path = path.rpartition("/")[0]


def gather(tree: Tree, reading: Reading, kind: Kind) -> list[Match]:
    """Return the candidates, unordered, each with the place that explains it best."""
    names, places = tree.names(), reading.places
    more = 9 * names.cut_short  # then none is called the only one, or one of few
    files, folders, stems = map(cache, (names.ends_with, names.folders_named, names.stems))
    is_folder = cache(lambda path: tree.kind(path) == "folder")
    found = [path for place in places for path in _of_place(tree, place, files, folders, stems)]
    if not found and places:
        found = names.near(_last(places[0].path))
    # Spellings of one file on the disk count once, by the last one.
    pool = {key(path, tree.flavour): path for path in found}.values()
    matches = []
    for path in pool:
        if tree.kind(path) is None or (path and not tree.may_name(path)):
            continue
        above, _, name = path.rpartition("/")
        index = _is_index(name)  # its folder's name counts
        same = (folders if index or is_folder(path) else files)(_last(above) if index else name)
        match = best_match(path, places, is_folder, kind=kind, count=len(same) + more)
        matches += [match] if match else []
    return matches


def _of_place(
    tree: Tree, place: Place, files: Names, folders: Names, stems: Names
) -> Iterator[str]:
    """Yield the candidates for one place."""
    folder, _, name = place.path.rpartition("/")
    stem = split_extension(name)[0]
    if tree.kind(place.path):
        yield place.path
    if not name:
        return
    for paths in (files(name), folders(name), stems(stem)):
        yield from _closest(paths, place.path)
    if stem in INDEX_STEMS and folder:  # `x.ts` for `x/index.ts`
        yield from _closest(stems(_last(folder)), folder)
    for package in _closest(folders(stem), place.path)[:4]:  # `x/index.ts` for `x.ts`
        children = tree.children(package)
        yield from (f"{package}/{each}" for each in children if _is_index(each))
    if tree.kind(folder) == "folder":
        for child in (each.rstrip("/") for each in tree.children(folder)):
            near = child[:1].lower() == name[:1].lower() or stem in child  # cheap, and enough
            if near and name_relation(name, child):
                yield f"{folder}/{child}".lstrip("/")


def _is_index(name: str) -> bool:
    return split_extension(name)[0] in INDEX_STEMS


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _closest(paths: Sequence[str], wanted: str) -> Sequence[str]:
    """Return the paths that share most folders with `wanted`, at most `POOL`."""
    if len(paths) <= POOL:
        return paths
    folders = fold(wanted).split("/")[:-1]

    def distance(path: str) -> tuple[int, bool, int, str]:
        own = fold(path).split("/")[:-1]
        return (-len({*folders} & {*own}), own[-1:] != folders[-1:], len(own), path)

    return sorted(paths, key=distance)[:POOL]
