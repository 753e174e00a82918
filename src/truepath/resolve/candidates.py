"""Collect the existing paths that may be meant: at the places of the written path, by
name, in their folders. Their number is bounded; they are not ranked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from posixpath import basename

from truepath.paths import fold, key, relative_to
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.resolve.likelihood import (
    INDEX_STEMS,
    Match,
    best_match,
    name_relation,
    parting,
    split_extension,
    weak_likeness,
)
from truepath.resolve.places import FROM_ROOT, LITERAL, Place, Reading
from truepath.resolve.spellings import Frame
from truepath.types import Candidate, Kind

Names = Callable[[str], list[str]]

POOL = 25
"""Paths of one name, at most: those that share most folders with the written path."""


def plausible(tree: Tree, reading: Reading, frame: Frame) -> Reading:
    """Drop the places that belong to something else on this machine.

    A place that leaves a written folder which exists is no longer `same`: `b/app.yml`
    is not `app.yml`, the project's own name or a repeated folder may be a package, and
    a path from the root may be one in the agent's folder.
    """
    kept: list[Place] = []
    for place in reading.places:
        around = f"{frame.root}/".startswith(f"{place.theirs}/")
        if place.theirs and not around and tree.entry_kind_at(place.theirs) == "folder":
            continue
        same = place.same and not leaves(tree, kept, place.path, frame)
        kept.append(place if same else replace(place, same=False))
    return replace(reading, places=tuple(kept))


def leaves(tree: Tree, places: Sequence[Place], path: str, frame: Frame) -> bool:
    """Return whether a path is outside a folder that exists as it was written, in any
    literal place. The folders down to the agent's were not written.
    """
    here = relative_to(frame.cwd, frame.root, frame.flavour)

    def left(folder: str) -> bool:
        # `x/` is no other case of `X/` beside it.
        if fold(f"{path}/").startswith(fold(f"{folder}/")):
            same = key(f"{path}/", tree.flavour).startswith(
                key(f"{folder}/", tree.flavour)
            )
            return not same and tree.kind(folder) == "folder"
        return is_folder(tree, folder)

    for place in (each for each in places if each.why in LITERAL):
        start = len(here) + 1 if here and place.path.startswith(f"{here}/") else 0
        ends = (at for at, char in enumerate(place.path) if char == "/" and at > start)
        if any(left(place.path[:at]) for at in ends):
            return True
    return False


def doubts(tree: Tree, places: Sequence[Place], match: Match, frame: Frame) -> set[str]:
    """Return what else may be meant: what ends in all that was written, if a match
    takes something off it, or is in a sister of the folder taken off (`a/`, for `b/`);
    if it is only alike, a path in a folder that exists as written, or one that git's
    index has and the disk has not.
    """
    place, names, found = match.place, tree.names(), set[str]()
    was, here = (
        place.was or place.path,
        relative_to(frame.cwd, frame.root, frame.flavour),
    )
    literal = [each.path for each in places if each.why in LITERAL]
    if "the-path" not in match.features:
        found = {
            x for text in literal for x in names.ends_with(text) if not tree.kind(x)
        }
        found.update(literal if leaves(tree, places, match.path, frame) else ())
    # From the root, a path into the agent's folder begins with all of that folder.
    back = match.path == here or (
        place.why == FROM_ROOT and match.path.startswith(f"{here}/")
    )
    off = place.why not in LITERAL or not place.plain
    for text in (each for each in literal if off and len(each) > len(was)):
        whole = text if back else text.removeprefix(f"{here}/")
        side, _, rest = whole.partition("/")
        for end in {
            whole,
            whole.lstrip("@/") if rest else whole,
        }:  # `@ui/a.ts` is an alias
            same = names.ends_with(end) + names.folders_named(end)
            wanted = key(f"/{end}", tree.flavour)
            found |= {
                x for x in same if key(f"/{x}", tree.flavour).endswith(wanted)
            } - {was}
        above, series = (
            text.removesuffix(whole),
            {*"abc"} - {side} if side in {*"ab"} else (),
        )
        found |= {
            f"{above}{x}/{rest}" for x in series if tree.kind(f"{above}{x}") == "folder"
        }
    return found - {match.path}


def is_folder(tree: Tree, path: str) -> bool:
    """Return whether a folder of that name, or one that looks the same, exists."""
    alike = (fold(each) == fold(path) for each in tree.names().folders_named(path))
    return tree.kind(path) == "folder" or any(alike)


def gather(tree: Tree, reading: Reading, kind: Kind) -> list[Match]:
    """Return the candidates, unordered, each with the place that explains it best."""
    names, places = tree.names(), reading.places
    places = (*places, *_dotted(tree, reading))
    more = 9 * names.cut_short  # then none is called the only one, or one of few
    files, folders, stems = map(
        cache, (names.ends_with, names.folders_named, names.stems)
    )
    is_folder = cache(lambda path: tree.kind(path) == "folder")
    found = [
        path
        for place in places
        for path in _of_place(tree, place, files, folders, stems)
    ]
    if not found and places:
        found = names.near(basename(places[0].path))
    # Spellings of one file on the disk count once, by the last one.
    pool = {key(path, tree.flavour): path for path in found}.values()
    matches = []
    for path in pool:
        if tree.kind(path) is None or (path and not tree.may_name(path)):
            continue
        above, _, name = path.rpartition("/")
        index = _is_index(name)  # its folder's name counts
        same = (folders if index or is_folder(path) else files)(
            basename(above) if index else name
        )
        match = best_match(path, places, is_folder, kind=kind, count=len(same) + more)
        matches += [match] if match else []
    return matches


def named_last(
    tree: Tree,
    reading: Reading,
    kind: Kind,
    ranked: Sequence[Candidate],
    moved_to: Sequence[str],
) -> Iterator[Candidate]:
    """Yield what is named behind the ranked paths: the folders that files of the
    written one went to, the only entry of its folder that is like the name in one of
    the weaker ways, and the only path that ends as one written below a folder above the
    root.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for place in (
        each for each in reading.places if each.why in LITERAL or each.theirs
    ):
        folder, _, name = place.path.rpartition("/")
        for child in tree.children(folder) if tree.kind(folder) == "folder" else ():
            if kind == "any" or (kind == "folder") == child.endswith("/"):
                said, path = (
                    weak_likeness(name, child.rstrip("/")),
                    f"{folder}/{child}".strip("/"),
                )
                found.setdefault((place.path, said), []).append(path)
    above = parting(reading.target, tree.root).rpartition("/")[0]
    below = reading.target[len(above) + 1 :]
    if reading.outside and above.count("/") > 1 and "/" in below:
        found["", "folders of the root left out"] = tree.names().ends_with(below)
    only = {
        path: "files of it moved there"
        for path in moved_to[:POOL]
        if path and tree.kind(path)
    }
    only |= {
        some[0]: said for (_, said), some in found.items() if said and len(some) == 1
    }
    for path, said in sorted(
        only.items(), key=lambda it: not it[1].startswith("one letter")
    ):
        if tree.may_name(path) and not any(each.path == path for each in ranked):
            yield Candidate(path, 0.0, "near", said, tree.kind(path) == "folder")


