"""Mechanical mistakes and transcripts, told again as if the project's history had been asked.

The past is what the cases know of it: every path that the renames and deletions of the same state
of a repository are about had left by then. Of a path that a transcript's history never had, no more
is known, so that nothing there is taken for what is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool

import numpy as np
from logit import Judged
from rows import Array, Row
from scipy.stats import chi2

from truepath.call import Candidate
from truepath.confidence import LIKELY, Model, never_factor
from truepath.evaluation.cases import workspace
from truepath.files.names import Names
from truepath.history.fate import Fate
from truepath.past import Missing, weigh_past
from truepath.targets import Aim, aim

_Pasts = Mapping[str, Mapping[str, str | None]]
"""By state of a repository: each path that left, and where it is now."""


ALIKE, ITSELF = 1, 2
NEVER, _LEFT = Fate("never"), "left"


@dataclass(frozen=True)
class _Past:
    """A project's history, as far as cases know it."""

    gone: Names
    became: Mapping[str, str | None]
    fate: Fate = NEVER

    def departed(self, *, vital: bool) -> Names:  # noqa: ARG002
        return self.gone

    def follow(self, path: str) -> Fate:
        now = self.became.get(path)
        return Fate("renamed", now, note=_LEFT) if now else Fate("deleted", note=_LEFT)


@dataclass(frozen=True)
class _Ground:
    """What stands in a case's project."""

    names: Names

    def kind(self, path: str) -> str | None:
        return self.names.kind(path)

    def may_name(self, _: str) -> bool:
        return True


class Hindsight:
    """Tells cases once more; a process of its own for each core."""

    def __init__(self, rows: Sequence[Row], judged: Judged, trees: str, model: Model) -> None:
        self._rows, self._judged, self._trees, self._model = rows, judged, trees, model
        self._pasts: dict[str, dict[str, str | None]] = {}
        for row in rows:
            if row.case.set in ("renames", "deletions"):
                self._pasts.setdefault(row.case.tree, {})[row.case.written] = row.case.truth

    def told(self) -> tuple[Array, Array]:
        """Return each row's confidence, where its best candidate may be acted on, else 0; and
        what left: `ITSELF`, `ALIKE`, which is about as like what was written, or 0, nothing.
        """
        told, left = self._judged.acts.copy(), np.zeros(len(self._rows), dtype=int)
        asked = [at for at in np.flatnonzero(told) if self._may_never_have_been(self._rows[at])]
        with Pool(initializer=_take, initargs=(self,)) as pool:
            answers = pool.map(_tell, asked, chunksize=200)
        told[asked], left[asked] = zip(*answers, strict=True)
        return told, left

    def _may_never_have_been(self, row: Row) -> bool:
        return row.case.set == "mistaken" or row.case.never_was

    def tell(self, at: int) -> tuple[float, int]:
        """Return the same of one row."""
        row, top, told = self._rows[at], self._judged.tops[at], float(self._judged.acts[at])
        case = row.case
        space = workspace(self._trees, case.tree, case.add, case.root)
        seen = aim(case.written, space.frame(case.cwd))
        became = self._pasts.get(case.tree, {}) if case.set == "mistaken" else {}
        gone = _gone(self, case.tree) if became else Names(())
        if _left(seen, gone):
            return told, ITSELF
        best = Candidate(row.paths[top], told, row.evidence[top], folder=False)
        past, ground = _Past(gone, became), _Ground(space.names())
        missing = Missing(seen, case.kind, row.context, sure=0.0)
        ranked, note = weigh_past(missing, [best], past, ground, self._model)
        return next(
            (one.confidence for one in ranked if one.path == best.path), told
        ), _LEFT in note


def worth(rows: Sequence[Row], judged: Judged, left: Array) -> str:
    """Return how much it says that nothing like a path ever left, or that something did.

    Of the likely candidates that nothing is like, by what `truepath.confidence.NEVER` tells apart:
    how many were foretold wrong by names alone, how many were, and at most (one-sided, 95 %); so
    the odds may be multiplied by `factor`.
    """
    asked = [row.case.set == "mistaken" or row.case.never_was for row in rows]
    sure = np.array(asked) & (judged.acts >= 0.9)
    both = [(left == ALIKE) & sure, (left == 0) & sure]
    lines = [
        "told with 0.9 and more: {:,} of {:,} right where something that left is like it, "
        "{:,} of {:,} elsewhere".format(
            *(n for at in both for n in (judged.right[at].sum(), at.sum()))
        ),
        "what it is        cases  foretold  wrong  at most  factor  in use",
    ]
    seen: dict[str, list[int]] = {}
    for at in np.flatnonzero(np.array(asked) & (judged.acts >= LIKELY) & (left == 0)):
        seen.setdefault(_what(set(rows[at].evidence[judged.tops[at]])), []).append(int(at))
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


def _left(seen: Aim, gone: Names) -> bool:
    """Return whether the path as written was there, so that history knows what became of it."""
    return bool(seen.inside) and gone.kind(seen.inside or "") is not None


@cache
def _gone(told: Hindsight, tree: str) -> Names:
    return Names(told._pasts[tree])  # noqa: SLF001  one module, one cache


_asked: list[Hindsight] = []


def _take(told: Hindsight) -> None:
    _asked[:] = [told]


def _tell(at: int) -> tuple[float, int]:
    return _asked[0].tell(at)
