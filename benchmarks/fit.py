"""Fit the weights of `truepath.resolve.model` to evaluation cases and write them with provenance.

    python benchmarks/fit.py EVAL_FOLDER [--out src/truepath/resolve/confidence.json]

Agents' own misses weigh most; renames, deletions and mechanical mistakes are added by the share of
misses that each cause has. Cases of one repository are never on both sides: every figure printed is
of rows whose repository the weights had not seen.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import need  # noqa: F401
import numpy as np
import unseen_weights
from hindsight import told_again, worth
from logit import OTHERS, WORDS, Design, Judged, judge
from reliability import reliability
from rows import Array, Row, observed, weighed

from truepath.config.presets import THRESHOLDS
from truepath.evaluation.cases import SHARES
from truepath.evaluation.interval import clopper_pearson
from truepath.resolve.model import DOUBTS, NOTHING, SUPPORTS, fitted
from truepath.resolve.permission import PERMITTED, Grounds, grounds, needed

SESSION = {"read-this-session": 2.4, "not-committed": 2.4, "same-folder-as-work": 1.8}
"""What a candidate's weight is multiplied by, against a rival's: the lower ends of the intervals
that benchmarks/together.py prints. What is not committed counts as used: somebody works on it."""

PLAUSIBLE = 0.2
"""Below this, candidates together are not worth naming: four of five such paths are nowhere."""

EDGES = (0.0, 0.1, 0.3, 0.6, 0.9, 0.95, 0.98, 1.0)
"""Ranges of confidence wide enough that agents' own misses fill them."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder with the case files and trees/")
    parser.add_argument("--out", type=Path, default=Path("src/truepath/resolve/confidence.json"))
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--others", type=float, default=OTHERS, help="weight of other rows")
    parser.add_argument("--judged", type=Path, help="write the cross-validated answers here")
    parser.add_argument("--unseen", type=Path, help="write the weights of each fold here")
    parser.add_argument("--worst", type=int, default=12, help="how many wrong answers to list")
    options = parser.parse_args()
    began = time.time()
    rows = observed(options.folder)
    print(f"{sizes(rows)}; {time.time() - began:.0f} s")
    design, weight = Design(rows), weighed(rows, others=options.others)
    judged = judge(rows, design, weight, options.folds)
    tell(rows, judged)
    write(options.out, design.fit(weight), rows, measured(rows, judged))
    fitted.cache_clear()
    print("\nwhat a past is worth that knows neither the path nor one like it")
    print(worth(rows, judged, told_again(rows, judged, fitted())[1]))
    worst(rows, judged, options.worst)
    if options.judged:
        tell_judged(options.judged, rows, judged)
    if options.unseen:
        unseen_weights.write(options.unseen, [_by_word(theta) for theta in judged.weights])


def sizes(rows: Sequence[Row]) -> str:
    agents, found = sum(row.of_agents for row in rows), sum(row.found for row in rows)
    repos = len({row.case.repo for row in rows if row.of_agents})
    return (
        f"{agents:,} misses of agents in {repos} repositories, {found - agents:,} cases of git, "
        f"{len(rows) - found:,} made of them"
    )


def tell(rows: Sequence[Row], judged: Judged) -> None:
    """Print the cross-validated figures."""
    mine = np.array([row.of_agents for row in rows])
    there = np.array([row.case.truth is not None for row in rows])
    repos = np.array([row.case.repo for row in rows])
    meant = (mine & there).sum()
    print(
        f"agents' misses: right path first {judged.right[mine].sum()}, among the first three "
        f"{judged.listed[mine].sum()} of {meant} that have one"
    )
    print("\nreliability, agents' misses")
    print(reliability(judged.best, judged.right, mine.astype(float), repos, EDGES))
    print("\nreliability, all cases, weighed by cause")
    print(reliability(judged.best, judged.right, weighed(rows, 0.0, 1.0), repos, EDGES))
    print("\n" + by_grounds(rows, judged))
    print("\n" + by_operation(rows, judged))


def by_grounds(rows: Sequence[Row], judged: Judged) -> str:
    """Return how often the best candidate was right, by its grounds and from which confidence on.

    `at most` is the upper end of the 95 % interval of the share that is wrong, for agents' misses
    with one of a repository counted once: they are right or wrong together.
    """
    said = np.array(_grounds(rows, judged))
    lines = ["grounds          from   agents' right/wrong  at most   git's        made"]
    for name in get_args(Grounds):
        for level in (0.5, 0.9, 0.95, 0.98):
            over = (said == name) & (judged.acts >= level)
            cells = [_counted(over & kind, judged.right) for kind in _kinds(rows)]
            most = _most_wrong(rows, over & _kinds(rows)[0], judged.right)
            counts = f"{cells[0]:>19}  {most:7.1%}  {cells[1]:>11}  {cells[2]:>12}"
            lines.append(f"{name:15}  {level:.2f}  {counts}")
    return "\n".join(lines)


