"""Claude Code, as observed by running 2.1.197, 2.1.330 and 2.1.331."""

from __future__ import annotations

from truepath.hosts.fields import line_of, table, tables, text, texts
from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from truepath.hosts.protocol import Environ, Event
    from truepath.hosts.rules import Rules
    from truepath.types import Outcome

_REFUSED = "<tool_use_error>"
"""Wraps the text of a call that validation refused; our denials come back unwrapped."""

_UNREAD = "has not been read yet"
"""What NotebookEdit says of a notebook that is not there, and of one that was not read."""

_MISSING = ("does not exist", "no such file", "not a directory", _UNREAD)
"""What a refusal over a missing path says, in lower case; one by a permission rule says none."""

_FOREIGN = ("COPILOT_CLI", "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
"""Set by other programs that run the hooks of `.claude/settings.json`, in part under other field
names. They set CLAUDE_PROJECT_DIR too, so that one tells nothing."""

_MANAGED = tuple(
    f"{folder}/{name}"
    for folder in ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
    for name in ("managed-settings.json", "managed-settings.d/*.json")
)
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""

_MCP = "mcp__.*(file|director).*"
"""Tools of MCP servers that are about files, by the name of the tool or of its server. A matcher
with more than letters, digits, `_` and `|` is a regular expression."""

_PAGES = ("agents/*.md", "commands/*.md", "skills/*/SKILL.md")
"""Texts with settings at their head, hooks among them (documented, not run)."""


class ClaudeCode(Host):
    """An answer holds no permission: `allow` would lift the user's own rules, `ask` and `block`
    stop the run.
    """

    NAME = "claude-code"
    TITLE = "Claude Code"
    # 2.1.330 on Linux offers neither Glob nor Grep: it says to use `find` by Bash.
    SEARCH = ("Bash (find, grep, ls)",)
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolBatch": "batch",
        "UserPromptSubmit": "prompt",
    }
    PATHS = {
        "Read": ("file_path", "file"),
        "Edit": ("file_path", "file"),
        "Write": ("file_path", "new"),
        "NotebookEdit": ("notebook_path", "file"),
        "Glob": ("path", "folder"),
        "Grep": ("path", "any"),
    }
    COMMANDS = {"Bash": ("command", "")}
    MARKS = {"PostToolBatch": ("tool_use_error",)}
    AGENT = "agent_id"
    PROJECT = ("CLAUDE_PROJECT_DIR", "")
    START = "CLAUDE_PROJECT_DIR"
    HOME = (".claude", "CLAUDE_CONFIG_DIR")
    RULE_FILES = (_MANAGED, ("settings.json",), CLAUDE_SETTINGS)
    BESIDE = {
        "settings": RULE_FILES,
        "programs": ((), _PAGES, tuple(f".claude/{page}" for page in _PAGES)),
        "marks": ("PreToolUse",),
        "plugins": ((), ("plugins/installed_plugins.json",), ()),
    }
    FILES = ("settings.json", ".claude/settings.json")
    MATCHERS = {"PostToolUseFailure": ""}

    def ignores(self, event: Event, environ: Environ) -> bool:
        """Whether another program sent it. VS Code tells when an event happened, and never the
        mode (from its source, not run).
        """
        vscode = "timestamp" in event and "permission_mode" not in event
        return vscode or "cursor_version" in event or any(name in environ for name in _FOREIGN)

    def batch(self, event: Event) -> Iterator[tuple[Event, Outcome]]:
        """Yield the calls of a turn that validation refused over a path: at 2.1.330 such a call (an
        Edit of a missing file) fires no event but this one, and all others had their own before.
        """
        from truepath.types import Outcome

        for entry in tables(event, "tool_calls"):
            said = text(entry, "tool_response")
            if said.startswith(_REFUSED) and any(words in said.lower() for words in _MISSING):
                plain = said.removeprefix(_REFUSED).removesuffix(_REFUSED.replace("<", "</"))
                unread = "File does not exist. " if _UNREAD in plain else ""
                yield entry, Outcome(error=unread + plain)

    def tools(self) -> str:
        """Return a pattern for the tools whose calls are looked at."""
        return f"{super().tools()}|PowerShell|{_MCP}"

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what the rules in settings deny.

        At 2.1.197 and 2.1.330 a rule that denies a path holds before and after a correction; one
        that asks, and any on a shell command, is not applied to the call as it was written. A rule
        on a command holds for it behind others too (`timeout 5`, `A=1`, `then`) and in quotes, and
        one on a path for what commands read and change. The case of a path does not matter.
        """
        from truepath.hosts.rules import Rules, caseless, hidden_by, runs_any

        hidden: list[str] = []
        kept: list[str] = []
        commands: list[str] = []
        for content in files.values():
            permissions = table(line_of(content), "permissions")
            for rule in (*texts(permissions, "deny"), *texts(permissions, "ask")):
                tool, _, rest = rule.partition("(")
                pattern = rest.removesuffix(")")
                if tool == "Bash":
                    words = pattern.removesuffix(":*")
                    commands.append(pattern or "*" if words == pattern else f"{words} *")
                elif tool in ("Read", "Edit") and pattern:
                    globs = [*map(caseless, hidden_by(pattern, environ, root, self.START))]
                    denied = tool == "Read" and rule in texts(permissions, "deny")
                    (hidden if denied else kept).extend(globs)

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            return tool == "Bash" and runs_any(text(arguments, "command"), commands)

        return Rules(tuple(hidden), forbids, tuple(kept))


host = ClaudeCode()
