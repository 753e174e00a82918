"""The scorer of `truepath.resolve.model`, fitted: a weight a feature, of a fixed sign.

Every figure for a row comes from weights that have not seen the row's repository.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import need  # noqa: F401
import numpy as np
from rows import Array, Row
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from unseen_weights import fold

from truepath.resolve.model import DOUBTS, NOTHING, SUPPORTS, features

OTHERS = 5.0
"""What all rows that no agent missed weigh, against those of agents: `fit.py --others` prints what
more and less would give. Agents' own misses are a few hundred; with them alone the weights of rare
features are chance."""

RIDGE = 0.03
"""How strongly weights are drawn to 0: as one row that says they are, told with 1.5 %."""

AT_LEAST = {"second-guess": 5.0}
"""Doubts that the cases are too few to show, in log-odds. What is right only if two guesses are is
no more likely than not: of 59 such that were told with 0.9 and more without this, 18 were right."""

WORDS = (*SUPPORTS, *DOUBTS, *NOTHING)


class Design:
    """The rows as one sparse matrix: a line a candidate, and one a row for "nothing here"."""

    def __init__(self, rows: Sequence[Row], without: Collection[str] = ()) -> None:
        at = {word: place for place, word in enumerate(WORDS) if word not in without}
        values, columns, pointers, starts, right = [], [], [0], [0], []
        for row in rows:
            lines = [features(one, row.context) for one in row.candidates]
            lines.append(dict.fromkeys(("always", *row.context), 1))
            for line in lines:
                known = [(at[word], times) for word, times in line.items() if word in at]
                columns += [column for column, _ in known]
                values += [times for _, times in known]
                pointers.append(len(columns))
            starts.append(len(pointers) - 1)
            right.append(starts[-2] + row.truth if row.truth >= 0 else starts[-1] - 1)
        size = (len(pointers) - 1, len(WORDS))
        self.matrix = csr_matrix((np.array(values, float), columns, pointers), shape=size)
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

        start = np.array([-AT_LEAST.get(word, 0.0) for word in WORDS])
        options = {"maxiter": 600}
        found: Array = minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=_signs(), options=options
        ).x
        return found


def _signs() -> list[tuple[float | None, float | None]]:
    """Return the bounds of each weight: what supports never counts against, nor the reverse."""
    signs: dict[str, tuple[float | None, float | None]] = dict.fromkeys(SUPPORTS, (0.0, None))
    signs |= {word: (None, -AT_LEAST.get(word, 0.0)) for word in DOUBTS}
    return [signs.get(word, (None, None)) for word in WORDS]


@dataclass(frozen=True)
class Judged:
    """What weights told of each row whose repository they had not seen."""

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
    weights: Sequence[Array]
    """The weights of each fold, fitted to the repositories of all other folds."""


def judge(rows: Sequence[Row], design: Design, weight: Array, folds: int) -> Judged:
    """Return what is told of each row by weights fitted to other repositories."""
    side = np.array([fold(row.case.repo, folds) for row in rows])
    chance = np.zeros(design.matrix.shape[0])
    thetas = [design.fit(weight * (side != at)) for at in range(folds)]
    for at, theta in enumerate(thetas):
        mine = (side == at)[design.owner]
        chance[mine] = design.chances(theta)[mine]
    spans = zip(design.starts[:-1].tolist(), design.starts[1:].tolist(), strict=True)
    return _judged(rows, [chance[start : end - 1].tolist() for start, end in spans], thetas)


def _judged(
    rows: Sequence[Row], told: Sequence[Sequence[float]], thetas: Sequence[Array]
) -> Judged:
    orders = [_order(row, each) for row, each in zip(rows, told, strict=True)]
    tops = [order[0] if order else -1 for order in orders]
    best = np.array([each[top] if top >= 0 else 0.0 for each, top in zip(told, tops, strict=True)])
    truths = [row.truth for row in rows]
    return Judged(
        best=best,
        acts=best * [top >= 0 and row.fits[top] for row, top in zip(rows, tops, strict=True)],
        right=np.array([0 <= top == truth for top, truth in zip(tops, truths, strict=True)]),
        tops=tops,
        listed=np.array([truth in order[:3] for truth, order in zip(truths, orders, strict=True)]),
        mass=np.array([sum(each) for each in told]),
        weights=thetas,
    )


def _order(row: Row, told: Sequence[float]) -> list[int]:
    return sorted(range(len(told)), key=lambda at: (-told[at], row.candidates[at].path))
