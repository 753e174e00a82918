"""Gemini CLI's hook protocol.

Every statement about the program was observed by running 0.61.0.
"""

from __future__ import annotations

import os

from truepath.hosts.event_schema import event_schema
from truepath.hosts.fields import line_of, table, tables, text
from truepath.hosts.host import LIMIT, Host

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.protocol import Environ, Event, Hooks, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.types import Decision, Outcome, ToolCall

_SHELL = "run_shell_command"

_STATUS = "\nExit Code: "
"""Stands in what the shell tool returns, after the output, where the status was not 0."""

_MODEL, _USER = b'"type":"gemini"', b'"type":"user"'
"""In a line of the session's record: the model speaks; the user's side does."""

_POLICIES = (
    "/etc/gemini-cli/policies/*.toml",
    "/Library/Application Support/GeminiCli/policies/*.toml",
)
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""

_SETTINGS = (
    "/etc/gemini-cli/settings.json",
    "/etc/gemini-cli/system-defaults.json",
    "/Library/Application Support/GeminiCli/settings.json",
    "/Library/Application Support/GeminiCli/system-defaults.json",
)
"""Its settings, among them hooks."""

_HOOKS = (".gemini/settings.json", ".gemini/extensions/*/hooks/hooks.json")
"""Those of extensions and of an organisation are documented, not run."""

_CALL = "exec 3<&0; trap 'kill $!' TERM; {client} <&3 & wait $!; exit 0"
"""How the client is called. Any status from 2 on blocks the call, 127 of a command that is gone
among them. When the time is up the shell alone is ended, and the call then waits for whoever still
holds the shell's output: so the client has to end with it."""


class GeminiCLI(Host):
    """A call that validation refuses (a path outside the workspace, `glob` and `grep_search` where
    no folder is) fires no event, and a call that was denied has no AfterTool.

    Before a call, words reach the model as the reason of a denial and in no other way.
    """

    NAME = "gemini"
    TITLE = "Gemini CLI"
    EVENTS = {"BeforeTool": "before", "AfterTool": "failure", "BeforeAgent": "prompt"}
    EVENT_SCHEMA = event_schema(
        EVENTS,
        {
            "read_file": ("file_path", "file"),
            "write_file": ("file_path", "new"),
            "replace": ("file_path", "file"),
            "list_directory": ("dir_path", "folder"),
            "glob": ("dir_path", "folder"),
            "grep_search": ("dir_path", "any"),
        },
        {_SHELL: ("command", "dir_path")},
        # A key of the event, which no text inside it can look like, and the shell's failure.
        marks={"AfterTool": ('"error":', "exit code: ")},
    )
    CALL_ID = ""
    RECORD = "transcript_path"
    PROJECT = START = "GEMINI_PROJECT_DIR"
    LATE = True
    NESTED = False
    REFUSAL = {"decision": "deny"}
    REASON = "reason"
    INPUT = "tool_input"  # in place of the whole input, whatever the manual says of merging
    HOME = ("", "GEMINI_CLI_HOME")
    SERVERS = (".gemini/settings.json", ".gemini/settings.json")
    RULE_FILES = (
        _POLICIES,
        (".gemini/policies/*.toml",),
        (".gemini/policies/*.toml", ".geminiignore"),
    )
    HOOK_FILES = (_SETTINGS, _HOOKS, _HOOKS)

    def outcome(self, event: Event) -> Outcome:
        """Return what came of a call; `output` is what the model reads of it whatever we say."""
        from truepath.types import Outcome

        response = table(event, "tool_response")
        if "error" in response:
            return Outcome(error=text(response, "error.message") or "failed")
        output = text(response, "llmContent")
        failed = text(event, "tool_name") == _SHELL and _STATUS in output
        return Outcome(error=output.rpartition(_STATUS)[0] if failed else None, output=output)

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return the answer before a call runs; a corrected input alone is nested."""
        said = super().before(request, decision)
        return _nested(request.event, said) if self.INPUT in said else said

    def after(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any]:
        """Return the answer after a call has run."""
        outcome, words = request.exchanges[0].outcome, decisions[0].text[:LIMIT]
        if not words or outcome is None:
            return {}
        if outcome.output is not None:
            return _nested(request.event, {self.WORDS: words})
        # After a failure only a denial is read, and its reason takes the place of the tool's error.
        return {**self.REFUSAL, self.REASON: f"{outcome.error}\n\n{words}"}

    def turn_in(self, line: bytes, call: ToolCall) -> str:  # noqa: ARG002
        """Return the id of an answer of the model, which is recorded before the hooks of its calls
        run. Sub-agents are recorded elsewhere and their events name none: theirs is the turn of the
        answer that called the sub-agent.
        """
        entry = line_of(line) if _MODEL in line else {}
        return text(entry, "id") if entry.get("type") == "gemini" else ""

    def typed_in(self, line: bytes) -> str:
        """Return what the user typed; "" where a tool or the program speaks in the user's name.

        The files that a prompt refers to follow it, in parts of their own.
        """
        entry = line_of(line) if _USER in line else {}
        parts = tables(entry, "displayContent") or tables(entry, "content")
        said = text(parts[0], "text") if parts and entry.get("type") == "user" else ""
        return "" if said.lstrip().startswith("<") else said

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:  # noqa: ARG002
        """Return what policies deny or ask about, and what is ignored (see `Host`).

        Observed: a policy is applied to the corrected call, and no more to the one that was
        written; a call corrected towards an ignored file is refused. Which of two policies is the
        stronger is not weighed here. Where a file cannot be understood, every call counts as
        denied.
        """
        from truepath.hosts.rules import Rules, ignored

        denied = [rule for path in files if path.endswith(".toml") for rule in _denied(files[path])]
        lists = [path for path in files if path.endswith("ignore")]
        hidden = [glob for path in lists for glob in ignored(path, files[path], root)]
        return Rules(tuple(hidden), lambda tool, arguments: _is_denied(denied, tool, arguments))

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs (see `Host`).

        Observed: each hook gets the call as the model wrote it.
        """
        from truepath.records import replace

        found = super().hooks(environ, root)
        named = os.path.split(environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH", ""))
        places = (self.folder(environ), *self.places(environ, root))
        extensions = ".gemini/extensions/*/.gemini-extension-install.json"
        plugins = tuple((at, extensions) for at in places)
        return replace(found, settings=(named, *found.settings), plugins=plugins)

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes Gemini CLI call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup, listed

        hook = {
            "name": "truepath",
            "type": "command",
            "command": _CALL.format(client=client),
            "timeout": timeout * 1000,
        }
        tools = f"^({self.tools()})$"
        table = listed(hook, {"BeforeTool": tools, "AfterTool": tools, "BeforeAgent": ""})
        piece = Piece(".gemini/settings.json", ".gemini/settings.json", {"hooks": table})
        return Setup(*self.HOME, (piece,), below=False)


def _nested(event: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **said}}


def _denied(content: str) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the tools and the pattern for arguments of each policy that does not allow.

    One that has no pattern denies a call as it was written and as it was corrected alike: it is
    none of truepath's.
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


host = GeminiCLI()
