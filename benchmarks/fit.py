"""Fit the numbers of `truepath.resolve.model` to evaluation cases and write them with provenance.

    python benchmarks/fit.py EVAL_FOLDER [--out src/truepath/resolve/confidence.json]

Cases of one repository are never on both sides: every figure printed and every threshold comes
from models that had not seen the repository they are judged on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import need  # noqa: F401
import numpy as np
from bounds import BOUNDS, LEAST, STRICTEST, reliability, risk_table, threshold
from hindsight import told_again, worth
from logit import TRAJECTORY, Curve, Design, Judged, judge
from rows import Array, Row, as_found, observed, weighed

from truepath.evaluation.cases import SHARES
from truepath.evaluation.score import EDGES
from truepath.resolve.model import fitted

SESSION = {"read-this-session": 2.4, "not-committed": 2.4, "same-folder-as-work": 1.8}
"""What a candidate's weight is multiplied by, against a rival's: the lower ends of the intervals
that benchmarks/together.py prints. What is not committed counts as used: somebody works on it."""

PLAUSIBLE = 0.2
"""Below this, candidates together are not worth naming: four of five such paths are nowhere."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder with the case files and trees/")
    parser.add_argument("--out", type=Path, default=Path("src/truepath/resolve/confidence.json"))
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--judged", type=Path, help="write the cross-validated answers here")
    parser.add_argument("--worst", type=int, default=20, help="how many wrong corrections to list")
    options = parser.parse_args()
    began = time.time()
    rows = observed(options.folder)
    real = sum(row.found for row in rows)
    print(f"{real:,} real cases, {len(rows) - real:,} made of them; {time.time() - began:.0f} s")
    design = Design(rows)
    judged, curves = judge(rows, design, options.folds)
    theta = design.fit(weighed(rows, TRAJECTORY))
    model = replace(fitted(), weights=table(theta, design.words))
    told, left = told_again(rows, judged, str(options.folder / "trees"), model)
    certificates = certified(judged, told, weighed(rows))
    tell(rows, judged, told, left)
    if options.judged:
        tell_judged(options.judged, rows, judged)
    write(options.out, design, theta, curves, certificates, rows)
    worst(rows, judged, options.worst)


@dataclass(frozen=True)
class Certificate:
    """The threshold of an operation, and what it brings."""

    threshold: float
    brings: dict[str, tuple[float, float]]
    """By names alone and with a past: the shares of all misses corrected rightly, and wrongly."""


def certified(judged: Judged, told: Array, weight: Array) -> dict[str, Certificate]:
    """Return each operation's certificate, and print it.

    Its threshold keeps the bound by names alone, and once it is `told` that a path never existed.
    """
    ways = {"by names alone": judged.acts, "with a past": told}
    found = {}
    for operation, bound in BOUNDS.items():
        each = (threshold(one, judged.right, weight, bound)[0] for one in ways.values())
        least = max(one or STRICTEST for one in each)
        level = max(least, LEAST.get(operation, 0.0))
        brought = {way: brings(one, judged.right, weight, level) for way, one in ways.items()}
        # Rounded up: what is told with four digits must not let in what was left out.
        found[operation] = Certificate(round(np.ceil(level * 1e4) / 1e4, 4), brought)
        text = "; ".join(
            f"{way} right {good:.1%}, wrong {bad:.3%}" for way, (good, bad) in brought.items()
        )
        print(f"{operation:8} bound {bound:.2%}: threshold {level:.4f}; {text}")
    return found


def brings(told: Array, right: Array, weight: Array, level: float) -> tuple[float, float]:
    """Return the shares of all misses that are corrected from `level` on, rightly and wrongly."""
    over = told >= level
    good, bad = (weight[over & hit].sum() / weight.sum() for hit in (right, ~right))
    return float(good), float(bad)


