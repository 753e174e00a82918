"""Codex's hook protocol.

Every statement about the program was observed by running 0.169.0.
"""

from __future__ import annotations

from truepath.hosts.event_schema import event_schema
from truepath.hosts.fields import line_of, table, tables, text
from truepath.hosts.host import Host

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.protocol import Environ, Event, Hooks, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.types import Decision, Outcome, ToolCall

_SAYS_MISSING = (
    "no such", "exist", "not found", "not match", "enoent", "enotdir", "cannot find",
    "not a directory", "can't cd", "could not", "unable to", "unknown revision", "not contain",
    "is not a", "fileexception", "no files match", "error opening dir", "filenotfound",
    "destination=", "e902",
)  # fmt: skip
"""What the end of an output holds that may tell of a missing path, in lower case. There is no exit
status to go by."""

_END = 5
"""Lines at the end of an output that count as its error; a program says it last, `make` and `npm`
a few lines before."""

_SHOWS_TEXT = ("rg", "grep", "git", "ag", "ack")
"""Commands that print lines of files: those are no error."""

_ANSWER, _USER = b'"response_id":', b'"role":"user"'
"""In a line of the session's record: an answer of the model ended; the user's side speaks."""

_PLUGINS = tuple(
    f"plugins/cache/*/*/*/{name}"
    for name in ("hooks/hooks.json", ".codex-plugin/plugin.json", ".codex-plugin/hooks/hooks.json")
)
"""Where installed plugins have their hooks: marketplace, name and version in a cache."""


class Codex(Host):
    """There is no event for a failure: a shell command that failed has a PostToolUse like any
    other, an `apply_patch` that failed has none at all. `turn_id` is no turn: it spans all that
    follows one prompt of the user.
    """

    NAME = "codex"
    TITLE = "Codex"
    EVENTS = {"PreToolUse": "before", "PostToolUse": "failure", "UserPromptSubmit": "prompt"}
    # Every shell tool is called Bash here. What these two do is checked by the sandbox and the
    # rules again after a rewrite, so the `allow` that a rewrite must carry lifts nothing; of other
    # tools (those of MCP servers among them) nobody knows that.
    TOOLS = ("Bash", "apply_patch")
    EVENT_SCHEMA = event_schema(
        EVENTS,
        {},
        {"Bash": ("command", "")},
        marks={"PostToolUse": _SAYS_MISSING},
        agent="agent_id",
    )
    RECORD = "transcript_path"
    # Without it Codex takes an answer with an input for a failed hook: the call runs as it came.
    APPROVAL = {"permissionDecision": "allow"}
    HOME = (".codex", "CODEX_HOME")
    # Hooks run in the folder that Codex was started in, and every folder above may have rules.
    START = "PWD"
    # Where an organisation keeps its own is documented, not run; so are the hooks of plugins.
    RULE_FILES = (("/etc/codex/rules/*.rules",), ("rules/*.rules",), (".codex/rules/*.rules",))
    HOOK_FILES = (
        ("/etc/codex/*.toml", "/etc/codex/hooks.json"),
        ("hooks.json", "config.toml", *_PLUGINS),
        (".codex/hooks.json", ".codex/config.toml"),
    )

    def outcome(self, event: Event) -> Outcome | None:
        """Return the end of a command's output where it may say that a path is missing."""
        from truepath.types import Outcome

        lines = [line for line in text(event, "tool_response").splitlines() if line.strip()]
        end = "\n".join(lines[-_END:])
        words = text(event, "tool_input.command").split(maxsplit=1)
        if text(event, "tool_name") != "Bash" or (words and words[0] in _SHOWS_TEXT):
            return None
        return Outcome(error=end) if any(said in end.lower() for said in _SAYS_MISSING) else None

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return the fields of an answer before a call runs (see `Host`)."""
        said = super().before(request, decision)
        if self.REASON in said:
            said[self.REASON] = said[self.REASON].removesuffix(".")  # Codex ends it itself
        return said

    def recall(self, call: ToolCall, record: bytes) -> ToolCall:
        """Return `call` with the model's turn and the user's last words (see `Host`).

        The record holds both before the hooks run: a line for each call of a model's answer, then
        one with the id of that answer. Calls that a script makes (Code Mode) are not in it.
        """
        from truepath.records import replace

        answer, turn, typed = "", "", ""
        for line in reversed(record.splitlines()):
            if not turn and _ANSWER in line:
                answer = text(line_of(line), "payload.response_id") or answer
            elif call.call_id and not turn and call.call_id.encode("utf-8", "replace") in line:
                turn = answer if _made(table(line_of(line), "payload"), call.call_id) else ""
            elif _USER in line:
                typed = _typed(line_of(line))
            if typed:
                break
        return replace(call, turn=turn or call.turn, prompt=typed or call.prompt)

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:  # noqa: ARG002
        """Return what the rules for commands forbid or ask about (see `Host`).

        Observed at 0.169.0: they are applied to a corrected command, and no more to the one that
        was written. Where a file cannot be understood, every command counts as forbidden.
        """
        from truepath.hosts.rules import Rules

        patterns: list[list[Any]] = []
        readable = all(_read_rules(content, patterns) for content in files.values())

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            if tool != "Bash" or (readable and not patterns):
                return False
            return not readable or _is_ruled(text(arguments, "command"), patterns)

        return Rules(forbids=forbids)

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs (see `Host`).

        Observed at 0.169.0: each hook gets the call as the model wrote it.
        """
        from truepath.records import replace

        aliases = {"apply_patch": ("Edit", "Write")}
        return replace(super().hooks(environ, root), aliases=aliases)

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes Codex call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup, harmless, listed

        hook = {"type": "command", "command": harmless(client), "timeout": timeout}
        tools = f"^({'|'.join(self.TOOLS)})$"
        matchers = {"PreToolUse": tools, "PostToolUse": "^Bash$", "UserPromptSubmit": ""}
        piece = Piece("hooks.json", ".codex/hooks.json", {"hooks": listed(hook, matchers)})
        trust = "Codex skips new hooks in silence: start it once, type /hooks and trust these."
        return Setup(*self.HOME, (piece,), trust)


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


def _made(item: Mapping[str, Any], call_id: str) -> bool:
    return text(item, "call_id") == call_id and text(item, "type").endswith("_call")


def _typed(entry: Mapping[str, Any]) -> str:
    """Return what the user typed; "" for what the program says in the user's name, in tags."""
    said = "\n".join(text(part, "text") for part in tables(entry, "payload.content"))
    return "" if said.lstrip().startswith("<") else said


host = Codex()
