"""Turn decisions into events, and hand them to the listeners.

A listener may be somebody else's code: an error that it raises ends here and reaches no tool call.
"""

from __future__ import annotations

import time

from truepath.journal.event import Event, event_of, failure_of
from truepath.records import replace

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from truepath.session.loops import Streak
    from truepath.types import Decision, PathArgument, Resolution, ToolCall

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
        named: Iterable[str] = (),
        argument: PathArgument | None = None,
        used: str = "",
        streak: Streak | None = None,
        started: float | None = None,
    ) -> None:
        """Record what was done about one path.

        Args:
            kind: One of `event.KINDS`.
            call: The call that named it.
            resolution: What is true of it.
            named: The candidates that the agent is told.
            argument: Where in the call it is.
            used: What was put in its place.
            streak: The session's streak after it.
            started: When we were asked, on `time.perf_counter`.
        """
        event = event_of(kind, call, now=time.time(), argument=argument, resolution=resolution)
        elapsed = None if started is None else round((time.perf_counter() - started) * 1e6)
        self._send(
            replace(
                event,
                replacement=used,
                candidates=tuple(named),
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
        except Exception as error:  # not our code, and not the agent's fault
            what = failure_of(error)
            if self._is_first("on_event", what):
                import logging

                logging.getLogger("truepath").exception("on_event raised; calls go on")
                self._journal(_failed(event, what))

    def _is_first(self, kind: str, what: str) -> bool:
        mine = object()
        return self._told.setdefault((kind, what), mine) is mine  # atomic, so no lock is needed


def _failed(event: Event, what: str) -> Event:
    """Return the event of a failure to pass an event on."""
    return Event(
        event="guard.failed",
        time=time.time(),
        host=event.host,
        project=event.project,
        session=event.session,
        policy=event.policy,
        error=what,
    )


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
        try:
            self._recorder().failed("guard.failed", failure_of(error), self._call)
        except Exception:  # noqa: BLE001  the journal may be what is broken
            return True
        return True


def kind_of(decision: Decision, resolution: Resolution) -> str:
    """Return the kind of event that a decision on a path makes."""
    if decision.action == "rewrite":
        return "path.assumed" if resolution.status == "likely" else "path.corrected"
    if decision.action == "refuse":
        return "path.absent" if resolution.status == "absent" else "path.refused"
    return "path.advised" if decision.text else "path.observed"
