"""Figures from the events of a journal: misses and their outcomes, loops, calls and time.

Pure: events in, numbers out. It must not know where events are kept, nor how numbers are shown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from truepath.events import adoption
from truepath.events.adoption import REWRITTEN, Adoption
from truepath.events.event import Event
from truepath.records import dataclass
from truepath.session.state import IDLE

OUTCOMES = ("corrected", "assumed", "refused", "absent", "advised", "observed")
"""What was done about a miss; `path.` before it is the kind of event."""

By = Literal["host", "tool", "cause", "project"]

SEARCH = 2
"""Calls that a miss costs without truepath: in the public transcripts of six agent programs, an
agent that found the file opened it in the median two calls after the one that failed. A correction,
or an assumption that is kept, saves both. A suggestion that is taken at once saves one of them: the
call that failed is made again. One that is taken after a search saves none, and neither does an
answer that is not taken."""

_LATE = 0.95


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
    """Answers by what the agent made of them, every one of `adoption.Outcome`."""
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
        now: Seconds since the epoch; sessions with a step in the hour before still go on.
    """
    kept = list(events)
    misses = tuple(event for event in kept if _outcome(event))
    return Aggregate(misses, tuple(adoption.join(kept, now=now)), tuple(_loops(kept)))


def summarise(account: Aggregate) -> Figures:
    """Add an account up."""
    found = Counter(map(_outcome, account.misses))
    became = Counter(each.outcome for each in account.adoptions)
    taken, offered = adoption.rate(account.adoptions)
    times = sorted(each.elapsed_us for each in account.misses if each.elapsed_us is not None)
    return Figures(
        outcomes={outcome: found[outcome] for outcome in OUTCOMES},
        answers={outcome: became[outcome] for outcome in get_args(adoption.Outcome)},
        offered=offered,
        taken=taken,
        loops=len(account.loops),
        broken=sum(loop.broken for loop in account.loops),
        saved=sum(map(_saved, account.adoptions)),
        median_us=_at_share(times, 0.5),
        late_us=_at_share(times, _LATE),
    )


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
    """Return why a path was wrong: the strongest evidence for what was meant, else its status."""
    if event.evidence and event.status in ("resolved", "likely", "ambiguous"):
        return event.evidence[0]
    return event.status


def _outcome(event: Event) -> str:
    """Return what was done about a miss; "" for an event that is none."""
    kind, _, outcome = event.event.partition(".")
    return outcome if kind == "path" and outcome in OUTCOMES else ""


def _saved(adoption: Adoption) -> int:
    if adoption.outcome != "taken":
        return 0
    if adoption.event.event in REWRITTEN:
        return SEARCH
    return 0 if adoption.searched else SEARCH - 1


def _loops(events: Iterable[Event]) -> Iterable[Loop]:
    """Yield every loop, as soon as it is known how it ended."""
    sessions: dict[tuple[str, str, str], _Session] = {}
    for event in events:
        loop = sessions.setdefault(adoption.session_of(event), _Session()).take(event)
        if loop is not None:
            yield loop
    for session in sessions.values():
        if session.loop is not None:
            yield session.loop


class _Session:
    """A session on the way through its events."""

    def __init__(self) -> None:
        self.loop: Loop | None = None
        self._miss: Event | None = None
        self._last: Event | None = None

    def take(self, event: Event) -> Loop | None:
        """Return the loop that an event ends."""
        before, self._last = self._last, event
        if before is not None and event.time - before.time > IDLE:
            before = self._miss = None
            ended, self.loop = self.loop, None
            if ended is not None:
                self.take(event)
                return ended
        if _outcome(event):
            self._miss = event
        elif event.event == "strategy.shift":
            self.loop = self.loop or Loop(self._miss or event)
        elif event.event == "streak.ended" and self.loop is not None:
            ended, self.loop = self.loop, None
            by_user = before is not None and before.event == "user.prompted"
            return Loop(ended.event, broken=not by_user)
        return None


def _at_share(ordered: Sequence[int], share: float) -> int | None:
    """Return the value that a share of the sorted ones stays within, by nearest rank."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


_KEYS: Mapping[str, Callable[[Event], str]] = {
    "host": lambda event: event.host,
    "tool": lambda event: event.tool,
    "cause": cause,
    "project": lambda event: event.project,
}
