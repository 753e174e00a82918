"""From a written path to its resolution: the right file, or no file.

All steps meet here. It sees a project through `Tree` and knows neither hosts nor
what will be done with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truepath.paths import LONGEST, is_absolute
from truepath.records import replace
from truepath.resolve import outside
from truepath.resolve.anchors import Frame, PathQuery, interpret
from truepath.resolve.outside import SAME_PLACE
from truepath.resolve.question import Question, Tree
from truepath.types import (
    DANGLING,
    LOOKS,
    PATTERN,
    Candidate,
    EntryKind,
    Kind,
    Resolution,
    Searched,
    Status,
)

if TYPE_CHECKING:
    from truepath.project.contents import Files
    from truepath.project.layered_names import ProjectNames
    from truepath.resolve.history_evidence import Past

LISTED = 50
"""How many candidates a resolution carries."""


def resolve(tree: Tree, frame: Frame, asked: Question) -> Resolution:
    """Say what is true of a written path.

    Args:
        tree: The project.
        frame: Its root and the agent's working directory.
        asked: The path, and what is to be done to it.
    """
    written = asked.written
    unusable = _unusable(written)
    if unusable:
        return Resolution(written, "absent", asked.operation, target=written[:80], note=unusable)
    absolute = written if is_absolute(written, frame.flavour) else f"{frame.cwd}/{written}"
    # Joined as the kernel would: ".." stays, so that links are followed as they will be.
    entry = tree.entry_kind_at(absolute)
    inside = tree.inside(absolute)
    if entry and inside is not None and _fits(entry, asked.kind):
        return Resolution(written, "exists", asked.operation, path=inside, target=inside)
    if entry and inside is None:
        return outside.elsewhere(tree, asked, absolute, note="exists")
    seen = _without_lines(tree, outside.narrowed(tree, frame, interpret(written, frame)))
    if _is_protected(tree, seen):
        return Resolution(written, "absent", asked.operation, target=seen.target)
    if asked.operation in ("write", "mkdir"):
        from truepath.resolve.new_paths import unmade

        beside = outside.elsewhere(tree, asked, seen.absolute) if seen.inside is None else None
        return beside if beside and beside.candidates else unmade(tree, seen, asked, entry)
    known = None if entry else _known(tree, frame, seen, asked)
    found = known or _missing(tree, outside.mapped(tree, seen), asked, entry, frame)
    return outside.kept_apart(tree, seen, found)


def _known(tree: Tree, frame: Frame, seen: PathQuery, asked: Question) -> Resolution | None:
    """Resolve what no search is needed for: a dead link, the project's own folder, a pattern."""
    return (
        _dangling(tree, seen, asked)
        or outside.own_root(tree, frame, seen, asked)
        or _pattern(tree, frame, asked)
    )


def _is_protected(tree: Tree, seen: PathQuery) -> bool:
    """Whether a rule denies the path that is missing: to read another in its place, or to say
    anything of it, would lead around the rule.
    """
    return seen.inside is not None and tree.protects(seen.inside)


def _without_lines(tree: Tree, seen: PathQuery) -> PathQuery:
    """Drop what takes a folder for a file of which a line was named: `logs(2,3)`, `.:3`."""
    targets = tuple(
        target
        for target in seen.targets
        if _PARTS.isdisjoint(target.evidence) or tree.kind(target.path) != "folder"
    )
    return replace(seen, targets=targets)


_PARTS = frozenset({"line-number", "fragment", "node-id", "symbol"})
"""Decorations that name a part of a file."""

_NAMABLE = _PARTS | {"percent"}
"""Decorations that a file's own name may have, `notes.txt(1)`, `a%20b.md`: whether there was such a
file is history's to say, before anything is changed."""


def _past(tree: Tree, seen: PathQuery) -> str | None:
    """Return the root-relative path that history is asked about: one that is not there."""
    if seen.inside is not None:
        return None if tree.kind(seen.inside) else seen.inside
    if not seen.targets or any(tree.kind(target.path) for target in seen.targets):
        return None
    first = seen.targets[0]
    return first.path if SAME_PLACE.issuperset(first.evidence) else None


def _from_root(tree: Tree, seen: PathQuery) -> str | None:
    """Return the path as one from the root, where it was written below it.

    History is asked about it where it does not know the other.
    A name alone, below the root, says nothing of the root's file of that name.
    """
    for target in seen.targets:
        if target.evidence in _BELOW and "/" in target.path and not tree.kind(target.path):
            return target.path
    return None


