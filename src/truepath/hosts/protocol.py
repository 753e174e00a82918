"""The shape every host file has: two pure functions between hook JSON and tool calls.

A host file reads no disk and no clock, decides nothing and words nothing. To add a host: write one
module with the attributes of `Host`, add its line to `truepath.hosts.HOSTS`, and test it with JSON
captured from the real program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from truepath.hosts.hooks import Hooks
from truepath.hosts.rules import Rules
from truepath.hosts.setup import Setup
from truepath.types import Decision, Outcome, ToolCall

if TYPE_CHECKING:
    from truepath.hosts.stakes import Stakes

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


class Host(Protocol):
    """What a host module offers."""

    NAME: str
    """On the command line: `claude-code`."""
    TITLE: str
    """To a reader: `Claude Code`."""
    STAKES: Stakes
    """Which events need no thought; plain data, for it is the native client's too."""

    def decode(self, event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
        """Return the event in our words, or None for one that is not ours to answer."""

    def recall(self, call: ToolCall, record: bytes) -> ToolCall:
        """Return `call` with what its event leaves out: the model's turn, what the user typed last.

        Only for hosts whose requests name a record.

        Args:
            call: Any call of the session.
            record: The end of the file `Request.record`, cut anywhere and of any content.
        """

    def encode(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
        """Return the host's JSON for one decision an exchange, in order; None to say nothing."""

    def rule_files(self, environ: Mapping[str, str], root: str) -> Sequence[str]:
        """Return the files, absolute, in which the host keeps permission rules for a project.

        A `*` in the last part stands for any name. Only for hosts that have such rules. Where the
        root is a linked work tree of git, the main one is asked about too.
        """

    def rules(self, files: Mapping[str, str], environ: Mapping[str, str], root: str) -> Rules:
        """Return what the host's rules deny.

        Args:
            files: The text of each of the `rule_files` that is there.
            environ: The agent's environment.
            root: The project's root, absolute.
        """

    def hooks(self, environ: Mapping[str, str], root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs, the user's above all.

        Args:
            environ: The agent's environment.
            root: The project's root, absolute; "" for none.
        """

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes the host call us.

        Args:
            client: A shell command that answers the host's events, `/usr/bin/truepath-hook NAME`.
                It may be gone one day, and what the host is told must then block nothing.
            timeout: Seconds until the host is to go on without an answer.
        """
