"""Claude Code's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

Every statement about the program was observed by running 2.1.197 and 2.1.330.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import line_of, table, tables, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Exchange, Phase, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, ToolCall

NAME = "claude-code"
TITLE = "Claude Code"

_PHASES: dict[str, Phase] = {
    "PreToolUse": "before",
    "PostToolUseFailure": "failure",
    "PostToolBatch": "batch",
    "UserPromptSubmit": "prompt",
    "SessionStart": "start",
}

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "agent_id",
    "calls": ("PreToolUse",),
    "failures": ("PostToolUseFailure",),
    "marks": {"PostToolBatch": ("tool_use_error",)},
    "paths": {
        "Read": ("file_path", "file"),
        "Edit": ("file_path", "file"),
        "Write": ("file_path", "new"),
        "NotebookEdit": ("notebook_path", "file"),
        "Glob": ("path", "folder"),
        "Grep": ("path", "any"),
    },
    "commands": {"Bash": ("command", "")},
    "others": True,
}

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

_USER, _RESULT = b'"type":"user"', b'"tool_use_id"'
"""In a line of the session's record: the user's side speaks; a tool does. In a text that somebody
typed the quotes would be escaped."""

_NOT_TYPED = ("isMeta", "isSidechain", "isCompactSummary")

_MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d/*.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.d/*.json",
)
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""

_SETTINGS = ("settings.json", "settings.local.json")
"""A project's settings, in `.claude`."""

_PAGES = ("agents/*.md", "commands/*.md", "skills/*/SKILL.md")
"""Texts with settings at their head, hooks among them (documented, not run)."""

_LIMIT = 9_000
"""Characters of context an answer. Above 10,000 Claude Code writes them to a file instead."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Request

    name = text(event, "hook_event_name")
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
        cwd=text(event, "cwd") or None,
        record=text(event, "transcript_path") or None,
    )


def recall(call: ToolCall, record: bytes) -> ToolCall:
    """Return `call` with the model's turn and the user's last words (see `protocol.Host`).

    The record holds both before the hooks run: at 2.1.330 each call of a turn is a line, and the
    lines of a turn have one message id. A sub-agent's calls are recorded elsewhere.
    """
    from dataclasses import replace

    turn, typed = "", ""
    for line in reversed(record.splitlines()):
        if call.call_id and not turn and call.call_id.encode("utf-8", "replace") in line:
            turn = _turn_of(line, call.call_id)
        elif _USER in line and _RESULT not in line:
            typed = _typed(line)
        if typed:
            break
    return replace(call, turn=turn or call.turn, prompt=typed or call.prompt)


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    Never a permission: `allow` would lift the user's own rules, `ask` and `block` stop the run.
    """
    if request.phase == "before":
        output = _before(request.exchanges[0].call, decisions[0])
    else:
        output = _context(_texts(request.exchanges, decisions))
    return {"hookSpecificOutput": {"hookEventName": request.event, **output}} if output else None


def rule_files(environ: Mapping[str, str], root: str) -> Sequence[str]:
    """Return the files that hold permission rules (see `protocol.Host`)."""
    from truepath.hosts.rules import folders

    home = environ.get("CLAUDE_CONFIG_DIR") or f"{environ.get('HOME', '')}/.claude"
    # Those of the folder that it was started in, and of the root what was agreed to there.
    places = folders(root, environ.get("CLAUDE_PROJECT_DIR"))
    ours = [f"{folder}/.claude/{name}" for folder in places for name in _SETTINGS]
    return (*_MANAGED, f"{home}/settings.json", *ours)


