"""Fit the numbers of `truepath.confidence` to evaluation cases and write them with provenance.

    python benchmarks/fit.py EVAL_FOLDER [--out src/truepath/confidence.json]

Cases of one repository are never on both sides: every figure printed and every threshold comes
from models that had not seen the repository they are judged on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from frames import mistaken, retold
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.stats import chi2

from truepath.candidates import context, gather
from truepath.confidence import ceiling, features, kind_of
from truepath.evaluation.cases import SHARES, Case, load, tree_names, workspace
from truepath.targets import aim

Array: TypeAlias = np.ndarray[Any, Any]

FILES = (
    "trajectories.jsonl",
    "trajectories_over_cap.jsonl",
    "links.jsonl",
    "renames.jsonl.gz",
    "deletions.jsonl.gz",
)

TRAJECTORY = 8.0
"""In fitting, a row from a transcript counts this many times one from git: it is the thing itself.
In measuring it counts once, or a handful of rows would decide."""

BOUNDS = {
    "read": 0.005,
    "list": 0.005,
    "search": 0.005,
    "execute": 0.002,
    "edit": 0.002,
    "copy": 0.002,
    "move": 0.0005,
    "delete": 0.0005,
    "write": 0.0005,
    "mkdir": 0.0005,
}
"""The share of corrections that may be wrong, by operation: the upper end of its 95 % interval."""

UNCERTIFIED = {"move": 0.995}
"""The threshold where these cases are too few to certify a bound, if it is not the strictest."""

STRICTEST = 0.9995

RIDGE = 1.0
RARE = 15
"""Features in fewer candidates than this are left out."""


@dataclass(frozen=True)
class Row:
    """One case as the model sees it."""

    case: Case
    candidates: list[tuple[str, list[str]]]
    context: list[str]
    truth: int
    """Position of the right candidate, or -1: nothing listed is right."""


def observe(task: tuple[str, Case]) -> Row:
    trees, case = task
    space = workspace(trees, case.tree, case.add, case.root)
    names = space.names()
    seen = aim(case.written, space.frame(case.cwd))
    around = context(seen, names, case.kind)
    found = [each for each in gather(seen, names, case.kind) if space.may_name(each.path)]
    truth = next((at for at, each in enumerate(found) if each.path == case.truth), -1)
    listed = [(each.path, features(each.evidence, around)) for each in found]
    return Row(case, listed, ["always", *around], truth)


def real_cases(folder: Path) -> list[Case]:
    return [case for name in FILES if (folder / name).exists() for case in load(folder / name)]


def made_cases(real: Sequence[Case], trees: str) -> Iterator[Case]:
    """Yield the mechanical mistakes; deterministic."""
    for case in real:
        if case.set not in ("renames", "deletions"):
            continue
        chance = random.Random(case.id)
        if chance.random() < 0.25:
            yield from retold(case, chance)
        if case.set == "deletions" and chance.random() < 0.7:
            names = tree_names(trees, case.tree)
            yield from mistaken(case, case.written, names, chance, there=False)
        if case.set == "renames":
            names = tree_names(trees, case.tree)
            for _ in range(2):
                yield from mistaken(case, chance.choice(names), names, chance, there=True)


def stratum(row: Row) -> str:
    if row.case.set == "mistaken" and row.case.truth:
        return {"case": "case", "typo": "slip"}.get(row.case.cause, "prefix")
    return row.case.family


def weighed(rows: Sequence[Row], trajectory: float) -> Array:
    """Return a weight a row, so that the kinds of cause have their real shares.

    Renames and deletions are plentiful because git is, not because agents meet them often.
    A row from a transcript counts `trajectory` times one from git.
    """
    raw = np.array([trajectory if row.case.set.startswith("trajectories") else 1.0 for row in rows])
    strata = np.array([stratum(row) for row in rows])
    weight = np.zeros(len(rows))
    for name, share in SHARES.items():
        chosen = strata == name
        if chosen.any():
            weight[chosen] = raw[chosen] / raw[chosen].sum() * share
    return np.asarray(weight / weight.sum() * len(rows))


class Design:
    """The rows as one sparse matrix: a line a candidate, and one a row for "nothing here"."""

    def __init__(self, rows: Sequence[Row]) -> None:
        counts = Counter(name for row in rows for _, names in row.candidates for name in set(names))
        self.words = {
            n: at for at, n in enumerate(sorted(n for n, c in counts.items() if c >= RARE))
        }
        around = sorted({name for row in rows for name in row.context})
        self.around = {name: at + len(self.words) for at, name in enumerate(around)}
        pointers, columns, starts, right = [0], [], [0], []
        for row in rows:
            for _, names in row.candidates:
                columns += [self.words[name] for name in names if name in self.words]
                pointers.append(len(columns))
            columns += [self.around[name] for name in row.context]
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


def fold(repo: str, folds: int) -> int:
    return int(hashlib.sha256(repo.encode()).hexdigest(), 16) % folds


def judged(
    rows: Sequence[Row], design: Design, weight: Array, folds: int
) -> tuple[Array, Array, list[int]]:
    """Return, a row, the best candidate's confidence, whether it is right, and its position.

    Each row is judged by a model that has not seen its repository.
    """
    tops = [-1] * len(rows)
    side = np.array([fold(row.case.repo, folds) for row in rows])
    best: Array = np.zeros(len(rows))
    right: Array = np.zeros(len(rows), dtype=bool)
    for at in range(folds):
        chance = design.chances(design.fit(weight * (side != at)))
        for row in np.flatnonzero(side == at):
            first, last = design.starts[row], design.starts[row + 1] - 1
            if last > first:
                top = int(np.argmax(chance[first:last]))
                best[row], right[row] = chance[first + top], top == rows[int(row)].truth
                tops[row] = top
    return best, right, tops


Lines = dict[str, tuple[float, float]]

ENOUGH = 40
"""Rows of a kind of correction, sure enough to matter, that earn it numbers of its own."""


def kinds(rows: Sequence[Row], tops: Sequence[int]) -> list[str]:
    """Return the kind of correction that each row's best candidate would be."""
    return [
        kind_of(row.candidates[top][1]) if top >= 0 else ""
        for row, top in zip(rows, tops, strict=True)
    ]


