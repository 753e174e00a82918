"""Codex's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

Every statement about the program was observed by running 0.169.0.
"""

from __future__ import annotations

from truepath.hosts.fields import line_of, table, tables, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Phase, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, ToolCall

NAME = "codex"
TITLE = "Codex"

_PHASES: dict[str, Phase] = {
    "PreToolUse": "before",
    "PostToolUse": "failure",
    "UserPromptSubmit": "prompt",
}
"""There is no event for a failure: a shell command that failed has a PostToolUse like any other,
an `apply_patch` that failed has none at all."""

_TOOLS = ("Bash", "apply_patch")
"""Every shell tool is called Bash here. What these two do is checked by the sandbox and the rules
again after a rewrite, so the `allow` that a rewrite must carry lifts nothing; of other tools (those
of MCP servers among them) nobody knows that."""

_SAYS_MISSING = (
    "no such", "exist", "not found", "not match", "enoent", "enotdir", "cannot find",
    "not a directory", "can't cd", "could not", "unable to", "unknown revision", "not contain",
    "is not a", "fileexception", "no files match", "error opening dir", "filenotfound",
    "destination=", "e902",
)  # fmt: skip
"""What the end of an output holds that may tell of a missing path, in lower case. There is no exit
status to go by."""

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "agent_id",
    "calls": ("PreToolUse",),
    "failures": (),
    "marks": {"PostToolUse": _SAYS_MISSING},
    "paths": {},
    "commands": {"Bash": ("command", "")},
    "others": True,
}

_END = 5
"""Lines at the end of an output that count as its error; a program says it last, `make` and `npm`
a few lines before."""

_SHOWS_TEXT = ("rg", "grep", "git", "ag", "ack")
"""Commands that print lines of files: what stands there is no error."""

_ANSWER, _USER = b'"response_id":', b'"role":"user"'
"""In a line of the session's record: an answer of the model ended; the user's side speaks."""

_SYSTEM = "/etc/codex"
"""Where an organisation keeps rules (documented, not run)."""

_PLUGINS = tuple(
    f"plugins/cache/*/*/*/{name}"
    for name in ("hooks/hooks.json", ".codex-plugin/plugin.json", ".codex-plugin/hooks/hooks.json")
)
"""Where installed plugins have their hooks: marketplace, name and version in a cache."""

_LIMIT = 9_000
"""Characters of an answer's text; Codex keeps about 10,000."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:  # noqa: ARG001
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request
    from truepath.types import Outcome

    name = text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or (phase != "prompt" and text(event, "tool_name") not in _TOOLS):
        return None
    error = _error(event) if phase == "failure" else ""
    if phase == "failure" and not error:
        return None
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(_call(event), Outcome(error=error) if error else None),),
        cwd=text(event, "cwd") or None,
        record=text(event, "transcript_path") or None,
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    An input is replaced only together with `permissionDecision: "allow"`; without it Codex takes
    the whole answer for a failed hook and runs the call as it came.
    """
    decision = decisions[0]
    output = {} if request.phase == "failure" and decision.repeated else _context(decision.text)
    if request.phase == "before" and decision.action == "rewrite":
        call = request.exchanges[0].call
        changed = {**call.arguments, **decision.arguments}
        output = {"permissionDecision": "allow", "updatedInput": changed, **output}
    elif request.phase == "before" and decision.action == "refuse" and decision.text:
        reason = decision.text[:_LIMIT].removesuffix(".")  # Codex ends the sentence itself
        output = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": request.event, **output}} if output else None


def recall(call: ToolCall, record: bytes) -> ToolCall:
    """Return `call` with the model's turn and the user's last words (see `protocol.Host`).

    The record holds both before the hooks run: a line for each call of a model's answer, then one
    with the id of that answer. Calls that a script makes (Code Mode) are not in it.
    """
    from dataclasses import replace

    answer, turn, typed = "", "", ""
    for line in reversed(record.splitlines()):
        if not turn and _ANSWER in line:
            answer = text(_payload(line), "response_id") or answer
        elif call.call_id and not turn and call.call_id.encode("utf-8", "replace") in line:
            turn = answer if _made(_payload(line), call.call_id) else ""
        elif _USER in line:
            typed = _typed(_payload(line))
        if typed:
            break
    return replace(call, turn=turn or call.turn, prompt=typed or call.prompt)


def rule_files(environ: Mapping[str, str], root: str) -> Sequence[str]:
    """Return the files that hold rules for commands (see `protocol.Host`)."""
    from truepath.hosts.rules import folders

    home = environ.get("CODEX_HOME") or f"{environ.get('HOME', '')}/.codex"
    # Hooks run in the folder that Codex was started in, and every folder above may have rules.
    ours = [f"{folder}/.codex" for folder in folders(root, environ.get("PWD"))]
    return [f"{folder}/rules/*.rules" for folder in (_SYSTEM, home, *ours)]


