"""Measures of answers: counts, shares, reliability, risk against coverage.

Pure counting over (case, answer) pairs; it asks nothing and prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truepath.evaluation.cases import SHARES, Case
from truepath.evaluation.interval import clopper_pearson
from truepath.types import Resolution, Status

FIRST = 3
"""How many candidates an agent is shown."""

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)
"""Where bins of confidence meet; finer where corrections are decided."""

GROUPS: Mapping[str, Callable[[Case], str]] = {
    "kind": lambda case: case.cause,
    "cause": lambda case: case.family,
    "repo": lambda case: case.repo,
    "set": lambda case: case.set,
    "asked": lambda case: f"{case.operation} {case.kind}",
}
"""What cases can be told apart by."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of one case, and whether that was right."""

    status: Status
    path: str | None
    """What the path was corrected to, or is."""
    best: str | None
    """The best candidate."""
    confidence: float
    """That candidate's; 0 without one."""
    best_right: bool
    listed: bool
    """Whether the right path is among the first candidates."""
    evidence: tuple[str, ...] = ()
    """What speaks for the best candidate."""
    history: bool = False
    """Whether history was asked."""


def judge(truth: str | None, resolution: Resolution) -> Answer:
    """Compare a resolution with the right path."""
    right = None if truth is None else truth.rstrip("/")
    first = resolution.candidates[:FIRST]
    best = first[0] if first else None
    return Answer(
        status=resolution.status,
        path=resolution.path,
        best=best.path if best else None,
        confidence=best.confidence if best else 0.0,
        best_right=best is not None and best.path == right,
        listed=any(each.path == right for each in first),
        evidence=best.evidence if best else (),
        history=resolution.searched.history,
    )


Judged = tuple[Case, Answer]


@dataclass(frozen=True, slots=True)
class Counts:
    """How the answers to some cases fall."""

    cases: int = 0
    findable: int = 0
    """Cases with a right path."""
    right: int = 0
    """Corrected to the right path."""
    wrong: int = 0
    """Corrected to another path, or where nothing is right."""
    listed: int = 0
    """The right path was corrected to, or is among the first candidates."""
    refused: int = 0
    """Not corrected; candidates named."""
    absent_right: int = 0
    """Said that it is not in the project, and it is not."""
    absent_wrong: int = 0
    outside_right: int = 0
    """Said that it points outside the project, and nothing inside was meant."""
    outside_wrong: int = 0
    exists: int = 0
    """Taken for a path that is there."""

    @property
    def corrected(self) -> int:
        """Corrections, right and wrong."""
        return self.right + self.wrong

    def wrong_share(self) -> tuple[float | None, float, float]:
        """Return the share of corrections that are wrong, and its 95 % interval."""
        low, high = clopper_pearson(self.wrong, self.corrected)
        return _share(self.wrong, self.corrected), low, high

    def to_dict(self) -> dict[str, Any]:
        """Return counts and shares as JSON-ready data; a share of nothing is null."""
        wrong, low, high = self.wrong_share()
        said_right = self.absent_right + self.outside_right
        said = said_right + self.absent_wrong + self.outside_wrong
        return {
            **{name: getattr(self, name) for name in self.__slots__},
            "accuracy": _share(self.right + said_right, self.cases),
            "wrong_share": wrong,
            "wrong_share_interval": [low, high],
            "recall": _share(self.right, self.findable),
            "first_3": _share(self.listed, self.findable),
            "absent_precision": _share(said_right, said),
            "absent_recall": _share(said_right, self.cases - self.findable),
        }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def count(judged: Iterable[Judged]) -> Counts:
    """Count how answers fall."""
    tally = dict.fromkeys(Counts.__slots__, 0)
    for case, answer in judged:
        tally["cases"] += 1
        tally["findable"] += case.truth is not None
        tally["listed"] += answer.listed
        tally[outcome(case, answer)] += 1
    return Counts(**tally)


