"""Measure the shipped model on repositories that it has not seen.

    python benchmarks/unseen.py REPO... [--limit N] [--history] [--deletions N] [--cases FILE]

Of each clone, what was renamed or deleted in its whole first-parent history is asked about as of
its last commit, as the evaluation's cases were taken: at most N a repository, spread evenly. They
are asked about by names alone, or (--history) in a folder that has the names and the history, whose
map is built. Prints how the answers fall, the share of corrections that are wrong, and confidence
against truth.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import need  # noqa: F401
import numpy as np
from reliability import reliability

from truepath.cli import eval_text as text
from truepath.evaluation.mine import mine
from truepath.evaluation.replay import replay
from truepath.evaluation.run import run
from truepath.evaluation.score import EDGES, Judged, count, grouped, outcome, weights

A_REPOSITORY = 1900
"""Cases of one repository at most, as in the evaluation data."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--limit", type=int, default=A_REPOSITORY, metavar="N")
    parser.add_argument("--history", action="store_true", help="ask with the repository's history")
    parser.add_argument(
        "--deletions", type=float, metavar="N", help="tell of N deletions for each rename too"
    )
    parser.add_argument("--cases", type=Path, metavar="FILE", help="write each answer here")
    options = parser.parse_args()
    judged: list[Judged] = []
    for repo in options.repos:
        began = time.monotonic()
        found = asked(repo, options.limit, history=options.history)
        judged += found
        took = time.monotonic() - began
        print(f"{repo.name}: {len(found):,} cases, {took:.0f} s", file=sys.stderr)
    if options.cases:
        write(options.cases, judged)
    print(as_text(judged, options.deletions))


def asked(repo: Path, limit: int, *, history: bool) -> list[Judged]:
    """Mine a clone as of its last commit, and ask about each case."""
    with TemporaryDirectory(prefix="truepath-unseen-") as folder:
        mined = mine(str(repo), folder, states=1, limit=limit)
        cases = [replace(case, repo=repo.name) for case in mined]
        return replay(str(repo), cases, folder, folder) if history else run(cases, folder)


def as_text(judged: Sequence[Judged], deletions: float | None) -> str:
    total = count(judged)
    parts = [text.breakdown("set", grouped(judged, "set"), total), text.summary(total)]
    best = np.array([answer.confidence for _, answer in judged])
    right = np.array([answer.best_right for _, answer in judged])
    repos = np.array([case.repo for case, _ in judged])
    ways = {"as found": np.ones(len(judged)), "weighed by cause": np.array(weights(judged))}
    if deletions is not None:
        gone = np.array([case.truth is None for case, _ in judged])
        each = deletions * (~gone).sum() / gone.sum()
        ways[f"{deletions:g} deletions for each rename"] = np.where(gone, each, 1.0)
    for name, weight in ways.items():
        parts.append(f"reliability, {name}\n" + reliability(best, right, weight, repos, EDGES))
    return "\n\n".join(parts)


def write(out: Path, judged: Iterable[Judged]) -> None:
    with out.open("w", encoding="utf-8") as file:
        for case, answer in judged:
            line = {
                "repo": case.repo,
                "id": case.id,
                "kind": case.cause,
                "written": case.written,
                "truth": case.truth,
                "best": answer.best,
                "confidence": answer.confidence,
                "right": answer.best_right,
                "outcome": outcome(case, answer),
                "evidence": answer.evidence,
            }
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
