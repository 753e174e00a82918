"""Statistics of a journal's events: `take` makes a record of each miss, `groups` groups them,
`add_up` counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from truepath.journal.event import Event
from truepath.records import dataclass
from truepath.session.loops import FOLLOWED, IDLE

OUTCOMES = ("corrected", "assumed", "refused", "absent", "advised", "observed")
"""What was done about a miss; with `path.` before it, the kind of event."""
_MISSES = tuple(f"path.{outcome}" for outcome in OUTCOMES)
_REWRITTEN = _MISSES[:2]
_REACTIONS = (*_MISSES, "path.used", "agent.searched", "user.prompted")

By = Literal["host", "tool", "cause", "project"]

Answer = Literal["taken", "missed_again", "moved_on", "gave_up", "open"]
"""What an agent did after an answer; docs/events.md describes them."""

SEARCH = 2
"""Calls that a miss costs without truepath: in public transcripts of six agent programs, agents
that found the file opened it two calls after the failed one, in the median. A corrected call saves
both; a suggestion that is taken without a search saves one, because the call is repeated; anything
else saves none."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A missing path, and what happened next."""

    event: Event
    answer: Answer | None
    """What the agent did after the answer; None if there was none."""
    saved: int
    """Calls that were saved (see `SEARCH`)."""
    loop_broken: bool | None
    """For a miss with a strategy shift, whether the agent then used an existing path before the
    user had to type something; None for others."""


def checks(events: Iterable[Event]) -> Mapping[str, int]:
    """Return how often each check was not met, most first."""
    found = Counter(event.reason for event in events if event.event.startswith("check."))
    return dict(found.most_common())


def take(events: Iterable[Event], *, now: float | None = None) -> list[Miss]:
    """Return the misses among events in order of time; sessions may be interleaved.

    A session with an event in the hour before `now` (seconds since the epoch) still goes on.
    """
    misses: list[Miss] = []
    for sitting in _sittings(events):
        goes_on = now is not None and now - sitting[-1].time <= IDLE
        reactions = [event for event in sitting if event.event in _REACTIONS]
        loops = dict(_loops(sitting))
        for place, event in enumerate(reactions):
            if event.event in _MISSES:
                became = _became(event, reactions[place + 1 :], goes_on=goes_on)
                misses.append(Miss(event, *became, loops.get(event.id)))
    return misses


def _target(event: Event) -> str:
    return event.target or event.requested


def _offers(miss: Event) -> tuple[str, ...]:
    return (miss.resolved,) if miss.event in _REWRITTEN else miss.candidates


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


def _became(miss: Event, after: Sequence[Event], *, goes_on: bool) -> tuple[Answer | None, int]:
    """Return what the agent did in the next few calls after an answer, and the calls saved.

    A path that a call ran with counts as taken, unless the agent repeats the wrong one or leaves an
    assumed file for another candidate.
    """
    if miss.event == "path.observed":
        return None, 0
    offers, rewritten = _offers(miss), miss.event in _REWRITTEN
    answer: Answer = "taken" if rewritten else "open" if goes_on else "gave_up"
    saves = SEARCH if rewritten else SEARCH - 1
    for event in _calls_after(miss, after):
        path = event.resolved or _target(event)
        if event.event in _MISSES:
            if not rewritten or _target(event) == _target(miss):  # else it is another mistake
                return "missed_again", 0
        elif path in offers:
            return "taken", saves
        elif event.event == "agent.searched":
            saves = SEARCH if rewritten else 0
        elif miss.event == "path.assumed" and path in miss.candidates:
            return "moved_on", 0
        elif not rewritten:
            answer = "moved_on"  # it may still take what was offered
    return answer, saves if rewritten else 0


def _calls_after(miss: Event, after: Sequence[Event]) -> Iterator[Event]:
    """Yield the events of the next few calls in later turns, until the user types something."""
    number, last = 0, ""
    for event in after:
        if event.call_id == miss.call_id != "" or event.turn == miss.turn != "":
            continue
        number += not event.call_id or event.call_id != last
        last = event.call_id
        if number > FOLLOWED or event.event == "user.prompted":
            return
        yield event


def _loops(sitting: Sequence[Event]) -> Iterator[tuple[str, bool]]:
    """Yield the id of each miss with a strategy shift, and whether that ended the streak before the
    user typed something.
    """
    miss = loop = before = ""
    for event in sitting:
        if event.event in _MISSES:
            miss = event.id
        elif event.event == "strategy.shift":
            loop = loop or miss
        elif event.event == "streak.ended" and loop:
            yield loop, before != "user.prompted"
            loop = miss = ""
        before = event.event
    if loop:
        yield loop, False


def add_up(misses: Sequence[Miss]) -> dict[str, Any]:
    """Return the statistics of some misses as JSON-ready data; times are in microseconds."""
    outcomes = Counter(miss.event.event.removeprefix("path.") for miss in misses)
    answers = Counter(miss.answer for miss in misses)
    named = [miss.answer for miss in misses if any(_offers(miss.event))]
    decided = [answer for answer in named if answer not in (None, "open")]
    taken, loops = decided.count("taken"), [miss.loop_broken for miss in misses]
    times = sorted(miss.event.elapsed_us for miss in misses if miss.event.elapsed_us is not None)
    return {
        "misses": len(misses),
        "outcomes": {outcome: outcomes[outcome] for outcome in OUTCOMES},
        "answers": {answer: answers[answer] for answer in get_args(Answer)},
        "offered": len(decided),
        "taken": taken,
        "adoption": round(taken / len(decided), 4) if decided else None,
        "loops": len(loops) - loops.count(None),
        "loops_broken": loops.count(True),
        "calls_saved": sum(miss.saved for miss in misses),
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
