"""Collect the existing paths that may be meant: at the places of the written path, by
name, in their folders. Their number is bounded; they are not ranked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from posixpath import basename

from truepath import TYPE_CHECKING, Late
from truepath.paths import fold, key
from truepath.project.tree import Tree
from truepath.records import dataclass, replace
from truepath.resolve.facts import Facts, leaves_folder
from truepath.resolve.likelihood import (
    INDEX_STEMS,
    NAMED_FROM,
    Match,
    best_match,
    is_alike,
    is_index,
    name_relation,
    nothing_here,
    rank,
    split_extension,
    weak_likeness,
)
from truepath.resolve.places import Place, Reading
from truepath.resolve.spellings import Frame
from truepath.types import Candidate, Kind

if TYPE_CHECKING:
    from truepath.project import nearest
else:
    nearest = Late("truepath.project.nearest")

Names = Callable[[str], list[str]]

POOL = 25
"""Paths of one name, at most: those that share most folders with the written path."""


def plausible_reading(tree: Tree, reading: Reading, frame: Frame) -> Reading:
    """Drop the places that belong to something else on this machine, and mark those
    that leave a written folder which exists: `b/app.yml` is not `app.yml`, the
    project's own name or a repeated folder may be a package, and a path from the root
    may be one in the agent's folder.
    """
    kept: list[Place] = []
    for place in reading.places:
        if _is_foreign(tree, place, frame):
            continue
        leaves = leaves_folder(tree, kept, place.path, frame)
        kept.append(replace(place, leaves_folder=leaves))
    return replace(reading, places=tuple(kept))


def _is_foreign(tree: Tree, place: Place, frame: Frame) -> bool:
    """Return whether a place belongs to something else on this machine."""
    folder = place.foreign_folder
    # A folder that the root is in exists, and is not another project.
    if not folder or f"{frame.root}/".startswith(f"{folder}/"):
        return False
    return tree.entry_kind_at(folder) == "folder"


def gather(tree: Tree, reading: Reading, kind: Kind) -> list[Match]:
    """Return the candidates, unordered, each with the place that explains it best."""
    places = reading.places
    names = tree.names()
    index = _Index(
        tree,
        files=cache(names.ends_with),
        folders=cache(names.folders_named),
        stems=cache(names.stems),
        is_folder=cache(lambda path: tree.kind(path) == "folder"),
    )
    paths: list[str] = []
    for place in places:
        paths.extend(_of_place(index, place))
    matches = _matches(index, paths, places, kind)
    # A search by likeness is slow: only if nothing else may be named.
    if places and not _has_one_to_name(matches, reading):
        # Most misses need no such search.
        near = nearest.nearest(names, basename(places[0].path))
        others = [path for path in near if path not in paths]
        alike = _matches(index, others, places, kind)
        # Where a file has the written stem, a part of it elsewhere says too little.
        matches += [match for match in alike if not paths or is_alike(match)]
    return matches


def _has_one_to_name(matches: Sequence[Match], reading: Reading) -> bool:
    """Return whether a candidate has the written name, or is likely enough to be named
    for more than a part of it.
    """
    if any("same-name" in match.features for match in matches):
        return True
    for match, chance in rank(matches, nothing_here(reading.target)):
        if chance >= NAMED_FROM and "part-of-name" not in match.features:
            return True
    return False


def _matches(
    index: _Index, paths: Sequence[str], places: Sequence[Place], kind: Kind
) -> list[Match]:
    """Return those of some paths that are candidates, each with the place that explains
    it best.
    """
    tree = index.tree
    # Spellings of one file on the disk count once, by the last one.
    pool = {key(path, tree.flavour): path for path in paths}
    matches: list[Match] = []
    for path in pool.values():
        if tree.kind(path) is None or (path and not _may_name(tree, path)):
            continue
        count = index.count(path)
        match = best_match(path, places, index.is_folder, kind=kind, count=count)
        if match is not None:
            matches.append(match)
    return matches


def _may_name(tree: Tree, path: str) -> bool:
    """Return whether a path may be a candidate: it is and was no secret."""
    return tree.may_name(path) and not tree.was_secret(path)


@dataclass(frozen=True, slots=True)
class _Index:
    """What one question asks the names and the disk more than once."""

    tree: Tree
    files: Names
    folders: Names
    stems: Names
    is_folder: Callable[[str], bool]

    def count(self, path: str) -> int:
        """Return how many paths of the project have the name of a path."""
        folder, _, name = path.rpartition("/")
        if is_index(name):  # the name of its folder counts
            same = self.folders(basename(folder))
        elif self.is_folder(path):
            same = self.folders(name)
        else:
            same = self.files(name)
        # Of names that were cut, none is called the only one, or one of few.
        unseen = _UNSEEN if self.tree.names().cut_short else 0
        return len(same) + unseen


_UNSEEN = 9
"""Paths of a name that may be among those that were not read: more than a few."""


def named_last(
    facts: Facts, ranked: Sequence[Candidate], moved_to: Sequence[str]
) -> Iterator[Candidate]:
    """Yield what is named behind the ranked paths: the folders that files of the
    written one went to, and the only entry of its folder that is like the name in one
    of the weaker ways.
    """
    tree = facts.tree
    words: dict[str, str] = {}
    for path in moved_to[:POOL]:
        if path and tree.kind(path):
            words[path] = "files of it moved there"
    for likeness, paths in _weakly_alike(tree, facts.reading, facts.kind):
        if len(paths) == 1:
            words[paths[0]] = likeness
    ranked_paths = {candidate.path for candidate in ranked}
    # One letter is the strongest of the weak.
    ordered = sorted(
        words.items(), key=lambda item: not item[1].startswith("one letter")
    )
    for path, likeness in ordered:
        if _may_name(tree, path) and path not in ranked_paths:
            is_folder = tree.kind(path) == "folder"
            yield Candidate(path, 0.0, "near", likeness, is_folder)


def _weakly_alike(
    tree: Tree, reading: Reading, kind: Kind
) -> Iterator[tuple[str, list[str]]]:
    """Yield each weak likeness, in words, with the paths that have it."""
    for place in reading.places:
        if not (place.is_literal or place.foreign_folder):
            continue
        folder, _, name = place.path.rpartition("/")
        if tree.kind(folder) != "folder":
            continue
        alike: dict[str, list[str]] = {}
        for child in tree.children(folder):
            if kind != "any" and (kind == "folder") != child.endswith("/"):
                continue
            likeness = weak_likeness(name, child.rstrip("/"))
            alike.setdefault(likeness, []).append(f"{folder}/{child}".strip("/"))
        alike.pop("", None)
        yield from alike.items()
    # In a hidden folder of a home, a skill is a program's own.
    above, _, inner = reading.target.rpartition(_SKILLS)
    if reading.outside and above and "/." not in above:
        yield "of the same skill", tree.names().ends_with(f"skills/{inner}")


_SKILLS = "/skills/"
"""What the paths of a skill's files begin with, wherever its author has them."""


