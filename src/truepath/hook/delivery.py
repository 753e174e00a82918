"""What an answer leaves behind: events and words for later, once it has reached who asked.

A hook that gave up, or was ended by its host, has told nothing; so nothing is recorded of it.
"""

from __future__ import annotations

from collections.abc import Callable

from truepath.events.event import Event
from truepath.records import dataclass, field

Act = Callable[[], None]


@dataclass(slots=True)
class Delivery:
    """One answer on its way."""

    events: list[Event] = field(default_factory=list)
    """What happened, in order."""
    journal: Callable[[Event], None] | None = None
    """Where events are written down."""
    owed: list[tuple[Act, Act]] = field(default_factory=list)
    """How to keep words for the end of a call, and how to take them back. A host may begin the call
    as soon as it is answered, so they are kept just before."""

    def make(self, answer: bytes, deliver: Callable[[bytes], None]) -> None:
        """Hand an answer over, and record it unless that fails."""
        for keep, _ in self.owed:
            keep()
        try:
            deliver(answer)
        except BaseException:
            for _, take_back in self.owed:
                take_back()
            raise
        if self.journal is not None:
            for event in self.events:
                self.journal(event)
