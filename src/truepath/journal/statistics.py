"""Statistics of a journal's events: `with_ends` joins what a call came to, `groups`
groups the misses among them, `add_up` counts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from truepath.fields import loads
from truepath.journal.event import Event
from truepath.records import replace

_DONE = ("refused", "absent", "advised", "observed")
_SENT = ("corrected", "assumed")
_UNRUN = ("dropped", "declined", "unknown")

OUTCOMES = (*_SENT, *_UNRUN, *_DONE)
"""What a miss came to. A call that was corrected counts as that, or as shown the likely
file, if it ran so; else the program dropped the correction, the person declined the
call, or its end is not known."""
MISSES = tuple(f"path.{done}" for done in (*_SENT, *_DONE))
"""The kinds of events of misses."""

FOLLOWED = ("took", "other", "again", "left")
"""What followed an answer that named one file: the next call on that name took it, was
about another file, or about one that is missing; or there was none."""

WEEK_S = 7 * 86_400.0

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


def with_ends(events: Sequence[Event]) -> list[Event]:
    """Return the events, each correction with its end as other events tell it; the last
    one counts.
    """
    known = {event.of: event.end for event in events if event.event == "path.ended"}
    return [
        replace(event, end=known[event.id]) if event.id in known else event
        for event in events
    ]


def outcome(miss: Event) -> str:
    """Return what a miss came to, one of `OUTCOMES`."""
    done = miss.event.removeprefix("path.")
    if done not in _SENT or miss.end in ("ran", "failed"):
        return done
    return miss.end if miss.end in _UNRUN else "unknown"


def followed(events: Sequence[Event]) -> Mapping[str, Mapping[str, int]]:
    """Return what followed the answers that named one file, by rule, the most frequent
    first: the reason of the file, and each row that held it back.
    """
    known = {event.of: event.end for event in events if event.event == "path.followed"}
    rates: dict[str, Counter[str]] = {}
    for event in events:
        is_told = event.event in ("path.refused", "path.advised")
        if not is_told or len(event.candidates) != 1 or not event.reason:
            continue
        for rule in dict.fromkeys((event.reason, *event.held_back)):
            rates.setdefault(rule, Counter())[known.get(event.id, "left")] += 1
    by_number = sorted(rates.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    return {rule: {end: counts[end] for end in FOLLOWED} for rule, counts in by_number}


class Cost(NamedTuple):
    """What one missed path costs, as `truepath audit` counts it."""

    calls: float
    seconds: float
    tokens: float


COST = Cost(1.8, 0.0, 6_500.0)
"""In the public sessions of docs/audit.md: 644 calls lost to 365 missed calls, and
2,136,000 tokens to the 328 of them whose sessions count tokens; they keep too few times
to say how long."""


LEAST_MISSES = 20
"""Missed calls of the user's own sessions from which their cost counts in place of
that of public ones."""


def cost_file(state_folder: str) -> str:
    """Return the file in which an audit keeps what the user's missed paths cost."""
    return os.path.join(state_folder, "journal", "cost.json")


def cost_of(kept: bytes) -> Cost:
    """Return what a missed path costs by what an audit has kept; that of public
    sessions if it is too little, or nothing.
    """
    try:
        told = loads(kept.decode())
        known = [float(told[name]) for name in ("missed", *Cost._fields)]
    except (ValueError, KeyError, TypeError):
        return COST
    missed, *sums = known
    if not missed >= LEAST_MISSES or not all(0 <= each < 1e15 for each in sums):
        return COST
    return Cost(*(each / missed for each in sums))


def worth(events: Sequence[Event], cost: Cost = COST) -> dict[str, int]:
    """Return what was gained by some events, `with_ends`, and what was not."""
    sent = [event for event in events if event.event in MISSES and is_miss(event)]
    outcomes = Counter(map(outcome, sent))
    shown = [event.id for event in sent if outcome(event) == "assumed"]
    follows = [event for event in events if event.event == "path.followed"]
    unmeant = {event.of for event in follows if event.end == "other"} & {*shown}
    # A likely file in whose place another was used is no help.
    right = outcomes["corrected"] + len(shown) - len(unmeant)
    return {
        "put_right": right,
        "calls_saved": round(right * cost.calls),
        "seconds_saved": round(right * cost.seconds),
        "tokens_saved": round(right * cost.tokens),
        "not_meant": len(unmeant),
        "declined": outcomes["declined"],
    }


def add_up(misses: Sequence[Event]) -> dict[str, Any]:
    """Return the statistics of some misses, `with_ends`, as JSON-ready data; times are
    in microseconds.
    """
    outcomes = Counter(map(outcome, misses))
    times = sorted(miss.elapsed_us for miss in misses if miss.elapsed_us is not None)
    return {
        "misses": len(misses),
        "outcomes": {name: outcomes[name] for name in OUTCOMES},
        # They ran on the new path, and failed on something else.
        "failed": sum(miss.end == "failed" for miss in misses),
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
