"""Gemini CLI's hook protocol: its events in, its answers out. Pure; knows no disk and no engine.

Every statement about the program was observed by running 0.61.0.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import line_of, table, tables, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Phase, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes
    from truepath.types import Decision, Outcome, ToolCall

NAME = "gemini"
TITLE = "Gemini CLI"

_PHASES: dict[str, Phase] = {
    "BeforeTool": "before",
    "AfterTool": "failure",
    "BeforeAgent": "prompt",
}
"""A call that validation refuses (a path outside the workspace, `glob` and `grep_search` where no
folder is) fires none of them, and a call that was denied has no AfterTool."""

_SHELL = "run_shell_command"

_STATUS = "\nExit Code: "
"""Stands in what the shell tool returns, after the output, where the status was not 0."""

STAKES: Stakes = {
    "event": "hook_event_name",
    "tool": "tool_name",
    "input": "tool_input",
    "cwd": "cwd",
    "session": "session_id",
    "agent": "",
    "calls": ("BeforeTool",),
    "failures": (),
    # A key of the event, which no text inside it can look like, and the shell's failure.
    "marks": {"AfterTool": ('"error":', "exit code: ")},
    "paths": {
        "read_file": ("file_path", "file"),
        "write_file": ("file_path", "new"),
        "replace": ("file_path", "file"),
        "list_directory": ("dir_path", "folder"),
        "glob": ("dir_path", "folder"),
        "grep_search": ("dir_path", "any"),
    },
    "commands": {_SHELL: ("command", "dir_path")},
    "others": True,
}

_MODEL, _USER = b'"type":"gemini"', b'"type":"user"'
"""In a line of the session's record: the model speaks; the user's side does."""

_SYSTEM = ("/etc/gemini-cli", "/Library/Application Support/GeminiCli")
_POLICIES = tuple(f"{folder}/policies" for folder in _SYSTEM)
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""

_SYSTEM_SETTINGS = ("settings", "system-defaults")
_HOOK_FILES = ("settings.json", "extensions/*/hooks/hooks.json")

_CALL = "exec 3<&0; trap 'kill $!' TERM; {client} <&3 & wait $!; exit 0"
"""How the client is called. Any status from 2 on blocks the call, 127 of a command that is gone
among them. When the time is up the shell alone is ended, and the call then waits for whoever still
holds the shell's output: so the client has to end with it."""

_LIMIT = 9_000
"""Characters of an answer's text; no limit of the program's was met."""


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:
    """Return the event in our words, or None for one that is not ours to answer."""
    from truepath.hosts.protocol import Exchange, Request

    name = text(event, "hook_event_name")
    phase = _PHASES.get(name)
    if phase is None or (phase != "prompt" and not text(event, "tool_name")):
        return None
    return Request(
        phase=phase,
        event=name,
        exchanges=(Exchange(_call(event), _outcome(event) if phase == "failure" else None),),
        project=environ.get("GEMINI_PROJECT_DIR") or None,
        cwd=text(event, "cwd") or None,
        record=text(event, "transcript_path") or None,
        late=True,
    )


