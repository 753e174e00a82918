"""Codex, as observed by running 0.171.0."""

from __future__ import annotations

from itertools import islice, product

from truepath import TYPE_CHECKING, Late
from truepath.calls.missing_words import MISSING_WORDS
from truepath.fields import table, text
from truepath.hosts.host import Host
from truepath.hosts.table import LACKS, says_lack

if TYPE_CHECKING:
    import ast
    from ast import Call
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath import types
    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ, Event, Request
    from truepath.hosts.rules import Rules
    from truepath.types import Decision, Outcome, ToolCall
else:
    ast = Late("ast")
    host_rules = Late("truepath.hosts.rules")
    types = Late("truepath.types")

_END = 5
"""Lines at the end of an output that count as its error: the last one for most
programs, a few before for `make` and `npm`."""

_SHOWS_TEXT = ("rg", "grep", "git", "ag", "ack")
"""Commands whose output is lines of files."""

_PLUGINS = tuple(
    f"plugins/cache/*/*/*/{name}"
    for name in (
        "hooks/hooks.json",
        ".codex-plugin/plugin.json",
        ".codex-plugin/hooks/hooks.json",
    )
)
"""The hooks of installed plugins, in a cache by marketplace, name and version."""

_FOLDER = "workdir"
"""The argument, in the model's call, with the folder that a shell command runs in."""

_MOST_BEGINNINGS = 1000
"""Beginnings of commands of one rule, at most."""


