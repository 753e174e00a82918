"""Fit the weights of `truepath.resolve.likelihood` to the cases, and judge them by
others.

    python benchmarks/fit.py            fit, print what weights tell that saw others,
                                        write likelihood.json and cases/folds.json

Agents' own misses count most. Renames, deletions and links are plentiful because git
is, and not because agents meet them; slips are made up. Together they weigh as much, as
`SHARES` says."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
from cases import FOLDER, Case, call, folder, load, workspace
from evidence import slipped
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from truepath.calls.paths import find
from truepath.resolve import likelihood
from truepath.resolve.candidates import gather, plausible_reading
from truepath.resolve.places import read

Array: TypeAlias = "np.ndarray[Any, Any]"

TABLE = Path(likelihood.TABLE)
AGAINST = frozenset(likelihood.table()["against"])
FEATURES = [*likelihood.weights()]

SETS = ("first", "second", "links", "renames", "deletions")

FOLDS = 24

RIDGE = 0.001
"""How strongly weights are drawn to 0."""

SHARES = {"none": 0.5, "links": 0.05, "renames": 0.35, "slips": 0.1}
"""What other cases weigh together, for each of those of agents, half of which have no
answer."""


@dataclass(frozen=True)
class Row:
    """One case: the features of each candidate and, last, of "nothing here"; which is
    right.
    """

    case: Case
    lines: Sequence[Mapping[str, int]]
    truth: int


def observe(case: Case) -> Row:
    """Return the candidates of a case, by the weights in use."""
    space = workspace(case)
    frame = space.frame(folder(case.cwd or "") or None)
    reading = plausible_reading(space.tree, read(case.written, frame), frame)
    kinds = [each.argument.kind for each in find(call(case)).paths]
    found = gather(space.tree, reading, next(iter(kinds), "any"))
    paths = [match.path for match in found]
    truth = (case.truth or "").rstrip("/")
    right = paths.index(truth) if truth in paths else len(paths)
    lines = [
        *(match.features for match in found),
        likelihood.nothing_here(reading.target),
    ]
    return Row(case, lines, right)


class Design:
    """The rows as one sparse matrix: a line for each candidate, and one for "nothing
    here".
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        at = {name: place for place, name in enumerate(FEATURES)}
        # What tells relations alone has no weight.
        lines = [
            {name: times for name, times in line.items() if name in at}
            for row in rows
            for line in row.lines
        ]
        pointers = np.cumsum([0, *(len(line) for line in lines)])
        columns = [at[name] for line in lines for name in line]
        values = np.array([times for line in lines for times in line.values()], float)
        self.matrix = csr_matrix(
            (values, columns, pointers), shape=(len(lines), len(at))
        )
        sizes = [len(row.lines) for row in rows]
        self.starts: Array = np.cumsum([0, *sizes])
        self.owner: Array = np.repeat(np.arange(len(rows)), sizes)
        self.right: Array = self.starts[:-1] + np.array([row.truth for row in rows])

    def chances(self, theta: Array) -> Array:
        score = self.matrix @ theta
        first = self.starts[:-1]
        mass = np.exp(score - np.maximum.reduceat(score, first)[self.owner])
        return np.asarray(mass / np.add.reduceat(mass, first)[self.owner])

    def fit(self, weight: Array, start: Array) -> Array:
        def loss(theta: Array) -> tuple[float, Array]:
            chance = self.chances(theta)
            value = -(weight * np.log(np.maximum(chance[self.right], 1e-300))).sum()
            slope = chance * weight[self.owner]
            np.subtract.at(slope, self.right, weight)
            gradient = self.matrix.T @ slope + RIDGE * theta
            return float(value + 0.5 * RIDGE * (theta @ theta)), gradient

        bounds = [(None, 0) if name in AGAINST else (0, None) for name in FEATURES]
        found: Array = minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=bounds
        ).x
        return found


def weighed(rows: Sequence[Row]) -> Array:
    """Return what each row counts."""
    groups = [_group(row.case) for row in rows]
    size, agents = Counter(groups), groups.count("agents")
    worth = {
        each: agents * SHARES[each] / size[each] for each in size if each in SHARES
    }
    return np.array([worth.get(each, 1.0) for each in groups])


def _group(case: Case) -> str:
    if case.set in ("first", "second"):
        return "agents"
    return case.set if case.truth else "none"


def by_name(theta: Array) -> dict[str, float]:
    return {name: round(float(theta[at]), 2) + 0.0 for at, name in enumerate(FEATURES)}


def fold_of(repo: str) -> int:
    return zlib.crc32(repo.encode()) % FOLDS


def tell(rows: Sequence[Row], design: Design, thetas: Sequence[Array]) -> None:
    """Print how often the right file is first, by weights of other repositories."""
    chances = [design.chances(theta) for theta in thetas]
    counts: dict[str, Counter[str]] = {}
    for at, row in enumerate(rows):
        start, end = design.starts[at : at + 2]
        told = chances[fold_of(row.case.repo)][start : end - 1]
        order = np.argsort(-told, kind="stable").tolist()
        whole = row.case.tree_kind == "yes" and _group(row.case) == "agents"
        for name in (row.case.set, *(["agents, whole tree"] if whole else [])):
            right = {
                "answer": bool(row.case.truth),
                "found": row.truth < len(row.lines) - 1,
            }
            right |= {
                "first": order[:1] == [row.truth],
                "in three": row.truth in order[:3],
            }
            counts.setdefault(name, Counter()).update({"cases": 1, **right})
    for name, count in counts.items():
        print(
            f"{name:20}",
            *(f"{what} {times}" for what, times in count.items()),
            sep="  ",
        )


def main() -> None:
    cases = [case for name in SETS for case in load(name) if case.tree]
    deletions = [case for case in cases if case.set == "deletions"]
    cases += [slip for case in deletions[::5] for slip in slipped(case)]
    weights = likelihood.weights()
    for _ in range(2):  # which place explains a candidate best depends on the weights
        with patch.dict(likelihood.weights(), weights), Pool(2) as pool:
            rows = pool.map(observe, cases, chunksize=100)
        design, weight = Design(rows), weighed(rows)
        theta = design.fit(weight, np.zeros(len(FEATURES)))
        weights = by_name(theta)
    side = np.array([fold_of(row.case.repo) for row in rows])
    thetas = [design.fit(weight * (side != at), theta) for at in range(FOLDS)]
    tell(rows, design, thetas)
    write(weights)
    repos = sorted({row.case.repo for row in rows})
    folds = [
        {
            "repos": [each for each in repos if fold_of(each) == at],
            "weights": by_name(theta),
        }
        for at, theta in enumerate(thetas)
    ]
    (FOLDER / "folds.json").write_text(
        json.dumps(folds, indent=1) + "\n", encoding="utf-8"
    )


def write(weights: Mapping[str, float]) -> None:
    """Put the weights into the table."""
    text = TABLE.read_text(encoding="utf-8")
    for name, weight in weights.items():
        text = re.sub(rf'(?<="{name}": \[)[^,]+', str(weight), text)
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
