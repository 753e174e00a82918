"""How sure a rate is: calls of one session or project miss together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

_Z = 1.96
"""Standard deviations on either side that hold 95 % of draws."""


def limits(counts: Mapping[tuple[str, str], tuple[int, int]]) -> tuple[float, float]:
    """Return the 95 % limits of a rate of calls, from 0 to 1.

    They are Wilson's, for as many calls as tell the same without being of one session
    or one project: the fewer of the two count.

    Args:
        counts: Of each session, by its record and its project, how many calls are
            counted, and how many there are.
    """
    calls = sum(each for _, each in counts.values())
    if not calls:
        return 0.0, 1.0
    rate = sum(hits for hits, _ in counts.values()) / calls
    projects: dict[str, tuple[int, int]] = {}
    for (_, project), (hits, each) in counts.items():
        before = projects.get(project, (0, 0))
        projects[project] = (before[0] + hits, before[1] + each)
    widening = max(_widening(counts.values(), rate), _widening(projects.values(), rate))
    square = _Z**2 / (calls / widening)
    middle = (rate + square / 2) / (1 + square)
    half = sqrt(rate * (1 - rate) * square + square**2 / 4) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def _widening(groups: Iterable[tuple[int, int]], rate: float) -> float:
    """Return how many times the variance of a rate is that of calls on their own."""
    filled = [(hits, calls) for hits, calls in groups if calls]
    if len(filled) < 2 or not 0 < rate < 1:
        return 1.0
    calls = sum(each for _, each in filled)
    spread = sum((hits - rate * each) ** 2 for hits, each in filled)
    spread *= len(filled) / (len(filled) - 1)
    return max(1.0, spread / (calls * rate * (1 - rate)))