def outcome(case: Case, answer: Answer) -> str:
    """Return the field of `Counts` that an answer falls under."""
    if answer.status == "resolved":
        return "right" if answer.path == (case.truth or "").rstrip("/") else "wrong"
    if answer.status in ("absent", "outside"):
        return f"{answer.status}_{'wrong' if case.truth else 'right'}"
    return "exists" if answer.status == "exists" else "refused"


def grouped(judged: Iterable[Judged], by: str) -> dict[str, Counts]:
    """Count by group, the largest first. `by` is one of `GROUPS`."""
    groups: dict[str, list[Judged]] = {}
    for case, answer in judged:
        groups.setdefault(GROUPS[by](case), []).append((case, answer))
    counted = {name: count(each) for name, each in groups.items()}
    return dict(sorted(counted.items(), key=lambda item: (-item[1].cases, item[0])))


def weights(judged: Sequence[Judged]) -> list[float]:
    """Return a weight a case, 1 on average, that gives each family its share of real misses."""
    families = [case.family for case, _ in judged]
    there = {name: families.count(name) for name in set(families)}
    total = sum(SHARES[name] for name in there)
    return [SHARES[name] / total / there[name] * len(families) for name in families]


@dataclass(frozen=True, slots=True)
class Bin:
    """The cases whose best candidate has a confidence in one range."""

    low: float
    high: float
    cases: int
    confidence: float
    """The mean."""
    right: float
    """The share whose best candidate is right."""
    interval: tuple[float, float]
    """Of that share; as if every case weighed the same."""


def reliability(judged: Sequence[Judged], weight: Sequence[float] | None = None) -> list[Bin]:
    """Compare confidence with the share of best candidates that are right, bin by bin."""
    bins: list[list[tuple[Answer, float]]] = [[] for _ in EDGES[1:]]
    for at, (_, answer) in enumerate(judged):
        if answer.best is not None:
            place = next(n for n, edge in enumerate(EDGES[1:]) if answer.confidence <= edge)
            bins[place].append((answer, weight[at] if weight else 1.0))
    return [_bin(EDGES[n], EDGES[n + 1], each) for n, each in enumerate(bins) if each]


def _bin(low: float, high: float, members: Sequence[tuple[Answer, float]]) -> Bin:
    mass = sum(weight for _, weight in members)
    right = sum(weight for answer, weight in members if answer.best_right) / mass
    mean = sum(weight * answer.confidence for answer, weight in members) / mass
    interval = clopper_pearson(round(right * len(members)), len(members))
    return Bin(low, high, len(members), mean, right, interval)


@dataclass(frozen=True, slots=True)
class Point:
    """What would come of correcting every case at and above one confidence."""

    confidence: float
    coverage: float
    """The share of all cases that would be corrected."""
    right: float
    """The share of all cases corrected rightly."""
    risk: float
    """The share of corrections that would be wrong."""


def curve(
    judged: Sequence[Judged], weight: Sequence[float] | None = None, *, points: int = 200
) -> list[Point]:
    """Return risk against coverage, from the surest case down; at most `points` of them."""
    mass = sum(weight) if weight else float(len(judged))
    ranked = sorted(
        (
            (answer.confidence, answer.best_right, weight[at] if weight else 1.0)
            for at, (_, answer) in enumerate(judged)
            if answer.best is not None
        ),
        key=lambda each: -each[0],
    )
    found = []
    covered = right = 0.0
    for at, (confidence, good, each) in enumerate(ranked):
        covered, right = covered + each, right + each * good
        if at + 1 == len(ranked) or ranked[at + 1][0] < confidence:
            found.append(Point(confidence, covered / mass, right / mass, 1 - right / covered))
    step = max(1, -(-len(found) // points))
    return found[::-step][::-1]


def surest_wrong(judged: Iterable[Judged], most: int) -> list[Judged]:
    """Return the wrong corrections with the highest confidence."""
    wrong = [(case, answer) for case, answer in judged if outcome(case, answer) == "wrong"]
    return sorted(wrong, key=lambda pair: (-pair[1].confidence, pair[0].id))[:most]
