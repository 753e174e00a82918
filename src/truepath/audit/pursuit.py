"""What an agent did after a miss, and what that cost.

Costs are counted from a miss to the call that opened what was meant, or to the next miss of the
same aim, so that those of a row of misses add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from truepath.audit.cause import package_of
from truepath.audit.misses import Named
from truepath.audit.transcript import Step
from truepath.session.loops import likeness

Followed = Literal["found", "again", "made", "left"]

REACH = 15
"""Calls in which an agent that looks for a file has found it: in public transcripts 71 % of those
that found it had after two."""

_COMMON = frozenset(
    "__init__ __main__ config index layout lib main mod package page readme route types".split()
)
"""Names that many folders have: such a file is the one that was meant only where the folder's own
name is the same as well."""

_LOOPS = ("path", "name", "stem", "series", "near")
_MEANT = ("path", "name", "stem", "near")


@dataclass(frozen=True, slots=True)
class Pursuit:
    """What followed one miss."""

    followed: Followed
    """
    - `found`: the agent opened what was meant.
    - `again`: it missed a path of the same aim.
    - `made`: it made the very path.
    - `left`: none of these, within `REACH` calls and before the user spoke.
    """
    truth: str = ""
    """What was meant, as `Named.target`; of `again` what the last one of the row found."""
    calls: int = 1
    """Calls that the miss cost: itself, and those until the next of the row or the right one."""
    seconds: float | None = None
    tokens: int = 0
    loop: int = 1
    """How many turns in a row have missed this aim, this one included."""


def pursue(
    steps: Sequence[Step], names: Sequence[Sequence[Named]], tokens: Mapping[int, int]
) -> dict[tuple[int, int], Pursuit]:
    """Return what followed each miss, by its step and its place among the step's paths."""
    found: dict[tuple[int, int], Pursuit] = {}
    misses = [
        (at, place)
        for at, paths in enumerate(names)
        for place, path in enumerate(paths)
        if path.missed
    ]
    # The last first: a miss that is repeated has the right path of the one that follows.
    for at, place in reversed(misses):
        followed, end, truth = _followed(steps, names, at, names[at][place].target)
        if followed == "again":
            later = next(key for key in misses if key[0] == end and _like(names, key, at, place))
            truth = found[later].truth
        found[at, place] = Pursuit(
            followed, truth, max(1, end - at), *_cost(steps, tokens, at, end)
        )
    return _with_loops(steps, names, misses, found)


def _followed(
    steps: Sequence[Step], names: Sequence[Sequence[Named]], at: int, target: str
) -> tuple[Followed, int, str]:
    for end in range(at, min(len(steps), at + 1 + REACH)):
        if end > at and steps[end].prompted:
            break
        for path in names[end]:
            if path.there and path.makes and path.target == target:
                return ("made", at, "")
            other = path.there and not path.makes and path.target != target
            if other and is_meant(target, path.target):
                return ("found", end, path.target)
        later = (path for path in names[end] if path.missed and end > at)
        if any(likeness(target, path.target) in _LOOPS for path in later):
            return ("again", end, "")
    return ("left", at, "")


def is_meant(missed: str, opened: str) -> bool:
    """Tell whether a path that was opened is evidently what a missed one meant."""
    if package_of(missed, opened) or package_of(opened, missed):
        return True
    like = likeness(missed, opened)
    folder, _, name = missed.rpartition("/")
    other = opened.rpartition("/")[0]
    if like == "name" and name.partition(".")[0].lower() in _COMMON:
        return folder.rpartition("/")[2] == other.rpartition("/")[2]
    return like in ("path", "name") or (like in _MEANT and folder == other)


def _like(names: Sequence[Sequence[Named]], later: tuple[int, int], at: int, place: int) -> bool:
    one, other = names[at][place].target, names[later[0]][later[1]].target
    return likeness(one, other) in _LOOPS


def _cost(
    steps: Sequence[Step], tokens: Mapping[int, int], at: int, end: int
) -> tuple[float | None, int]:
    """Return the seconds and tokens from a miss to the call that ended it; of one that nothing
    followed, its own time and its share of its turn's tokens.
    """
    start = steps[at]
    if end == at:
        spent = None if start.time is None else (start.answered or start.time) - start.time
        beside = sum(step.turn == start.turn for step in steps[max(0, at - 50) : at + 50])
        return spent, tokens.get(start.turn, 0) // max(1, beside)
    times = (start.time, steps[end].time)
    seconds = None if None in times else max(0.0, (times[1] or 0) - (times[0] or 0))
    return seconds, sum(tokens.get(turn, 0) for turn in range(start.turn + 1, steps[end].turn + 1))


def _with_loops(
    steps: Sequence[Step],
    names: Sequence[Sequence[Named]],
    misses: Sequence[tuple[int, int]],
    found: Mapping[tuple[int, int], Pursuit],
) -> dict[tuple[int, int], Pursuit]:
    from dataclasses import replace

    lengths: dict[tuple[int, int], int] = {}
    for key in misses:
        before = (
            lengths[other] + (steps[other[0]].turn != steps[key[0]].turn)
            for other in lengths
            if found[other].followed == "again"
            and key[0] - REACH <= other[0] < key[0]
            and _like(names, other, *key)
        )
        lengths[key] = max(before, default=1)
    return {key: replace(pursuit, loop=lengths[key]) for key, pursuit in found.items()}
