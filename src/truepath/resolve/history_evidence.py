"""Weigh what a project's history says about a missing path.

What history names comes first where it is asked about the very path, what it knows as gone is gone,
and a path that never existed may be meant for a file that is gone as well as for one that is there.
History may stop a correction; what has the written name today stays a candidate. It knows neither
disk nor git.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from truepath.paths import fold
from truepath.project.names import Names
from truepath.records import dataclass, replace
from truepath.resolve.anchors import PathQuery
from truepath.resolve.candidates import NAMESAKE, Found, gather, is_namesake
from truepath.resolve.model import (
    CEILING,
    GONE_TOO,
    LIKE_GONE,
    TWICE,
    Model,
    Verdict,
    bounded,
    from_history,
    score,
    unseen,
    weigh,
)
from truepath.resolve.order import likeliest_first
from truepath.types import Candidate, Kind

if TYPE_CHECKING:
    from truepath.project.history.outcome import PathHistory

_FOLLOWED = 3
"""How many departed paths are followed to where they are now; each costs a look-up."""


class Past(Protocol):
    """A project's history as resolution sees it."""

    @property
    def path(self) -> str:
        """The root-relative path that was asked about."""

    @property
    def fate(self) -> PathHistory:
        """What became of that path, which is missing."""

    def departed(self, *, vital: bool) -> Names | None:
        """Return the paths that the project had and lost; None when they are not known in time.

        Where they are not vital, they are not worth waiting for.
        """

    def follow(self, path: str) -> PathHistory:
        """Return what became of another path that left."""


