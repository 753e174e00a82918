"""Ask truepath and other rules about the same cases in one run.

    python benchmarks/compare.py CASES... --trees DIR [--sample N] [--plot FILE] [--json]
        [--judged FILE]

A rule answers with one path or not at all. `wrong of answers` is the share of its answers that
are wrong; a rule that only suggests is judged by its first suggestion. truepath is asked by names
alone, like the rest. Its model is fitted: on cases that it was fitted on, `--judged` adds the
answers of models that had not seen the case's repository (benchmarks/fit.py --judged writes them).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accuracy import show_progress
from rivals import PROGRAMS, RULES
from rivals.outside import MissingPath, Program
from rivals.question import Project, Question, question

from truepath.cli.terminal import share, table
from truepath.config.presets import THRESHOLDS
from truepath.evaluation.cases import Case, load, tree_names
from truepath.evaluation.interval import clopper_pearson
from truepath.evaluation.run import cores, run
from truepath.evaluation.score import Judged, Point, curve

_CHUNK = 25

Part = tuple[Sequence[int], Sequence[Case]]
"""Some cases of one project, and where they stand among all."""


@dataclass
class Row:
    """How one rule did."""

    rule: str
    right: int = 0
    wrong: int = 0
    abstained: int = 0
    seconds: float = 0.0

    def add(self, truth: str | None, path: str | None) -> None:
        if path is None:
            self.abstained += 1
        elif truth is not None and path == truth.rstrip("/"):
            self.right += 1
        else:
            self.wrong += 1

    def cells(self) -> list[str]:
        cases = self.right + self.wrong + self.abstained
        answers = self.right + self.wrong
        low, high = clopper_pearson(self.wrong, answers)
        return [
            self.rule,
            f"{self.right:,}",
            f"{self.wrong:,}",
            f"{self.abstained:,}",
            share(self.right / cases),
            share(self.wrong / answers if answers else None),
            f"{share(low)} to {share(high)}",
            _milliseconds(self.seconds / cases) if self.seconds else "",
        ]


def _milliseconds(seconds: float) -> str:
    time = 1000 * seconds
    return f"{time:,.0f}" if time >= 10 else f"{time:.2g}"


_HEAD = ("rule", "right", "wrong", "silent", "right of all", "wrong of answers", "95 %", "ms")


def main() -> None:
    options = _options()
    cases = sample([c for path in options.cases for c in load(path)], options.sample)
    with TemporaryDirectory() as temporary:
        scratch = options.scratch or Path(temporary)
        rules = [*RULES, *(name for name in PROGRAMS if _is_here(name, scratch))]
        rows, paths = answers(cases, options.trees, rules, scratch)
    began = time.perf_counter()
    judged = run(cases, options.trees, workers=1)
    took = time.perf_counter() - began
    rows["best"] = Row("truepath, first candidate", seconds=took)
    paths["best"] = [
        None if answer.status in ("absent", "outside") else answer.best for _, answer in judged
    ]
    rows["truepath"] = Row("truepath, corrects", seconds=took)
    paths["truepath"] = [
        answer.path if answer.status == "resolved" else None for _, answer in judged
    ]
    if options.judged:
        rows["unseen"] = Row("truepath, cross-validated")
        paths["unseen"] = unseen(options.judged, judged)
    for name, found in paths.items():
        for case, path in zip(cases, found, strict=True):
            rows[name].add(case.truth, path)
    print(_json(rows, curve(judged)) if options.json else _text(rows, cases, paths))
    if options.plot:
        draw(options.plot, [*rows.values()], curve(judged), len(cases))


def _is_here(name: str, scratch: Path) -> bool:
    try:
        PROGRAMS[name](scratch)
    except MissingPath as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return False
    return True


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--trees", required=True)
    parser.add_argument("--sample", type=int, default=2000, help="cases of each file at most")
    parser.add_argument("--judged", type=Path, help="answers of cross-validated models")
    parser.add_argument("--scratch", type=Path, help="where Fuse.js is installed, and kept")
    parser.add_argument("--plot", help="an image of wrong corrections against right ones")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def sample(cases: Sequence[Case], most: int) -> list[Case]:
    """Return at most so many cases of each file, evenly from all of it."""
    sets: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        sets[case.set].append(case)
    return [
        members[at * len(members) // min(most, len(members))]
        for members in sets.values()
        for at in range(min(most, len(members)))
    ]


def answers(
    cases: Sequence[Case], trees: str, rules: Sequence[str], scratch: Path
) -> tuple[dict[str, Row], dict[str, list[str | None]]]:
    """Return, by rule, an empty row with the time taken, and the paths in the order of `cases`."""
    rows = {rule: Row(rule) for rule in rules}
    paths: dict[str, list[str | None]] = {rule: [None] * len(cases) for rule in rules}
    done = 0
    with ProcessPoolExecutor(cores()) as pool:
        waiting = {
            pool.submit(_part_answers, trees, part[1], rules, scratch): part[0]
            for part in _parts(cases)
        }
        for future in as_completed(waiting):
            places = waiting[future]
            for rule, (found, seconds) in future.result().items():
                rows[rule].seconds += seconds
                for place, path in zip(places, found, strict=True):
                    paths[rule][place] = path
            done += len(places)
            show_progress(done, len(cases))
    return rows, paths


def _parts(cases: Sequence[Case]) -> Iterator[Part]:
    groups: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for at, case in enumerate(cases):
        groups[case.tree, case.kind == "file"].append(at)
    for places in groups.values():
        for start in range(0, len(places), _CHUNK):
            part = places[start : start + _CHUNK]
            yield part, [cases[at] for at in part]


def _part_answers(
    trees: str, cases: Sequence[Case], rules: Sequence[str], scratch: Path
) -> dict[str, tuple[list[str | None], float]]:
    asked = [
        question(case.written, case.root, case.cwd, _project(trees, case.tree, case.add, case.kind))
        for case in cases
    ]
    found = {}
    for rule in rules:
        began = time.perf_counter()
        paths = (
            [RULES[rule](each) for each in asked]
            if rule in RULES
            else _by_program(PROGRAMS[rule](scratch), asked)
        )
        found[rule] = (paths, time.perf_counter() - began)
    return found


def _by_program(program: Program, asked: Sequence[Question]) -> list[str | None]:
    """Ask a program once for each run of questions about the same names."""
    paths: list[str | None] = []
    start = 0
    for at in range(1, len(asked) + 1):
        if at == len(asked) or asked[at].project is not asked[start].project:
            paths += program.answer(asked[start:at])
            start = at
    return paths


@lru_cache(maxsize=4)
def _project(trees: str, tree: str, add: tuple[str, ...], kind: str) -> Project:
    return Project([*tree_names(trees, tree), *add], folders=kind != "file")


def unseen(file: Path, judged: Sequence[Judged]) -> list[str | None]:
    """Return what models that had not seen a case's repository would correct it to."""

    with file.open(encoding="utf-8") as lines:
        told = {each["id"]: each for each in map(json.loads, lines)}
    sure = THRESHOLDS
    return [
        each["path"] if each and each["confidence"] >= sure[case.operation] else None
        for case, _ in judged
        for each in [told.get(case.id)]
    ]


