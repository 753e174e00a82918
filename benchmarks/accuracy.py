"""Measure what the guard does with paths that agents got wrong, and with calls that worked.

    python benchmarks/accuracy.py [--policy NAME] [--set NAME] [--unseen] [--verbose]
                                  [--decisions FILE]

The cases are those of `cases.py`. Each is a call of its own that goes through the whole engine, in
a project of names alone: no disk, no history. In the tables, `a/b` is right/wrong; a call that is
led to a file where none was meant is wrong. `helped at once`: the call ran on the right file, as a
share of the cases that have one, with its 95 % interval when repositories are drawn anew.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

from cases import FOLDER, Case, call, each_path, load, workspace

from truepath import Guard, Settings
from truepath.resolve import likelihood
from truepath.types import Decision

Record: TypeAlias = Mapping[str, Any]
Weights: TypeAlias = Mapping[str, Mapping[str, float]]
"""Weights by repository; those that ship, for one that is not there."""

SETS = ("first", "second", "links", "renames", "deletions", "successes")

_NAMED = 3
"""Candidates that an answer shows at most."""

_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Told:
    """What was decided on a case."""

    case: Case
    record: Record

    @property
    def what(self) -> str:
        """What was done, in a word of the table."""
        action, status = self.record["action"], self.record["status"]
        if action == "rewrite":
            return "assumed" if status == "likely" else "corrected"
        if action == "allow":
            return "let through"
        return "absent" if status in ("absent", "outside") else "named"

    @property
    def is_shown(self) -> bool:
        return self.what in ("corrected", "assumed")

    @property
    def place(self) -> int:
        """At which place of what is shown the right path is, from 1; 0 where it is not."""
        truth = (self.case.truth or "").rstrip("/")
        shown = [self.record["path"]] if self.is_shown else self.record["candidates"]
        paths = [path.rstrip("/") for path in shown if path]
        return paths.index(truth) + 1 if truth in paths else 0

    @property
    def is_right(self) -> bool:
        return not self.case.truth if self.what == "absent" else self.place == 1

    def __str__(self) -> str:
        reason = f" ({self.record['reason']})" if self.record.get("reason") else ""
        led = self.record["path"] if self.is_shown else " | ".join(self.record["candidates"])
        case = self.case
        asked = f"{case.set} {case.id} {case.tool} {case.written!r}, meant {case.truth!r}"
        return f"{asked}: {self.what} {led}{reason}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", default="careful")
    parser.add_argument(
        "--set", choices=SETS, action="append", help="only this set; may be given again"
    )
    parser.add_argument("--unseen", action="store_true", help="weights that saw other repositories")
    parser.add_argument("--verbose", action="store_true", help="list each case of interest")
    parser.add_argument("--decisions", type=Path, help="write what was decided; for diff(1)")
    options = parser.parse_args()
    weights = unseen() if options.unseen else {}
    told = {name: ask(name, options.policy, weights) for name in options.set or SETS}
    every = [each for some in told.values() for each in some]
    print(summary(told))
    if options.decisions:
        options.decisions.write_text("".join(f"{each}\n" for each in every), encoding="utf-8")
    if options.verbose:
        print("\n" + "\n".join(map(str, filter(_is_of_interest, every))))


def ask(name: str, policy: str, weights: Weights) -> list[Told]:
    """Return what is decided on each case of a set; those without the project's tree are not
    asked.
    """
    cases = (one for each in load(name) if each.tree for one in each_path(each))
    told = [Told(case, decided(case, policy, weights)) for case in cases]
    print(f"{name}: {len(told):,} calls", file=sys.stderr)
    return told


def decided(case: Case, policy: Any, weights: Weights) -> Record:
    """Return what a guard of the case's project decides."""
    settings = Settings(store="memory", journal=False)
    guard = Guard(workspace=workspace(case), settings=settings, policy=policy)
    own = weights.get(case.repo)
    with patch.dict(likelihood.weights(), own) if own else nullcontext():
        return _record(guard.before(call(case)))


def _record(decision: Decision) -> Record:
    amiss = [each for each in decision.resolutions if each.status != "exists"]
    told = next(iter(amiss or decision.resolutions), None)
    candidates = told.candidates if told else ()
    is_silent = decision.action != "allow" or not decision.text
    return {
        "action": decision.action if is_silent else "advise",
        "status": told.status if told else "",
        "path": told.path if told else None,
        "candidates": [each.path for each in candidates[:_NAMED]],
        "reason": candidates[0].reason if candidates else "",
    }