_BELOW = (("from-root",), ("repeats-cwd",))


def _as_from_root(tree: Tree, seen: PathQuery, written: str, frame: Frame) -> PathQuery:
    """Read a path from the root if the root has its first folder and the agent's has not."""
    path = _from_root(tree, seen)
    first = path.partition("/")[0] if path else ""
    if not first or tree.kind(first) != "folder" or tree.entry_kind_at(f"{frame.cwd}/{first}"):
        return seen
    return interpret(written, replace(frame, cwd=frame.root))


def _as_import(
    tree: Tree,
    seen: PathQuery,
    written: str,
    frame: Frame,
    names: ProjectNames,
    files: Files | None,
) -> PathQuery:
    """Add where a path points that is written as an import; its first folder is not there then."""
    if seen.inside is None or tree.entry_kind_at(f"{frame.cwd}/{written.partition('/')[0]}"):
        return seen
    from truepath.resolve.imports import imported

    folder = tree.inside(frame.cwd) or ""
    places = imported(written, folder, names, files.text if files else lambda *_: "")
    return replace(seen, targets=(*seen.targets, *places))


def _inferred(candidate: Candidate) -> Candidate:
    """Return a candidate with what is supposed of where its path begins."""
    return replace(candidate, evidence=("from-root", *candidate.evidence))


def _unusable(written: str) -> str:
    if not written.strip():
        return "the path is empty"
    if "\0" in written:
        return "the path holds a NUL byte"
    if len(written) > LONGEST:
        return f"the path is over {LONGEST:,} characters"
    return ""


def _fits(entry: EntryKind, wanted: Kind) -> bool:
    return wanted in ("any", entry)


def _missing(
    tree: Tree, seen: PathQuery, asked: Question, entry: EntryKind, frame: Frame
) -> Resolution:
    """Resolve a path that must be there and is not."""
    from truepath.resolve.order import namesakes_first

    if not entry and (undecorated := _undecorated(tree, seen, asked)):
        return undecorated
    files = tree.contents()  # its time begins before the names are listed
    gone = None if entry else _past(tree, seen)
    names, past = tree.search(gone, _from_root(tree, seen) if gone else None)
    known = past is not None and past.path == seen.inside and past.fate.kind != "never"
    told = seen if known else _as_from_root(tree, seen, asked.written, frame)
    read = _as_import(tree, told, asked.written, frame, names, files)
    ranked, note = _ranked(tree, read, asked, names, past, files)
    if told is not seen:
        ranked, seen = [_inferred(one) for one in ranked], told
    spoken = past is not None and past.fate.complete and past.fate.kind != "unknown"
    searched = Searched(
        names=len(names),
        history=spoken,
        cut_short=names.cut_short,
        untracked=names.untracked,
        ignored=names.source == "given",
    )
    waits = past is not None and not spoken and asked.operation in _FOR_GOOD
    settled = not names.cut_short and not waits
    status, path = _verdict(ranked, seen, asked, entry, searched, settled=settled)
    ranked = ranked if path else namesakes_first(ranked)
    return Resolution(
        asked.written,
        status,
        asked.operation,
        path=path,
        candidates=tuple(ranked[:LISTED]),
        searched=searched,
        target=seen.target,
        note=entry or note,
    )


_FOR_GOOD = frozenset({"move", "delete"})
"""What waits for history's word where there is a history: by names alone too much is taken for what
a path that has left became (`benchmarks/unseen.py` counts it with and without history)."""


def _undecorated(tree: Tree, seen: PathQuery, asked: Question) -> Resolution | None:
    """Resolve a path that is there once the decorations around it are undone, and is listed."""
    from truepath.resolve.model import DECORATED

    for target in seen.targets if _allows(asked, DECORATED, ("exact",)) else ():
        plain = target.plain and "guessed-spelling" not in target.evidence
        plain = plain and (asked.operation in LOOKS or _NAMABLE.isdisjoint(target.evidence))
        entry = tree.kind(target.path) if plain else None
        there = entry is not None and _fits(entry, asked.kind)
        if there and tree.may_name(target.path) and tree.search(None)[0].kind(target.path):
            best = Candidate(target.path, DECORATED, target.evidence, entry == "folder")
            return Resolution(
                asked.written,
                "resolved",
                asked.operation,
                path=target.path,
                candidates=(best,),
                target=seen.target,
            )
    return None


