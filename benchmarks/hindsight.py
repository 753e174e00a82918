"""Mechanical mistakes and transcripts, told again as if the project's history had been asked.

The past is what the cases know of it: every path that the renames and deletions of the same state
of a repository are about had left by then. Of a path that a transcript's history never had, no more
is known, so that nothing there is taken for what is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import Pool

import need  # noqa: F401
import numpy as np
from logit import Judged
from rows import Array, Row
from scipy.stats import chi2

from truepath.evaluation.cases import workspace
from truepath.project.history.outcome import Clause, PathHistory
from truepath.project.names import Names
from truepath.resolve.anchors import interpret
from truepath.resolve.history_evidence import MissingPath, weigh_past
from truepath.resolve.model import LIKELY, Model, never_factor
from truepath.types import Candidate

NOTHING, INSTEAD, BESIDE, ITSELF = range(4)
"""What left: nothing like what was written; a path as like it as the best candidate, or nearly; the
very path."""

_LEFT = Clause("it left")
"""Said of any path that left, so that what is told shows whether one spoke."""


@dataclass(frozen=True)
class _Past:
    """A project's history, as far as cases know it."""

    gone: Names
    became: Mapping[str, str | None]
    """Each path that left, and where it is now."""
    fate: PathHistory = PathHistory("never")  # noqa: RUF009  it is frozen
    path: str = ""

    def departed(self, *, vital: bool) -> Names:  # noqa: ARG002
        return self.gone

    def follow(self, path: str) -> PathHistory:
        now = self.became.get(path)
        return PathHistory("renamed" if now else "deleted", now, clause=_LEFT)


@dataclass(frozen=True)
class _Told:
    """Rows of one state of a repository, each with what is told of its best candidate."""

    places: Sequence[int]
    rows: Sequence[Row]
    best: Sequence[Candidate]
    past: _Past
    model: Model


def told_again(rows: Sequence[Row], judged: Judged, model: Model) -> tuple[Array, Array]:
    """Return each row's confidence, where its best candidate may be acted on, else 0; and what
    left.
    """
    told, left = judged.acts.copy(), np.full(len(rows), NOTHING)
    groups = _groups(rows, judged, model)
    with Pool() as pool:
        for group, answers in zip(groups, pool.map(_again, groups, chunksize=1), strict=True):
            told[group.places], left[group.places] = zip(*answers, strict=True)
    return told, left


def _groups(rows: Sequence[Row], judged: Judged, model: Model) -> list[_Told]:
    pasts: dict[str, dict[str, str | None]] = {}
    asked: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        case = row.case
        if case.set in ("renames", "deletions"):
            pasts.setdefault(case.tree, {})[case.written] = case.truth
        if _may_never_have_been(row) and judged.acts[at]:
            asked.setdefault(case.tree if case.set == "mistaken" else "", []).append(at)
    groups = []
    for tree, places in asked.items():
        became = pasts.get(tree, {})
        mine = [rows[at] for at in places]
        tops = [judged.tops[at] for at in places]
        best = [
            _candidate(row, top, float(judged.acts[at]))
            for at, row, top in zip(places, mine, tops, strict=True)
        ]
        groups.append(_Told(places, mine, best, _Past(Names(became), became), model))
    return groups


def _candidate(row: Row, top: int, chance: float) -> Candidate:
    found = row.candidates[top]
    return Candidate(found.path, chance, found.evidence, found.folder)


def _may_never_have_been(row: Row) -> bool:
    return row.case.set == "mistaken" or row.case.never_was


def _again(told: _Told) -> list[tuple[float, int]]:
    """Return the confidence of each row's best candidate, and what left."""
    pairs = zip(told.rows, told.best, strict=True)
    return [_weighed(row, best, told) for row, best in pairs]


def _weighed(row: Row, best: Candidate, told: _Told) -> tuple[float, int]:
    case = row.case
    space = workspace(row.trees, case.tree, case.add, case.root)
    seen = interpret(case.written, space.frame(case.cwd))
    if seen.inside and told.past.gone.kind(seen.inside):
        return best.confidence, ITSELF
    missing = MissingPath(seen, case.kind, row.context, sure=0.0)
    ranked, note = weigh_past(missing, [best], told.past, space, told.model)
    now = next((one for one in ranked if one.path == best.path), best)
    left = NOTHING if not note else BESIDE if "like-gone" in now.evidence else INSTEAD
    return now.confidence, left


def worth(rows: Sequence[Row], judged: Judged, left: Array) -> str:
    """Return how much it says that nothing like a path ever left, or that something did.

    Of the likely candidates that nothing is like, by what `resolve.model.NEVER` tells apart:
    how many were foretold wrong by names alone, how many were, and at most (one-sided, 95 %); so
    the odds may be multiplied by `factor`.
    """
    asked = np.array([_may_never_have_been(row) for row in rows])
    lines = ["told with 0.9 and more, what is there was right"]
    kinds = {INSTEAD: "is as like it", BESIDE: "is nearly as like it", NOTHING: "is not"}
    for kind, what in kinds.items():
        mine = asked & (judged.acts >= 0.9) & (left == kind)
        lines.append(f"in {judged.right[mine].sum():,} of {mine.sum():,} where what left {what}")
    lines.append("what it is        cases  foretold  wrong  at most  factor  in use")
    seen: dict[str, list[int]] = {}
    for at in np.flatnonzero(asked & (judged.acts >= LIKELY) & (left == NOTHING)):
        seen.setdefault(_what(set(rows[at].candidates[judged.tops[at]].evidence)), []).append(
            int(at)
        )
    for what, cases in sorted(seen.items()):
        foretold, wrong = (1 - judged.acts[cases]).sum(), (~judged.right[cases]).sum()
        most = chi2.ppf(0.95, 2 * wrong + 2) / 2
        used = never_factor({*what.split(), *_TAIL[: 3 * (what == "the only tail")]})
        lines.append(
            f"{what:16}  {len(cases):5,}  {foretold:8.1f}  {wrong:5}  {most:7.1f}  "
            f"{foretold / most:6.1f}  {used:6.1f}"
        )
    return "\n".join(lines)


_TAIL = ("same-name", "missing-leading", "only-one")
_TOLD_APART = ("look-alike", "one-edit", "same-format", "exact")


def _what(known: set[str]) -> str:
    """Return the one kind of evidence by which a candidate is raised, or would be."""
    slip = next((each for each in _TOLD_APART if each in known), None)
    if slip or "same-name" not in known:
        return slip or "another name"
    if known.issuperset(_TAIL) and "shared-0" not in known:
        return "the only tail"
    return " ".join(sorted(known & {"same-name", *_SPECIFIC}))


_SPECIFIC = ("generic-name", "specific-name", "ordinary-name", "plain-name")
