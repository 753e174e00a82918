"""Weigh each row of every table: what gets worse and what better without it.

    python benchmarks/weigh.py [--table NAME] [--set NAME] [--without ROW ...] [--check]

Every call of `evidence.py` is decided once; then, for each row that made a difference,
again without that row. `--check` fails for a row that fewer than two cases need, or
only cases of one source; or that costs more than it buys, and prevents no harm; and for
a scene that does not hold.
`PRINCIPLES`, and rows about what one program prints, are kept by one case."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import Pool

import evidence
import switches
from evidence import SOURCES, Ask, Group

from truepath.cli.terminal import table

PRINCIPLES = frozenset(
    "outside names-cut folder-to-delete ignored marked-wrong other-repository".split()
)

_BY_OUTPUT = ("error shape", "unmet text", "nothing done")
"""Tables of which a row is what one program prints: that output is its case."""

_LEFT: Mapping[str, str] = {
    "ignored-unknown": "a git that fails at this alone: a test has one",
    "foreign": "another project of the machine, outside a scene: a test has one",
    **dict.fromkeys(
        "made-anew note-unread shown-before users-own "
        "shown-as-written folder-misspelt near-search".split(),
        "a second case has been written for it, and not met elsewhere",
    ),
}
"""Rows that are left without two cases of two sources, and why."""

_TABLES = (
    "veto",
    "reason",
    "path veto",
    "call veto",
    "check",
    "need",
    "spelling",
    "place",
    "weak likeness",
    *_BY_OUTPUT,
    "mechanism",
)
"""What is weighed where nothing else is asked for. Features are chosen by `fit.py`."""


_SCENES = ("attacks", "reports", "sessions", "documented", "commits")
"""The sets of which every call must be answered as its scene says."""

_QUICK = (*_SCENES, "outputs", "recorded", "links")
"""The sets that CI weighs by."""

_MOST = 24
"""Calls of a set that are decided again without one row, at most, in each process."""

_SAMPLES = {"renames": 4, "deletions": 4, "slips": 6, "held-out": 8, "histories": 8}
"""Of how many groups of a large set one is asked."""


@dataclass
class Weight:
    """What a row did in one set: the cases, each counted once."""

    spoke: set[str] = field(default_factory=set)
    buys: set[str] = field(default_factory=set)
    costs: set[str] = field(default_factory=set)
    harm: set[str] = field(default_factory=set)
    """Those in which another file would be changed without it."""
    words: set[str] = field(default_factory=set)
    """Those in which an answer differs, and is as good."""
    tried: int = 0
    """Calls that were decided again."""

    def add(self, other: Weight) -> None:
        for name in ("spoke", "buys", "costs", "harm", "words"):
            getattr(self, name).update(getattr(other, name))


Weights = dict[tuple[str, str], Weight]
"""By row and set."""

Grades = Counter[tuple[str, int]]
"""How often each grade was given, by set."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=[*SOURCES], action="append")
    parser.add_argument("--table", action="append", help="only rows of this table")
    parser.add_argument("--row", action="append", help="only this row")
    parser.add_argument("--without", nargs="*", default=[], help="rows that are off")
    parser.add_argument("--grades", action="store_true", help="weigh no row")
    parser.add_argument("--whole", action="store_true", help="sample no set")
    parser.add_argument("--cases", action="store_true", help="name the calls")
    parser.add_argument("--check", action="store_true", help="fail for an idle row")
    parser.add_argument("--quick", action="store_true", help="on few sets")
    options = parser.parse_args()
    switches.install()
    if options.quick:
        options.set = options.set or [*_QUICK]
        _SAMPLES.update(recorded=2, links=2)
    rows = [
        row
        for row, name in switches.ROWS.items()
        if row not in options.without
        and name in (options.table or _TABLES)
        and (not options.row or row in options.row)
    ]
    if options.whole:
        _SAMPLES.clear()
    if options.grades:
        rows.clear()
    sets = options.set or [name for name in SOURCES if name != "held-histories"]
    weights, grades = weigh(sets, rows, options.without)
    print(summary(grades))
    if rows:
        print(table(_HEAD, _lines(rows, weights)))
    if options.cases:
        for line in _cases(weights):
            print(line)
    if options.check:
        sys.exit(max(_failing(rows, weights), _unheld(grades)))


def weigh(
    sets: Sequence[str], rows: Sequence[str], without: Sequence[str]
) -> tuple[Weights, Grades]:
    """Return what each row bought and cost, and the grades with all of them."""
    some = [group for group in evidence.groups(sets) if _is_sampled(group)]
    tasks = [(at, sets, frozenset(rows), frozenset(without)) for at in range(_TASKS)]
    weights: Weights = {}
    grades: Grades = Counter()
    with Pool(2) as pool:
        for part, graded in pool.imap_unordered(_weigh_part, tasks):
            grades.update(graded)
            for key, weight in part.items():
                weights.setdefault(key, Weight()).add(weight)
    print(f"{len(some):,} projects, {grades.total():,} calls", file=sys.stderr)
    return weights, grades