class CurrentTree(Protocol):
    """The entries of today."""

    def kind(self, path: str) -> str | None:
        """Return the kind of entry at a root-relative path."""

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown."""


@dataclass(frozen=True, slots=True)
class MissingPath:
    """A path that is not there, as it was asked for."""

    seen: PathQuery
    kind: Kind
    context: Sequence[str]
    """See `truepath.resolve.candidates.context`."""
    sure: float
    """The confidence (0 to 1) at which it is resolved."""


def weigh_past(
    missing: MissingPath, ranked: Sequence[Candidate], past: Past, ground: CurrentTree, model: Model
) -> tuple[list[Candidate], str]:
    """Return the candidates, best first, as history leaves them, and its clause for the agent."""
    if past.fate.kind == "never":
        return _never(missing, ranked, past, ground, model)
    said = from_history(past.fate)
    told = _told(ranked, past, past.fate, said, ground)
    if missing.seen.inside not in (None, past.path):
        # It was written below the root, and is one from there as likely.
        told = [_from_root(one) if one.path == past.fate.path else one for one in told]
    return told, _note(past.fate, ground)


def _from_root(candidate: Candidate) -> Candidate:
    return replace(candidate, evidence=("from-root", *candidate.evidence))


def is_doubted(
    missing: MissingPath, best: Candidate, past: Past, ground: CurrentTree, model: Model
) -> bool:
    """Return whether a path that is missing may be meant for something that left, as well as for
    this candidate: then it is no proof that the candidate is the only one today.
    """
    if past.fate.path == best.path:
        return False
    departed = past.departed(vital=True) if past.fate.kind == "never" else None
    if departed is None:
        return True
    likest = _likest_departed(missing, best, departed, model)
    gone = [one.path for _, one in likest if not ground.kind(one.path)]
    followed = (past.follow(path).path for path in gone[:_FOLLOWED])
    return len(gone) > _FOLLOWED or any(path != best.path for path in followed)


def _likest_departed(
    missing: MissingPath, best: Candidate | None, departed: Names, model: Model
) -> list[tuple[float, Found]]:
    """Return what left and explains the written path about as well as `best` does, likest first.

    Each with how much better it does, in log-odds: the same evidence is weighed by the same
    numbers as that of what is there. Without a best, what has the written name is returned.
    """
    found = gather(missing.seen, departed, missing.kind)
    if best is not None and not _THE_PATH.isdisjoint(best.evidence):
        # The very path, or that path in another case, is doubted only for another such.
        found = [one for one in found if not _THE_PATH.isdisjoint(one.evidence)]
    if best is None:
        found = [one for one in found if not NAMESAKE.isdisjoint(one.evidence)]
    else:
        found = [replace(one, evidence=_as_rare(one.evidence, best.evidence)) for one in found]
    alive = Found(best.path, best.folder, best.evidence) if best else None
    level = score(alive, missing.context, model) if alive else 0.0
    leads = [(score(one, missing.context, model) - level, one) for one in found]
    leads.sort(key=lambda pair: (-pair[0], pair[1].path))
    return [each for each in leads if best is None or each[0] >= -LIKE_GONE]


_THE_PATH = frozenset({"exact", "look-alike"})

_RARITY = frozenset({"only-one", "few-of-name", "many-of-name"})


def _as_rare(evidence: Sequence[str], as_in: Sequence[str]) -> tuple[str, ...]:
    """Return evidence with how rare a name is taken from another's.

    Of all that left in all the years many have a name that few have at one time: the two counts
    do not compare.
    """
    rarity = next((each for each in as_in if each in _RARITY), None)
    return tuple(rarity if rarity and each in _RARITY else each for each in evidence)


def _never(
    missing: MissingPath, ranked: Sequence[Candidate], past: Past, ground: CurrentTree, model: Model
) -> tuple[list[Candidate], str]:
    """Weigh candidates for a path that never existed: surer, if nothing that left is like it."""
    from truepath.project.history.outcome import beside

    chances = bounded([unseen(one.confidence, one.evidence) for one in ranked])
    raised = likeliest_first(
        replace(one, confidence=chance) for one, chance in zip(ranked, chances, strict=True)
    )
    note = _note(past.fate, ground)
    best = raised[0] if raised else None
    departed = past.departed(vital=best is not None and best.confidence >= missing.sure)
    if departed is None:
        return list(ranked), note
    likest = _likest_departed(missing, best, departed, model)
    gone = (each for each in likest if not ground.kind(each[1].path))
    for lead, one in islice(gone, _FOLLOWED):
        path, became = one.path, past.follow(one.path)
        if best and became.path == best.path:
            continue
        # What is there may be as unlike what was written: then neither explains it.
        likely = min(GONE_TOO.named, *weigh([one], missing.context, model))
        said = _note(became, ground) if likely >= model.plausible else ""
        if said and ground.may_name(path):
            note = beside(note, path, said)
        if lead >= 0:
            return _told(ranked, past, became, replace(GONE_TOO, named=likely), ground), note
        return [_doubted(one) for one in ranked], note
    if next(gone, None):
        return list(ranked), note  # too many to follow: no word for what is there, nor against it
    return raised, note


def _doubted(candidate: Candidate) -> Candidate:
    """Return a candidate as it is named beside something that left and is nearly as like."""
    sure = min(candidate.confidence, CEILING)
    return replace(candidate, confidence=sure, evidence=(*candidate.evidence, "like-gone"))


def _told(
    ranked: Sequence[Candidate], past: Past, fate: PathHistory, said: Verdict, ground: CurrentTree
) -> list[Candidate]:
    """Return the candidates with what history names before or among them.

    Args:
        ranked: What names alone say.
        past: The history, asked about the missing path.
        fate: What became of that path, or of one like it.
        said: What that is worth.
        ground: What is there today.
    """
    path = fate.path
    rest = [one for one in ranked if one.path != path]
    if path is None or fate.kind != "renamed" or not ground.kind(path) or not ground.may_name(path):
        alone = [one for one in ranked if one.path == path]
        return likeliest_first([*(_beside(one, said) for one in rest), *alone])
    found = Candidate(path, said.named, fate.evidence, ground.kind(path) == "folder")
    alike = [one for one in rest if is_namesake(one) and one.folder == found.folder]
    # A bare name is what agents write for any file of that name; a path with folders is that path.
    if not alike or (fate is past.fate and "/" in past.path):
        scaled = (replace(one, confidence=one.confidence * said.others) for one in rest)
        return likeliest_first([*scaled, found])
    return _contested(found, [_beside(one, said) for one in rest], past.path)


def _contested(found: Candidate, rest: Sequence[Candidate], asked: str) -> list[Candidate]:
    """Return the candidates where others have the name that was written: all are named.

    A candidate that has it today comes before one that had it once.
    """
    best = max(one.confidence for one in rest if is_namesake(one))
    most = TWICE * best
    if _same_name(asked, found.path):
        most = TWICE
        rest = [replace(one, confidence=(1 - TWICE) * one.confidence) for one in rest]
    found = replace(found, confidence=min(found.confidence, most))
    chances = bounded([found.confidence, *(one.confidence for one in rest)])
    return likeliest_first(
        replace(one, confidence=chance) for one, chance in zip([found, *rest], chances, strict=True)
    )


def _same_name(one: str, other: str) -> bool:
    return fold(one.rpartition("/")[2]) == fold(other.rpartition("/")[2])


def _beside(candidate: Candidate, said: Verdict) -> Candidate:
    """Return a candidate weighed against what history says of the path, which is not its own.

    What has the very name, and a file in the same folder that is like it, may be meant still.
    """
    if said.others == 1.0:
        return candidate
    if is_namesake(candidate) or ("same-folder" in candidate.evidence and not candidate.folder):
        return _doubted(candidate)
    return replace(candidate, confidence=candidate.confidence * said.others)


def _note(fate: PathHistory, ground: CurrentTree) -> str:
    """Return what history says, without any name where one of them may not be told."""
    return fate.clause.told(ground.may_name)
