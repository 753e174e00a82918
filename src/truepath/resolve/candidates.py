"""Which existing paths may be meant, and the evidence for each.

Strategies from names alone: exact places, look-alike paths, the same name elsewhere, near names,
package files. Each candidate carries the names of its evidence; how much that weighs is
`confidence`'s business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from truepath.paths import fold
from truepath.project.names import split_extension
from truepath.records import dataclass, replace
from truepath.resolve.anchors import PathQuery, Target
from truepath.resolve.features import INDEX_STEMS, character, is_generic, is_renumbered, judge
from truepath.resolve.typos import IsWord
from truepath.resolve.words import words_of
from truepath.types import Candidate, Kind

if TYPE_CHECKING:
    from truepath.project.layered_names import ProjectNames

POOL = 50
"""How many candidates of one strategy are looked at closely."""

GENERATED_FOLDERS = frozenset(
    "node_modules .venv venv site-packages dist build target out generated .next .cache "
    "__pycache__ .git tmp coverage vendor".split()
)
"""Folders whose files are made, installed or ignored: what is missing there is just not there."""


NAMESAKE = frozenset({"exact", "look-alike", "same-name"})
"""Evidence of a candidate with the very name that was written."""


def is_namesake(candidate: Candidate) -> bool:
    """Return whether a candidate has the very name that was written."""
    return not NAMESAKE.isdisjoint(candidate.evidence)


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate before it is weighed."""

    path: str
    folder: bool
    evidence: tuple[str, ...]


def gather(query: PathQuery, names: ProjectNames, kind: Kind) -> list[Found]:
    """Return every path in `names` that may be what `query` means, unordered, one entry a path."""
    found: dict[str, Found] = {}
    query = _without_doubled(query, names)
    for path in _pool(query, names):
        folder = names.has_folder(path)
        if kind == "folder" and not folder and query.folder:
            continue
        evidence = _best_evidence(query, path, words_of(names), folder=folder)
        if evidence is not None:
            found[path] = Found(path, folder, evidence)
    return [_characterised(each, query, names) for each in found.values()]


def context(query: PathQuery, names: ProjectNames, kind: Kind) -> list[str]:
    """Return the circumstances of the question that do not depend on any candidate."""
    around = [f"asked-{kind}"]
    around.append("bare" if query.bare else "with-folders")
    if query.inside is None:
        return [*around, "points-outside"]
    folder, _, name = query.inside.rpartition("/")
    around.append("folder-there" if names.kind(folder) == "folder" else "folder-gone")
    parts = set(fold(query.inside).split("/"))
    if parts & GENERATED_FOLDERS:
        around.append("generated-place")
    if any(part.startswith(".") for part in parts):
        around.append("hidden-place")
    if is_generic(name):
        around.append("asked-generic")
    return around


def _without_doubled(query: PathQuery, names: ProjectNames) -> PathQuery:
    """Take a folder that a path has twice for no typo where such a path exists."""
    whole = [target for target in query.targets if "doubled" not in target.evidence]
    there = any(names.kind(target.path) for target in whole)
    return replace(query, targets=tuple(whole)) if there else query


def _pool(query: PathQuery, names: ProjectNames) -> Iterator[str]:
    seen: set[str] = set()
    for target in query.targets:
        for path in _around(target, names):
            if path not in seen and path:
                seen.add(path)
                yield path


def _around(target: Target, names: ProjectNames) -> Iterator[str]:
    """Yield the paths near one target, by every strategy."""
    parts = target.path.split("/")
    name = parts[-1]
    if not name:
        return
    if names.kind(target.path):
        yield target.path
    yield from _closest(names.named(name), parts)
    yield from _closest(names.folders_named(name), parts)
    yield from _closest(names.stemmed(name), parts)
    yield from _package_files(parts, names)
    for alike, _ in names.similar(name):
        yield from _closest(names.paths_named(alike), parts, limit=8)


def _package_files(parts: Sequence[str], names: ProjectNames) -> Iterator[str]:
    """Yield `x/index.ts` and its kind for `x` or `x.ts`, and `x.ts` for `x/index.ts`."""
    stem = split_extension(parts[-1])[0]
    if stem in INDEX_STEMS and len(parts) > 1:
        yield from _closest(names.stemmed(parts[-2] + ".x"), parts[:-1])
        return
    for folder in _closest(names.folders_named(stem), [*parts[:-1], stem], limit=4):
        for child in names.children(folder):
            if split_extension(child)[0] in INDEX_STEMS:
                yield f"{folder}/{child}"


