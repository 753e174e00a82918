"""A session's streaks and given notes, in a store. `loops` has the rules, the guard the
texts.
"""

from __future__ import annotations

import time

from truepath.records import dataclass
from truepath.session.keys import key
from truepath.session.loops import Step, StepKind, Streak, once, record, standing
from truepath.session.stores import Store
from truepath.types import Any, ToolCall


def session_of(call: ToolCall, store: Store, project: str, **known: float) -> Session:
    """Return the session of a call in a project.

    `known` are `started` (by default now) and `turn_gap_s`, as in `Session`.
    """
    name = key(call.session, call.agent, project)
    return Session(
        store, name, call.turn, call.call_id, **{"started": time.time(), **known}
    )


@dataclass(frozen=True, slots=True)
class Session:
    """A session as seen by one of its calls. Threads may share the store."""

    store: Store
    key: str
    turn: str
    call_id: str
    started: float
    """When the call arrived, in seconds since the epoch: parallel calls overlap, and so
    count as one turn."""
    turn_gap_s: float = 0.0
    """Seconds after an answer in which a call belongs to the same turn."""

    def missed(self, path: str, **seen: Any) -> Streak:
        """Count a missing path and return the streak; `seen` are fields of
        `loops.Step`.
        """
        return self._take(self._step("miss", path, **seen))

    def went_on(self, kind: StepKind) -> None:
        """Record that the call ran, or that the user typed something."""
        if self.store.knows(self.key):
            self._take(self._step(kind))

    def standing(self, path: str, missing_folder: str = "") -> Streak:
        """Return the streak of a path's aim without taking a step."""
        if not self.store.knows(self.key):
            return Streak()
        step, gap = (
            self._step("miss", path, missing_folder=missing_folder),
            self.turn_gap_s,
        )
        return self.store.update(
            self.key,
            lambda state: (
                state,
                standing(state, step, now=time.time(), turn_gap_s=gap),
            ),
        )

    def once(self, *notes: str) -> bool:
        """Record notes as given; return whether any of them is new in this session."""
        return self.store.update(
            self.key, lambda state: once(state, notes, now=time.time())
        )

    def _step(self, kind: StepKind, path: str = "", **more: Any) -> Step:
        return Step(kind, path, self.turn, self.call_id, self.started, **more)

    def _take(self, step: Step) -> Streak:
        gap = self.turn_gap_s
        return self.store.update(
            self.key, lambda state: record(state, step, now=time.time(), turn_gap_s=gap)
        )
