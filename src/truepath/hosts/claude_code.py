"""Claude Code's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

Every statement about the program was observed by running 2.1.197 and 2.1.330.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.call import Decision, Kind, ToolCall
    from truepath.hosts.protocol import Exchange, Phase, Request

NAME = "claude-code"

_PHASES: dict[str, Phase] = {
    "PreToolUse": "before",
    "PostToolUseFailure": "failure",
    "PostToolBatch": "batch",
    "UserPromptSubmit": "prompt",
    "SessionStart": "start",
}

_AT_STAKE: dict[str, tuple[str, Kind]] = {
    "Read": ("file_path", "file"),
    "Edit": ("file_path", "file"),
    "Write": ("file_path", "file"),
    "NotebookEdit": ("notebook_path", "file"),
    "Glob": ("path", "folder"),
    "Grep": ("path", "any"),
}
"""The tools whose one path settles the matter when it exists; the full table is the tool map's."""

_REFUSED = "<tool_use_error>"
"""Wraps the text of a call that validation refused. Such a call (an Edit of a missing file) fires
no event but PostToolBatch. All others had their own event before, our denials among them: those
come back here unwrapped, and must not be answered or counted a second time."""

_UNREAD = "has not been read yet"
"""What NotebookEdit says of a notebook that is not there, and of one that was not read."""

_MISSING = ("does not exist", "no such file", "not a directory", _UNREAD)
"""What a refusal over a missing path says, in lower case. A refusal by a permission rule says none
of them and stays unanswered."""

_HINT = "Did you mean"
"""Claude Code's own suggestion, for another extension and for a dropped project folder."""

_FOREIGN = ("COPILOT_CLI", "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
"""Set by other programs that run the hooks of `.claude/settings.json`, in part under other field
names. They set CLAUDE_PROJECT_DIR too, so that one tells nothing."""

_LIMIT = 9_000
"""Characters of context an answer. Above 10,000 Claude Code writes them to a file instead."""


def at_stake(event: Mapping[str, Any]) -> Sequence[tuple[str, Kind]] | None:
    """Return the paths that must exist for the event to need no thought (see `protocol.Host`)."""
    phase = _PHASES.get(_text(event, "hook_event_name"))
    if phase in {"before", "failure"}:
        return () if event.get("is_interrupt") else _paths(event, _text(event, "cwd"))
    if phase == "prompt":
        return None
    if phase != "batch":
        return ()
    every: list[tuple[str, Kind]] = []
    for entry in _refused(event):
        paths = _paths(entry, _text(event, "cwd"))
        if paths is None:
            return None
        every.extend(paths)
    return every


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Request

    name = _text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or event.get("is_interrupt") or _foreign(event, environ):
        return None
    exchanges = tuple(_exchanges(event, phase))
    if not exchanges and phase != "start":
        return None
    return Request(
        phase=phase,
        event=name,
        exchanges=exchanges,
        project=environ.get("CLAUDE_PROJECT_DIR") or None,
        cwd=_text(event, "cwd") or None,
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    Never a permission: `allow` would lift the user's own rules, `ask` and `block` stop the run.
    """
    if request.phase == "before":
        output = _before(request.exchanges[0].call, decisions[0])
    else:
        output = _context(_texts(request.exchanges, decisions))
    return {"hookSpecificOutput": {"hookEventName": request.event, **output}} if output else None


def settings(command: str, *, timeout: int = 10) -> dict[str, Any]:
    """Return the settings that hook `command` into Claude Code.

    Args:
        command: A shell command that answers hook events, such as `truepath hook claude-code`.
        timeout: Seconds until Claude Code goes on without an answer; its own default is 600.
    """
    # Status 2 blocks the call, and 2 is what Python gives for a script that is gone: say 0 always.
    hook = {"type": "command", "command": f"{command} || true", "timeout": timeout}
    return {
        "hooks": {
            "PreToolUse": [{"matcher": "|".join((*_AT_STAKE, "Bash")), "hooks": [hook]}],
            "PostToolUseFailure": [{"hooks": [hook]}],
            "PostToolBatch": [{"hooks": [hook]}],
            "UserPromptSubmit": [{"hooks": [hook]}],
        }
    }


def _before(call: ToolCall, decision: Decision) -> dict[str, Any]:
    if decision.action == "refuse" and decision.text:
        return {
            "permissionDecision": "deny",
            "permissionDecisionReason": decision.text[:_LIMIT],
        }
    context = _context([decision.text])
    if decision.action != "rewrite":
        return context
    # The answer replaces the whole input: a field left out makes the call fail validation.
    return {"updatedInput": {**call.arguments, **decision.arguments}, **context}


def _context(texts: Sequence[str]) -> dict[str, Any]:
    told, room = [], _LIMIT
    for text in texts:
        if text and len(text) <= room:
            told.append(text)
            room -= len(text)
    return {"additionalContext": "\n\n".join(told)} if told else {}


def _texts(exchanges: Sequence[Exchange], decisions: Sequence[Decision]) -> list[str]:
    return [
        decision.text
        for exchange, decision in zip(exchanges, decisions, strict=True)
        if decision.shift or not exchange.hinted
    ]


def _exchanges(event: Mapping[str, Any], phase: Phase) -> Iterator[Exchange]:
    from truepath.call import Outcome
    from truepath.hosts.protocol import Exchange

    if phase == "prompt" or (phase == "before" and _text(event, "tool_name")):
        yield Exchange(_call(event, event))
    elif phase == "failure" and _text(event, "tool_name"):
        error = _text(event, "error")
        yield Exchange(_call(event, event), Outcome(error=error), hinted=_HINT in error)
    elif phase == "batch":
        for entry in _refused(event):
            error = _unwrapped(entry["tool_response"])
            yield Exchange(_call(entry, event), Outcome(error=error), hinted=_HINT in error)


def _call(entry: Mapping[str, Any], event: Mapping[str, Any]) -> ToolCall:
    from truepath.call import ToolCall

    return ToolCall(
        tool=_text(entry, "tool_name"),
        arguments=_input(entry),
        session=_text(event, "session_id"),
        agent=_text(event, "agent_id"),
        cwd=_text(event, "cwd") or None,
        host=NAME,
        call_id=_text(entry, "tool_use_id"),
        prompt=_text(event, "prompt"),
    )


def _refused(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    calls = event.get("tool_calls")
    for entry in calls if isinstance(calls, list) else ():
        if isinstance(entry, dict) and _text(entry, "tool_name"):
            text = _text(entry, "tool_response")
            if text.startswith(_REFUSED) and any(words in text.lower() for words in _MISSING):
                yield entry


def _unwrapped(text: str) -> str:
    plain = text.removeprefix(_REFUSED).removesuffix(_REFUSED.replace("<", "</"))
    return f"{plain} (or no such file)" if _UNREAD in plain else plain


def _paths(entry: Mapping[str, Any], cwd: str) -> tuple[tuple[str, Kind], ...] | None:
    known = _AT_STAKE.get(_text(entry, "tool_name"))
    if known is None:
        return None
    argument, kind = known
    written = _input(entry).get(argument)
    if written is None and kind != "file":
        return ()  # a search without a path searches the working directory
    return ((os.path.join(cwd, written), kind),) if isinstance(written, str) and written else None


def _foreign(event: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    return "cursor_version" in event or any(name in environ for name in _FOREIGN)


def _input(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    value = entry.get("tool_input")
    return value if isinstance(value, dict) else {}


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
