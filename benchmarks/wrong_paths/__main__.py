"""Ask a rule of yours about paths that coding agents got wrong.

    python wrong-paths.pyz RULE.py [--kind KIND] [--wrong]

RULE.py has one function, `resolve(written, tree)`: the path that an agent wrote,
relative to the project's root, or absolute outside it, and the project's files, sorted.
It returns the path that was meant, or None. Nothing is installed or sent anywhere.
"""

from __future__ import annotations

import argparse
import gzip
import json
import runpy
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import sqrt
from pkgutil import get_data
from typing import Any

KINDS = {
    "misses": "paths that agents got wrong",
    "links": "dead links in Markdown",
    "renames": "paths before a rename in git",
    "deletions": "paths of deleted files, where nothing is meant",
}
_Z = 1.96
"""Of the normal distribution, for an interval of 95 %."""


def main() -> None:
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("rule", help="a Python file with `resolve(written, tree)`")
    parser.add_argument("--kind", choices=KINDS, help="cases of this kind alone")
    parser.add_argument("--wrong", action="store_true", help="list wrong answers")
    options = parser.parse_args()
    resolve = runpy.run_path(options.rule).get("resolve")
    if not callable(resolve):
        parser.error(f"{options.rule} has no function `resolve`")
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for case in _records("cases"):
        if options.kind in (None, case["kind"]):
            told = resolve(case["written"], _tree_of(case))
            outcome = _judged(told, case.get("truth"))
            counts[case["kind"]][outcome] += 1
            if options.wrong and outcome == "wrong":
                print(f"{case['id']}  {case['written']} -> {told}, {case.get('truth')}")
    for kind, count in counts.items():
        if count:
            print(f"{KINDS[kind]}: {_sentence(kind, count)}")


def _judged(told: str | None, truth: str | None) -> str:
    """Return how an answer is counted."""
    if told is None:
        return "none"
    return "right" if told.strip("/") == (truth or "").strip("/") else "wrong"


def _sentence(kind: str, count: Mapping[str, int]) -> str:
    """Return the counts in words, with the interval of wrong ones among answers."""
    right, wrong, none = (count.get(name, 0) for name in ("right", "wrong", "none"))
    answers = right + wrong
    if kind == "deletions":
        return f"{wrong} led to another file, {none} without an answer"
    told = f"{right} right, {wrong} wrong, {none} without an answer"
    if not answers:
        return told
    low, high = _interval(wrong, answers)
    return f"{told}; {wrong / answers:.1%} of answers wrong ({low:.1%} to {high:.1%})"


def _interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, by Wilson's score."""
    share = count / of
    middle = share + _Z**2 / (2 * of)
    half = _Z * sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2))
    whole = 1 + _Z**2 / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def _tree_of(case: Mapping[str, Any]) -> list[str]:
    """Return a case's files, and its folders too where a folder is meant."""
    tree = {*_names(case["tree"]), *case.get("add", ())}
    if case.get("folder"):
        parts = [path.split("/")[:-1] for path in tree]
        tree |= {
            "/".join(each[:depth])
            for each in parts
            for depth in range(1, len(each) + 1)
        }
    return sorted(tree)


@lru_cache(maxsize=64)
def _names(tree: str) -> frozenset[str]:
    """Return the names of a tree: all, or those of another one with what differs."""
    record = _trees()[tree]
    if "like" not in record:
        return frozenset(record["more"])
    base = _names(record["like"])
    return (base - {*record.get("less", ())}) | {*record.get("more", ())}


@lru_cache(maxsize=1)
def _trees() -> Mapping[str, Mapping[str, Any]]:
    return {record["tree"]: record for record in _records("trees")}


def _records(name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the records of one file of the package."""
    data = get_data("data", f"{name}.jsonl.gz")
    if data is None:
        sys.exit("run the packed file: make set")
    for line in gzip.decompress(data).splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main()