class Codex(Host):
    """A failed patch has no event. `turn_id` is not a model turn: it spans everything
    after one prompt of the user.
    """

    NAME = "codex"
    TITLE = "Codex"
    SEARCH_TOOLS = ("rg --files", "find", "ls")
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUse": "failure",
        "UserPromptSubmit": "prompt",
    }
    # Every shell tool is called Bash here. After a rewrite, the sandbox and the rules
    # are applied to it and to patches again, so the `allow` that a rewrite requires
    # overrides nothing; for other tools, such as those of MCP servers, that is not
    # known.
    ONLY_TOOLS = ("Bash", "apply_patch", "view_image")
    PATH_TOOLS = {"view_image": ("path", "file")}
    MODEL_TOOLS = {"Bash": "exec_command"}
    # 0.171.0: the `workdir` of a shell call is the event's `cwd`, and may be missing.
    COMMAND_TOOLS = {"Bash": ("command", ".")}
    FAILURE_MARKS = {"PostToolUse": (*MISSING_WORDS, *LACKS)}
    # Without it, Codex takes an answer with an input for a failed hook and runs the
    # call unchanged.
    APPROVAL = {"permissionDecision": "allow"}
    # 0.171.0 shows it above the call, `exec` nowhere; it is in no request to the model
    USER_FIELD = "systemMessage"
    SAID_AFTER = ("OK",)
    HOME_FOLDER = (".codex", "CODEX_HOME")
    # Hooks run in the folder that Codex was started in, and every folder above may have
    # rules.
    START_VARIABLE = "PWD"
    # An organisation's rules and the hooks of plugins are documented, not run.
    RULE_FILES = (
        ("/etc/codex/rules/*.rules",),
        ("rules/*.rules",),
        (".codex/rules/*.rules",),
    )
    OTHER_HOOKS = {
        "settings": (
            ("/etc/codex/*.toml", "/etc/codex/hooks.json"),
            ("hooks.json", "config.toml", *_PLUGINS),
            (".codex/hooks.json", ".codex/config.toml"),
        ),
        "aliases": {"apply_patch": ("Edit", "Write")},
    }
    INSTALL_FILES = ("hooks.json", ".codex/hooks.json")
    # 0.171.0: "failed to parse hooks config", also at `$schema` or `version`.
    SETTINGS_MAY = ()
    SETTINGS_KEYS = ("description", "hooks")
    MATCHERS = {"PostToolUse": "^(Bash|apply_patch)$"}
    RESULTS = ("Bash",)  # 0.171.0: a patch that fails has no event
    NEXT_STEP = (
        "Codex skips new hooks in silence: start it once, type /hooks and trust these."
    )

    def decode(
        self, event: Event, environ: Environ, *, ended: bool = False
    ) -> Request | None:
        """Return the event as a `Request`, with the folder of a shell call among its
        arguments if the agent was started elsewhere.
        """
        started = environ.get(self.START_VARIABLE, "")
        folder = text(event, self.CWD_FIELD)
        if not folder or folder == started or not started.startswith("/"):
            return super().decode(event, environ, ended=ended)
        if text(event, self.TOOL_FIELD) in self.COMMAND_TOOLS:
            given = {**table(event, self.ARGUMENTS_FIELD), _FOLDER: folder}
            event = {**event, self.ARGUMENTS_FIELD: given}
        return super().decode(event, environ, ended=ended)

    def project(self, event: Event, environ: Environ) -> str | None:
        """Return the folder that the agent was started in: that of a call may be
        missing.
        """
        started = environ.get(self.START_VARIABLE, "")
        return started if started.startswith("/") else None

    def takes(self, call: ToolCall, changed: Mapping[str, Any]) -> bool:
        """Return whether 0.171.0 runs a changed call: not in another folder, and of an
        image no sandbox or rule is known to be applied again.
        """
        stays = changed.get(_FOLDER) == call.arguments.get(_FOLDER)
        return stays and call.tool not in self.PATH_TOOLS

    def changed(self, call: ToolCall, decision: Decision) -> Any:
        """Return the whole corrected input, without the folder that is not in it."""
        whole = super().changed(call, decision)
        return {name: value for name, value in whole.items() if name != _FOLDER}

    def outcome(self, event: Event) -> Outcome | None:
        """Return the end of a command's output if it may report a missing path.

        In 0.169.0 a failed command has a PostToolUse like any other, without its
        status.
        """
        if text(event, "tool_name") != "Bash":
            return None
        output = text(event, "tool_response").splitlines()
        lines = [line for line in output if line.strip()]
        end = "\n".join(lines[-_END:])
        words = text(event, "tool_input.command").split(maxsplit=1)
        # `rg "no such file"` shows lines that say so, and has not failed.
        shows_text = bool(words) and words[0] in _SHOWS_TEXT
        if not shows_text and any(word in end.lower() for word in MISSING_WORDS):
            return types.Outcome(error=end)
        if says_lack(end):
            return types.Outcome(output=end)
        return None

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what the rules for commands forbid or ask about.

        In 0.169.0 they are applied to the corrected command only, not to the one that
        was written. If a file is not understood, every command counts as forbidden.
        """
        policies = [
            (["Bash"], beginning)
            for content in files.values()
            for beginning in _beginnings(content)
        ]
        return host_rules.Rules(forbids=host_rules.denying(policies))


def _beginnings(content: str) -> Iterator[str]:
    """Yield the beginnings of commands in a file of rules.

    Starlark parses as Python.
    """
    try:
        for node in ast.walk(ast.parse(content)):
            if not isinstance(node, ast.Call):
                continue
            if getattr(node.func, "id", "") == "prefix_rule":
                yield from _of_rule(node)
    # A file that is not understood may forbid anything; a MemoryError is the parser's
    # word for one that is nested too deep.
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
        yield "*"


def _of_rule(rule: Call) -> Sequence[str]:
    """Return the beginnings of the commands that a rule does not allow."""
    arguments = {
        keyword.arg: ast.literal_eval(keyword.value) for keyword in rule.keywords
    }
    if arguments.get("decision") == "allow":
        return ()
    # A word of a pattern may be a list of those that fit.
    choices = [_choices(word) for word in arguments["pattern"]]
    some = islice(product(*choices), _MOST_BEGINNINGS)
    beginnings = [f"{' '.join(beginning)} *" for beginning in some]
    return beginnings if len(beginnings) < _MOST_BEGINNINGS else ["*"]


def _choices(word: Any) -> Sequence[Any]:
    return word if isinstance(word, list) else [word]


host = Codex()