def _of_place(index: _Index, place: Place) -> Iterator[str]:
    """Yield the candidates for one place."""
    tree = index.tree
    folder, _, name = place.path.rpartition("/")
    stem = split_extension(name)[0]
    if tree.kind(place.path):
        yield place.path
    if not name:
        return
    for paths in (index.files(name), index.folders(name), index.stems(stem)):
        yield from _closest(paths, place.path)
    if stem in INDEX_STEMS and folder:  # `x.ts` for `x/index.ts`
        yield from _closest(index.stems(basename(folder)), folder)
    packages = _closest(index.folders(stem), place.path)
    for package in packages[:4]:  # `x/index.ts` for `x.ts`
        for child in tree.children(package):
            if is_index(child):
                yield f"{package}/{child}"
    if tree.kind(folder) == "folder":
        yield from _beside(tree, folder, name)


def _beside(tree: Tree, folder: str, name: str) -> Iterator[str]:
    """Yield the entries of a folder whose names are related to a name."""
    stem = split_extension(name)[0]
    for entry in tree.children(folder):
        child = entry.rstrip("/")
        # Related names share the first letter or the stem, and that is cheap to ask.
        begins_alike = child[:1].lower() == name[:1].lower()
        if (begins_alike or stem in child) and name_relation(name, child):
            yield f"{folder}/{child}".lstrip("/")


def _closest(paths: Sequence[str], wanted: str) -> Sequence[str]:
    """Return the paths that share most folders with `wanted`, at most `POOL`."""
    if len(paths) <= POOL:
        return paths
    wanted_folders = fold(wanted).split("/")[:-1]

    def distance(path: str) -> tuple[int, bool, int, str]:
        folders = fold(path).split("/")[:-1]
        common = {*wanted_folders} & {*folders}
        other_parent = folders[-1:] != wanted_folders[-1:]
        return (-len(common), other_parent, len(folders), path)

    return sorted(paths, key=distance)[:POOL]
