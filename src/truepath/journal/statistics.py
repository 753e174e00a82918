"""Statistics of a journal's events: `take` makes a record of each miss, `groups` groups them,
`add_up` counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from truepath.journal.event import Event
from truepath.records import dataclass
from truepath.session.loops import IDLE

OUTCOMES = ("corrected", "assumed", "refused", "absent", "advised", "observed")
"""What was done about a miss; with `path.` before it, the kind of event."""
_MISSES = tuple(f"path.{outcome}" for outcome in OUTCOMES)

By = Literal["host", "tool", "cause", "project"]


@dataclass(frozen=True, slots=True)
class Miss:
    """A missing path, and whether it was one of a loop."""

    event: Event
    loop_ended: bool | None
    """For a miss with a strategy shift, whether it was the last one of its streak; None for others.
    """


def take(events: Iterable[Event]) -> list[Miss]:
    """Return the misses among events in order of time; sessions may be interleaved."""
    misses: list[Miss] = []
    for sitting in _sittings(events):
        loops = dict(_loops(sitting))
        found = (event for event in sitting if event.event in _MISSES)
        misses += (Miss(event, loops.get(event.id)) for event in found)
    return misses


def _sittings(events: Iterable[Event]) -> list[list[Event]]:
    """Return the events of each session and agent, split after an hour without one."""
    sittings: list[list[Event]] = []
    last: dict[tuple[str, str, str], list[Event]] = {}
    for event in events:
        who = ("" if event.session else event.project, event.session, event.agent)
        if who not in last or event.time - last[who][-1].time > IDLE:
            last[who] = []
            sittings.append(last[who])
        last[who].append(event)
    return sittings


def _loops(sitting: Sequence[Event]) -> Iterator[tuple[str, bool]]:
    """Yield the id of each miss with a strategy shift, and whether no later miss of its streak
    followed, which counts one more turn.
    """
    miss: Event | None = None
    loop: Event | None = None
    for event in sitting:
        if event.event in _MISSES:
            if loop and event.streak != loop.streak:
                yield loop.id, event.streak < loop.streak
                loop = None
            miss = event
        elif event.event == "strategy.shift" and miss:
            loop = miss
    if loop:
        yield loop.id, True


def add_up(misses: Sequence[Miss]) -> dict[str, Any]:
    """Return the statistics of some misses as JSON-ready data; times are in microseconds."""
    outcomes = Counter(miss.event.event.removeprefix("path.") for miss in misses)
    loops = [miss.loop_ended for miss in misses]
    times = sorted(miss.event.elapsed_us for miss in misses if miss.event.elapsed_us is not None)
    return {
        "misses": len(misses),
        "outcomes": {outcome: outcomes[outcome] for outcome in OUTCOMES},
        "repeated": sum(miss.event.streak > 1 for miss in misses),
        "loops": len(loops) - loops.count(None),
        "loops_ended": loops.count(True),
        "median_added_us": times[len(times) // 2] if times else None,
        "p95_added_us": times[len(times) * 95 // 100] if times else None,
    }


def groups(misses: Iterable[Miss], by: By) -> Mapping[str, list[Miss]]:
    """Return the misses by host, tool, cause or project, most first."""
    found: dict[str, list[Miss]] = {}
    for miss in misses:
        name = cause(miss.event) if by == "cause" else getattr(miss.event, by)
        found.setdefault(name, []).append(miss)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def cause(event: Event) -> str:
    """Return why a path was wrong: the reason of its candidate, else its status."""
    there = event.reason and event.status in ("resolved", "likely", "ambiguous")
    return event.reason if there else event.status
