"""Cursor's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

From documents, not run: Cursor's page on hooks and the code of its SDK 1.0.32, of 2026-09.
"""

from __future__ import annotations

from truepath.hosts.fields import table, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Phase, Request
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, ToolCall

NAME = "cursor"
TITLE = "Cursor"

_PHASES: dict[str, Phase] = {
    "preToolUse": "before",
    "postToolUseFailure": "failure",
    "beforeSubmitPrompt": "prompt",
}
"""The last does not fire without a window."""

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "conversation_id",
    "agent": "",
    "calls": ("preToolUse",),
    "failures": ("postToolUseFailure",),
    "marks": {},
    "paths": {
        "Read": ("file_path", "file"),
        "Write": ("file_path", "new"),
        "Delete": ("file_path", "any"),
        "Grep": ("file_path", "any"),
        "List": ("file_path", "folder"),
    },
    "commands": {"Shell": ("command", "cwd")},
    "others": True,
}

_HINT = "Did you mean"
"""How a suggestion of the program's own would begin."""

_SYSTEM = ("/etc/cursor", "/Library/Application Support/Cursor")
"""Where an organisation keeps hooks, on Linux and macOS."""

_LIMIT = 9_000
"""Characters of context an answer. Above 10,000 Cursor drops the whole of it."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:  # noqa: ARG001
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request
    from truepath.types import Outcome

    name = text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or event.get("is_interrupt"):
        return None
    if phase != "prompt" and not text(event, "tool_name"):
        return None
    error = text(event, "error_message")
    outcome = Outcome(error=error) if phase == "failure" else None
    project = _project(event)
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(_call(event, project), outcome, hinted=_HINT in error),),
        project=project,
        cwd=text(event, "cwd") or project,
        notes=False,  # documented, and not seen
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision, or None to say nothing.

    Never `allow`, which approves the call. To the message of a denial Cursor adds that the model is
    to suggest no way around, so the candidates stand in the context, which is passed on too.
    """
    if request.phase == "prompt":
        return None
    exchange, decision = request.exchanges[0], decisions[0]
    words = {"additional_context": decision.text[:_LIMIT]} if decision.text else {}
    if request.phase == "failure":
        told = decision.shift or not exchange.hinted
        return words if words and told and not decision.repeated else None
    if decision.action == "refuse" and words:
        first = decision.text.partition("\n")[0]
        return {"permission": "deny", "user_message": first[:_LIMIT], **words}
    if decision.action == "rewrite":
        # Applied are `file_path`, `pattern`, `command`, `cwd` and `timeout`; the rest is kept.
        return {"updated_input": {**exchange.call.arguments, **decision.arguments}, **words}
    return words or None


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`)."""
    from truepath.hosts.hooks import Hooks, claude_settings

    home = environ.get("HOME", "")
    own = ((folder, ".cursor/hooks.json") for folder in (home, root))
    system = ((folder, "hooks.json") for folder in _SYSTEM)
    return Hooks(
        settings=(*system, *own, *claude_settings(home, (root,))),
        events=("pretooluse", "beforeshellexecution", "beforereadfile"),
        aliases={"Shell": ("Bash",), "Write": ("Edit",)},
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Cursor call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    # Status 2 blocks the call, and 2 is what Python gives for a script that is gone: say 0 always.
    # Whether a shell runs the command is not documented, so it brings its own.
    hook = {"command": f"sh -c {_quoted(f'{client} || true')}", "timeout": timeout}
    tools = {"matcher": f"^({'|'.join((*STAKES['paths'], *STAKES['commands']))})$", **hook}
    hooks = {
        "preToolUse": [tools],
        "postToolUseFailure": [tools],
        "beforeSubmitPrompt": [hook],
    }
    piece = Piece("hooks.json", ".cursor/hooks.json", {"version": 1, "hooks": hooks})
    return Setup(".cursor", "", (piece,))


def _call(event: Mapping[str, Any], project: str | None) -> ToolCall:
    from truepath.types import ToolCall

    # No turn: `generation_id` spans all that follows one prompt of the user.
    return ToolCall(
        tool=text(event, "tool_name"),
        arguments=table(event, "tool_input"),
        session=text(event, "conversation_id"),
        cwd=text(event, "cwd") or project,
        host=NAME,
        call_id=text(event, "tool_use_id"),
        prompt=text(event, "prompt"),
    )


def _quoted(line: str) -> str:
    """Return a command as one word of another, legible where that is possible."""
    from shlex import quote

    return quote(line) if {*'"$`\\'} & {*line} else f'"{line}"'


def _project(event: Mapping[str, Any]) -> str | None:
    roots = event.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return first if isinstance(first, str) else None
