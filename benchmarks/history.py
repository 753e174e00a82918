"""Measure what history answers on real renames and deletions, and what it costs.

    python benchmarks/history.py CASES [CASES ...] --repos DIR [--limit N] [--mode cold|warm|both]

CASES are JSON lines (may be gzipped) with `repo`, `commit`, `written` and `truth` (null: it was
deleted and nothing took its place). DIR holds a clone of each repository as `owner+name`, with the
case's commit checked out; cases without one are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from truepath.project.history import History, PathHistory

Case = dict[str, Any]

IDLE_BUDGET = 0.15
"""What a look-up may take on a machine that does nothing else; on a busy one, count CPU."""


def cpu_seconds() -> float:
    return sum(os.times()[:4])


def read_cases(path: str) -> Iterator[Case]:
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path)  # noqa: SIM115
    with opened as lines:
        yield from map(json.loads, lines)


def by_repository(paths: Sequence[str], folder: str) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    for path in paths:
        for case in read_cases(path):
            clone = os.path.join(folder, case["repo"].replace("/", "+"))
            if os.path.isdir(clone):
                found[clone].append(case)
    return found


def outcome(case: Case, fate: PathHistory) -> str:
    """Name what a fate is worth: one word for right, silent or wrong."""
    truth = case["truth"]
    if truth is None:
        if fate.kind == "renamed":
            return "deleted: given a path"
        return f"deleted: {fate.kind}"
    if fate.kind == "renamed":
        if fate.path == truth:
            return "moved: right"
        return "moved: another path"
    if truth in fate.successors:
        return "moved: named as a piece"
    return f"moved: {fate.kind}"


class Tally:
    """Counts and times of one mode."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.evidence: dict[str, Counter[str]] = defaultdict(Counter)
        self.kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self.within: Counter[str] = Counter()
        self.cut = 0

    def add(self, case: Case, fate: PathHistory, seconds: float, cpu: float) -> str:
        what = outcome(case, fate)
        self.outcomes[what] += 1
        self.evidence["+".join(fate.evidence) or fate.kind][what] += 1
        self.kinds[case.get("kind", "")][what] += 1
        self.seconds.append(seconds)
        self.cpu.append(cpu)
        if cpu <= IDLE_BUDGET and fate.complete:
            self.within[what] += 1
        self.cut += not fate.complete
        return what

    def show(self, title: str) -> None:
        if not self.seconds:
            return
        print(f"\n== {title}: {len(self.seconds)} look-ups, {self.cut} cut short")
        for what, values in (("ms", self.seconds), ("CPU ms, git's included", self.cpu)):
            times = sorted(1000 * value for value in values)
            high = times[int(0.95 * (len(times) - 1))]
            print(
                f"   {what}: {statistics.median(times):.1f}, 95 % {high:.1f}, max {times[-1]:.1f}"
            )
        print(f"   whole, within {IDLE_BUDGET * 1e3:.0f} ms of CPU: {dict(self.within)}")
        for what, count in sorted(self.outcomes.items()):
            print(f"   {what:28s} {count}")
        for name, table in (("evidence", self.evidence), ("kind", self.kinds)):
            print(f"   by {name}")
            for key, counts in sorted(table.items(), key=lambda item: -item[1].total()):
                print(f"     {key:44s} {dict(counts.most_common())}")


def measure(
    history: History, cases: Sequence[Case], deadline: float, tally: Tally, show: int
) -> None:
    for case in cases:
        began = time.perf_counter()
        spent = cpu_seconds()
        fate = history.fate(case["written"], deadline=deadline)
        what = tally.add(case, fate, time.perf_counter() - began, cpu_seconds() - spent)
        if what not in ("moved: right", "deleted: deleted") and tally.outcomes[what] <= show:
            print(f"   {what} | {case['kind']} | {case['written']} -> {case['truth']}")
            print(f"      {case.get('note', '')} | {fate.evidence} {fate.similarity} | {fate.note}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--repos", required=True)
    parser.add_argument("--limit", type=int, default=0, help="cases a repository, sampled")
    parser.add_argument("--mode", choices=("cold", "warm", "both"), default="both")
    parser.add_argument("--deadline", type=float, default=0.15)
    parser.add_argument("--show", type=int, default=0, help="mistakes printed, of each sort")
    options = parser.parse_args()
    cold, warm = Tally(), Tally()
    for clone, found in sorted(by_repository(options.cases, options.repos).items()):
        cases = found
        if options.limit and len(found) > options.limit:
            cases = random.Random(1).sample(found, options.limit)
        print(f"{os.path.basename(clone)}: {len(cases)} of {len(found)} cases")
        if options.mode != "warm":
            measure(History(clone), cases, options.deadline, cold, 0)
        if options.mode != "cold":
            history = History(clone)
            began = time.perf_counter()
            history.build()
            print(f"   map built in {time.perf_counter() - began:.2f} s")
            measure(history, cases, options.deadline, warm, options.show)
    cold.show("without a map")
    warm.show("with a map")


if __name__ == "__main__":
    main()
