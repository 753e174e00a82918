"""Measure answers on cases by names alone, through the public interface.

    python benchmarks/accuracy.py CASES... --trees DIR [--by kind|cause|repo|set] [--json]

CASES are JSON lines, plain or gzipped (docs/benchmarks.md says of which fields). In the table,
`right` and `wrong` are corrections, `first 3` counts cases whose right path is among the first
three candidates (corrected or not), `refused` those answered with candidates, `absent` and
`outside` those answered "there is no such file here": rightly/wrongly.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from truepath.cli import eval_text as text
from truepath.evaluation.cases import load
from truepath.evaluation.run import run
from truepath.evaluation.score import GROUPS, Judged, count, grouped, surest_wrong


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--by", choices=[*GROUPS], default="kind")
    parser.add_argument("--operation", help="ask as if this were done to every path")
    parser.add_argument("--worst", type=int, default=0, help="wrong corrections to list")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    cases = [case for path in options.cases for case in load(path)]
    judged = run(cases, options.trees, operation=options.operation, progress=show_progress)
    print(f"{len(judged):,} cases in {time.monotonic() - began:.1f} s", file=sys.stderr)
    print(as_json(judged, options.by) if options.json else as_text(judged, options.by))
    if options.worst:
        print("\n" + text.mistakes(surest_wrong(judged, options.worst)), file=sys.stderr)


def show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty() or done == total:
        end = "" if done < total else "\n"
        print(f"\r{done:,} of {total:,}", end=end, file=sys.stderr, flush=True)


def as_text(judged: list[Judged], by: str) -> str:
    total = count(judged)
    return text.breakdown(by, grouped(judged, by), total) + "\n\n" + text.summary(total)


def as_json(judged: list[Judged], by: str) -> str:
    groups = {name: each.to_dict() for name, each in grouped(judged, by).items()}
    return json.dumps({"total": count(judged).to_dict(), f"by_{by}": groups}, indent=1)


if __name__ == "__main__":
    main()