def measured(rows: Sequence[Row], judged: Judged) -> dict[str, dict[str, list[int]]]:
    """Return for each grounds, and each operation that it permits, how many of agents' misses and
    of git's renames and deletions would be corrected: `[right, wrong, right, wrong]`.
    """
    said = np.array(_grounds(rows, judged))
    agents, git, _ = _kinds(rows)
    told: dict[str, dict[str, list[int]]] = {}
    for name, permitted in PERMITTED.items():
        for operation in (each for each in THRESHOLDS if each in permitted):
            least = permitted[operation]
            over = (said == name) & (judged.acts >= least)
            hits = (judged.right, ~judged.right)
            counts = [over & kind & hit for kind in (agents, git) for hit in hits]
            told.setdefault(name, {})[operation] = [int(each.sum()) for each in counts]
    return told


def by_operation(rows: Sequence[Row], judged: Judged) -> str:
    """Return what would be corrected, by operation: its permitted grounds, each likely enough."""
    tops = zip(rows, judged.tops, strict=True)
    evidence = [row.candidates[top].evidence if top >= 0 else None for row, top in tops]
    lines = ["operation  agents' right/wrong      git's         made"]
    for operation in THRESHOLDS:
        least = [needed(operation, each) if each is not None else None for each in evidence]
        over = judged.acts >= np.array([2.0 if each is None else each for each in least])
        cells = [_counted(over & kind, judged.right) for kind in _kinds(rows)]
        lines.append(f"{operation:9}  {cells[0]:>19}  {cells[1]:>9}  {cells[2]:>11}")
    return "\n".join(lines)


def _grounds(rows: Sequence[Row], judged: Judged) -> list[str]:
    tops = zip(rows, judged.tops, strict=True)
    return [grounds(row.candidates[top].evidence) if top >= 0 else "" for row, top in tops]


def _kinds(rows: Sequence[Row]) -> tuple[Array, Array, Array]:
    """Return which rows are agents' misses, which git's renames and deletions, and which made."""
    agents = np.array([row.of_agents for row in rows])
    found = np.array([row.found for row in rows])
    return agents, found & ~agents, ~found


def _counted(over: Array, right: Array) -> str:
    return f"{(over & right).sum():,}/{(over & ~right).sum():,}"


def _most_wrong(rows: Sequence[Row], over: Array, right: Array) -> float:
    repos = {rows[at].case.repo for at in np.flatnonzero(over)}
    wrong = {rows[at].case.repo for at in np.flatnonzero(over & ~right)}
    return clopper_pearson(len(wrong), len(repos))[1]


def worst(rows: Sequence[Row], judged: Judged, count: int) -> None:
    """Print the wrong answers to agents' misses that the weights were surest of."""
    order = [at for at in np.argsort(-judged.acts) if not judged.right[at] and rows[at].of_agents]
    print("\nsurest wrong")
    for at in order[:count]:
        row, case = rows[int(at)], rows[int(at)].case
        best = row.candidates[judged.tops[int(at)]]
        print(
            f"{judged.acts[at]:.3f} {case.repo}: {case.written} -> {best.path}, not "
            f"{case.truth}; {' '.join(best.evidence)}"
        )


def tell_judged(out: Path, rows: Sequence[Row], judged: Judged) -> None:
    """Write each real case's best candidate and its cross-validated confidence, a line each."""
    with out.open("w", encoding="utf-8") as file:
        told = zip(rows, judged.best, judged.right, judged.tops, strict=True)
        for row, chance, hit, top in told:
            if row.found:
                path = row.candidates[top].path if top >= 0 else None
                line = {"id": row.case.id, "path": path, "confidence": float(chance)}
                file.write(json.dumps({**line, "right": bool(hit)}) + "\n")


def write(
    out: Path,
    theta: Array,
    rows: Sequence[Row],
    measured: Mapping[str, Mapping[str, Sequence[int]]],
) -> None:
    weights = _by_word(theta)

    def of(words: Sequence[str] | Mapping[str, str]) -> dict[str, float]:
        return {word: weights[word] for word in words}

    data = {
        "provenance": {
            "fitted": time.strftime("%Y-%m-%d"),
            "by": "benchmarks/fit.py",
            "cases": dict(Counter(row.case.set for row in rows)),
            "repositories": len({row.case.repo for row in rows}),
            "shares": SHARES,
            "session": "benchmarks/together.py: commits stand in for sessions",
        },
        "plausible": PLAUSIBLE,
        "session": SESSION,
        "nothing": of(NOTHING),
        "for": of(SUPPORTS),
        "against": of(DOUBTS),
        "measured": measured,
    }
    text = json.dumps(data, indent=1)
    text = re.sub(r"\[\s+([\d,\s]+?)\s+\]", lambda row: f"[{' '.join(row[1].split())}]", text)
    out.write_text(text + "\n", encoding="utf-8")
    print(f"\nwrote {out}")


def _by_word(theta: Array) -> dict[str, float]:
    return {word: round(float(theta[at]), 2) + 0.0 for at, word in enumerate(WORDS)}


if __name__ == "__main__":
    main()
