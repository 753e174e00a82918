"""Qwen Code's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

Every statement about the program was observed by running 0.24.4.
"""

from __future__ import annotations

from truepath.hosts.fields import line_of, table, tables, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Exchange, Phase, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, Outcome, ToolCall

NAME = "qwen"
TITLE = "Qwen Code"

_PHASES: dict[str, Phase] = {
    "PreToolUse": "before",
    "PostToolUseFailure": "failure",
    "PostToolBatch": "batch",
    "UserPromptSubmit": "prompt",
}

_REFUSED = "invalid_tool_params"
"""The kind of error of a call that validation refused: a relative path, a search in a folder that
is not there. Such a call fires no event but PostToolBatch. All others that failed had their own
before, and our denials have another kind: neither is answered or counted a second time."""

_RELATIVE = "must be absolute"
"""What a refusal says of a relative path, which may be there or not: that is looked up."""

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "agent_id",
    "calls": ("PreToolUse",),
    "failures": ("PostToolUseFailure",),
    "marks": {"PostToolBatch": (_REFUSED,)},
    "paths": {
        "read_file": ("file_path", "file"),
        "edit": ("file_path", "file"),
        "write_file": ("file_path", "new"),
        "notebook_edit": ("notebook_path", "file"),
        "glob": ("path", "folder"),
        "grep_search": ("path", "any"),
        "list_directory": ("path", "folder"),
    },
    "commands": {"run_shell_command": ("command", "directory")},
    "others": True,
}

_TYPED = b'"provenance":"real_user"'
"""In a line of the session's record: the user typed it."""

_READS = ("Read", "ReadFile", "read_file")
"""The names in a permission rule for what keeps a file from being read."""

_SYSTEM = ("/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json")
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""

_LIMIT = 9_000
"""Characters of an answer's text; no limit of the program's was met."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Request

    name = text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or event.get("is_interrupt"):
        return None
    exchanges = tuple(_exchanges(event, phase))
    if not exchanges:
        return None
    return Request(
        phase=phase,
        event=name,
        exchanges=exchanges,
        project=environ.get("QWEN_PROJECT_DIR") or None,
        cwd=text(event, "cwd") or None,
        record=text(event, "transcript_path") or None,
        rewrites=False,
        late=True,
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    Before a call a denial alone is heard: `updatedInput` and context are dropped. After it context
    alone is. The reason and the context are read as they are, but for `<` and `>` of the context.
    """
    if request.phase == "before":
        output = _before(decisions[0])
    else:
        told = "\n\n".join(each.text for each in decisions if each.text and not each.repeated)
        output = {"additionalContext": told[:_LIMIT]} if told else {}
    return {"hookSpecificOutput": {"hookEventName": request.event, **output}} if output else None


def recall(call: ToolCall, record: bytes) -> ToolCall:
    """Return `call` with the model's turn and the user's last words (see `protocol.Host`).

    The record holds both before the hooks run: an answer of the model is a line, with all its calls
    and an id. A sub-agent's calls are recorded elsewhere.
    """
    from dataclasses import replace

    turn, typed = "", ""
    for line in reversed(record.splitlines()):
        if call.call_id and not turn and call.call_id.encode("utf-8", "replace") in line:
            turn = _turn_of(line, call.call_id)
        elif _TYPED in line:
            typed = _typed(line)
        if typed:
            break
    return replace(call, turn=turn or call.turn, prompt=typed or call.prompt)


def rule_files(environ: Mapping[str, str], root: str) -> Sequence[str]:
    """Return the files that hold permission rules and ignored paths (see `protocol.Host`)."""
    from truepath.hosts.rules import folders

    home = environ.get("QWEN_HOME") or f"{environ.get('HOME', '')}/.qwen"
    places = folders(root, environ.get("QWEN_PROJECT_DIR"))
    ours = [f"{at}/{name}" for at in places for name in (".qwen/settings.json", ".qwenignore")]
    return (*_SYSTEM, f"{home}/settings.json", *ours)