def unseen() -> Weights:
    """Return the weights to judge each repository by: fitted to others."""
    folds = json.loads((FOLDER / "folds.json").read_text(encoding="utf-8"))
    return {repo: fold["weights"] for fold in folds for repo in fold["repos"]}


def summary(told: Mapping[str, Sequence[Told]]) -> str:
    """Return the tables: by set, by reason, and of the calls that worked."""
    misses = [*told.get("first", ()), *told.get("second", ())]
    git = [each for name in ("links", "renames", "deletions") for each in told.get(name, ())]
    whole = [each for each in misses if each.case.tree_kind == "yes" and each.case.truth]
    groups = {"answer, whole tree": whole, **{n: told[n] for n in told if n != "successes"}}
    rows = [_cells(name, some) for name, some in groups.items() if some]
    lines = _table(_HEAD, rows) if rows else []
    for name, some in (("misses of agents", misses), ("links, renames, deletions", git)):
        lines += ["", *_table((f"reason, {name}", *_DONE), _by_reason(some))] if some else []
    if "deletions" in told:
        followed = sum(each.is_shown for each in told["deletions"])
        lines += ["", f"{followed} of {len(told['deletions']):,} deletions led to another file"]
    if "successes" in told:
        lines += ["", *_touched(told["successes"])]
    return "\n".join(lines).strip()


_DONE = ("corrected", "assumed", "named")

_HEAD = (
    *("set", "cases", "answer", "corrected", "assumed", "named first", "in three", "not"),
    *("absent", "let through", "helped at once"),
)


def _cells(name: str, told: Sequence[Told]) -> Sequence[object]:
    named = [each.place for each in told if each.what == "named"]
    answer = sum(bool(each.case.truth) for each in told)
    through = sum(each.what == "let through" for each in told)
    first, three = named.count(1), len(named) - named.count(0)
    return (
        *(name, len(told), answer, _pair(told, "corrected"), _pair(told, "assumed")),
        *(first, three, len(named) - three, _pair(told, "absent"), through, _helped(told)),
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = [[*map(str, row)] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    ]


def _pair(told: Iterable[Told], what: str) -> str:
    count = Counter(each.is_right for each in told if each.what == what)
    return f"{count[True]}/{count[False]}"


def _helped(told: Sequence[Told]) -> str:
    """Return the share that ran on the right file, and its interval."""
    groups: Mapping[str, list[bool]] = defaultdict(list)
    for each in told:
        if each.case.truth:
            groups[each.case.repo].append(each.is_shown and each.is_right)
    if not groups:
        return ""
    members, draw = list(groups.values()), random.Random(0)
    shares = sorted(_share(draw.choices(members, k=len(members))) for _ in range(_DRAWS))
    low, high = shares[_DRAWS // 40], shares[-_DRAWS // 40]
    return f"{_share(members):.1%} ({low:.1%} to {high:.1%})"


def _share(groups: Sequence[Sequence[bool]]) -> float:
    return sum(map(sum, groups)) / sum(map(len, groups))


def _by_reason(told: Sequence[Told]) -> list[Sequence[str]]:
    """Return a row for each reason of a first candidate, the commonest first."""
    groups: Mapping[str, list[Told]] = defaultdict(list)
    for each in told:
        if each.record["candidates"]:
            groups[each.record["reason"]].append(each)
    rows = sorted(groups.items(), key=lambda group: -len(group[1]))
    return [(reason, *(_pair(some, what) for what in _DONE)) for reason, some in rows]


def _touched(told: Sequence[Told]) -> Iterator[str]:
    """Yield how many calls that worked were not left alone, and what became of them."""
    calls = {each.case.id.rpartition(".")[0] for each in told}
    touched = [each for each in told if each.what != "let through"]
    count = len({each.case.id.rpartition(".")[0] for each in touched})
    yield f"{len(told):,} paths of {len(calls):,} calls that worked; {count} of the calls touched"
    for what, times in Counter(f"{each.what}, {each.record['status']}" for each in touched).items():
        yield f"  {what} {times}"


def _is_of_interest(told: Told) -> bool:
    """Whether a case is worth reading: a call was led wrongly, or not as far as it could be."""
    if told.case.set in ("renames", "deletions"):
        return told.is_shown and not told.is_right
    if told.case.set == "successes":
        return told.what != "let through"
    return told.is_shown or bool(told.case.truth)


if __name__ == "__main__":
    main()