_TASKS = 16


def _is_sampled(group: Group) -> bool:
    return evidence.share(group.id, _SAMPLES.get(group.set, 1))


def _weigh_part(
    task: tuple[int, Sequence[str], frozenset[str], frozenset[str]],
) -> tuple[Weights, Grades]:
    part, sets, rows, without = task
    weights: Weights = {}
    grades: Grades = Counter()
    sampled = [group for group in evidence.groups(sets) if _is_sampled(group)]
    for group in sampled[part::_TASKS]:
        with group.open() as space:
            for ask in group.asks(space):
                grades[ask.set, _weigh_one(ask, space, rows, without, weights)] += 1
    return weights, grades


def _weigh_one(
    ask: Ask,
    space: evidence.Space,
    rows: frozenset[str],
    without: frozenset[str],
    weights: Weights,
) -> int:
    grade, text = _decided(ask, space, without)
    for row in sorted(rows & switches.SPOKE):
        weight = weights.setdefault((row, ask.set), Weight())
        weight.spoke.add(ask.case)
        if weight.tried >= _MOST:
            continue
        weight.tried += 1
        other, other_text = _decided(ask, space, without | {row})
        if other < grade:
            weight.buys.add(ask.case)
            if other == evidence.CHANGED_WRONG:
                weight.harm.add(ask.case)
        elif other > grade:
            weight.costs.add(ask.case)
        elif other_text != text:
            weight.words.add(ask.case)
    return grade


def _decided(
    ask: Ask, space: evidence.Space, without: frozenset[str]
) -> tuple[int, str]:
    switches.OFF.clear()
    switches.OFF.update(without)
    switches.SPOKE.clear()
    decision = evidence.decide(space, ask)
    switches.OFF.clear()
    return ask.grade(decision), f"{decision.text}{dict(decision.arguments)}"


def verdict(row: str, weights: Weights) -> str:
    """Return `keep`, or what a row lacks."""
    some = {name: each for (one, name), each in weights.items() if one == row}
    total = _sum(some.values())
    sources = {SOURCES[name] for name, each in some.items() if each.buys}
    if not total.buys:
        words = "only words" if total.words else "no effect"
        return words if total.spoke else "silent"
    if row in PRINCIPLES:
        return "principle"
    if len(total.costs) > len(total.buys) and not total.harm:
        return "costs"
    if switches.ROWS[row] in _BY_OUTPUT:
        return "keep"
    if len(total.buys) == 1:
        return "one case"
    return "keep" if len(sources) > 1 else "one source"


def _sum(weights: Iterable[Weight]) -> Weight:
    total = Weight()
    for weight in weights:
        total.add(weight)
    return total


_HEAD = ("row", "table", "spoke", "buys", "harm", "costs", "words", "sets", "verdict")


def _lines(rows: Iterable[str], weights: Weights) -> Iterator[Sequence[str]]:
    for row in rows:
        some = {name: each for (one, name), each in weights.items() if one == row}
        total = _sum(some.values())
        sets = [
            f"{name} +{len(weight.buys)}-{len(weight.costs)}"
            for name, weight in some.items()
            if weight.buys or weight.costs
        ]
        counts = (total.spoke, total.buys, total.harm, total.costs, total.words)
        figures = [f"{len(some):,}" for some in counts]
        what = verdict(row, weights)
        yield (row, switches.ROWS[row], *figures, ", ".join(sorted(sets)), what)


def _cases(weights: Weights) -> Iterator[str]:
    for (row, name), weight in sorted(weights.items()):
        for word, some in (("needed", weight.buys), ("lost", weight.costs)):
            for case in sorted(some)[:4]:
                yield f"{row}: {word} by {name}: {case}"


def _failing(rows: Iterable[str], weights: Weights) -> int:
    """Return 1 if a row is neither kept nor one of those that are left."""
    verdicts = {row: verdict(row, weights) for row in rows}
    failing = [
        row
        for row, what in verdicts.items()
        if what not in ("keep", "principle") and row not in _LEFT
    ]
    for row in failing:
        print(f"{row} ({switches.ROWS[row]}): {verdicts[row]}")
    return bool(failing)


def _unheld(grades: Grades) -> int:
    """Return 1 if a call is not answered as its scene says."""
    unheld = Counter[str]()
    for (name, grade), count in grades.items():
        if name in _SCENES and grade < evidence.HOLDS:
            unheld[name] += count
    for name, count in unheld.items():
        print(f"{name}: {count} calls are not answered as their scene says")
    return bool(unheld)


def summary(grades: Grades) -> str:
    """Return the grades of all sets, as a table."""
    sets = sorted({name for name, _ in grades})
    return table(("what came of it", *sets), evidence.rows_of(grades, sets))


if __name__ == "__main__":
    main()
