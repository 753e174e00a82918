"""What an agent made of an answer: the real measure of whether it helped.

Pure: it joins events with those that follow them in the same session and agent, and must not know
where events are kept. A retry of the failed path is not adoption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from truepath.events.event import Event
from truepath.records import dataclass
from truepath.session.loops import FOLLOWED
from truepath.session.state import IDLE

Outcome = Literal["taken", "retried", "strayed", "moved_on", "gave_up", "open"]
"""
- `taken`: it used the corrected path, or one that was suggested, or searched in it.
- `retried`: it asked for the same wrong path again.
- `strayed`: it tried another wrong one.
- `moved_on`: it used a path that exists and was not suggested.
- `gave_up`: it did none of these before the user spoke or the session ended.
- `open`: the session still goes on.
"""

REWRITTEN = ("path.corrected", "path.assumed")
"""The events of calls that ran on another path."""

INTERCEPTIONS = (*REWRITTEN, "path.refused", "path.absent", "path.advised")
"""The events an agent answers to."""
_MISSES = (*INTERCEPTIONS, "path.observed")


@dataclass(frozen=True, slots=True)
class Adoption:
    """One interception and what became of it."""

    event: Event
    outcome: Outcome
    searched: bool = False
    """Whether the agent listed or searched before."""

    @property
    def offered(self) -> bool:
        """Whether there was anything to take."""
        return bool(_offers(self.event))


def join(events: Iterable[Event], *, now: float | None = None) -> Iterator[Adoption]:
    """Yield what became of every interception.

    Args:
        events: In order of time; sessions may be interleaved.
        now: Seconds since the epoch: what happened less than an hour before is still open.
            Without it nothing is.
    """
    waiting: dict[tuple[str, str, str], list[_Pending]] = {}
    for event in events:
        pending = waiting.setdefault(session_of(event), [])
        for each in tuple(pending):
            outcome = each.take(event)
            if outcome is not None:
                pending.remove(each)
                yield outcome
        if event.event in INTERCEPTIONS:
            pending.append(_Pending(event))
    for pending in waiting.values():
        for each in pending:
            yield each.close(still_open=now is not None and now - each.last <= IDLE)


def session_of(event: Event) -> tuple[str, str, str]:
    """Return what tells a session, with its agent, from others."""
    return (event.project if not event.session else "", event.session, event.agent)


def rate(adoptions: Iterable[Adoption]) -> tuple[int, int]:
    """Return how many answers were taken, of how many that offered a path and are decided."""
    decided = [each for each in adoptions if each.offered and each.outcome != "open"]
    return sum(each.outcome == "taken" for each in decided), len(decided)


class _Pending:
    """An interception whose outcome is not known yet."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.last = event.time
        self._offers = _offers(event)
        self._steps = 0
        self._call = ""
        self._searched = False
        # A call that ran on another path took it, unless the agent comes back with the wrong one
        # or leaves an assumed file for another candidate.
        self._outcome: Outcome = "taken" if event.event in REWRITTEN else "gave_up"

    def take(self, event: Event) -> Adoption | None:
        """Look at what came next; return the outcome once it is decided."""
        if event.time - self.last > IDLE:
            return self.close()
        if not self._answers(event):
            return None
        if not self._steps or not event.call_id or event.call_id != self._call:
            if self._steps == FOLLOWED:
                return self.close()
            self._steps += 1
        self.last, self._call = event.time, event.call_id
        if event.event == "user.prompted":
            return self.close()
        if event.event in _MISSES:
            return self._missed(event)
        return self._looked(event) if event.event == "agent.searched" else self._used(event)

    def close(self, *, still_open: bool = False) -> Adoption:
        """Return the outcome as far as it is known."""
        if still_open and self._outcome == "gave_up" and self._steps < FOLLOWED:
            return Adoption(self.event, "open", self._searched)
        return Adoption(self.event, self._outcome, self._searched)

    def _answers(self, event: Event) -> bool:
        """Whether an event can be a reaction: calls of the same turn are not."""
        if event.event not in (*_MISSES, "path.used", "agent.searched", "user.prompted"):
            return False
        ours = self.event
        same_call = event.call_id == ours.call_id != ""
        return not same_call and not event.turn == ours.turn != ""

    def _missed(self, event: Event) -> Adoption | None:
        if _target(event) == _target(self.event):
            return self._decided("retried")
        if self.event.event in REWRITTEN:
            return None  # another path's mistake
        return self._decided("strayed")

    def _looked(self, event: Event) -> Adoption | None:
        if event.target and event.target in self._offers:
            return self._decided("taken")  # it searches in what was suggested
        self._searched = True
        return None

    def _used(self, event: Event) -> Adoption | None:
        if (event.resolved or _target(event)) in self._offers:
            return self._decided("taken")
        if self.event.event == "path.assumed" and (event.resolved or _target(event)) in (
            self.event.candidates
        ):
            return self._decided("moved_on")
        if self._outcome == "gave_up":
            self._outcome = "moved_on"
        return None  # it may still take what was offered

    def _decided(self, outcome: Outcome) -> Adoption:
        return Adoption(self.event, outcome, self._searched)


def _target(event: Event) -> str:
    return event.target or event.requested


def _offers(event: Event) -> tuple[str, ...]:
    return (event.resolved,) if event.event in REWRITTEN else event.candidates
