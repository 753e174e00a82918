"""The model of `truepath.resolve.model`, fitted: weights of evidence, then calibration.

Every figure for a row comes from numbers that have not seen the row's repository.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import need  # noqa: F401
import numpy as np
from rows import Array, Row, as_found, weighed
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from truepath.resolve.model import confidences, curve_of, features

TRAJECTORY = 8.0
"""In fitting, a row from a transcript counts this many times one from git: it is the thing itself.
In measuring it counts once, or a handful of rows would decide."""

RIDGE = 1.0
RARE = 15
"""Features in fewer candidates than this are left out."""

KNOTS = (0.001, 0.01, 0.05, 0.2, 0.45, 0.7, 0.9, 0.97, 0.99, 0.997, 0.9995)
"""The shares of the competition between which calibration is drawn straight, in log-odds."""

_DOUBT = 2.0
"""How strongly calibration is drawn towards what the share itself says, in rows."""

Keep = Callable[[str], bool]
"""Whether a piece of evidence, or a circumstance, may be seen."""

Curve = list[list[float]]
"""Shares, and the probabilities that they stand for."""


class Design:
    """The rows as one sparse matrix: a line a candidate, and one a row for "nothing here"."""

    def __init__(self, rows: Sequence[Row], keep: Keep = lambda _: True) -> None:
        seen = [_features(row, keep) for row in rows]
        around = [["always", *filter(keep, row.context)] for row in rows]
        counts = Counter(name for row in seen for names in row for name in set(names))
        self.words = {
            n: at for at, n in enumerate(sorted(n for n, c in counts.items() if c >= RARE))
        }
        contexts = sorted({name for names in around for name in names})
        self.around = {name: at + len(self.words) for at, name in enumerate(contexts)}
        pointers, columns, starts, right = [0], [], [0], []
        for row, candidates, context in zip(rows, seen, around, strict=True):
            for names in candidates:
                columns += [self.words[name] for name in names if name in self.words]
                pointers.append(len(columns))
            columns += [self.around[name] for name in context]
            pointers.append(len(columns))
            starts.append(len(pointers) - 1)
            right.append(starts[-2] + row.truth if row.truth >= 0 else starts[-1] - 1)
        size = (len(pointers) - 1, len(self.words) + len(self.around))
        self.matrix = csr_matrix((np.ones(len(columns)), columns, pointers), shape=size)
        self.starts: Array = np.array(starts)
        self.right: Array = np.array(right)
        self.owner: Array = np.repeat(np.arange(len(rows)), np.diff(self.starts))

    def chances(self, theta: Array) -> Array:
        score = self.matrix @ theta
        first = self.starts[:-1]
        mass = np.exp(score - np.maximum.reduceat(score, first)[self.owner])
        return np.asarray(mass / np.add.reduceat(mass, first)[self.owner])

    def fit(self, weight: Array) -> Array:
        def loss(theta: Array) -> tuple[float, Array]:
            chance = self.chances(theta)
            value = -(weight * np.log(np.maximum(chance[self.right], 1e-300))).sum()
            slope = chance * weight[self.owner]
            np.subtract.at(slope, self.right, weight)
            gradient = self.matrix.T @ slope + RIDGE * theta
            return value + 0.5 * RIDGE * float(theta @ theta), gradient

        start = np.zeros(self.matrix.shape[1])
        options = {"maxiter": 400}
        found: Array = minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
        return found


def _features(row: Row, keep: Keep) -> list[list[str]]:
    around = [name for name in row.context if keep(name)]
    return [features([n for n in names if keep(n)], around) for names in row.evidence]


def fold(repo: str, folds: int) -> int:
    return int(hashlib.sha256(repo.encode()).hexdigest(), 16) % folds


@dataclass(frozen=True)
class Judged:
    """What models told of each row whose repository they had not seen."""

    best: Array
    """The confidence of the best candidate; 0 without one."""
    acts: Array
    """The same where that candidate is of the kind that was asked for, else 0: no correction."""
    right: Array
    """Whether that candidate is right."""
    tops: list[int]
    """Its position, or -1."""
    listed: Array
    """Whether the right one is among the first three."""
    mass: Array
    """The confidence of all candidates together."""


def judge(rows: Sequence[Row], design: Design, folds: int) -> tuple[Judged, dict[str, Curve]]:
    """Return what is told of each row, and the calibration fitted to all of them.

    Weights are fitted to the causes' real shares. Calibration is fitted to the cases as they were
    found, but where the very path is there: those are nearly all made.
    """
    weight = weighed(rows, TRAJECTORY)
    side = np.array([fold(row.case.repo, folds) for row in rows])
    chance = np.zeros(design.matrix.shape[0])
    for at in range(folds):
        mine = (side == at)[design.owner]
        chance[mine] = design.chances(design.fit(weight * (side != at)))[mine]
    spans = zip(design.starts[:-1].tolist(), design.starts[1:].tolist(), strict=True)
    return calibrate(rows, [chance[start : end - 1] for start, end in spans], side)


def calibrate(
    rows: Sequence[Row], shares: Sequence[Array], side: Array
) -> tuple[Judged, dict[str, Curve]]:
    """Calibrate the candidates' shares of the competition; see `judge`.

    Args:
        rows: The cases.
        shares: Of each row, its candidates' shares.
        side: The fold of each row.
    """
    best = np.array([each.max(initial=0.0) for each in shares])
    tops = np.array([int(np.argmax(each)) if len(each) else -1 for each in shares])
    right = (tops >= 0) & (tops == np.array([row.truth for row in rows]))
    kinds = [
        curve_of(row.evidence[top] if top >= 0 else ()) for row, top in zip(rows, tops, strict=True)
    ]
    groups = {"exact": np.array(kinds) == "exact", "other": as_found(rows) > 0}
    groups["other"] &= ~groups["exact"]

    def curves(mine: Array) -> dict[str, Curve]:
        return {kind: calibration(best, right, mine & of) for kind, of in groups.items()}

    told: list[list[float]] = [[] for _ in rows]
    for at in np.unique(side):
        fitted = curves(side != at)
        for row in np.flatnonzero(side == at):
            told[row] = confidences(shares[row].tolist(), rows[int(row)].evidence, fitted)
    return _judged(rows, told), curves(np.ones(len(rows), dtype=bool))


def _judged(rows: Sequence[Row], told: Sequence[Sequence[float]]) -> Judged:
    orders = [_order(row, each) for row, each in zip(rows, told, strict=True)]
    tops = [order[0] if order else -1 for order in orders]
    best = np.array([each[top] if top >= 0 else 0.0 for each, top in zip(told, tops, strict=True)])
    return Judged(
        best=best,
        acts=best * [top >= 0 and row.fits[top] for row, top in zip(rows, tops, strict=True)],
        right=np.array(
            [top >= 0 and top == row.truth for row, top in zip(rows, tops, strict=True)]
        ),
        tops=tops,
        listed=np.array(
            [row.truth in order[:3] for row, order in zip(rows, orders, strict=True)], dtype=bool
        ),
        mass=np.array([sum(each) for each in told]),
    )


def _order(row: Row, told: Sequence[float]) -> list[int]:
    return sorted(range(len(told)), key=lambda at: (-told[at], row.paths[at]))


def calibration(best: Array, right: Array, chosen: Array) -> Curve:
    """Fit the rising curve that makes the best candidate's share a probability."""
    chosen = chosen & (best > 0)
    at, hit = _places(best[chosen]), right[chosen]
    own = np.log(np.array(KNOTS) / (1 - np.array(KNOTS)))
    steps = np.tril(np.ones((len(KNOTS), len(KNOTS))))
    design = at @ steps

    def loss(rises: Array) -> tuple[float, Array]:
        z, off = design @ rises, steps @ rises - own
        bend = np.diff(off)
        value = (np.logaddexp(0, z) - hit * z).sum()
        slope = design.T @ (1 / (1 + np.exp(-z)) - hit) + _DOUBT * (steps.T @ off)
        slope += 2 * _DOUBT * steps.T @ (np.append(0, bend) - np.append(bend, 0))
        return float(value + 0.5 * _DOUBT * off @ off + _DOUBT * bend @ bend), slope

    start = np.append(own[0], np.diff(own))
    bounds = [(None, None), *[(0.0, None)] * (len(KNOTS) - 1)]
    rises = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    told = 1 / (1 + np.exp(-(steps @ rises)))
    return [list(KNOTS), [round(float(each), 5) for each in told]]


def _places(shares: Array) -> Array:
    """Return how far each share belongs to each knot: 1 at it, less on the way to the next."""
    knots = np.log(np.array(KNOTS) / (1 - np.array(KNOTS)))
    share = np.clip(shares, KNOTS[0], KNOTS[-1])
    odds = np.log(share / (1 - share))
    low = np.clip(np.searchsorted(knots, odds, side="right") - 1, 0, len(KNOTS) - 2)
    way = (odds - knots[low]) / (knots[low + 1] - knots[low])
    out = np.zeros((len(odds), len(KNOTS)))
    rows = np.arange(len(odds))
    out[rows, low], out[rows, low + 1] = 1 - way, way
    return out
