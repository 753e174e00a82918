"""Measure what the guard does with paths that agents got wrong, and with calls that
worked.

    python benchmarks/accuracy.py [--policy NAME] [--set NAME] [--unseen] [--decisions
                                  FILE] [--save]

The cases are those of `cases.py`. Each is a call of its own that goes through the whole
engine, in a project of names alone: no disk, no history. A call that is led to a file
where none was meant is led to a wrong file. The interval is that of 95 of 100 samples
of as many repositories. Paths that a commit took away are asked of repositories with
such commits (`histories.py`), a sample of them: `make weigh ARGS="--grades --whole
--set histories --set held-histories"` asks all."""

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
from statistics import median
from typing import Any, TypeAlias
from unittest.mock import patch

import evidence
from cases import FOLDER, Case, call, each_path, load, workspace
from results import save

from truepath import Guard, Settings
from truepath.cli.terminal import table
from truepath.guard.messages import named
from truepath.guard.rows import SENTENCES
from truepath.resolve import likelihood, vetoes
from truepath.types import Decision

Record: TypeAlias = Mapping[str, Any]
Weights: TypeAlias = Mapping[str, Mapping[str, float]]
"""Weights by repository; those that ship, for one that is not there."""

SETS = ("first", "second", "links", "renames", "deletions", "successes")

_NAMED = 3
"""Candidates that an answer shows at most."""

_DRAWS = 2000

OUTCOMES = {
    ("corrected", 1): "corrected: right file",
    ("corrected", 0): "corrected: wrong file",
    ("assumed", 1): "shown with a note: right file",
    ("assumed", 0): "shown with a note: wrong file",
    ("named", 1): "named: right file first",
    ("named", 2): "named: right file 2nd or 3rd",
    ("named", 0): "named: other files only",
    ("absent", 0): "told that nothing is like it",
    ("let through", 0): "let through",
}
"""What is done with a path, and the place of the right file: the rows of the table."""


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
        """At which place of what is shown the right path is, from 1; 0 where it is
        not.
        """
        truth = (self.case.truth or "").rstrip("/")
        shown = [self.record["path"]] if self.is_shown else self.record["candidates"]
        paths = [path.rstrip("/") for path in shown if path]
        return paths.index(truth) + 1 if truth in paths else 0

    @property
    def outcome(self) -> str:
        """What was done, and whether that was right, as a row of the table."""
        return OUTCOMES.get((self.what, min(self.place, 2))) or OUTCOMES[self.what, 0]

    @property
    def is_helped(self) -> bool:
        """Whether the call ran on the right file at once."""
        return self.is_shown and self.is_right

    @property
    def is_right(self) -> bool:
        return not self.case.truth if self.what == "absent" else self.place == 1

    def __str__(self) -> str:
        reason = f" ({self.record['reason']})" if self.record.get("reason") else ""
        led = (
            self.record["path"]
            if self.is_shown
            else " | ".join(self.record["candidates"])
        )
        case = self.case
        asked = (
            f"{case.set} {case.id} {case.tool} {case.written!r}, meant {case.truth!r}"
        )
        return f"{asked}: {self.what} {led}{reason}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", default="careful")
    parser.add_argument(
        "--set", choices=SETS, action="append", help="only this set; may be given again"
    )
    parser.add_argument(
        "--unseen", action="store_true", help="weights that saw other repositories"
    )
    parser.add_argument(
        "--decisions", type=Path, help="write what was decided; for diff(1)"
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the results for `make plots`"
    )
    parser.add_argument(
        "--without",
        choices=[veto.name for veto in vetoes.VETOES],
        help="leave out this row of what holds a candidate back; for diff(1)",
    )
    options = parser.parse_args()
    if options.without:
        vetoes.VETOES = tuple(
            veto for veto in vetoes.VETOES if veto.name != options.without
        )
    weights = unseen() if options.unseen else {}
    told = {name: ask(name, options.policy, weights) for name in options.set or SETS}
    text = summary(told)
    if not options.set:
        text += f"\n\n{histories_asked(options.policy)}"
    print(text)
    if options.save:
        save("accuracy", text, {})
    if options.decisions:
        lines = (f"{each}\n" for some in told.values() for each in some)
        options.decisions.write_text("".join(lines), encoding="utf-8")


