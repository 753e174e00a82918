"""Weigh each row of every table: what gets worse and what better without it.

    python benchmarks/weigh.py [--table NAME] [--set NAME] [--without ROW ...] [--check]

Every call of `evidence.py` is decided once; then, for each row that made a difference,
again without that row. A row is kept that two calls at least need, of two sources, and
that costs no more than it buys; `PRINCIPLES` are kept by one."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import Pool

import evidence
import switches
from evidence import SOURCES, Ask, Group

from truepath.cli.terminal import table

PRINCIPLES = frozenset(
    "outside names-cut folder-to-delete ignored marked-wrong other-repository".split()
)

_BY_HAND = frozenset({"ignored-unknown"})
"""Rows that no case can need: a git that fails at this alone. A test has one."""

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
    "unmet text",
    "mechanism",
)
"""What is weighed where nothing else is asked for. Features are chosen by `fit.py`, and
the shapes of errors by recorded outputs."""

_QUICK = ("attacks", "reports", "sessions", "recorded")
"""The sets that CI weighs the rows of what decides by."""

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
    parser.add_argument(
        "--quick", action="store_true", help="what decides, on few sets"
    )
    options = parser.parse_args()
    switches.install()
    if options.quick:
        options.set = options.set or [*_QUICK]
        options.table = options.table or ["veto", "reason"]
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
        sys.exit(_failing(rows, weights))


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
    """Return `keep`, `principle`, `one case`, `words`, `silent` or `goes`."""
    some = {name: each for (one, name), each in weights.items() if one == row}
    buys = sum(len(each.buys) for each in some.values())
    costs = sum(len(each.costs) for each in some.values())
    sources = {SOURCES[name] for name, each in some.items() if each.buys}
    if row in PRINCIPLES:
        return "principle" if buys else "no scenario"
    if costs > buys:
        return "costs"
    if buys:
        return _bought(buys, len(sources))
    if any(each.words for each in some.values()):
        return "words"
    return "no effect" if some else "silent"


def _bought(buys: int, sources: int) -> str:
    if buys == 1:
        return "one case"
    return "keep" if sources > 1 else "one source"


_HEAD = ("row", "table", "spoke", "buys", "harm", "costs", "words", "sets", "verdict")


def _lines(rows: Iterable[str], weights: Weights) -> Iterator[Sequence[str]]:
    for row in rows:
        total = Weight()
        sets = []
        for (one, name), weight in weights.items():
            if one == row:
                total.add(weight)
                if weight.buys or weight.costs:
                    sets.append(f"{name} +{len(weight.buys)}-{len(weight.costs)}")
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
    """Return 1 if a row has no case that needs it, or costs more than it buys and
    prevents no harm.
    """
    failing = [row for row in rows if row not in _BY_HAND and _is_idle(row, weights)]
    for row in failing:
        print(f"{row} ({switches.ROWS[row]}): {verdict(row, weights)}")
    return bool(failing)


def _is_idle(row: str, weights: Weights) -> bool:
    total = Weight()
    for (one, _), weight in weights.items():
        if one == row:
            total.add(weight)
    costs_more = len(total.costs) > len(total.buys)
    return not total.buys or (costs_more and not total.harm)


def summary(grades: Grades) -> str:
    """Return the grades of all sets, as a table."""
    sets = sorted({name for name, _ in grades})
    return table(("what came of it", *sets), evidence.rows_of(grades, sets))


if __name__ == "__main__":
    main()
