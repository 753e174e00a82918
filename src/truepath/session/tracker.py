"""What a session remembers, kept where it outlives one call: streaks, and notes that were given.

Between the guard and the store. `loops` has the rules, the guard has the words.
"""

from __future__ import annotations

import time

from truepath.records import dataclass
from truepath.session.keys import key
from truepath.session.loops import Step, Streak, once, record, standing

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from typing import Any

    from truepath.session.loops import StepKind
    from truepath.session.stores import Store
    from truepath.types import ToolCall


@dataclass(frozen=True, slots=True)
class Tracker:
    """The sessions of one project; threads may share it."""

    store: Store
    """Where states live."""
    project: str
    """The root; a host that names no session has one a project."""
    turn_gap_s: float = 0.0
    """Seconds after an answer within which a call belongs to the same turn."""
    clock: Callable[[], float] = time.time
    """Seconds since the epoch."""

    def of(
        self,
        call: ToolCall,
        *,
        started: float | None = None,
        state: MutableMapping[str, Any] | None = None,
    ) -> Session:
        """Return the session of a call.

        Args:
            call: The call.
            started: When we were asked about it, seconds since the epoch. Calls that are made at
                once are seen to overlap so, and are one turn.
            state: A framework's own, to keep the session in: it goes where the framework takes it,
                to its database, its checkpoints, the next worker.
        """
        store = self.store
        if state is not None:
            from truepath.session.stores import MappingStore

            store = MappingStore(state)
        name = key(call.session, call.agent, self.project)
        started = self.clock() if started is None else started
        return Session(self, store, name, call.turn, call.call_id, started)


@dataclass(frozen=True, slots=True)
class Session:
    """A session as one of its calls sees it."""

    tracker: Tracker
    store: Store
    key: str
    turn: str
    call_id: str
    started: float

    def missed(self, path: str, **seen: Any) -> Streak:
        """Count a path that was not there, and return the streak; `seen` is as in `loops.Step`."""
        return self._take(self._step("miss", path, **seen))

    def went_on(self, kind: StepKind) -> Streak:
        """Record that the call went on, or that the user spoke."""
        if kind != "corrected" and not self.store.knows(self.key):
            return Streak()
        return self._take(self._step(kind))

    def standing(self, path: str, missing_folder: str = "") -> Streak:
        """Return the streak of a path's aim, without taking a step."""
        if not self.store.knows(self.key):
            return Streak()
        now, gap = self.tracker.clock, self.tracker.turn_gap_s
        step = self._step("miss", path, missing_folder=missing_folder)
        return self.store.update(
            self.key, lambda state: (state, standing(state, step, now=now(), turn_gap_s=gap))
        )

    def once(self, *notes: str) -> bool:
        """Return whether any of `notes` is given for the first time in this session."""
        now = self.tracker.clock
        return self.store.update(self.key, lambda state: once(state, notes, now=now()))

    def _step(self, kind: StepKind, path: str = "", **more: Any) -> Step:
        return Step(kind, path, self.turn, self.call_id, self.started, **more)

    def _take(self, step: Step) -> Streak:
        now, gap = self.tracker.clock, self.tracker.turn_gap_s
        return self.store.update(
            self.key, lambda state: record(state, step, now=now(), turn_gap_s=gap)
        )