def calibration(
    best: Array,
    right: Array,
    weight: Array,
    named: Sequence[str],
) -> Lines:
    """Fit, by kind of correction, the line that makes the best candidate's log-odds true."""
    sure = best > 0.3
    counts = Counter(kind for kind, keep in zip(named, sure, strict=True) if keep)
    known = np.array([kind if counts[kind] >= ENOUGH else "other" for kind in named])
    lines = {"other": _line(best, right, weight, sure)}
    for kind in sorted({*known} - {"other", ""}):
        lines[kind] = _line(best, right, weight, sure & (known == kind))
    return lines


def _line(
    best: Array,
    right: Array,
    weight: Array,
    chosen: Array,
) -> tuple[float, float]:
    """Fit offset and slope of log-odds, drawn towards 0 and 1 as by a few rows' worth of doubt."""
    share = np.clip(best[chosen], 1e-6, 1 - 1e-6)
    odds, hit, w = np.log(share / (1 - share)), right[chosen], weight[chosen]

    def loss(line: Array) -> float:
        z = line[0] + line[1] * odds
        fit = (w * (np.logaddexp(0, z) - hit * z)).sum()
        return float(fit + 0.5 * line[0] ** 2 + 2.0 * (line[1] - 1) ** 2)

    found = minimize(loss, np.array([0.0, 1.0]), bounds=[(-8, 8), (0.05, 2)]).x
    return round(float(found[0]), 3), round(float(found[1]), 3)


def applied(best: Array, named: Sequence[str], lines: Lines) -> Array:
    line = np.array([lines.get(kind, lines["other"]) for kind in named])
    share = np.clip(best, 1e-9, 1 - 1e-9)
    odds = np.log(share / (1 - share))
    told: Array = 1 / (1 + np.exp(-(line[:, 0] + line[:, 1] * odds)))
    return told


def cross_calibrated(
    rows: Sequence[Row],
    best: Array,
    right: Array,
    weight: Array,
    tops: Sequence[int],
    folds: int,
) -> Array:
    """Return confidences whose calibration has not seen the row's repository either."""
    named = kinds(rows, tops)
    side = np.array([fold(row.case.repo, folds) for row in rows])
    out = np.zeros(len(rows))
    for at in range(folds):
        lines = calibration(best, right, weight * (side != at), named)
        mine = side == at
        out[mine] = applied(best, named, lines)[mine]
    limits = [
        ceiling(row.candidates[top][1]) if top >= 0 else 0.0
        for row, top in zip(rows, tops, strict=True)
    ]
    told: Array = np.where(best > 0, np.minimum(out, limits), 0.0)
    return told


def upper(total: float, spread: float, heaviest: float) -> float:
    """Return the upper end of the 95 % interval of a weighted count of errors.

    Fay and Feuer's gamma interval (1997) for a sum of weighted Poisson counts; with equal weights
    it is the exact interval.

    Args:
        total: The sum of the errors' weights.
        spread: The sum of their squares.
        heaviest: The largest weight that an error could have had.
    """
    scale = (spread + heaviest**2) / (total + heaviest)
    return float(scale / 2 * chi2.ppf(0.975, 2 * (total + heaviest) / scale))


