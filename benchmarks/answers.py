"""Measure how long the answers are that an agent reads for a miss.

    python benchmarks/answers.py CASES... --trees DIR [--sample 500] [--longest 5] [--show 10]

CASES are JSON lines, plain or gzipped (docs/benchmarks.md says of which fields), asked by names
alone. Lengths are in characters, of corrections and of refusals.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from truepath import Guard, ToolCall
from truepath.evaluation.cases import Case, load, workspace

_TOOLS = {"list": "list_directory", "search": "grep", "edit": "replace", "delete": "delete_file"}
"""A tool for each operation, as agent programs name them; `read_file` for the others."""

_SHARES = (0.5, 0.75, 0.9, 0.99)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--sample", type=int, default=500, help="cases asked, drawn by chance")
    parser.add_argument("--longest", type=int, default=0, help="longest answers to print")
    parser.add_argument("--show", type=int, default=0, help="answers to print, drawn by chance")
    options = parser.parse_args()
    cases = [case for path in options.cases for case in load(path)]
    random.Random(1).shuffle(cases)
    answers = [answered(case, options.trees) for case in cases[: options.sample]]
    for action in ("rewrite", "refuse"):
        texts = sorted((text for told, text in answers if told == action), key=len)
        print(f"{action:8} {len(texts):5} answers, characters: {row(texts)}")
    refused = [text for told, text in answers if told == "refuse"]
    chosen = sorted(refused, key=len)[len(refused) - options.longest :] + refused[: options.show]
    print("\n\n".join(chosen))


def answered(case: Case, trees: str) -> tuple[str, str]:
    """Return what a guard does about a case, and says."""
    guard = Guard(workspace=workspace(trees, case.tree, case.add, case.root), policy="careful")
    tool = _TOOLS.get(case.operation, "read_file")
    decision = guard.before(ToolCall(tool, {"path": case.written}, cwd=case.cwd))
    return decision.action, decision.text


def row(texts: Sequence[str]) -> str:
    if not texts:
        return "none"
    at = [(share, len(texts[int(share * (len(texts) - 1))])) for share in _SHARES]
    return ", ".join(f"{length} at {share:.0%}" for share, length in at)


if __name__ == "__main__":
    main()