def _dotted(tree: Tree, reading: Reading) -> Iterator[Place]:
    """Yield the files that are written as modules: `httpx._client`."""
    names = basename(reading.target).split(".")
    module = len(names) > 1 and not tree.names().has_extension_of(
        names[-1]
    )  # no `README.md`
    for stem in (names, [*names, "__init__"]) if module else ():
        for path in tree.names().stems(stem[-1]):
            if f"/{split_extension(path)[0]}".endswith("/" + "/".join(stem)):
                yield Place(path, "with slashes for dots", same=False)


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
        yield from _closest(stems(basename(folder)), folder)
    for package in _closest(folders(stem), place.path)[:4]:  # `x/index.ts` for `x.ts`
        children = tree.children(package)
        yield from (f"{package}/{each}" for each in children if _is_index(each))
    if tree.kind(folder) == "folder":
        for child in (each.rstrip("/") for each in tree.children(folder)):
            near = (
                child[:1].lower() == name[:1].lower() or stem in child
            )  # cheap, and enough
            if near and name_relation(name, child):
                yield f"{folder}/{child}".lstrip("/")


def _is_index(name: str) -> bool:
    return split_extension(name)[0] in INDEX_STEMS


def _closest(paths: Sequence[str], wanted: str) -> Sequence[str]:
    """Return the paths that share most folders with `wanted`, at most `POOL`."""
    if len(paths) <= POOL:
        return paths
    folders = fold(wanted).split("/")[:-1]

    def distance(path: str) -> tuple[int, bool, int, str]:
        own = fold(path).split("/")[:-1]
        return (-len({*folders} & {*own}), own[-1:] != folders[-1:], len(own), path)

    return sorted(paths, key=distance)[:POOL]
