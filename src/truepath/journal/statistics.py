"""Statistics of a journal's events: `groups` groups the misses among them, `add_up`
counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from truepath.journal.event import Event

OUTCOMES = ("corrected", "assumed", "refused", "absent", "advised", "observed")
"""What was done about a miss; with `path.` before it, the kind of event."""
MISSES = tuple(f"path.{outcome}" for outcome in OUTCOMES)

By = Literal["host", "tool", "cause", "project"]


WRONG_KIND = "wrong-kind"
"""The check that a path is the file or the folder that its call needs."""


def is_miss(event: Event) -> bool:
    """Return whether an event is of a path that does not exist: a folder that is read
    as a file exists.
    """
    return event.status != "directory"


def checks(events: Sequence[Event]) -> Mapping[str, int]:
    """Return how often each check was not met, most first; a path of the wrong kind is
    one of them.
    """
    counts = Counter(
        event.reason for event in events if event.event.startswith("check.")
    )
    counts[WRONG_KIND] += sum(
        event.event in MISSES and not is_miss(event) for event in events
    )
    # `+` leaves out what was never met.
    return dict((+counts).most_common())


def failures(events: Iterable[Event]) -> Mapping[str, Mapping[str, int]]:
    """Return the errors of truepath, most first, each with how often each version had
    it; "" is one that did not record which it was.
    """
    found: dict[str, Counter[str]] = {}
    for event in events:
        if event.event == "guard.failed":
            found.setdefault(event.error, Counter())[event.version] += 1
    return dict(sorted(found.items(), key=lambda pair: -pair[1].total()))


def add_up(misses: Sequence[Event]) -> dict[str, Any]:
    """Return the statistics of some misses as JSON-ready data; times are in
    microseconds.
    """
    outcomes = Counter(miss.event.removeprefix("path.") for miss in misses)
    times = sorted(miss.elapsed_us for miss in misses if miss.elapsed_us is not None)
    return {
        "misses": len(misses),
        "outcomes": {outcome: outcomes[outcome] for outcome in OUTCOMES},
        "repeated": sum(miss.streak > 1 for miss in misses),
        "median_added_us": times[len(times) // 2] if times else None,
        "p95_added_us": times[len(times) * 95 // 100] if times else None,
    }


def groups(misses: Iterable[Event], by: By) -> Mapping[str, list[Event]]:
    """Return the misses by host, tool, cause or project, most first."""
    grouped: dict[str, list[Event]] = {}
    for miss in misses:
        name = cause(miss) if by == "cause" else getattr(miss, by)
        grouped.setdefault(name, []).append(miss)
    return dict(sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0])))


def cause(event: Event) -> str:
    """Return why a path was wrong: the reason of its candidate, else its status."""
    has_candidate = event.status in ("resolved", "likely", "ambiguous")
    return event.reason if has_candidate and event.reason else event.status
