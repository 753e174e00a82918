"""Figures from the events of a journal: misses, what agents made of the answers, loops, time.

Pure: events in, numbers out. It must not know where events are kept, nor how numbers are shown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from truepath.journal.event import Event
from truepath.records import dataclass
from truepath.session.loops import FOLLOWED
from truepath.session.state import IDLE

OUTCOMES = ("corrected", "assumed", "refused", "absent", "advised", "observed")
"""What was done about a miss; `path.` before it is the kind of event."""
_MISSES = tuple(f"path.{outcome}" for outcome in OUTCOMES)

REWRITTEN = _MISSES[:2]
"""The events of calls that ran on another path."""
_INTERCEPTIONS = _MISSES[:5]
"""The events an agent answers to."""
_REACTIONS = (*_MISSES, "path.used", "agent.searched", "user.prompted")

By = Literal["host", "tool", "cause", "project"]

Answer = Literal["taken", "retried", "strayed", "moved_on", "gave_up", "open"]
"""What an agent made of an answer; a retry of the failed path does not take it.

- `taken`: it used the corrected path, or one that was suggested, or searched in it.
- `retried`: it asked for the same wrong path again.
- `strayed`: it tried another wrong one.
- `moved_on`: it used a path that exists and was not suggested.
- `gave_up`: it did none of these before the user spoke or the session ended.
- `open`: the session still goes on.
"""

SEARCH = 2
"""Calls that a miss costs without truepath: in the public transcripts of six agent programs, an
agent that found the file opened it in the median two calls after the one that failed. A correction,
or an assumption that is kept, saves both. A suggestion that is taken at once saves one of them: the
call that failed is made again. One that is taken after a search saves none, and neither does an
answer that is not taken."""

_LATE = 0.95


@dataclass(frozen=True, slots=True)
class Adoption:
    """One interception and what became of it."""

    event: Event
    outcome: Answer
    searched: bool = False
    """Whether the agent listed or searched before."""

    @property
    def is_decided(self) -> bool:
        """Whether there was anything to take, and it is known whether it was."""
        return bool(_offers(self.event)) and self.outcome != "open"

    @property
    def saved(self) -> int:
        """Calls that the agent did not have to make (see `SEARCH`)."""
        if self.outcome != "taken":
            return 0
        if self.event.event in REWRITTEN:
            return SEARCH
        return 0 if self.searched else SEARCH - 1


@dataclass(frozen=True, slots=True)
class Loop:
    """A streak of misses that went as far as the strategy shift."""

    event: Event
    """The miss to which the shift was the answer."""
    broken: bool = False
    """Whether the agent then used a path that exists, before the user had to speak."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The events of a journal, taken apart: what every figure is counted from."""

    misses: tuple[Event, ...] = ()
    adoptions: tuple[Adoption, ...] = ()
    loops: tuple[Loop, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What an account adds up to."""

    outcomes: Mapping[str, int]
    """Misses by what was done about them, every one of `OUTCOMES`."""
    answers: Mapping[str, int]
    """Answers by what the agent made of them, every one of `Answer`."""
    offered: int
    """Answers that named a path, of which it is known what the agent made of them."""
    taken: int
    """Those of which the agent used it."""
    loops: int
    broken: int
    saved: int
    """Calls that the agent did not have to make (see `SEARCH`)."""
    median_us: int | None
    """The time truepath took for a miss, in microseconds; None where none was measured."""
    late_us: int | None
    """The time that 95 of 100 misses stayed within."""

    @property
    def misses(self) -> int:
        """Paths that were not there."""
        return sum(self.outcomes.values())

    @property
    def adoption(self) -> float | None:
        """The share of answers that were taken; None where there were none to take."""
        return self.taken / self.offered if self.offered else None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        share = self.adoption
        return {
            "misses": self.misses,
            **self.outcomes,
            "offered": self.offered,
            "taken": self.taken,
            "adoption": None if share is None else round(share, 4),
            "answers": dict(self.answers),
            "loops": self.loops,
            "loops_broken": self.broken,
            "calls_saved": self.saved,
            "median_added_us": self.median_us,
            "p95_added_us": self.late_us,
        }


def account(events: Iterable[Event], *, now: float | None = None) -> Aggregate:
    """Take events apart.

    Args:
        events: In order of time; sessions may be interleaved.
        now: Seconds since the epoch; sessions with a step in the hour before still go on. Without
            it none does.
    """
    misses, sittings = [], _sittings(events)
    adoptions: list[Adoption] = []
    loops: list[Loop] = []
    for sitting in sittings:
        goes_on = now is not None and now - sitting[-1].time <= IDLE
        reactions = [event for event in sitting if event.event in _REACTIONS]
        for place, event in enumerate(reactions):
            if event.event in _MISSES:
                misses.append(event)
            if event.event in _INTERCEPTIONS:
                adoptions.append(_became(event, reactions[place + 1 :], goes_on=goes_on))
        loops += _loops(sitting)
    return Aggregate(tuple(misses), tuple(adoptions), tuple(loops))


def _sittings(events: Iterable[Event]) -> list[list[Event]]:
    """Return the events of each session and agent, parted where an hour passed without one."""
    sittings: list[list[Event]] = []
    last: dict[tuple[str, str, str], list[Event]] = {}
    for event in events:
        who = ("" if event.session else event.project, event.session, event.agent)
        if who not in last or event.time - last[who][-1].time > IDLE:
            last[who] = []
            sittings.append(last[who])
        last[who].append(event)
    return sittings


def _became(miss: Event, after: Sequence[Event], *, goes_on: bool) -> Adoption:
    """Return what the agent made of an answer within its next few calls."""
    offers, rewritten = _offers(miss), miss.event in REWRITTEN
    # A call that ran on another path took it, unless the agent comes back with the wrong one or
    # leaves an assumed file for another candidate.
    outcome: Answer = "taken" if rewritten else "gave_up"
    searched, calls = False, 0
    for event, call in _calls_after(miss, after):
        calls = call
        if call > FOLLOWED or event.event == "user.prompted":
            goes_on = False
            break
        path = event.resolved or _target(event)
        if event.event in _MISSES:
            if _target(event) == _target(miss):
                return Adoption(miss, "retried", searched)
            if not rewritten:  # else it is another path's mistake
                return Adoption(miss, "strayed", searched)
        elif path in offers:
            return Adoption(miss, "taken", searched)
        elif event.event == "agent.searched":
            searched = True
        elif miss.event == "path.assumed" and path in miss.candidates:
            return Adoption(miss, "moved_on", searched)
        elif outcome == "gave_up":
            outcome = "moved_on"  # it may still take what was offered
    is_open = goes_on and outcome == "gave_up" and calls < FOLLOWED
    return Adoption(miss, "open" if is_open else outcome, searched)


def _calls_after(miss: Event, after: Sequence[Event]) -> Iterator[tuple[Event, int]]:
    """Yield what can be a reaction, each with the number of its call: all paths of a call are one,
    and other calls of the same turn are no reaction.
    """
    number, last = 0, ""
    for event in after:
        same_call = event.call_id == miss.call_id != ""
        if not same_call and not event.turn == miss.turn != "":
            number += not event.call_id or event.call_id != last
            last = event.call_id
            yield event, number


def _target(event: Event) -> str:
    return event.target or event.requested


def _offers(miss: Event) -> tuple[str, ...]:
    return (miss.resolved,) if miss.event in REWRITTEN else miss.candidates


def _loops(sitting: Sequence[Event]) -> Iterator[Loop]:
    """Yield the loops of a session; one is broken where its end is not the user's doing."""
    first = miss = before = None
    for event in sitting:
        if event.event in _MISSES:
            miss = event
        elif event.event == "strategy.shift":
            first = first or miss or event
        elif event.event == "streak.ended" and first is not None:
            yield Loop(first, broken=before is None or before.event != "user.prompted")
            first = None
        before = event
    if first is not None:
        yield Loop(first)


def summarise(account: Aggregate) -> Figures:
    """Add an account up."""
    found = Counter(miss.event.removeprefix("path.") for miss in account.misses)
    became = Counter(each.outcome for each in account.adoptions)
    decided = [each for each in account.adoptions if each.is_decided]
    times = sorted(each.elapsed_us for each in account.misses if each.elapsed_us is not None)
    return Figures(
        outcomes={outcome: found[outcome] for outcome in OUTCOMES},
        answers={answer: became[answer] for answer in get_args(Answer)},
        offered=len(decided),
        taken=sum(each.outcome == "taken" for each in decided),
        loops=len(account.loops),
        broken=sum(loop.broken for loop in account.loops),
        saved=sum(each.saved for each in account.adoptions),
        median_us=_at_share(times, 0.5),
        late_us=_at_share(times, _LATE),
    )


def _at_share(ordered: Sequence[int], share: float) -> int | None:
    """Return the value that a share of the sorted ones stays within, by nearest rank."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def split(account: Aggregate, by: By) -> dict[str, Aggregate]:
    """Return an account for each host, tool, cause or project; the one with most misses first."""
    key = _KEYS[by]
    counts = Counter(map(key, account.misses))
    return {
        name: Aggregate(
            tuple(each for each in account.misses if key(each) == name),
            tuple(each for each in account.adoptions if key(each.event) == name),
            tuple(each for each in account.loops if key(each.event) == name),
        )
        for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    }


def cause(event: Event) -> str:
    """Return why a path was wrong: the ground on which another is meant, else its status."""
    there = event.status in ("resolved", "likely", "ambiguous")
    return (event.ground if there else "") or event.status


_KEYS: Mapping[str, Callable[[Event], str]] = {
    "host": lambda event: event.host,
    "tool": lambda event: event.tool,
    "cause": cause,
    "project": lambda event: event.project,
}