def rules(files: Mapping[str, str], environ: Mapping[str, str], root: str) -> Rules:
    """Return what the rules in settings deny (see `protocol.Host`).

    Observed at 2.1.197 and 2.1.330: a rule that denies a path holds before and after a correction;
    one that asks, and any on a shell command, is not applied to the call as it was written. A rule
    on a command holds for it behind others too (`timeout 5`, `A=1`, `then`) and in quotes, and one
    on a path for what commands read and change. The case of a path does not matter.
    """
    from truepath.hosts.rules import Rules, caseless, hidden_by, matches_any

    hidden: list[str] = []
    asked: list[str] = []
    unchanged: list[str] = []
    commands: list[str] = []
    for rule, asks in _permissions(files.values()):
        tool, _, rest = rule.partition("(")
        pattern = rest.removesuffix(")")
        if tool == "Bash":
            words = pattern.removesuffix(":*")
            commands.append(pattern or "*" if words == pattern else f"{words} *")
        elif tool in ("Read", "Edit") and pattern:
            start = environ.get("CLAUDE_PROJECT_DIR")
            globs = map(caseless, hidden_by(pattern, environ.get("HOME", ""), root, start))
            (unchanged if tool == "Edit" else asked if asks else hidden).extend(globs)

    def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
        return tool == "Bash" and matches_any(text(arguments, "command"), commands)

    return Rules(tuple(hidden), forbids, tuple(asked), tuple(unchanged))


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`).

    Observed at 2.1.330: all hooks of an event get the call as the model wrote it, and what one of
    them puts in its place is seen by none. Plugins, skills, agents and commands may have hooks too.
    """
    from truepath.hosts.hooks import Hooks
    from truepath.hosts.rules import folders

    home = environ.get("CLAUDE_CONFIG_DIR") or f"{environ.get('HOME', '')}/.claude"
    places = folders(root, environ.get("CLAUDE_PROJECT_DIR"))
    files = ((at, f".claude/{name}") for at in places for name in _SETTINGS)
    ours = (home, *(f"{at}/.claude" for at in places))
    return Hooks(
        settings=(*map(os.path.split, _MANAGED), (home, "settings.json"), *files),
        events=("pretooluse",),
        programs=tuple((at, pages) for at in ours for pages in _PAGES),
        marks=("PreToolUse",),
        plugins=((home, "plugins/installed_plugins.json"),),
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Claude Code call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    # Status 2 blocks the call, and 2 is what Python gives for a script that is gone: say 0 always.
    hook = {"type": "command", "command": f"{client} || true", "timeout": timeout}
    tools = "|".join((*STAKES["paths"], *STAKES["commands"]))
    hooks = {
        "PreToolUse": [{"matcher": tools, "hooks": [hook]}],
        "PostToolUseFailure": [{"hooks": [hook]}],
        "PostToolBatch": [{"hooks": [hook]}],
        "UserPromptSubmit": [{"hooks": [hook]}],
    }
    settings = Piece("settings.json", ".claude/settings.json", {"hooks": hooks})
    return Setup(".claude", "CLAUDE_CONFIG_DIR", (settings,), below=False)


def _permissions(files: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each rule that denies or asks, and whether it asks."""
    for content in files:
        permissions = table(line_of(content.encode("utf-8", "replace")), "permissions")
        for name in ("deny", "ask"):
            listed = permissions.get(name)
            for rule in listed if isinstance(listed, list) else ():
                if isinstance(rule, str):
                    yield rule, name == "ask"


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
    for each in texts:
        if each and len(each) <= room:
            told.append(each)
            room -= len(each)
    return {"additionalContext": "\n\n".join(told)} if told else {}


def _texts(exchanges: Sequence[Exchange], decisions: Sequence[Decision]) -> list[str]:
    return [
        decision.text
        for exchange, decision in zip(exchanges, decisions, strict=True)
        if not decision.repeated and (decision.shift or not exchange.hinted)
    ]


def _exchanges(event: Mapping[str, Any], phase: Phase) -> Iterator[Exchange]:
    from truepath.hosts.protocol import Exchange
    from truepath.types import Outcome

    if phase == "prompt" or (phase == "before" and text(event, "tool_name")):
        yield Exchange(_call(event, event))
    elif phase == "failure" and text(event, "tool_name"):
        error = text(event, "error")
        yield Exchange(_call(event, event), Outcome(error=error), hinted=_HINT in error)
    elif phase == "batch":
        for entry in _refused(event):
            error = _unwrapped(entry["tool_response"])
            yield Exchange(_call(entry, event), Outcome(error=error), hinted=_HINT in error)


def _call(entry: Mapping[str, Any], event: Mapping[str, Any]) -> ToolCall:
    from truepath.types import ToolCall

    return ToolCall(
        tool=text(entry, "tool_name"),
        arguments=table(entry, "tool_input"),
        session=text(event, "session_id"),
        agent=text(event, "agent_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
        call_id=text(entry, "tool_use_id"),
        prompt=text(event, "prompt"),
    )


def _refused(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for entry in tables(event, "tool_calls"):
        said = text(entry, "tool_response")
        if said.startswith(_REFUSED) and any(words in said.lower() for words in _MISSING):
            yield entry


def _unwrapped(said: str) -> str:
    plain = said.removeprefix(_REFUSED).removesuffix(_REFUSED.replace("<", "</"))
    return f"File does not exist. {plain}" if _UNREAD in plain else plain


def _turn_of(line: bytes, call_id: str) -> str:
    """Return the id of the message in which the model made a call; "" in any other line."""
    message = table(line_of(line), "message")
    made = [each.get("id") for each in tables(message, "content") if each.get("type") == "tool_use"]
    return text(message, "id") if call_id in made else ""


def _typed(line: bytes) -> str:
    """Return what the user typed; "" where the program or a sub-agent's caller speaks."""
    entry = line_of(line)
    if entry.get("type") != "user" or any(entry.get(mark) for mark in _NOT_TYPED):
        return ""
    message = table(entry, "message")
    parts = [text(each, "text") for each in tables(message, "content")]
    return text(message, "content") or "\n".join(filter(None, parts))


def _foreign(event: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    # VS Code tells when an event happened, and never the mode (from its source, not run).
    vscode = "timestamp" in event and "permission_mode" not in event
    return vscode or "cursor_version" in event or any(name in environ for name in _FOREIGN)
