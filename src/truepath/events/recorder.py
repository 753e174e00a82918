"""Turn decisions into events, and hand them to the listeners.

A listener may be somebody else's code: an error that it raises ends here and reaches no tool call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from truepath.events.event import Event, event_of, failure_of
from truepath.records import replace
from truepath.types import Decision, PathArgument, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.session.loops import Streak

Sink = Callable[[Event], None]


class Recorder:
    """Writes the events of one guard; threads may share it."""

    def __init__(
        self, journal: Sink, *, project: str, policy: str, callback: Sink | None = None
    ) -> None:
        """Send events to `journal`, each with the project's root and the policy's name.

        Where there is a callback they go there, and to the journal only that it has failed.
        """
        self._journal, self._callback = journal, callback
        self._project, self._policy = project, policy
        self._told: dict[tuple[str, str], object] = {}

    def path(
        self,
        kind: str,
        call: ToolCall,
        resolution: Resolution,
        *,
        argument: PathArgument | None = None,
        used: str = "",
        streak: Streak | None = None,
        started: float | None = None,
    ) -> None:
        """Record what was done about one path."""
        from truepath.resolve.named import named

        event = event_of(kind, call, now=time.time(), argument=argument, resolution=resolution)
        elapsed = None if started is None else round((time.perf_counter() - started) * 1e6)
        self._send(
            replace(
                event,
                replacement=used,
                candidates=tuple(one.path for one in named(resolution)),
                streak=streak.count if streak else 0,
                level=streak.level if streak else 0,
                elapsed_us=elapsed,
            )
        )

    def step(self, kind: str, call: ToolCall, *, path: str = "", streak: int = 0) -> None:
        """Record something that happened in a session."""
        event = event_of(kind, call, now=time.time())
        self._send(replace(event, target=path, streak=streak))

    def failed(self, kind: str, what: str, call: ToolCall) -> None:
        """Record a failure that the agent does not see; the same one only once."""
        if self._is_first(kind, what):
            self._send(replace(event_of(kind, call, now=time.time()), error=what))

    def _send(self, event: Event) -> None:
        event = replace(event, project=self._project, policy=self._policy)
        if self._callback is None:
            self._journal(event)
            return
        try:
            self._callback(event)
        except Exception as error:  # noqa: BLE001  not our code, and not the agent's fault
            self._callback_failed(event, error)

    def _callback_failed(self, event: Event, error: Exception) -> None:
        what = failure_of(error)
        if not self._is_first("on_event", what):
            return
        import logging

        logging.getLogger("truepath").error("on_event raised; calls go on", exc_info=error)
        self._journal(
            Event(
                event="guard.failed",
                time=time.time(),
                host=event.host,
                project=self._project,
                session=event.session,
                policy=self._policy,
                error=what,
            )
        )

    def _is_first(self, kind: str, what: str) -> bool:
        mine = object()
        return self._told.setdefault((kind, what), mine) is mine  # atomic, so no lock is needed


class FailingOpen:
    """A context in which an error of truepath ends, once recorded: the call goes on."""

    def __init__(self, recorder: Callable[[], Recorder], call: ToolCall) -> None:
        """Record errors as the `recorder` that is asked for then, as those of `call`."""
        self._recorder, self._call = recorder, call

    def __enter__(self) -> None:
        """Do nothing yet."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """End an error; what is no `Exception` (an interrupt, an exit) goes on."""
        if not isinstance(error, Exception):
            return False
        with suppress(Exception):  # the journal may be what is broken
            self._recorder().failed("guard.failed", failure_of(error), self._call)
        return True


def kind_of(decision: Decision, resolution: Resolution) -> str:
    """Return the kind of event that a decision on a path makes."""
    if decision.action == "rewrite":
        return "path.assumed" if resolution.status == "likely" else "path.corrected"
    if decision.action == "refuse":
        return "path.absent" if resolution.status == "absent" else "path.refused"
    return "path.advised" if decision.text else "path.observed"
