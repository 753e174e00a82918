"""What a session remembers, kept where it outlives one call: streaks, typos warned of, notes.

Between the guard and the store. `state` and `loops` have the rules, the guard has the words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from truepath.records import replace
from truepath.session.keys import key
from truepath.types import Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.session.loops import Step, StepKind, Streak
    from truepath.session.state import SessionState
    from truepath.session.stores import Store

T = TypeVar("T")

_USES = ("corrected", "success", "discovery")
"""Steps that use a path which exists."""

Clock = Callable[[], float]


class Tracker:
    """The sessions of one project."""

    def __init__(
        self,
        store: Store,
        project: str,
        *,
        turn_gap_s: float = 0.0,
        began: float | None = None,
        clock: Clock = time.time,
    ) -> None:
        """Keep sessions in `store`.

        Args:
            store: Where states live.
            project: The root; a host that names no session has one a project.
            turn_gap_s: Seconds after an answer within which a call belongs to the same turn.
            began: When this process began, where it serves one event and ends.
            clock: Seconds since the epoch.
        """
        self._own_store, self._project = store, project
        self._turn_gap_s, self._began, self._clock = turn_gap_s, began, clock

    @property
    def _store(self) -> Store:
        """The store that came with the call under way, else the guard's own."""
        from truepath.session.stores import GIVEN

        return GIVEN.get() or self._own_store

    @property
    def problem(self) -> str:
        """What is wrong with the store; empty while nothing is."""
        return self._store.problem

    def missed(
        self,
        call: ToolCall,
        resolution: Resolution,
        *,
        missing_folder: str,
        reported: bool,
        assumed: bool = False,
        started: float | None = None,
    ) -> Streak:
        """Count a path that was not there, and return the streak.

        Args:
            call: The call that named it.
            resolution: What is true of it.
            invented: The outermost folder of it that does not exist.
            reported: Whether the host reports a failure after the tool ran.
            assumed: Whether the call ran on a likely file in its place.
            started: When we were asked, on `time.perf_counter`: calls that threads make at once
                are seen to overlap, and are one turn.
        """
        from truepath.resolve.named import named
        from truepath.session.loops import Step

        there = () if resolution.operation in ("write", "mkdir") else named(resolution)
        step = Step(
            "miss",
            resolution.target,
            turn=call.turn,
            call_id=call.call_id,
            started=self._start(started),
            reported=reported,
            assumed=assumed,
            missing_folder=missing_folder,
            asks=resolution.operation == "list",
            shown=tuple(one.path for one in there),
        )
        return self._take(call, step)

    def went_on(
        self, call: ToolCall, kind: StepKind, path: str = "", *, started: float | None = None
    ) -> Streak | None:
        """Record that a call went on; None for a session that has nothing to remember.

        `started` is as in `missed`.
        """
        if kind != "corrected" and not self._store.knows(self._key(call)):
            return None
        from truepath.session.loops import Step

        began = self._start(started)
        step = Step(kind, path, turn=call.turn, call_id=call.call_id, started=began)
        return self._take(call, step)

    def standing(
        self, call: ToolCall, path: str | None = None, missing_folder: str = ""
    ) -> Streak | None:
        """Return the streak, without taking a step; see `loops.standing`.

        None when there is nothing to remember of it.
        """
        if not self._store.knows(self._key(call)):
            return None
        from truepath.session.loops import standing
        from truepath.session.state import current

        def look(state: SessionState) -> tuple[SessionState, Streak]:
            return state, standing(current(state, self._clock()), path, missing_folder)

        return self._store.update(self._key(call), look)

    def assumed_before(self, call: ToolCall, path: str, missing_folder: str) -> bool:
        """Return whether an earlier turn was shown a likely file for this path's aim.

        Args:
            call: The call that names it now.
            path: Where the written path points.
            invented: The outermost folder of it that does not exist.
        """
        if not self._store.knows(self._key(call)):
            return False
        from truepath.session.loops import Step, assumed_before
        from truepath.session.state import current

        step = Step(
            "miss",
            path,
            turn=call.turn,
            call_id=call.call_id,
            missing_folder=missing_folder,
        )

        def look(state: SessionState) -> tuple[SessionState, bool]:
            now = self._clock()
            begun = replace(step, started=self._began if self._began is not None else now)
            return state, assumed_before(current(state, now), begun, turn_gap_s=self._turn_gap_s)

        return self._store.update(self._key(call), look)

    def warned_before(self, call: ToolCall, typos: Sequence[str]) -> bool:
        """Return whether the agent was warned of all these typos before; it is now."""
        from truepath.session.state import warned_before

        def warn(state: SessionState) -> tuple[SessionState, bool]:
            before = True
            for typo in typos:
                state, known = warned_before(state, typo, now=self._clock())
                before = before and known
            return state, before

        return self._store.update(self._key(call), warn)

    def once(self, call: ToolCall, note: str) -> bool:
        """Return whether a note is given for the first time in this session; it is now."""
        from truepath.session.state import once

        return self._store.update(
            self._key(call), lambda state: once(state, note, now=self._clock())
        )

    def known(self, call: ToolCall) -> tuple[str, ...]:
        """Return the paths that the session is remembered to have used; root-relative."""
        if not self._store.knows(self._key(call)):
            return ()
        from truepath.session.state import current

        def look(state: SessionState) -> tuple[SessionState, tuple[str, ...]]:
            return state, current(state, self._clock()).used

        return self._store.update(self._key(call), look)

    def _start(self, started: float | None) -> float | None:
        """Return when a call reached us, seconds since the epoch; None where it is not known."""
        if self._began is not None or started is None:
            return self._began
        return self._clock() - (time.perf_counter() - started)

    def _take(self, call: ToolCall, step: Step) -> Streak:
        from truepath.session.loops import record
        from truepath.session.state import remember

        def take(state: SessionState) -> tuple[SessionState, Streak]:
            now = self._clock()
            after, streak = record(state, step, now=now, turn_gap_s=self._turn_gap_s)
            # Only where there is something to write anyway: what goes well costs no write.
            if after is not state and step.path and step.kind in _USES:
                after = remember(after, step.path, now=now)
            return after, streak

        return self._store.update(self._key(call), take)

    def _key(self, call: ToolCall) -> str:
        return key(call.session, call.agent, self._project)
