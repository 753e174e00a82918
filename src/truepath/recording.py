"""Turn decisions into events, and hand them to whoever listens."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from truepath.call import Decision, PathArgument, Resolution, ToolCall
from truepath.events import Event, event_of

if TYPE_CHECKING:
    from truepath.session import Streak

Sink = Callable[[Event], None]


class Recorder:
    """Writes the events of one guard."""

    def __init__(self, sink: Sink, *, project: str, policy: str) -> None:
        """Send events to `sink`, each with the project's root and the policy's name."""
        self._sink, self._project, self._policy = sink, project, policy

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
        event = event_of(kind, call, now=time.time(), argument=argument, resolution=resolution)
        elapsed = None if started is None else round((time.perf_counter() - started) * 1e6)
        self._send(
            replace(
                event,
                replacement=used,
                candidates=tuple(one.path for one in resolution.candidates[:3]),
                streak=streak.count if streak else 0,
                level=streak.level if streak else 0,
                elapsed_us=elapsed,
            )
        )

    def step(self, kind: str, call: ToolCall, *, path: str = "", streak: int = 0) -> None:
        """Record something that happened in a session."""
        event = event_of(kind, call, now=time.time())
        self._send(replace(event, target=path, streak=streak))

    def failed(self, kind: str, what: str) -> None:
        """Record a failure that the agent does not see."""
        self._send(Event(event=kind, time=time.time(), error=what))

    def _send(self, event: Event) -> None:
        self._sink(replace(event, project=self._project, policy=self._policy))


def kind_of(decision: Decision, resolution: Resolution) -> str:
    """Return the kind of event that a decision on a path makes."""
    if decision.action == "rewrite":
        return "path.corrected"
    if decision.action == "refuse":
        return "path.absent" if resolution.status == "absent" else "path.refused"
    return "path.advised" if decision.text else "path.observed"