def rules(files: Mapping[str, str], environ: Mapping[str, str], root: str) -> Rules:
    """Return which files are not to be named (see `protocol.Host`).

    Rules are applied to a call before its hooks, and no call runs on another path than it came
    with: there is nothing to lead around.
    """
    from truepath.hosts.rules import Rules, hidden_by, ignored

    hidden: list[str] = []
    home, start = environ.get("HOME", ""), environ.get("QWEN_PROJECT_DIR")
    for path, content in files.items():
        if path.endswith("ignore"):
            hidden += ignored(path, content, root)
        else:
            for pattern in _unread(content):
                hidden += hidden_by(pattern, home, root, start)
    return Rules(tuple(hidden))


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`)."""
    from truepath.hosts.hooks import Hooks
    from truepath.hosts.rules import folders

    home = environ.get("QWEN_HOME") or f"{environ.get('HOME', '')}/.qwen"
    places = folders(root, environ.get("QWEN_PROJECT_DIR"))
    files = ((at, ".qwen/settings.json") for at in places)
    return Hooks(settings=((home, "settings.json"), *files), events=("pretooluse",))


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Qwen Code call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    # Status 2 blocks the call, and 2 is what Python gives for a script that is gone: say 0 always.
    hook = {
        "name": "truepath",
        "type": "command",
        "command": f"{client} || true",
        "timeout": min(timeout, 999),  # seconds, but 1000 and above are milliseconds
    }
    tools = "|".join((*STAKES["paths"], *STAKES["commands"]))
    hooks = {
        "PreToolUse": [{"matcher": f"^({tools})$", "hooks": [hook]}],
        "PostToolUseFailure": [{"matcher": f"^({tools})$", "hooks": [hook]}],
        "PostToolBatch": [{"hooks": [hook]}],
        "UserPromptSubmit": [{"hooks": [hook]}],
    }
    settings = Piece("settings.json", ".qwen/settings.json", {"hooks": hooks})
    return Setup(".qwen", "QWEN_HOME", (settings,), below=False)


def _unread(content: str) -> Iterator[str]:
    """Yield the pattern of each rule against reading in a file of settings."""
    permissions = table(line_of(content.encode("utf-8", "replace")), "permissions")
    denied = permissions.get("deny")
    for rule in denied if isinstance(denied, list) else ():
        tool, _, rest = rule.partition("(") if isinstance(rule, str) else ("", "", "")
        pattern = rest.removesuffix(")")
        if tool in _READS and pattern:
            yield pattern


def _before(decision: Decision) -> dict[str, Any]:
    if decision.action != "refuse" or not decision.text:
        return {}
    return {
        "permissionDecision": "deny",
        "permissionDecisionReason": decision.text[:_LIMIT],
    }


def _exchanges(event: Mapping[str, Any], phase: Phase) -> Iterator[Exchange]:
    from truepath.hosts.protocol import Exchange
    from truepath.types import Outcome

    if phase == "prompt":
        # The program itself "submits" the results of tools; what a user typed stands apart.
        if text(event, "submitted_prompt"):
            yield Exchange(_call(event, event))
    elif phase == "batch":
        for entry in tables(event, "tool_calls"):
            outcome = _outcome(entry)
            if outcome is not None and text(entry, "tool_name"):
                yield Exchange(_call(entry, event), outcome)
    elif text(event, "tool_name"):
        failed = Outcome(error=text(event, "error")) if phase == "failure" else None
        yield Exchange(_call(event, event), failed)


def _call(entry: Mapping[str, Any], event: Mapping[str, Any]) -> ToolCall:
    from truepath.types import ToolCall

    return ToolCall(
        tool=text(entry, "tool_name"),
        arguments=table(entry, "tool_input"),
        session=text(event, "session_id"),
        agent=text(event, "agent_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
        # The model's own; `tool_use_id` is another one in each kind of event.
        call_id=text(entry, "tool_call_id"),
        prompt=text(event, "submitted_prompt"),
    )


def _outcome(entry: Mapping[str, Any]) -> Outcome | None:
    """Return what came of a call in a batch; None where another event has shown it."""
    from truepath.types import Outcome

    if entry.get("status") == "success":
        return Outcome()
    response = table(entry, "tool_response")
    if response.get("error_type") != _REFUSED:
        return None
    error = text(response, "error")
    return Outcome(error=f"File not found. {error}" if _RELATIVE in error else error)


def _turn_of(line: bytes, call_id: str) -> str:
    """Return the id of the answer in which the model made a call; "" in any other line."""
    entry = line_of(line)
    parts = tables(table(entry, "message"), "parts")
    made = [text(table(part, "functionCall"), "id") for part in parts]
    return text(entry, "uuid") if call_id in made else ""


def _typed(line: bytes) -> str:
    """Return what the user typed; the files that it refers to follow in parts of their own."""
    entry = line_of(line)
    parts = tables(table(entry, "message"), "parts")
    return text(parts[0], "text") if parts and entry.get("type") == "user" else ""