def threshold(
    best: Array,
    right: Array,
    weight: Array,
    bound: float,
) -> tuple[float, float, float]:
    """Return the lowest confidence whose corrections keep the bound, with (right, wrong) shares."""
    order = np.argsort(-best)
    w, ok = weight[order], right[order]
    good, bad, spread = np.cumsum(w * ok), np.cumsum(w * ~ok), np.cumsum(w**2 * ~ok)
    heaviest = np.maximum.accumulate(w)
    chosen = None
    for at in range(len(order)):
        if best[order[at]] < 0.5:
            break
        if upper(bad[at], spread[at], heaviest[at]) <= bound * (good[at] + bad[at]):
            chosen = at
    if chosen is None:
        return 0.0, 0.0, 0.0
    total = w.sum()
    return float(best[order[chosen]]), good[chosen] / total, bad[chosen] / total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder with the case files and trees/")
    parser.add_argument("--out", type=Path, default=Path("src/truepath/confidence.json"))
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--judged", type=Path, help="write the cross-validated answers here")
    parser.add_argument("--worst", type=int, default=20, help="how many wrong corrections to list")
    options = parser.parse_args()
    began = time.time()
    trees = str(options.folder / "trees")
    real = real_cases(options.folder)
    cases = [*real, *made_cases(real, trees)]
    with Pool() as pool:
        rows = pool.map(observe, [(trees, case) for case in cases], chunksize=200)
    print(
        f"{len(real):,} real cases, {len(cases) - len(real):,} retold; {time.time() - began:.0f} s"
    )
    design = Design(rows)
    weight = weighed(rows, TRAJECTORY)
    best, right, top = judged(rows, design, weight, options.folds)
    plain = weighed(rows, 1.0)
    named = kinds(rows, top)
    lines = calibration(best, right, plain, named)
    best = cross_calibrated(rows, best, right, plain, top, options.folds)
    thresholds = {}
    for operation, bound in BOUNDS.items():
        level, good, bad = threshold(best, right, plain, bound)
        level = level or UNCERTIFIED.get(operation, STRICTEST)
        thresholds[operation] = round(level, 4)
        print(
            f"{operation:8} bound {bound:.2%}: threshold {level:.4f}, "
            f"right {good:.1%}, wrong {bad:.3%}"
        )
    risk_table(best, right, plain)
    if options.judged:
        tell_judged(options.judged, rows, best, right, top)
    theta = design.fit(weight)
    write(options.out, design, theta, lines, thresholds, real)
    report(rows, best, right)
    worst(rows, best, right, top, options.worst)


def risk_table(best: Array, right: Array, weight: Array) -> None:
    """Print, by threshold, the share corrected right, and the share of corrections wrong."""
    total = weight.sum()
    print("threshold  corrected right  wrong of corrections  upper 95 %")
    for level in (0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.993, 0.995, 0.997, 0.998, 0.999, 0.9995):
        over = best >= level
        good, bad = weight[over & right].sum(), weight[over & ~right].sum()
        spread = (weight[over & ~right] ** 2).sum()
        ceiling = upper(bad, spread, weight[over].max()) / (good + bad)
        print(f"{level:9}  {good / total:15.1%}  {bad / (good + bad):20.3%}  {ceiling:10.3%}")


def report(rows: Sequence[Row], best: Array, right: Array) -> None:
    sets = sorted({row.case.set for row in rows})
    for level in (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995):
        cells = []
        for name in sets:
            mine = np.array([row.case.set == name for row in rows])
            over = mine & (best >= level)
            cells.append(f"{name} {int((over & right).sum())}/{int((over & ~right).sum())}")
        print(f"{level}: right/wrong " + ", ".join(cells))


def tell_judged(
    out: Path, rows: Sequence[Row], best: Array, right: Array, tops: Sequence[int]
) -> None:
    """Write each real case's best candidate and its cross-validated confidence, a line each."""
    with out.open("w", encoding="utf-8") as file:
        for row, chance, hit, top in zip(rows, best, right, tops, strict=True):
            if row.case.set not in ("retold", "mistaken"):
                path = row.candidates[top][0] if top >= 0 else None
                told = {"id": row.case.id, "path": path, "confidence": float(chance)}
                file.write(json.dumps({**told, "right": bool(hit)}) + "\n")


def worst(
    rows: Sequence[Row],
    best: Array,
    right: Array,
    tops: Sequence[int],
    count: int,
) -> None:
    """Print the wrong corrections that the models were surest of."""
    order = [at for at in np.argsort(-best) if not right[at]][:count]
    for at in order:
        case = rows[int(at)].case
        path, names = rows[int(at)].candidates[tops[int(at)]]
        print(
            f"{best[at]:.4f} {case.set} {case.cause} {case.repo}: {case.written} -> {path}, "
            f"not {case.truth}; {' '.join(name for name in names if '&' not in name)}"
        )


def write(
    out: Path,
    design: Design,
    theta: Array,
    lines: Lines,
    thresholds: dict[str, float],
    real: Sequence[Case],
) -> None:
    def table(words: dict[str, int]) -> dict[str, float]:
        return {
            name: round(float(theta[at]), 3) for name, at in words.items() if abs(theta[at]) >= 5e-4
        }

    data = {
        "provenance": {
            "fitted": time.strftime("%Y-%m-%d"),
            "by": "benchmarks/fit.py",
            "cases": dict(Counter(case.set for case in real)),
            "repositories": len({case.repo for case in real}),
            "shares": SHARES,
        },
        "thresholds": thresholds,
        "plausible": 0.1,
        "calibration": lines,
        "nothing": table(design.around),
        "weights": table(design.words),
    }
    out.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
