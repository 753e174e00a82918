"""Claude Code's hook protocol.

Every statement about the program was observed by running 2.1.197 and 2.1.330.
"""

from __future__ import annotations

from truepath.hosts.event_schema import event_schema
from truepath.hosts.fields import line_of, tables, text, texts
from truepath.hosts.host import CLAUDE_SETTINGS, Host

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from truepath.hosts.event_schema import Kind
    from truepath.hosts.protocol import Environ, Event, Hooks
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.types import Outcome, ToolCall

_REFUSED = "<tool_use_error>"
"""Wraps the text of a call that validation refused. Such a call (an Edit of a missing file) fires
no event but PostToolBatch. All others had their own event before, our denials among them: those
come back here unwrapped, and must not be answered or counted a second time."""

_UNREAD = "has not been read yet"
"""What NotebookEdit says of a notebook that is not there, and of one that was not read."""

_MISSING = ("does not exist", "no such file", "not a directory", _UNREAD)
"""What a refusal over a missing path says, in lower case. A refusal by a permission rule says none
of them and stays unanswered."""

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

_FILE_SERVER: Mapping[str, Kind] = {
    "read_file": "file",
    "read_text_file": "file",
    "read_media_file": "file",
    "edit_file": "file",
    "write_file": "new",
    "list_directory": "folder",
    "list_directory_with_sizes": "folder",
    "directory_tree": "folder",
    "search_files": "any",
    "get_file_info": "any",
}
"""The tools of the reference MCP file server 2026.8.31 that have one path, and what it must be."""

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
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolBatch": "batch",
        "UserPromptSubmit": "prompt",
        "SessionStart": "start",
    }
    EVENT_SCHEMA = event_schema(
        EVENTS,
        {
            "Read": ("file_path", "file"),
            "Edit": ("file_path", "file"),
            "Write": ("file_path", "new"),
            "NotebookEdit": ("notebook_path", "file"),
            "Glob": ("path", "folder"),
            "Grep": ("path", "any"),
            **{f"mcp__filesystem__{name}": ("path", kind) for name, kind in _FILE_SERVER.items()},
        },
        {"Bash": ("command", "")},
        marks={"PostToolBatch": ("tool_use_error",)},
        agent="agent_id",
    )
    RECORD = "transcript_path"
    PROJECT = START = "CLAUDE_PROJECT_DIR"
    HINTS = True  # for another extension and for a dropped project folder
    HOME = (".claude", "CLAUDE_CONFIG_DIR")
    RULE_FILES = HOOK_FILES = (_MANAGED, ("settings.json",), CLAUDE_SETTINGS)

    def ignores(self, event: Event, environ: Environ) -> bool:
        """Whether another program sent it."""
        # VS Code tells when an event happened, and never the mode (from its source, not run).
        vscode = "timestamp" in event and "permission_mode" not in event
        return vscode or "cursor_version" in event or any(name in environ for name in _FOREIGN)

    def batch(self, event: Event) -> Iterator[tuple[Event, Outcome]]:
        """Yield the calls of a turn that validation refused over a path."""
        from truepath.types import Outcome

        for entry in tables(event, "tool_calls"):
            said = text(entry, "tool_response")
            if said.startswith(_REFUSED) and any(words in said.lower() for words in _MISSING):
                plain = said.removeprefix(_REFUSED).removesuffix(_REFUSED.replace("<", "</"))
                unread = "File does not exist. " if _UNREAD in plain else ""
                yield entry, Outcome(error=unread + plain)

    def turn_in(self, line: bytes, call: ToolCall) -> str:
        """Return the id of the message in which the model made a call; "" in any other line.

        At 2.1.330 it is recorded before the hooks run: each call of a turn is a line, and the lines
        of a turn have one message id. A sub-agent's calls are recorded elsewhere.
        """
        if not call.call_id or call.call_id.encode("utf-8", "replace") not in line:
            return ""
        entry = line_of(line)
        parts = tables(entry, "message.content")
        made = [part.get("id") for part in parts if part.get("type") == "tool_use"]
        return text(entry, "message.id") if call.call_id in made else ""

    def typed_in(self, line: bytes) -> str:
        """Return what the user typed; "" where the program or a sub-agent's caller speaks."""
        entry = line_of(line) if _USER in line and _RESULT not in line else {}
        if entry.get("type") != "user" or any(entry.get(mark) for mark in _NOT_TYPED):
            return ""
        parts = [text(part, "text") for part in tables(entry, "message.content")]
        return text(entry, "message.content") or "\n".join(filter(None, parts))

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what the rules in settings deny (see `Host`).

        Observed at 2.1.197 and 2.1.330: a rule that denies a path holds before and after a
        correction; one that asks, and any on a shell command, is not applied to the call as it was
        written. A rule on a command holds for it behind others too (`timeout 5`, `A=1`, `then`) and
        in quotes, and one on a path for what commands read and change. The case of a path does not
        matter.
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
                home, start = environ.get("HOME", ""), environ.get(self.START)
                globs = map(caseless, hidden_by(pattern, home, root, start))
                (unchanged if tool == "Edit" else asked if asks else hidden).extend(globs)

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            return tool == "Bash" and matches_any(text(arguments, "command"), commands)

        return Rules(tuple(hidden), forbids, tuple(asked), tuple(unchanged))

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs (see `Host`).

        Observed at 2.1.330: all hooks of an event get the call as the model wrote it, and what one
        of them puts in its place is seen by none. Plugins, skills, agents and commands may have
        hooks too.
        """
        from truepath.records import replace

        home = self.folder(environ)
        ours = (home, *(f"{at}/.claude" for at in self.places(environ, root)))
        return replace(
            super().hooks(environ, root),
            programs=tuple((at, pages) for at in ours for pages in _PAGES),
            marks=("PreToolUse",),
            plugins=((home, "plugins/installed_plugins.json"),),
        )

    def tools(self) -> str:
        """Return a pattern for the tools whose calls are looked at."""
        own = (name for name in super().tools().split("|") if not name.startswith("mcp__"))
        return "|".join((*own, _MCP))

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes Claude Code call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup, harmless, listed

        hook = {"type": "command", "command": harmless(client), "timeout": timeout}
        events = ("PostToolUseFailure", "PostToolBatch", "UserPromptSubmit")
        table = listed(hook, {"PreToolUse": f"^({self.tools()})$", **dict.fromkeys(events, "")})
        settings = Piece("settings.json", ".claude/settings.json", {"hooks": table})
        return Setup(*self.HOME, (settings,), below=False)


def _permissions(files: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each rule that denies or asks, and whether it asks."""
    for content in files:
        settings = line_of(content)
        for name in ("deny", "ask"):
            yield from ((rule, name == "ask") for rule in texts(settings, f"permissions.{name}"))


host = ClaudeCode()
