"""A session's streaks and given notes, in a store. `loops` has the rules, the guard the
texts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from truepath.records import dataclass
from truepath.session.keys import key
from truepath.session.loops import (
    Move,
    SessionState,
    Step,
    StepKind,
    Streak,
    has_note,
    moved,
    note_once,
    place_of,
    record,
    streak_of,
)
from truepath.session.stores import Store
from truepath.types import Any, ToolCall


def session_of(call: ToolCall, store: Store, project: str, **known: float) -> Session:
    """Return the session of a call in a project.

    `known` are `started` (by default now) and `turn_gap_s`, as in `Session`.
    """
    name = key(call.session, call.agent, project)
    times = {"started": time.time(), **known}
    return Session(store, name, call.turn, call.call_id, **times)


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

    def record_step(self, kind: StepKind) -> None:
        """Record that the call ran, or what else a step is but a miss."""
        if self.store.knows(self.key):
            self._take(self._step(kind))

    def streak_of(self, path: str, missing_folder: str = "") -> Streak:
        """Return the streak of a path's aim without taking a step."""
        if not self.store.knows(self.key):
            return Streak()
        step = self._step("miss", path, missing_folder=missing_folder)

        def unchanged(state: SessionState) -> tuple[SessionState, Streak]:
            now = time.time()
            gap = self.turn_gap_s
            return state, streak_of(state, step, now=now, turn_gap_s=gap)

        return self.store.update(self.key, unchanged)

    def note_once(self, *notes: str) -> bool:
        """Record notes as given; return whether any of them is new in this session."""

        def noted(state: SessionState) -> tuple[SessionState, bool]:
            return note_once(state, notes, now=time.time())

        return self.store.update(self.key, noted)

    def noted(self, note: str) -> bool:
        """Return whether a note was recorded in this session."""
        if not self.store.knows(self.key):
            return False

        def unchanged(state: SessionState) -> tuple[SessionState, bool]:
            return state, has_note(state, note, now=time.time())

        return self.store.update(self.key, unchanged)

    def moved(self, moves: Sequence[Move]) -> None:
        """Record what an allowed call moves or copies."""

        def taken(state: SessionState) -> tuple[SessionState, None]:
            return moved(state, moves, now=time.time())

        self.store.update(self.key, taken)

    def place_of(self, path: str) -> str:
        """Return where the session has moved a path; "" if it has not."""
        if not self.store.knows(self.key):
            return ""

        def unchanged(state: SessionState) -> tuple[SessionState, str]:
            return state, place_of(state, path, now=time.time())

        return self.store.update(self.key, unchanged)

    def _step(self, kind: StepKind, path: str = "", **more: Any) -> Step:
        return Step(kind, path, self.turn, self.call_id, self.started, **more)

    def _take(self, step: Step) -> Streak:
        def taken(state: SessionState) -> tuple[SessionState, Streak]:
            now = time.time()
            gap = self.turn_gap_s
            return record(state, step, now=now, turn_gap_s=gap)

        return self.store.update(self.key, taken)