def rules(files: Mapping[str, str], environ: Mapping[str, str], root: str) -> Rules:  # noqa: ARG001
    """Return what the rules for commands forbid or ask about (see `protocol.Host`).

    Observed at 0.169.0: they are applied to a corrected command, and no more to the one that was
    written. Where a file cannot be understood, every command counts as forbidden.
    """
    from truepath.hosts.rules import Rules

    patterns: list[list[Any]] = []
    readable = all(_read_rules(content, patterns) for content in files.values())

    def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
        if tool != "Bash" or (readable and not patterns):
            return False
        return not readable or _is_ruled(text(arguments, "command"), patterns)

    return Rules(forbids=forbids)


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`).

    Observed at 0.169.0: each hook gets the call as the model wrote it. Those of plugins and of an
    organisation are documented, not run.
    """
    from truepath.hosts.hooks import Hooks
    from truepath.hosts.rules import folders

    home = environ.get("CODEX_HOME") or f"{environ.get('HOME', '')}/.codex"
    ours = (home, *(f"{at}/.codex" for at in folders(root, environ.get("PWD"))))
    own = tuple((at, name) for at in ours for name in ("hooks.json", "config.toml"))
    return Hooks(
        settings=(
            (_SYSTEM, "*.toml"),
            (_SYSTEM, "hooks.json"),
            *own,
            *((home, n) for n in _PLUGINS),
        ),
        events=("pretooluse",),
        aliases={"apply_patch": ("Edit", "Write")},
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Codex call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    # Status 2 blocks the call, and 2 is what Python gives for a script that is gone: say 0 always.
    hook = {"type": "command", "command": f"{client} || true", "timeout": timeout}
    hooks = {
        "PreToolUse": [{"matcher": f"^({'|'.join(_TOOLS)})$", "hooks": [hook]}],
        "PostToolUse": [{"matcher": "^Bash$", "hooks": [hook]}],
        "UserPromptSubmit": [{"hooks": [hook]}],
    }
    piece = Piece("hooks.json", ".codex/hooks.json", {"hooks": hooks})
    trust = "Codex skips new hooks in silence: start it once, type /hooks and trust these."
    return Setup(".codex", "CODEX_HOME", (piece,), trust)


def _read_rules(content: str, patterns: list[list[Any]]) -> bool:
    """Add the patterns of a file of rules; return whether it could be read. Starlark reads as
    Python does.
    """
    import ast

    try:
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "prefix_rule":
                rule = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
                if rule.get("decision") != "allow":
                    patterns.append(list(rule["pattern"]))
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError):
        return False
    return True


def _is_ruled(command: str, patterns: Sequence[Sequence[Any]]) -> bool:
    import shlex

    from truepath.hosts.rules import programs_in

    try:
        shlex.split(command)
    except ValueError:
        return True
    parts = [_words(part) for part in programs_in(command)]
    return any(_begins(words, pattern) for words in parts for pattern in patterns)


def _words(command: str) -> list[str]:
    import shlex

    try:
        return shlex.split(command)
    except ValueError:  # it was cut within quotes
        return command.split()


def _begins(words: Sequence[str], pattern: Sequence[Any]) -> bool:
    """Whether a command begins as a rule has it; a list in it holds words of which any will do."""
    if len(words) < len(pattern):
        return False
    pairs = zip(words, pattern, strict=False)
    return all(word in (want if isinstance(want, list) else [want]) for word, want in pairs)


def _call(event: Mapping[str, Any]) -> ToolCall:
    from truepath.types import ToolCall

    # No turn: `turn_id` spans all that follows one prompt of the user.
    return ToolCall(
        tool=text(event, "tool_name"),
        arguments=table(event, "tool_input"),
        session=text(event, "session_id"),
        agent=text(event, "agent_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
        call_id=text(event, "tool_use_id"),
        prompt=text(event, "prompt"),
    )


def _error(event: Mapping[str, Any]) -> str:
    """Return the end of a command's output where it may say that a path is missing, else ""."""
    lines = [line for line in text(event, "tool_response").splitlines() if line.strip()]
    end = "\n".join(lines[-_END:])
    words = text(table(event, "tool_input"), "command").split(maxsplit=1)
    if text(event, "tool_name") != "Bash" or (words and words[0] in _SHOWS_TEXT):
        return ""
    return end if any(said in end.lower() for said in _SAYS_MISSING) else ""


def _payload(line: bytes) -> Mapping[str, Any]:
    return table(line_of(line), "payload")


def _made(item: Mapping[str, Any], call_id: str) -> bool:
    return text(item, "call_id") == call_id and text(item, "type").endswith("_call")


def _typed(item: Mapping[str, Any]) -> str:
    """Return what the user typed; "" for what the program says in the user's name, in tags."""
    said = "\n".join(text(part, "text") for part in tables(item, "content"))
    return "" if said.lstrip().startswith("<") else said


def _context(words: str) -> dict[str, Any]:
    return {"additionalContext": words[:_LIMIT]} if words else {}