def ask(name: str, policy: str, weights: Weights) -> list[Told]:
    """Return what is decided on each case of a set; those without the project's tree
    are not asked."""
    cases = (one for each in load(name) if each.tree for one in each_path(each))
    told = [Told(case, decided(case, policy, weights)) for case in cases]
    print(f"{name}: {len(told):,} paths", file=sys.stderr)
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
        "held_back": told.held_back if told else (),
        "named": len(named(told)) if told else 0,
        "length": len(decision.text),
    }


_HISTORIES = {"histories": 32, "held-histories": 32}
"""Of how many groups of paths one is asked."""


def histories_asked(policy: str) -> str:
    """Return the table of what was done with paths that a commit took away."""
    grades = Counter[tuple[str, int]]()
    for group in evidence.groups([*_HISTORIES]):
        if not evidence.share(group.id, _HISTORIES[group.set]):
            continue
        with group.open() as space:
            for ask in group.asks(space):
                if ask.policy != policy:
                    continue
                grade = ask.grade(evidence.decide(space, ask))
                looks = "look" if ask.looks else "change"
                half = "held" if group.set == "held-histories" else "open"
                grades[f"{half}, {looks}", grade] += 1
    columns = sorted({column for column, _ in grades})
    return table(
        ("paths that a commit took away", *columns),
        evidence.rows_of(grades, columns),
    )


def unseen() -> Weights:
    """Return the weights to judge each repository by: fitted to others."""
    folds = json.loads((FOLDER / "folds.json").read_text(encoding="utf-8"))
    return {repo: fold["weights"] for fold in folds for repo in fold["repos"]}


def summary(told: Mapping[str, Sequence[Told]]) -> str:
    """Return the sentences, and the tables: what was done with the paths, and for which
    reason.
    """
    misses = [*told.get("first", ()), *told.get("second", ())]
    groups = {
        "agents, file exists": [each for each in misses if each.case.truth],
        "agents, no such file": [each for each in misses if not each.case.truth],
        **{name: told.get(name, ()) for name in ("links", "renames", "deletions")},
    }
    there = {name: some for name, some in groups.items() if some}
    parts = ["\n".join(_sentences(groups, told.get("successes", ())))]
    if there:
        parts.append(table(("what was done", *there), _by_outcome([*there.values()])))
    git = [
        each
        for name in ("links", "renames", "deletions")
        for each in told.get(name, ())
    ]
    for name, some in (("agents", misses), ("links, renames, deletions", git)):
        if some:
            parts.append(table((f"reason, {name}", *_REASON_HEAD), _by_reason(some)))
    everything = [*misses, *git, *told.get("successes", ())]
    parts.append(table(_VETO_HEAD, _by_veto(everything)))
    return "\n\n".join(parts)


_VETO_HEAD = ("held back by", "the right file", "a wrong one")

_REASON_HEAD = (
    "corrected",
    "wrongly",
    "shown with a note",
    "wrongly",
    "named first",
    "wrongly",
)


def _sentences(
    groups: Mapping[str, Sequence[Told]], worked: Sequence[Told]
) -> Iterator[str]:
    """Yield the results that a person asks for first, a sentence each."""
    found = groups["agents, file exists"]
    misses = [*found, *groups["agents, no such file"]]
    if found:
        share, low, high = _helped(found)
        yield (
            f"Of {len(found):,} paths that agents got wrong and whose file exists, the "
            "call ran on the right file at once in "
            f"{sum(each.is_helped for each in found):,} ({share:.1%}; {low:.1%} to "
            f"{high:.1%} when repositories are drawn anew)."
        )
    if misses:
        corrected, shown = (_of(misses, what) for what in ("corrected", "assumed"))
        wrong = _wrong(corrected)
        yield f"Of {len(corrected):,} corrections, {wrong} led to a wrong file."
        yield (
            f"Of {len(shown):,} files shown with a note as the likely one, "
            f"{_wrong(shown)} were the wrong file."
        )
        yield _lengths(misses)
        yield _of_all(misses)
    if worked:
        calls, touched = (
            {
                each.case.id.rpartition(".")[0]
                for each in worked
                if each.what not in left
            }
            for left in ((), ("let through",))
        )
        yield f"Of {len(calls):,} calls that worked, {len(touched):,} were touched."
    if gone := groups["deletions"]:
        corrected, shown = (_of(gone, what) for what in ("corrected", "assumed"))
        yield (
            f"Of {len(gone):,} paths whose file was deleted, "
            f"{len(corrected) + len(shown):,} led to another file, by names alone: "
            f"{len(corrected):,} corrected, {len(shown):,} shown with a note."
        )