def _closest(paths: Iterable[str], parts: Sequence[str], *, limit: int = POOL) -> list[str]:
    """Return the paths that share most folders with `parts`, at most `limit`."""
    pool = list(paths)
    if len(pool) <= limit:
        return pool
    wanted = {fold(part) for part in parts[:-1]}
    parent = fold(parts[-2]) if len(parts) > 1 else ""

    def distance(path: str) -> tuple[int, int, int, str]:
        folders = fold(path).split("/")[:-1]
        shared = len(wanted.intersection(folders))
        beside = bool(folders) and folders[-1] == parent
        return (-shared, -beside, len(folders), path)

    return sorted(pool, key=distance)[:limit]


def _best_evidence(
    query: PathQuery, path: str, is_word: IsWord, *, folder: bool
) -> tuple[str, ...] | None:
    """Return what speaks for `path`, seen from the target that explains it best."""
    best: tuple[int, tuple[str, ...]] | None = None
    for target in query.targets:
        judged = judge(target, path, folder=folder, is_word=is_word)
        if judged and (best is None or judged[0] < best[0]):
            best = judged
    return best[1] if best else None


_OTHER_FOLDER = frozenset(
    {"folder-replaced", "moved", "folder-slip", "folder-words", "folder-synonym"}
)
"""Evidence that a folder has another name."""


def _characterised(each: Found, query: PathQuery, names: ProjectNames) -> Found:
    """Add what kind of thing a candidate is to what speaks for it."""
    name = each.path.rpartition("/")[2]
    if not {"exact", "look-alike"}.isdisjoint(each.evidence):
        if query.bare and "from-root" in each.evidence:
            # `README.md` asked for in a folder: the root's is another file.
            generic = ("generic-name",) if is_generic(name) else ()
            return Found(each.path, each.folder, (*each.evidence, "bare-name", *generic))
        return each
    count = len(names.folders_named(name) if each.folder else names.named(name))
    target = query.targets[0].path
    evidence = [*each.evidence, *character(target, each.path, count=count)]
    if _OTHER_FOLDER.intersection(evidence):
        evidence += _parting(target, each.path, names)
    holder = target.rpartition("/")[0]
    if "missing-leading" in evidence and holder and names.has_folder(holder):
        evidence.append("folder-stands")
    if {"same-name", "name-case"}.intersection(evidence):
        evidence += _beside_package(target, each.path, names)
    if is_renumbered(target.rpartition("/")[2], name):
        evidence.append("renumbered-name")
    return Found(each.path, each.folder, tuple(evidence))


def _beside_package(target: str, path: str, names: ProjectNames) -> list[str]:
    """Say whether a package explains a missing file as well as a namesake in another folder does.

    `x/__init__.py` is there for `x.py`, in its place or below folders that were left out. What lies
    in that package, such as `x/x.py`, may be the file itself.
    """
    package = split_extension(target)[0]
    if package == target:
        return []
    # A bare name is no path: of that name, any folder may have a package.
    below = names.folders_named(package.rpartition("/")[2]) if "/" in package else [package]
    packages = [
        folder
        for folder in below
        if f"/{folder}".endswith(f"/{package}") and _has_index(folder, names)
    ]
    beside = packages and not any(path.startswith(f"{folder}/") for folder in packages)
    return ["package-stands"] if beside else []


def _has_index(folder: str, names: ProjectNames) -> bool:
    return any(split_extension(child)[0] in INDEX_STEMS for child in names.children(folder))


def _parting(target: str, path: str, names: ProjectNames) -> Iterator[str]:
    """Say what the first folder is in which two paths part.

    Whether it still exists where it was written, and whether the two differ by their numbers alone,
    as `version-11.x` and `version-10.x` do: one of a series, where `version-9.x` exists beside it.
    """
    at = 0
    wanted, got = target.split("/"), path.split("/")
    while at < min(len(wanted), len(got)) - 1 and wanted[at] == got[at]:
        at += 1
    yield "left-there" if names.has_folder("/".join(wanted[: at + 1])) else "left-gone"
    if is_renumbered(wanted[at], got[at]):
        yield "renumbered"
        beside = (name.rstrip("/") for name in names.children("/".join(got[:at])))
        if any(is_renumbered(name, got[at]) for name in beside):
            yield "of-series"
