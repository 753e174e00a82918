"""What a host and the hook pass to each other: an event of any host, with the calls in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from truepath.records import dataclass
from truepath.types import Outcome, ToolCall

Event = Mapping[str, Any]
"""What a host sends, parsed; anything may be missing in it or have another type."""

Environ = Mapping[str, str]
"""The agent's environment."""

Phase = Literal["before", "failure", "batch", "prompt", "start"]
"""When a hook fires.

- `before`: a tool is about to run.
- `failure`: one tool failed.
- `batch`: all calls of one model turn are over; holds those that no other event showed.
- `prompt`: the user said something.
- `start`: a session began, or began anew.
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tool call inside an event, with what came of it where it has run."""

    call: ToolCall
    outcome: Outcome | None = None
    """None before the tool ran."""
    hinted: bool = False
    """The host's own error already names the right path: count the miss, do not repeat it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One hook event, whatever its host."""

    phase: Phase
    event: str
    """The host's name for the event; answers must repeat it."""
    exchanges: tuple[Exchange, ...] = ()
    """In the phase `prompt` one, whose call names no tool and holds what the user typed."""
    project: str | None = None
    """The project folder as the host names it, absolute."""
    cwd: str | None = None
    """The agent's working directory, absolute."""
    record: str | None = None
    """The file in which the host records the session, where it names one."""
    rewrites: bool = True
    """Whether the host runs a call with other arguments than it came with."""
    refuses: bool = True
    """Whether the host can keep a call from running without ending the run. Where it cannot, what
    would be refused is advised upon."""
    notes: bool = True
    """Whether the model is known to read words beside the result of a call that goes on. Where it
    is not, no likely file is shown in place of a missing one."""
    late: bool = False
    """The host passes no words on before a tool has run: those of a call that goes on are kept and
    told at its end, so its successes are decoded too. Only the reason of a refusal is read."""
