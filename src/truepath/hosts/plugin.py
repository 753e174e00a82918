"""The hosts that load a script of truepath: its form of events and answers, and its text.

A plugin is `templates/shim.js`, which looks at the disk and asks the client, followed by the file
that speaks to its host; `templates/README.md` says what they send and read. Knows no host.
"""

from __future__ import annotations

from truepath.hosts.event_schema import event_schema
from truepath.hosts.fields import text
from truepath.hosts.host import Host

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.event_schema import EventSchema, Kind
    from truepath.hosts.protocol import Environ, Event, Phase
    from truepath.types import Decision, Outcome, ToolCall

_EVENTS: dict[str, Phase] = {"before": "before", "failure": "failure", "prompt": "prompt"}


def plugin_schema(
    paths: Mapping[str, tuple[str, Kind]], commands: Mapping[str, tuple[str, str]]
) -> EventSchema:
    """Return a host's `EventSchema` from its tools with a path and with a command."""
    return event_schema(
        _EVENTS,
        paths,
        commands,
        event="event",
        tool="tool",
        arguments="arguments",
        session="session",
        agent="agent",
    )


class Plugin(Host):
    """A host that loads a plugin of truepath."""

    EVENTS = _EVENTS
    CALL_ID = "call"
    TURN = "turn"
    HINTS = True
    NESTED = False
    REFUSAL: Mapping[str, str] = {}
    REASON = "refuse"
    INPUT = "arguments"
    WORDS = "text"

    def project(self, event: Event, environ: Environ) -> str | None:  # noqa: ARG002
        """Return the project's folder as the plugin names it."""
        return text(event, "project") or None

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call failed; None where nothing says how."""
        return super().outcome(event) if text(event, self.ERROR) else None

    def changed(self, call: ToolCall, decision: Decision) -> dict[str, Any]:
        """Return those arguments alone that change: the plugin puts them in place of their
        namesakes, so whatever else the call holds stays as its host made it.
        """
        held, given = call.arguments, decision.arguments.items()
        return {name: value for name, value in given if name not in held or held[name] != value}


def script(
    template: str, table: EventSchema, client: str, *, timeout: int, pathless: Sequence[str] = ()
) -> str:
    """Return the text of a plugin.

    Args:
        template: The file that speaks to the host, in `templates`.
        table: The host's.
        client: The shell command that answers events.
        timeout: Seconds until a call goes on without an answer.
        pathless: Tools of the host that take no path and no command.
    """
    from json import dumps

    head, body = _template(template), _template("shim.js")
    made = {
        "client": client,
        "timeout": timeout * 1000,
        "paths": {tool: [*named] for tool, named in table["paths"].items()},
        "pathless": [*pathless],
    }
    # In ASCII: no character of a command can end a line or a text of the script.
    lines = "".join(f"  {name}: {dumps(value)},\n" for name, value in made.items())
    first, _, rest = head.partition("\n\n")
    return f"{first}\n\nconst SETUP = {{\n{lines}}};\n\n{body}\n{rest}"


def _template(name: str) -> str:
    from importlib.resources import files

    return files("truepath.hosts").joinpath("templates").joinpath(name).read_text("utf-8")