def encode(request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """Return the answer for one decision an exchange, or None to say nothing.

    Before a call, words reach the model as the reason of a denial and in no other way. The answer's
    `tool_input` takes the place of the whole input, whatever the manual says of merging.
    """
    call, outcome, decision = request.exchanges[0].call, request.exchanges[0].outcome, decisions[0]
    words = decision.text[:_LIMIT]
    if outcome is not None:
        return _after(request.event, outcome, words) if words else None
    if decision.action == "refuse" and words:
        return {"decision": "deny", "reason": words}
    if decision.action != "rewrite":
        return None
    return _said(request.event, tool_input={**call.arguments, **decision.arguments})


def recall(call: ToolCall, record: bytes) -> ToolCall:
    """Return `call` with the model's turn and the user's last words (see `protocol.Host`).

    An answer of the model is recorded before the hooks of its calls run, and its id is the turn.
    Sub-agents are recorded elsewhere and their events name none: theirs is the turn of the answer
    that called the sub-agent.
    """
    from dataclasses import replace

    turn, typed = "", ""
    for line in reversed(record.splitlines()):
        if not turn and _MODEL in line:
            turn = _id_of(line)
        elif _USER in line:
            typed = _typed(line)
        if typed:
            break
    return replace(call, turn=turn or call.turn, prompt=typed or call.prompt)


def rule_files(environ: Mapping[str, str], root: str) -> Sequence[str]:
    """Return the files that hold policies and ignored paths (see `protocol.Host`)."""
    from truepath.hosts.rules import folders

    home = environ.get("GEMINI_CLI_HOME") or environ.get("HOME", "")
    places = folders(root, environ.get("GEMINI_PROJECT_DIR"))
    ours = [f"{folder}/.gemini/policies" for folder in (home, *places)]
    policies = [f"{folder}/*.toml" for folder in (*_POLICIES, *ours)]
    return (*policies, *(f"{folder}/.geminiignore" for folder in places))


def rules(files: Mapping[str, str], environ: Mapping[str, str], root: str) -> Rules:  # noqa: ARG001
    """Return what policies deny or ask about, and what is ignored (see `protocol.Host`).

    Observed: a policy is applied to the corrected call, and no more to the one that was written; a
    call corrected towards an ignored file is refused. Which of two policies is the stronger is not
    weighed here. Where a file cannot be understood, every call counts as denied.
    """
    from truepath.hosts.rules import Rules, ignored

    denied = [rule for path in files if path.endswith(".toml") for rule in _denied(files[path])]
    lists = [path for path in files if path.endswith("ignore")]
    hidden = [glob for path in lists for glob in ignored(path, files[path], root)]
    return Rules(tuple(hidden), lambda tool, arguments: _is_denied(denied, tool, arguments))


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`).

    Observed: each hook gets the call as the model wrote it. Those of extensions and of an
    organisation are documented, not run.
    """
    from truepath.hosts.hooks import Hooks
    from truepath.hosts.rules import folders

    home = environ.get("GEMINI_CLI_HOME") or environ.get("HOME", "")
    places = (home, *folders(root, environ.get("GEMINI_PROJECT_DIR")))
    named = environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "")
    system = tuple((folder, f"{name}.json") for folder in _SYSTEM for name in _SYSTEM_SETTINGS)
    own = tuple((at, f".gemini/{name}") for at in places for name in _HOOK_FILES)
    return Hooks(
        settings=(os.path.split(named), *system, *own),
        events=("beforetool",),
        plugins=tuple((at, ".gemini/extensions/*/.gemini-extension-install.json") for at in places),
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Gemini CLI call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    hook = {
        "name": "truepath",
        "type": "command",
        "command": _CALL.format(client=client),
        "timeout": timeout * 1000,
    }
    tools = "|".join((*STAKES["paths"], *STAKES["commands"]))
    hooks = {
        "BeforeTool": [{"matcher": f"^({tools})$", "hooks": [hook]}],
        "AfterTool": [{"matcher": f"^({tools})$", "hooks": [hook]}],
        "BeforeAgent": [{"hooks": [hook]}],
    }
    piece = Piece(".gemini/settings.json", ".gemini/settings.json", {"hooks": hooks})
    return Setup("", "GEMINI_CLI_HOME", (piece,), below=False)


def _denied(content: str) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the tools and the pattern for arguments of each policy that does not allow.

    One that has no pattern denies a call as it was written and as it was corrected alike: it is
    none of ours.
    """
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        policies = tables(tomllib.loads(content), "rule")
    except (ValueError, RecursionError):
        yield ("*",), ""
        return
    for policy in policies:
        if policy.get("decision") != "allow":
            for pattern in _patterns(policy):
                yield _each(policy.get("toolName", "*")), pattern


def _patterns(policy: Mapping[str, Any]) -> Iterator[str]:
    """Yield a policy's patterns for arguments, as the program itself writes them out."""
    import json
    import re

    for prefix in _each(policy.get("commandPrefix", ())):
        yield re.escape(f'"command":{json.dumps(prefix)[:-1]}') + r'(?:[\s"]|\\")'
    for name, before in (("commandRegex", '"command":"'), ("argsPattern", "")):
        if text(policy, name):
            yield before + text(policy, name)


def _each(value: object) -> Sequence[str]:
    """Return the texts of a field that holds one or a list."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    return [each for each in listed if isinstance(each, str)]


def _is_denied(
    denied: Sequence[tuple[Sequence[str], str]], tool: str, arguments: Mapping[str, Any]
) -> bool:
    named = [pattern for tools, pattern in denied if tool in tools or "*" in tools]
    if not named:
        return False
    import re

    from truepath.hosts.rules import commands_in

    forms = [arguments]
    if tool == _SHELL:
        commands = commands_in(text(arguments, "command"))
        forms += [{**arguments, "command": command} for command in commands]
    try:
        return any(re.search(pattern, _stable(form)) for form in forms for pattern in named)
    except re.error:  # the program has another dialect
        return True


def _stable(arguments: Mapping[str, Any]) -> str:
    """Return arguments as the text that the program tests policies on."""
    import json

    def written(value: Any) -> str:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    pairs = (f"\0{written(name)}:{written(arguments[name])}\0" for name in sorted(arguments))
    return f"{{{','.join(pairs)}}}"


def _call(event: Mapping[str, Any]) -> ToolCall:
    from truepath.types import ToolCall

    return ToolCall(
        tool=text(event, "tool_name"),
        arguments=table(event, "tool_input"),
        session=text(event, "session_id"),
        cwd=text(event, "cwd") or None,
        host=NAME,
        prompt=text(event, "prompt"),
    )


def _outcome(event: Mapping[str, Any]) -> Outcome:
    """Return what came of a call; `output` is what the model reads of it whatever we say."""
    from truepath.types import Outcome

    response = table(event, "tool_response")
    if "error" in response:
        return Outcome(error=text(table(response, "error"), "message") or "failed")
    output = text(response, "llmContent")
    failed = text(event, "tool_name") == _SHELL and _STATUS in output
    return Outcome(error=output.rpartition(_STATUS)[0] if failed else None, output=output)


def _after(event: str, outcome: Outcome, words: str) -> dict[str, Any]:
    if outcome.output is not None:
        return _said(event, additionalContext=words)
    # After a failure only a denial is read, and its reason takes the place of the tool's error.
    return {"decision": "deny", "reason": f"{outcome.error}\n\n{words}"}


def _said(event: str, **output: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **output}}


def _id_of(line: bytes) -> str:
    entry = line_of(line)
    return text(entry, "id") if entry.get("type") == "gemini" else ""


def _typed(line: bytes) -> str:
    """Return what the user typed; "" where a tool or the program speaks in the user's name.

    The files that a prompt refers to follow it, in parts of their own.
    """
    entry = line_of(line)
    if entry.get("type") != "user":
        return ""
    parts = tables(entry, "displayContent") or tables(entry, "content")
    said = text(parts[0], "text") if parts else ""
    return "" if said.lstrip().startswith("<") else said