def _lengths(told: Sequence[Told]) -> str:
    """Return how long answers are that name candidates and let the agent choose."""
    answers = [each.record for each in _of(told, "named")]
    one = [answer["length"] for answer in answers if answer["named"] == 1]
    several = [answer["length"] for answer in answers if answer["named"] > 1]
    return (
        f"Refusals that name one candidate have {median(one or [0]):.0f} characters in "
        f"the median, those that name several {median(several or [0]):.0f}."
    )


def _of(told: Iterable[Told], what: str) -> list[Told]:
    return [each for each in told if each.what == what]


def _wrong(told: Iterable[Told]) -> int:
    return sum(not each.is_right for each in told)


def _of_all(misses: Sequence[Told]) -> str:
    """Return what became of all misses, those without a file too."""
    ran = sum(each.is_helped for each in misses)
    named = sum(each.place == 1 and not each.is_shown for each in misses)
    absent = sum(each.what == "absent" for each in misses)
    through = sum(each.what == "let through" for each in misses)
    return (
        f"Of all {len(misses):,} misses, {ran:,} ran on the right file at once "
        f"({ran / len(misses):.1%}), {named:,} were told it first, {absent:,} that "
        f"nothing is like it, and {through:,} were let through."
    )


def _by_outcome(groups: Sequence[Sequence[Told]]) -> Iterator[Sequence[str]]:
    """Yield a row for each outcome; those of a column are all its cases."""
    counts = [Counter(each.outcome for each in some) for some in groups]
    for outcome in OUTCOMES.values():
        yield (outcome, *(f"{count[outcome]:,}" for count in counts))
    yield ("all", *(f"{len(some):,}" for some in groups))
    shares = [
        _helped(some) if any(each.case.truth for each in some) else None
        for some in groups
    ]
    for at, title in enumerate(("ran on the right file", "95% interval, from", "to")):
        yield (title, *(f"{share[at]:.1%}" if share else "" for share in shares))


def _helped(told: Sequence[Told]) -> tuple[float, float, float]:
    """Return the share that ran on the right file, and its interval."""
    groups: Mapping[str, list[bool]] = defaultdict(list)
    for each in told:
        if each.case.truth:
            groups[each.case.repo].append(each.is_helped)
    members, draw = list(groups.values()), random.Random(0)
    shares = sorted(
        _share(draw.choices(members, k=len(members))) for _ in range(_DRAWS)
    )
    return _share(members), shares[_DRAWS // 40], shares[-_DRAWS // 40]


def _share(groups: Sequence[Sequence[bool]]) -> float:
    return sum(map(sum, groups)) / sum(map(len, groups))


def _by_reason(told: Sequence[Told]) -> Iterator[Sequence[str]]:
    """Yield a row for each reason of a first candidate, the commonest first."""
    groups: Mapping[str, list[Told]] = defaultdict(list)
    for each in told:
        if each.record["candidates"]:
            groups[each.record["reason"]].append(each)
    for reason, some in sorted(groups.items(), key=lambda group: -len(group[1])):
        each_way = [_of(some, what) for what in ("corrected", "assumed", "named")]
        counts = [(len(done) - _wrong(done), _wrong(done)) for done in each_way]
        yield (reason, *(f"{count:,}" for pair in counts for count in pair))


def _by_veto(told: Sequence[Told]) -> Iterator[Sequence[str]]:
    """Yield a row for each row of the tables of what holds back: how often it spoke
    where the first candidate was the right file, and where it was not.
    """
    right, wrong = Counter[str](), Counter[str]()
    for each in told:
        candidates = each.record["candidates"]
        truth = (each.case.truth or "").rstrip("/")
        is_right = bool(candidates) and candidates[0].rstrip("/") == truth
        (right if is_right else wrong).update(each.record["held_back"])
    spoke = [name for name in SENTENCES if right[name] or wrong[name]]
    for name in spoke:
        yield (name, f"{right[name]:,}", f"{wrong[name]:,}")
    yield (f"{len(SENTENCES) - len(spoke)} other rows", "0", "0")


if __name__ == "__main__":
    main()
