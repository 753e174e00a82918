"""The hosts that load JavaScript of ours: its one form of events and answers, and its text.

A plugin is `templates/shim.js`, which looks at the disk and asks the client, followed by the file
that speaks to its host; `templates/README.md` says what they send and read. Knows no host.
"""

from __future__ import annotations

from truepath.hosts.fields import table, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.calls.shell.fast import Kind
    from truepath.hosts.protocol import Phase, Request
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision

_PHASES: dict[str, Phase] = {"before": "before", "failure": "failure", "prompt": "prompt"}

_HINT = "Did you mean"
"""How a host's own suggestion begins."""

_LIMIT = 9_000
"""Characters of a text: what the other hosts take; these name no limit."""


def stakes(
    paths: Mapping[str, tuple[str, Kind]], commands: Mapping[str, tuple[str, str]]
) -> Stakes:
    """Return a host's table (see `stakes.Stakes`) from its tools with a path and with a command."""
    return {
        "event": "event",
        "tool": "tool",
        "input": "arguments",
        "cwd": "cwd",
        "session": "session",
        "agent": "agent",
        "calls": ("before",),
        "failures": ("failure",),
        "marks": {},
        "paths": paths,
        "commands": commands,
        "others": True,
    }


def decode(
    event: Mapping[str, Any], host: str, *, rewrites: bool = True, notes: bool = True
) -> Request | None:
    """Return an event of a plugin of `host` in our words, or None for one that is none.

    Args:
        event: The event, parsed.
        host: The name of the host.
        rewrites: Whether this call may run with other arguments.
        notes: Whether the model is known to read words beside the result (see `Request.notes`).
    """
    from truepath.hosts.protocol import Exchange, Request
    from truepath.types import Outcome, ToolCall

    name, error = text(event, "event"), text(event, "error")
    phase = _PHASES.get(name)
    silent = phase == "failure" and not error
    if phase is None or silent or (phase != "prompt" and not text(event, "tool")):
        return None
    call = ToolCall(
        tool=text(event, "tool"),
        arguments=table(event, "arguments"),
        session=text(event, "session"),
        agent=text(event, "agent"),
        cwd=text(event, "cwd") or None,
        host=host,
        call_id=text(event, "call"),
        turn=text(event, "turn"),
        prompt=text(event, "prompt"),
    )
    outcome = Outcome(error=error) if phase == "failure" else None
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(call, outcome, hinted=_HINT in error),),
        project=text(event, "project") or None,
        cwd=call.cwd,
        rewrites=rewrites,
        notes=notes,
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return what the plugin reads, for the one decision of its event; None to say nothing.

    `arguments` holds those alone that change: the plugin puts them in place of their namesakes, so
    whatever else the call holds stays as its host made it.
    """
    exchange, decision = request.exchanges[0], decisions[0]
    said = decision.text[:_LIMIT]
    if request.phase == "failure":
        untold = not decision.repeated and (decision.shift or not exchange.hinted)
        return {"text": said} if said and untold else None
    if request.phase != "before":
        return None
    if decision.action == "refuse":
        return {"refuse": said} if said else None
    changed = _changed(exchange.call.arguments, decision) if request.rewrites else {}
    return {
        **({"arguments": changed} if changed else {}),
        **({"text": said} if said else {}),
    } or None


def script(
    template: str, table: Stakes, client: str, *, timeout: int, pathless: Sequence[str] = ()
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


def _changed(held: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    if decision.action != "rewrite":
        return {}
    given = decision.arguments.items()
    return {name: value for name, value in given if name not in held or held[name] != value}


def _template(name: str) -> str:
    from importlib.resources import files

    return files("truepath.hosts").joinpath("templates").joinpath(name).read_text("utf-8")
