"""GitHub Copilot CLI's hook protocol: its events in, its answers out. Pure; knows no disk.

Every statement about the program was observed by running 1.0.102. The spelling of an event in the
settings selects what the program sends: `PreToolUse` comes with its own name and a sub-agent's id,
`preToolUse` without. So we register the former.
"""

from __future__ import annotations

from truepath.hosts.fields import line_of, table, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Phase, Request
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, Outcome, ToolCall

NAME = "copilot"
TITLE = "GitHub Copilot CLI"

_PHASES: dict[str, Phase] = {
    "PreToolUse": "before",
    "PostToolUseFailure": "failure",
    "PostToolUse": "failure",
    "UserPromptSubmit": "prompt",
}
"""A shell command that fails has a PostToolUse like one that does not. A call that was denied has
no event but the first."""

_TOOLS = ("Read", "Edit", "Write", "Grep", "Glob", "Bash")
"""The names of Claude Code's tools are put on those of this program; arguments keep their own."""

_PATCH, _PATCH_TEXT = "apply_patch", "input"
"""Models of OpenAI edit with patches: an Edit whose whole input is a text."""

_ENDED = "completed with exit code "
"""Stands before the status in the last line of what a shell command returned."""

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "agent_id",
    "calls": ("PreToolUse",),
    "failures": ("PostToolUseFailure",),
    "marks": {"PostToolUse": tuple(f"{_ENDED}{digit}" for digit in range(1, 10))},
    # Not Grep and Glob: they take `path` as well as `paths`, and in that a text or a list.
    "paths": {
        "Read": ("path", "any"),
        "Edit": ("path", "file"),
        "Write": ("path", "new"),
    },
    "commands": {"Bash": ("command", "")},
    "others": True,
}

_USER = b'"type":"user.message"'
"""In a line of the session's record: the user's side speaks."""

_LIMIT = 9_000
"""Characters of an answer's text; 30,000 were passed on whole."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request

    name = text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or _foreign(event, environ):
        return None
    if phase != "prompt" and text(event, "tool_name") not in _TOOLS:
        return None
    outcome = _outcome(event) if phase == "failure" else None
    if phase == "failure" and outcome is None:
        return None
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(_call(event, phase), outcome),),
        project=environ.get("COPILOT_PROJECT_DIR") or None,
        cwd=text(event, "cwd") or None,
        record=_record(event, environ),
    )


def recall(call: ToolCall, record: bytes) -> ToolCall:
    """Return `call` with the user's last words (see `protocol.Host`).

    Of the model's turn nothing can be learned here: a line is written up to half a second after the
    event, so the latest turn may not be in the record yet.
    """
    from dataclasses import replace

    for line in reversed(record.splitlines()):
        if _USER in line and (typed := _typed(line)):
            return replace(call, prompt=typed)
    return call


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    Fields stand at the top: inside `hookSpecificOutput`, what is said after a failure is lost.
    Never `allow`: it lifts the user's `--deny-tool`. A rewrite needs no decision.
    """
    call, decision = request.exchanges[0].call, decisions[0]
    words = {"additionalContext": decision.text[:_LIMIT]} if decision.text else {}
    if request.phase != "before":
        return words if words and not decision.repeated else None
    if decision.action == "refuse" and words:
        return {
            "permissionDecision": "deny",
            "permissionDecisionReason": decision.text[:_LIMIT],
        }
    if decision.action != "rewrite":
        return words or None
    return {"modifiedArgs": _input({**call.arguments, **decision.arguments}, call), **words}


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`).

    Observed at 1.0.102: hooks run in order, and those that follow ours see the corrected call.
    """
    from truepath.hosts.hooks import Hooks, claude_settings

    home = environ.get("COPILOT_HOME") or f"{environ.get('HOME', '')}/.copilot"
    names = (".github/hooks/*.json", ".github/copilot/settings*.json")
    claude = claude_settings("", (root,))
    return Hooks(
        settings=(
            (home, "hooks/*.json"),
            (home, "settings.json"),
            *((root, name) for name in names),
            *claude,
        ),
        events=("pretooluse",),
        see_corrected=True,
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Copilot CLI call us (see `protocol.Host`)."""
    from json import dumps

    from truepath.hosts.setup import Piece, Setup

    # Any status but 0 denies the call, 127 of a client that is gone too: say 0 always.
    hook = {"type": "command", "bash": f"{client} || true", "timeoutSec": timeout}
    tools = {"matcher": "|".join(_TOOLS), **hook}
    hooks = {
        "PreToolUse": [tools],
        "PostToolUseFailure": [tools],
        "PostToolUse": [{"matcher": "Bash", **hook}],
        "UserPromptSubmit": [hook],
    }
    content = dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    piece = Piece("hooks/truepath.json", ".github/hooks/truepath.json", content)
    return Setup(".copilot", "COPILOT_HOME", (piece,))


def _call(event: Mapping[str, Any], phase: Phase) -> ToolCall:
    from truepath.types import ToolCall

    tool, arguments = text(event, "tool_name"), table(event, "tool_input")
    patch = text(event, "tool_input")
    if patch:
        tool, arguments = _PATCH, {_PATCH_TEXT: patch}
    return ToolCall(
        tool=tool,
        arguments=arguments,
        session=text(event, "session_id"),
        agent=text(event, "agent_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
        # Calls of one turn are asked about one after another, with one time. Later events have
        # times of their own, and no event has a call's id.
        turn=text(event, "timestamp") if phase == "before" else "",
        prompt=text(event, "prompt"),
    )


def _input(arguments: Mapping[str, Any], call: ToolCall) -> Any:
    """Return arguments as the program has them."""
    return arguments[_PATCH_TEXT] if call.tool == _PATCH else arguments


def _outcome(event: Mapping[str, Any]) -> Outcome | None:
    """Return how a call failed; None for one that did not."""
    from truepath.types import Outcome

    if event.get("hook_event_name") == "PostToolUseFailure":
        return Outcome(error=text(event, "error"))
    said = text(table(event, "tool_result"), "text_result_for_llm")
    output, ended, status = said.rpartition(_ENDED)
    failed = ended and status[:1] in "123456789"
    return Outcome(error=output) if failed and event.get("tool_name") == "Bash" else None


def _record(event: Mapping[str, Any], environ: Mapping[str, str]) -> str | None:
    """Return where the session is recorded, a sub-agent's together with its parent's."""
    session = text(event, "parent_agent_id") or text(event, "session_id")
    home = environ.get("COPILOT_HOME") or f"{environ.get('HOME') or '?'}/.copilot"
    if not session or "/" in session or not home.startswith("/"):
        return None
    return f"{home}/session-state/{session}/events.jsonl"


def _typed(line: bytes) -> str:
    """Return what the user typed; "" where an agent or the program speaks in the user's name."""
    entry = line_of(line)
    said = table(entry, "data")
    theirs = entry.get("type") == "user.message" and not entry.get("agentId")
    return text(said, "content") if theirs and not said.get("source") else ""


def _foreign(event: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    """Whether VS Code sent it: it runs the hooks of the same folders (documented, not run)."""
    return "tool_use_id" in event and "COPILOT_CLI" not in environ
