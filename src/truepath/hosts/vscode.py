"""VS Code's hook protocol (Copilot Chat, the harness called Local). Pure; knows no disk.

From documents, not run: the hooks reference of 2026-07 and the extension's source of 2026-03. In
the harnesses Copilot, Claude and Codex of VS Code those programs' own hooks run.
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

NAME = "vscode"
TITLE = "VS Code (Copilot Chat, Local)"

_PHASES: dict[str, Phase] = {"PreToolUse": "before", "UserPromptSubmit": "prompt"}
"""A tool that fails has no event afterwards, and what was said before it ran is lost then."""

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "",
    "calls": ("PreToolUse",),
    "failures": (),
    "marks": {},
    "paths": {
        "read_file": ("filePath", "file"),
        "replace_string_in_file": ("filePath", "file"),
        "multi_replace_string_in_file": ("replacements[].filePath", "file"),
        "insert_edit_into_file": ("filePath", "file"),
        "create_file": ("filePath", "new"),
        "list_dir": ("path", "folder"),
    },
    "commands": {"run_in_terminal": ("command", "")},
    # Matchers are ignored, so every tool comes by.
    "others": True,
}

_LIMIT = 9_000
"""Characters of an answer's text; the documents name no limit."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request

    name = text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or _foreign(event, environ):
        return None
    if phase == "before" and not text(event, "tool_name"):
        return None
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(_call(event)),),
        cwd=text(event, "cwd") or None,
        notes=False,  # documented, and not seen
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision, or None to say nothing.

    Never a permission: a rewrite needs none.
    """
    if request.phase != "before":
        return None
    call, decision = request.exchanges[0].call, decisions[0]
    words = decision.text[:_LIMIT]
    output: dict[str, Any] = {"additionalContext": words} if words else {}
    if decision.action == "refuse" and words:
        output = {"permissionDecision": "deny", "permissionDecisionReason": words}
    elif decision.action == "rewrite":
        # The answer replaces the whole input, and is dropped where it does not fit the schema.
        output = {"updatedInput": {**call.arguments, **decision.arguments}, **output}
    return {"hookSpecificOutput": {"hookEventName": request.event, **output}} if output else None


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`)."""
    from truepath.hosts.hooks import Hooks, claude_settings

    home = environ.get("HOME", "")
    own = ((home, ".copilot/hooks/*.json"), (root, ".github/hooks/*.json"))
    settings = (*own, *claude_settings(home, (root,)))
    return Hooks(settings, events=("pretooluse",), matchers=False)


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes VS Code call us (see `protocol.Host`)."""
    from json import dumps

    from truepath.hosts.setup import Piece, Setup

    # Status 2 denies a call. Copilot CLI runs the hooks of this folder too, and there any but 0.
    hook = {"type": "command", "command": f"{client} || true", "timeout": timeout}
    hooks = {name: [hook] for name in _PHASES}
    content = dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    name = "hooks/truepath-vscode.json"
    return Setup(".copilot", "", (Piece(name, f".github/{name}", content),))


def _call(event: Mapping[str, Any]) -> ToolCall:
    from truepath.types import ToolCall

    return ToolCall(
        tool=text(event, "tool_name"),
        arguments=table(event, "tool_input"),
        session=text(event, "session_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
        call_id=text(event, "tool_use_id"),
        prompt=text(event, "prompt"),
    )


def _foreign(event: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    """Whether Copilot CLI or Claude Code sent it; the one reads the same folder."""
    return "COPILOT_CLI" in environ or "permission_mode" in event
