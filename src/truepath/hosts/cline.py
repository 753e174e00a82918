"""Cline CLI's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

Every statement about the program was observed by running 3.0.65. Its extension for VS Code sends
other events from the same files and takes no corrections; it is left alone.
"""

from __future__ import annotations

from truepath.hosts.fields import line_of, table, tables, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Phase, Request
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, Outcome, ToolCall

NAME = "cline"
TITLE = "Cline CLI"

_PHASES: dict[str, Phase] = {
    "tool_call": "before",
    "tool_result": "failure",
    "prompt_submit": "prompt",
}
"""A call that fails has a `tool_result` like one that does not."""

_FILES = ("PreToolUse", "PostToolUse", "UserPromptSubmit")
"""What a hook's file is called, less its ending, for each of the events."""

STAKES: Stakes = {
    "event": "hookName",
    "tool": "tool_call.name",
    "input": "tool_call.input",
    "cwd": "workspaceInfo.rootPath",
    "session": "sessionContext.rootSessionId",
    "agent": "agent_id",
    "calls": ("tool_call",),
    "failures": (),
    # A key of the event, which no text inside it can look like.
    "marks": {"tool_result": ('"error":',)},
    "paths": {
        "read_files": ("files[].path", "file"),
        # One that is not there would be made, by an edit too.
        "editor": ("path", "file"),
        "search_codebase": ("path", "any"),
    },
    "commands": {"run_commands": ("commands[]", "")},
    "others": True,
}

_USER, _END = b'"text": "<user_input', "</user_input>"
"""Begins a line of the session's record where the user speaks; ends what was typed."""

_LIMIT = 9_000
"""Characters of an answer's text; what is over 50,000 is cut."""

_SCRIPT = """\
#!/bin/sh
# Written by truepath: checks the paths of Cline's tool calls.
# Cline gives a hook two minutes; one that hangs is to hold no call up for that long.
if command -v timeout >/dev/null; then
  timeout {timeout} sh -c {quoted}
else
  {client}
fi
exit 0
"""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request

    name = text(event, "hookName")
    phase = _PHASES.get(name)
    entry = table(event, name)
    if phase is None or (phase != "prompt" and not text(entry, "name")):
        return None
    outcome = _outcome(entry) if phase == "failure" else None
    if phase == "failure" and outcome is None:
        return None
    root = text(table(event, "workspaceInfo"), "rootPath")
    cwd = _cwd(root, environ)
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(_call(event, entry, cwd), outcome),),
        project=root or None,
        cwd=cwd,
        record=_record(event, environ),
        refuses=False,
    )


def recall(call: ToolCall, record: bytes) -> ToolCall:
    """Return `call` with the user's last words (see `protocol.Host`).

    The record is written before the hooks run: JSON with a line for each field.
    """
    from dataclasses import replace

    for line in reversed(record.splitlines()):
        field = line.strip()
        if field.startswith(_USER) and (typed := _typed(field)):
            return replace(call, prompt=typed)
    return call


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    Nothing can be refused: `cancel` ends the whole run. So the words of a refusal go along with the
    call, and the model reads them beside its result.
    """
    call, decision = request.exchanges[0].call, decisions[0]
    words = {"contextModification": decision.text[:_LIMIT]} if decision.text else {}
    if request.phase != "before":
        return words if words and not decision.repeated else None
    if decision.action == "rewrite":
        # The answer takes the place of the whole input.
        return {"overrideInput": {**call.arguments, **decision.arguments}, **words}
    return words or None


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`)."""
    from truepath.hosts.hooks import Hooks

    home = environ.get("HOME", "")
    own = environ.get("CLINE_DIR") or f"{home}/.cline"
    shared = (f"{home}/Documents/Cline", "Hooks/PreToolUse*")
    places = ((own, "hooks/PreToolUse*"), (root, ".cline*/hooks/PreToolUse*"), shared)
    return Hooks(settings=(), programs=places)


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Cline CLI call us (see `protocol.Host`)."""
    from shlex import quote

    from truepath.hosts.setup import Piece, Setup

    script = _SCRIPT.format(timeout=timeout, client=client, quoted=quote(client))
    # All files of a name are run, whatever their ending: `.bash` leaves the others to the user.
    names = [f"hooks/{name}.bash" for name in _FILES]
    pieces = [Piece(name, f".cline/{name}", script, executable=True) for name in names]
    return Setup(".cline", "CLINE_DIR", tuple(pieces))


def _call(event: Mapping[str, Any], entry: Mapping[str, Any], cwd: str | None) -> ToolCall:
    from truepath.types import ToolCall

    turn = event.get("iteration")
    return ToolCall(
        tool=text(entry, "name"),
        arguments=table(entry, "input"),
        session=text(table(event, "sessionContext"), "rootSessionId"),
        agent=text(event, "agent_id"),
        cwd=cwd,
        host=NAME,
        call_id=text(entry, "id"),
        turn=str(turn) if isinstance(turn, int) else "",
        prompt=text(table(event, "userPromptSubmit"), "prompt"),
    )


def _outcome(result: Mapping[str, Any]) -> Outcome | None:
    """Return how a call failed; None for one that did not. Each part of it may fail by itself."""
    from truepath.types import Outcome

    failed = "\n".join(_errors(result))
    return Outcome(error=failed) if failed else None


def _errors(result: Mapping[str, Any]) -> Iterator[str]:
    output = result.get("output")
    parts = [output] if isinstance(output, dict) else tables(result, "output")
    for part in (result, *parts):
        if text(part, "error"):
            yield f"{text(part, 'error')}\n{text(part, 'result')}"


def _cwd(root: str, environ: Mapping[str, str]) -> str | None:
    """Return where the agent stands: hooks run there, and no event says so.

    The folder that events name is the top of the work tree, wherever in it the program was started.
    """
    here = environ.get("PWD", "")
    return here if root and f"{here}/".startswith(f"{root.rstrip('/')}/") else root or None


def _record(event: Mapping[str, Any], environ: Mapping[str, str]) -> str | None:
    session = text(table(event, "sessionContext"), "rootSessionId")
    home = environ.get("CLINE_DIR") or f"{environ.get('HOME') or '?'}/.cline"
    data = environ.get("CLINE_DATA_DIR") or f"{home}/data"
    sessions = environ.get("CLINE_SESSION_DATA_DIR") or f"{data}/sessions"
    if not session or "/" in session or not sessions.startswith("/"):
        return None
    return f"{sessions}/{session}/{session}.messages.json"


def _typed(field: bytes) -> str:
    said = text(line_of(b"{" + field.rstrip(b",") + b"}"), "text")
    return said.partition(">")[2].partition(_END)[0]
