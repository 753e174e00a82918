"""What a session remembers, kept where it outlives one call: streaks, and notes that were given.

Between the guard and the store. `state` and `loops` have the rules, the guard has the words.
"""

from __future__ import annotations

import time

from truepath.session.keys import key
from truepath.session.loops import Step, Streak, assumed_before, record, standing
from truepath.session.state import SessionState, current, once

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping, Sequence
    from typing import Any

    from truepath.session.loops import StepKind
    from truepath.session.stores import Store
    from truepath.types import ToolCall


class Tracker:
    """The sessions of one project; threads may share it."""

    def __init__(
        self,
        store: Store,
        project: str,
        *,
        turn_gap_s: float = 0.0,
        began: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep sessions in `store`.

        Args:
            store: Where states live.
            project: The root; a host that names no session has one a project.
            turn_gap_s: Seconds after an answer within which a call belongs to the same turn.
            began: When this process began, where it serves one event and ends.
            clock: Seconds since the epoch.
        """
        self._store, self._project = store, project
        self._turn_gap_s, self._began, self._clock = turn_gap_s, began, clock

    def within(self, state: MutableMapping[str, Any] | None) -> Tracker:
        """Return a tracker that keeps the sessions in a framework's own state.

        That state goes where the framework takes it: to its database, its checkpoints, the next
        worker. Without one this tracker is returned.
        """
        if state is None:
            return self
        from truepath.session.stores import MappingStore

        gap, began, clock = self._turn_gap_s, self._began, self._clock
        store = MappingStore(state)
        return Tracker(store, self._project, turn_gap_s=gap, began=began, clock=clock)

    @property
    def problem(self) -> str:
        """What is wrong with the store; empty while nothing is."""
        return self._store.problem

    def missed(
        self,
        call: ToolCall,
        path: str,
        *,
        shown: Sequence[str] = (),
        missing_folder: str = "",
        asks: bool = False,
        reported: bool = False,
        assumed: bool = False,
        started: float | None = None,
    ) -> Streak:
        """Count a path that was not there, and return the streak.

        `path` and what is named after it are as in `loops.Step`, but for `started`: when we were
        asked, on `time.perf_counter`. Calls that threads make at once are seen to overlap so, and
        are one turn.
        """
        seen = {"shown": tuple(shown), "missing_folder": missing_folder, "asks": asks}
        step = self._step(call, "miss", path, started, **seen, reported=reported, assumed=assumed)
        return self._take(call, step)

    def went_on(self, call: ToolCall, kind: StepKind, *, started: float | None = None) -> Streak:
        """Record that a call went on, or that the user spoke; `started` is as in `missed`."""
        if kind != "corrected" and not self._store.knows(self._key(call)):
            return Streak()
        return self._take(call, self._step(call, kind, "", started))

    def standing(self, call: ToolCall, path: str | None = None, missing_folder: str = "") -> Streak:
        """Return the streak, without taking a step; see `loops.standing`."""
        state = self._state(call)
        return standing(state, path, missing_folder) if state.misses else Streak()

    def assumed_before(self, call: ToolCall, path: str, missing_folder: str = "") -> bool:
        """Return whether an earlier turn was shown a likely file for this path's aim."""
        step = self._step(call, "miss", path, time.perf_counter(), missing_folder=missing_folder)
        return assumed_before(self._state(call), step, turn_gap_s=self._turn_gap_s)

    def once(self, call: ToolCall, *notes: str) -> bool:
        """Return whether any of `notes` is given for the first time in this session."""
        return self._store.update(
            self._key(call), lambda state: once(state, notes, now=self._clock())
        )

    def _state(self, call: ToolCall) -> SessionState:
        if not self._store.knows(self._key(call)):
            return SessionState()
        state = self._store.update(self._key(call), lambda state: (state, state))
        return current(state, self._clock())

    def _step(
        self, call: ToolCall, kind: StepKind, path: str, started: float | None, **more: Any
    ) -> Step:
        if self._began is not None:
            started = self._began
        elif started is not None:
            started = self._clock() - (time.perf_counter() - started)
        return Step(kind, path, call.turn, call.call_id, started, **more)

    def _take(self, call: ToolCall, step: Step) -> Streak:
        return self._store.update(
            self._key(call),
            lambda state: record(state, step, now=self._clock(), turn_gap_s=self._turn_gap_s),
        )

    def _key(self, call: ToolCall) -> str:
        return key(call.session, call.agent, self._project)