def _dangling(tree: Tree, seen: PathQuery, asked: Question) -> Resolution | None:
    """Resolve a link that leads nowhere: what moves, removes or lists the link itself finds it."""
    inside = seen.inside
    if not inside or not tree.dangles(inside):
        return None
    if asked.operation in ("move", "delete", "list"):
        return Resolution(asked.written, "exists", asked.operation, path=inside, target=inside)
    return Resolution(asked.written, "absent", asked.operation, target=inside, note=DANGLING)


def _pattern(tree: Tree, frame: Frame, asked: Question) -> Resolution | None:
    """Resolve a path with a wildcard by the folder before it; nothing is put in its place."""
    folder = asked.written.partition("*")[0].rpartition("/")[0]
    if "*" not in asked.written or not folder:
        return None
    within = resolve(tree, frame, Question(folder, asked.operation, "folder", threshold=_NEVER))
    absent = Resolution(asked.written, "absent", asked.operation, note=PATTERN)
    found = absent if within.status == "exists" else within
    return replace(found, written=asked.written, target=interpret(asked.written, frame).target)


_NEVER = 2.0
"""A confidence that nothing has."""


def _ranked(
    tree: Tree,
    seen: PathQuery,
    asked: Question,
    names: ProjectNames,
    past: Past | None,
    files: Files | None,
) -> tuple[list[Candidate], str]:
    """Return the candidates that may be named, best first, and what history has to say."""
    from truepath.resolve.candidates import context, gather
    from truepath.resolve.history_evidence import MissingPath, weigh_past
    from truepath.resolve.model import fitted, weigh
    from truepath.resolve.order import likeliest_first
    from truepath.resolve.permission import least

    found = [
        each
        for each in gather(seen, names, asked.kind)
        if tree.kind(each.path) and tree.may_name(each.path)
    ]
    around = context(seen, names, asked.kind)
    ranked = likeliest_first(
        Candidate(each.path, chance, each.evidence, each.folder)
        for each, chance in zip(found, weigh(found, around, fitted()), strict=True)
    )
    missing, note = (
        MissingPath(seen, asked.kind, around, least(asked.operation, asked.threshold)),
        "",
    )
    if past is not None:
        ranked, note = weigh_past(missing, ranked, past, tree, fitted())
    if asked.contents is None or files is None:
        return ranked, note
    from truepath.resolve.contents_evidence import Sought, weigh_contents

    sought = Sought(missing, asked.contents, past)
    return weigh_contents(sought, ranked, files, tree, names), note


def _allows(asked: Question, confidence: float, evidence: Sequence[str]) -> bool:
    """Return whether a candidate is sure enough (0 to 1) for what is asked, and on fit grounds."""
    from truepath.resolve.permission import needed

    sure = needed(asked.operation, evidence, asked.threshold)
    return sure is not None and confidence >= sure


def _is_known_alone(best: Candidate, asked: Question, searched: Searched) -> bool:
    """Return whether files that git does not track yet would have been seen, where they matter.

    What is to be changed may have a namesake among them, unless it is the path itself.
    """
    from truepath.resolve.permission import CHANGES, IN_PLACE, grounds

    if searched.untracked or asked.operation not in CHANGES:
        return True
    return grounds(best.evidence) in IN_PLACE


def _is_borne(ranked: Sequence[Candidate], wanted: Kind) -> bool:
    """Return whether something of the wanted kind has the written name: then it is not absent."""
    from truepath.resolve.candidates import is_namesake

    return any(
        is_namesake(one) and _fits("folder" if one.folder else "file", wanted) for one in ranked
    )


def _verdict(
    ranked: Sequence[Candidate],
    seen: PathQuery,
    asked: Question,
    entry: EntryKind,
    searched: Searched,
    *,
    settled: bool,
) -> tuple[Status, str | None]:
    """Turn ranked candidates into a status, and the path if one is sure enough and all is known."""
    from truepath.resolve.model import fitted

    model = fitted()
    if entry:
        return "directory", None
    best = ranked[0] if ranked else None
    kind: EntryKind = "folder" if best and best.folder else "file"
    allowed = best is not None and _allows(asked, best.confidence, best.evidence)
    settled = settled and best is not None and _is_known_alone(best, asked, searched)
    if best and allowed and settled and _fits(kind, asked.kind):
        return "resolved", best.path
    if sum(one.confidence for one in ranked) >= model.plausible:
        return "ambiguous", None
    if seen.inside is None:
        return "outside", None
    borne = _is_borne(ranked, asked.kind)
    return ("ambiguous" if borne or searched.cut_short else "absent"), None