def tell(rows: Sequence[Row], judged: Judged, told: Array, left: Array) -> None:
    """Print the cross-validated figures."""
    weight, found = weighed(rows), as_found(rows)
    repos = np.array([row.case.repo for row in rows])
    print("\n" + risk_table(judged.acts, judged.right, weight))
    print("\nthe same, as if the past of what was mistaken had been asked")
    print(risk_table(told, judged.right, weight))
    print("\nwhat a past is worth that knows neither the path nor one like it")
    print(worth(rows, judged, left))
    for name, each in (("as found", found), ("weighed by cause", weight)):
        print(f"\nreliability, {name}")
        print(reliability(judged.best, judged.right, each, repos, EDGES))
    there = np.array([row.case.truth is not None for row in rows])
    print()
    for name, each in (("as found", found), ("weighed by cause", weight)):
        listed = (each * judged.listed).sum() / each[there].sum()
        absent = each * (judged.mass < PLAUSIBLE)
        print(
            f"{name}: among the first three {listed:.1%}; absent, precision "
            f"{absent[~there].sum() / absent.sum():.1%}, recall "
            f"{absent[~there].sum() / each[~there].sum():.1%}"
        )
    report(rows, judged)


def report(rows: Sequence[Row], judged: Judged) -> None:
    sets = sorted({row.case.set for row in rows})
    for level in (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995):
        cells = []
        for name in sets:
            mine = np.array([row.case.set == name for row in rows])
            over = mine & (judged.acts >= level)
            right = int((over & judged.right).sum())
            cells.append(f"{name} {right}/{int(over.sum()) - right}")
        print(f"{level}: right/wrong " + ", ".join(cells))


def tell_judged(out: Path, rows: Sequence[Row], judged: Judged) -> None:
    """Write each real case's best candidate and its cross-validated confidence, a line each."""
    with out.open("w", encoding="utf-8") as file:
        told = zip(rows, judged.best, judged.right, judged.tops, strict=True)
        for row, chance, hit, top in told:
            if row.found:
                path = row.paths[top] if top >= 0 else None
                line = {"id": row.case.id, "path": path, "confidence": float(chance)}
                file.write(json.dumps({**line, "right": bool(hit)}) + "\n")


def worst(rows: Sequence[Row], judged: Judged, count: int) -> None:
    """Print the wrong corrections of real cases that the models were surest of."""
    order = [at for at in np.argsort(-judged.acts) if not judged.right[at] and rows[at].found]
    for at in order[:count]:
        row, top = rows[int(at)], judged.tops[int(at)]
        case = row.case
        print(
            f"{judged.acts[at]:.4f} {case.set} {case.cause} {case.repo}: {case.written} -> "
            f"{row.paths[top]}, not {case.truth}; {' '.join(row.evidence[top])}"
        )


def table(theta: Array, words: dict[str, int]) -> dict[str, float]:
    return {
        name: round(float(theta[at]), 3) for name, at in words.items() if abs(theta[at]) >= 5e-4
    }


def write(
    out: Path,
    design: Design,
    theta: Array,
    curves: dict[str, Curve],
    certificates: dict[str, Certificate],
    rows: Sequence[Row],
) -> None:
    real = [row.case for row in rows if row.found]
    data = {
        "provenance": {
            "fitted": time.strftime("%Y-%m-%d"),
            "by": "benchmarks/fit.py",
            "cases": dict(Counter(case.set for case in real)),
            "made_of_them": dict(Counter(row.case.set for row in rows if not row.found)),
            "repositories": len({case.repo for case in real}),
            "shares": SHARES,
            "right_and_wrong_of_all_misses": {
                operation: {
                    way: [round(share, 5) for share in each] for way, each in one.brings.items()
                }
                for operation, one in certificates.items()
            },
            "session": "benchmarks/together.py: commits stand in for sessions",
        },
        "plausible": PLAUSIBLE,
        "session": SESSION,
        "calibration": curves,
        "nothing": table(theta, design.around),
        "weights": table(theta, design.words),
    }
    out.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
