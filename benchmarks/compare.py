"""Ask truepath and other rules about the same wrong paths in one run.

    python benchmarks/compare.py [--set NAME] [--sample N] [--unseen]

The cases are those of `cases.py`. A rule answers with one path or not at all, and gets what
truepath gets: the path, relative to the project, and the names. `wrong of answers` is the share of
its answers that are wrong, with its 95 % interval; a rule that only suggests is judged by its first
suggestion. Fuse.js (through node) and fzf are left out where they are not there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from accuracy import SETS, decided, unseen
from cases import Case, load
from rivals import PROGRAMS, RULES
from rivals.outside import MissingPath, Program
from rivals.question import Project, Question, question

from truepath.cli.terminal import share, table

FIRST, RUNS = "truepath, first candidate", "truepath, the call runs on it"


@dataclass
class Row:
    """How one rule did."""

    rule: str
    right: int = 0
    wrong: int = 0
    silent: int = 0
    seconds: float = 0.0

    def add(self, truth: str | None, path: str | None) -> None:
        if path is None:
            self.silent += 1
        elif truth is not None and path.rstrip("/") == truth.rstrip("/"):
            self.right += 1
        else:
            self.wrong += 1

    def cells(self) -> list[str]:
        answers = self.right + self.wrong
        cases = answers + self.silent
        low, high = _interval(self.wrong, answers)
        return [
            self.rule,
            *(f"{number:,}" for number in (self.right, self.wrong, self.silent)),
            share(self.right / cases),
            share(self.wrong / answers if answers else None),
            f"{share(low)} to {share(high)}",
            f"{1000 * self.seconds / cases:.2g}",
        ]


def _interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Clopper-Pearson)."""
    from scipy.stats import beta

    low = float(beta.ppf(0.025, count, of - count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, of - count)) if count < of else 1.0
    return low, high


_HEAD = ("rule", "right", "wrong", "silent", "right of all", "wrong of answers", "95 %", "ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=SETS[:-1], action="append", help="may be given again")
    parser.add_argument("--sample", type=int, default=300, help="cases of each set at most")
    parser.add_argument("--unseen", action="store_true", help="weights that saw other repositories")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        rivals = [*RULES, *(name for name in PROGRAMS if _is_here(name, Path(scratch)))]
        for name in options.set or ("first", "second", "links"):
            cases = sample([case for case in load(name) if case.tree], options.sample)
            rows = [_asked(rule, cases, Path(scratch)) for rule in rivals]
            rows += _of_truepath(cases, by_unseen=options.unseen)
            print(f"{name}, {len(cases):,} cases\n{table(_HEAD, [row.cells() for row in rows])}\n")


def _is_here(name: str, scratch: Path) -> bool:
    try:
        PROGRAMS[name](scratch)
    except MissingPath as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return False
    return True


def sample(cases: Sequence[Case], most: int) -> list[Case]:
    """Return at most so many cases, evenly from all of them."""
    count = min(most, len(cases))
    return [cases[at * len(cases) // count] for at in range(count)]


def _asked(rule: str, cases: Sequence[Case], scratch: Path) -> Row:
    questions = [
        question(case.written, case.root, case.cwd, _project(case.tree, case.add, case.is_dir))
        for case in cases
    ]
    row, began = Row(rule), time.perf_counter()
    if rule in RULES:
        paths: list[str | None] = [RULES[rule](each) for each in questions]
    else:
        paths = [*_by_program(PROGRAMS[rule](scratch), questions)]
    row.seconds = time.perf_counter() - began
    for case, path in zip(cases, paths, strict=True):
        row.add(case.truth, path)
    return row


@cache
def _project(tree: str, add: tuple[str, ...], is_dir: bool) -> Project:
    case = Case("", "", "", "", "", tree=tree, add=add)
    return Project(case.names, folders=is_dir)


def _by_program(program: Program, asked: Sequence[Question]) -> Iterator[str | None]:
    """Ask a program once for each run of questions about the same names."""
    start = 0
    for at in range(1, len(asked) + 1):
        if at == len(asked) or asked[at].project is not asked[start].project:
            yield from program.answer(asked[start:at])
            start = at


def _of_truepath(cases: Sequence[Case], *, by_unseen: bool) -> list[Row]:
    """Return how the guard did under `careful`: by what it names first, and by what it uses."""
    first, runs = Row(FIRST), Row(RUNS)
    weights = unseen() if by_unseen else None
    for case in cases:
        began = time.perf_counter()
        if weights is None:
            told = decided(case, "careful")
        else:
            with weights(case.repo):
                told = decided(case, "careful")
        first.seconds = runs.seconds = runs.seconds + time.perf_counter() - began
        used = told["path"] if told["action"] == "rewrite" else None
        named = used or next(iter(told["candidates"]), None)
        first.add(case.truth, None if told["status"] in ("exists", "absent", "outside") else named)
        runs.add(case.truth, used)
    return [first, runs]


if __name__ == "__main__":
    main()
