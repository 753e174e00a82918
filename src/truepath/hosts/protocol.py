"""The shape every host file has: two pure functions between hook JSON and tool calls.

A host file reads no disk and no clock, decides nothing and words nothing. To add a host: write one
module with the attributes of `Host`, add its line to `truepath.hosts.HOSTS`, and test it with JSON
captured from the real program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from truepath.call import Decision, Kind, Outcome, ToolCall

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
    """One hook event, in our words."""

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


class Host(Protocol):
    """What a host module offers."""

    NAME: str

    def session(self, event: Mapping[str, Any]) -> tuple[str, str]:
        """Return the session that an event belongs to, and the sub-agent in it; "" for neither."""

    def at_stake(self, event: Mapping[str, Any]) -> Sequence[tuple[str, Kind]] | None:
        """Return the paths, absolute, that must all exist for the event to need no thought.

        Asked before `decode`, so it must be cheap and import nothing of the engine. An empty
        sequence means that nothing here concerns us; None means that only a full look can tell.
        """

    def decode(self, event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
        """Return the event in our words, or None for one that is not ours to answer."""

    def recall(self, call: ToolCall, record: bytes) -> ToolCall:
        """Return `call` with what its event leaves out: the model's turn, what the user typed last.

        Args:
            call: Any call of the session.
            record: The end of the file `Request.record`, cut anywhere and of any content.
        """

    def encode(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
        """Return the host's JSON for one decision an exchange, in order; None to say nothing."""
