"""Crush's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

From documents, not run: the manual of its hooks and the source, of 2026-08.
"""

from __future__ import annotations

from truepath.hosts.fields import table, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Request
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, ToolCall

NAME = "crush"
TITLE = "Crush"

_BEFORE = "PreToolUse"
"""There is no event after a call; what is said before it reaches the model with its result, a
failure included."""

STAKES: Stakes = {
    "event": "event",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "",
    "calls": (_BEFORE,),
    "failures": (),
    "marks": {},
    "paths": {
        "view": ("file_path", "file"),
        "edit": ("file_path", "file"),
        "multiedit": ("file_path", "file"),
        "write": ("file_path", "new"),
        "glob": ("path", "folder"),
        "grep": ("path", "any"),
        "ls": ("path", "folder"),
    },
    "commands": {"bash": ("command", "working_dir")},
    "others": True,
}

_LIMIT = 9_000
"""Characters of an answer's text; the documents name no limit."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request

    if text(event, "event") != _BEFORE or not text(event, "tool_name"):
        return None
    return Request(
        phase="before",
        event=_BEFORE,
        exchanges=(Exchange(_call(event)),),
        project=environ.get("CRUSH_PROJECT_DIR") or None,
        cwd=text(event, "cwd") or None,
        notes=False,  # documented, and not seen
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision, or None to say nothing.

    Never `allow`, which skips the user's prompt, nor `halt`, which ends the turn.
    """
    call, decision = request.exchanges[0].call, decisions[0]
    words = decision.text[:_LIMIT]
    if decision.action == "refuse" and words:
        return {"decision": "deny", "reason": words}
    context = {"context": words} if words else {}
    if decision.action == "rewrite":
        # It is merged into the input, which a whole one leaves nothing of.
        return {"updated_input": {**call.arguments, **decision.arguments}, **context}
    return context or None


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`)."""
    from truepath.hosts.hooks import Hooks, config_home

    user = f"{config_home(environ)}/crush"
    files = ((user, "crush.json"), (root, "crush.json"), (root, ".crush.json"))
    return Hooks(settings=files, events=("pretooluse",))


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Crush call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    # Status 2 blocks the call and 49 ends the turn; Python gives 2 for a script that is gone.
    hook = {
        "name": "truepath",
        "matcher": f"^({'|'.join((*STAKES['paths'], *STAKES['commands']))})$",
        "command": f"{client} || true",
        "timeout": timeout,
    }
    piece = Piece("crush.json", "crush.json", {"hooks": {_BEFORE: [hook]}})
    return Setup(".config/crush", "", (piece,))


def _call(event: Mapping[str, Any]) -> ToolCall:
    from truepath.types import ToolCall

    return ToolCall(
        tool=text(event, "tool_name"),
        arguments=table(event, "tool_input"),
        session=text(event, "session_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
    )
