"""Codex, as observed by running 0.169.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from truepath.hosts.fields import text
from truepath.hosts.host import Host
from truepath.hosts.protocol import Environ, Event
from truepath.hosts.rules import Rules
from truepath.types import Any, Outcome

_SAYS_MISSING = (
    "no such", "exist", "not found", "not match", "enoent", "enotdir", "cannot find",
    "not a directory", "can't cd", "could not", "unable to", "unknown revision", "not contain",
    "is not a", "fileexception", "no files match", "error opening dir", "filenotfound",
    "destination=", "e902",
)  # fmt: skip
"""What the end of an output holds that may tell of a missing path, in lower case."""

_END = 5
"""Lines at the end of an output that count as its error; a program says it last, `make` and `npm`
a few lines before."""

_SHOWS_TEXT = ("rg", "grep", "git", "ag", "ack")
"""Commands that print lines of files: those are no error."""

_PLUGINS = tuple(
    f"plugins/cache/*/*/*/{name}"
    for name in ("hooks/hooks.json", ".codex-plugin/plugin.json", ".codex-plugin/hooks/hooks.json")
)
"""Where installed plugins have their hooks: marketplace, name and version in a cache."""

_MOST = 1000
"""Beginnings of commands that one rule may stand for."""


class Codex(Host):
    """A patch that failed has no event. `turn_id` is no turn: it spans all that follows one prompt
    of the user.
    """

    NAME = "codex"
    TITLE = "Codex"
    SEARCH = ("rg --files", "find", "ls")
    EVENTS = {"PreToolUse": "before", "PostToolUse": "failure", "UserPromptSubmit": "prompt"}
    # Every shell tool is called Bash here. What these two do is checked by the sandbox and the
    # rules again after a rewrite, so the `allow` that a rewrite must carry lifts nothing; of other
    # tools (those of MCP servers among them) nobody knows that.
    TOOLS = ("Bash", "apply_patch")
    COMMANDS = {"Bash": ("command", "")}
    MARKS = {"PostToolUse": _SAYS_MISSING}
    AGENT = "agent_id"
    # Without it Codex takes an answer with an input for a failed hook: the call runs as it came.
    APPROVAL = {"permissionDecision": "allow"}
    HOME = (".codex", "CODEX_HOME")
    # Hooks run in the folder that Codex was started in, and every folder above may have rules.
    START = "PWD"
    # Where an organisation keeps its own is documented, not run; so are the hooks of plugins.
    RULE_FILES = (("/etc/codex/rules/*.rules",), ("rules/*.rules",), (".codex/rules/*.rules",))
    BESIDE = {
        "settings": (
            ("/etc/codex/*.toml", "/etc/codex/hooks.json"),
            ("hooks.json", "config.toml", *_PLUGINS),
            (".codex/hooks.json", ".codex/config.toml"),
        ),
        "aliases": {"apply_patch": ("Edit", "Write")},
    }
    FILES = ("hooks.json", ".codex/hooks.json")
    MATCHERS = {"PostToolUse": "^Bash$"}
    AFTER = "Codex skips new hooks in silence: start it once, type /hooks and trust these."

    def outcome(self, event: Event) -> Outcome | None:
        """Return the end of a command's output where it may say that a path is missing.

        At 0.169.0 a command that failed has a PostToolUse like any other, without its status.
        """
        from truepath.types import Outcome

        lines = [line for line in text(event, "tool_response").splitlines() if line.strip()]
        end = "\n".join(lines[-_END:])
        words = text(event, "tool_input.command").split(maxsplit=1)
        if text(event, "tool_name") != "Bash" or (words and words[0] in _SHOWS_TEXT):
            return None
        return Outcome(error=end) if any(said in end.lower() for said in _SAYS_MISSING) else None

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:  # noqa: ARG002
        """Return what the rules for commands forbid or ask about.

        At 0.169.0 they are applied to a corrected command, and no more to the one that was written.
        Where a file cannot be understood, every command counts as forbidden.
        """
        from truepath.hosts.rules import Rules, runs_any

        begin = [each for content in files.values() for each in _beginnings(content)]

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            return tool == "Bash" and runs_any(text(arguments, "command"), begin)

        return Rules(forbids=forbids)


def _beginnings(content: str) -> Iterator[str]:
    """Yield what commands begin with by a file of rules. Starlark reads as Python does."""
    import ast
    from itertools import islice, product

    try:
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "prefix_rule":
                rule = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
                if rule.get("decision") != "allow":
                    words = [each if isinstance(each, list) else [each] for each in rule["pattern"]]
                    found = [f"{' '.join(each)} *" for each in islice(product(*words), _MOST)]
                    yield from found if len(found) < _MOST else "*"
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError):
        yield "*"


host = Codex()