def _text(
    rows: Mapping[str, Row], cases: Sequence[Case], sources: Mapping[str, Sequence[str | None]]
) -> str:
    parts = [f"all, {len(cases):,} cases", table(_HEAD, [row.cells() for row in rows.values()])]
    for name in dict.fromkeys(case.set for case in cases):
        members = [at for at, case in enumerate(cases) if case.set == name]
        told = []
        for rule, paths in sources.items():
            row = Row(rows[rule].rule)
            for at in members:
                row.add(cases[at].truth, paths[at])
            told.append(row.cells()[:-1])
        parts += [f"\n{name}, {len(members):,} cases", table(_HEAD[:-1], told)]
    return "\n".join(parts)


def _json(rows: Mapping[str, Row], points: Sequence[Point]) -> str:
    told: dict[str, Any] = {name: asdict(row) for name, row in rows.items()}
    return json.dumps(
        {"rules": told, "truepath_curve": [asdict(each) for each in points]}, indent=1
    )


def draw(path: str, rows: Sequence[Row], points: Sequence[Point], cases: int) -> None:
    """Draw wrong corrections against right ones, as shares of all cases."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 5), layout="constrained")
    axes = figure.subplots()
    wrong = [100 * (each.coverage - each.right) for each in points]
    axes.plot([100 * each.right for each in points], wrong, color="C0", linewidth=1.5)
    middle = max(row.right for row in rows) * 0.6
    for at, row in enumerate(rows):
        own = row.rule.startswith("truepath")
        place = (100 * row.right / cases, 100 * row.wrong / cases)
        axes.plot(*place, "*" if own else "o", color="C0" if own else f"C{at % 8 + 1}")
        left = row.right > middle  # else the name would run out of the picture
        offset = (-6 if left else 6, -12 if at % 2 else 5)
        side = "right" if left else "left"
        axes.annotate(row.rule, place, offset, textcoords="offset points", ha=side, fontsize=9)
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1", "1", "10", "100"])
    axes.set(xlabel="corrected right, % of cases", ylabel="corrected wrong, % of cases")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 100)
    axes.set_title("wrong corrections against right ones (line: truepath at every confidence)")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
