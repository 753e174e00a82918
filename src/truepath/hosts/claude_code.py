"""Claude Code, as observed by running 2.1.197, 2.1.330 and 2.1.332."""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.fields import line_of, table, text, texts
from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS, LACKS, says_lack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from truepath import types
    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ, Event, Request
    from truepath.hosts.rules import Rules
    from truepath.types import Outcome
else:
    host_rules = Late("truepath.hosts.rules")
    types = Late("truepath.types")

_REFUSED = "<tool_use_error>"
"""Wraps the text of a call that validation refused; truepath's denials come back
unwrapped."""

_UNREAD = "has not been read yet"
"""What NotebookEdit says about a missing notebook, and about one that was not read."""

_MISSING = (
    "does not exist",
    "no such file",
    "not a directory",
    "file not found",
    _UNREAD,
)
"""What a refusal of a missing path says, in lower case; one by a permission rule says
none."""

_UNMET = ("string to replace", "eisdir")
"""What a refused edit says about its text, or about a folder, in lower case."""

_FOREIGN = ("COPILOT_CLI", "CURSOR_VERSION", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
"""Set by other programs that run the hooks of `.claude/settings.json`, some with other
field names. They set CLAUDE_PROJECT_DIR too."""

_MANAGED = tuple(
    f"{folder}/{name}"
    for folder in ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
    for name in ("managed-settings.json", "managed-settings.d/*.json")
)
"""An organisation's rules: run on Linux with 2.1.332; in the folder of parts, and on
macOS, documented."""

_MCP = "mcp__.*(file|director).*"
"""MCP tools for files, by the name of the tool or its server. A matcher with more than
letters, digits, `_` and `|` is a regular expression."""

_ACP = "mcp__acp__(Read|Edit|Write|Bash)"
"""The tools of an editor, from the adapter claude-code-acp 0.16.2 (its source, not
run); claude-agent-acp 0.101.0 has Claude Code's own names."""

_TREES = "EnterWorktree|ExitWorktree"
"""The tools that move a session to another work tree, where `cwd` follows (by its
documents, not run)."""

_PAGES = ("agents/*.md", "commands/*.md", "skills/*/SKILL.md")
"""Pages whose front matter may have hooks (documented, not run)."""


class ClaudeCode(Host):
    """Answers never grant or ask: `allow` would override the user's rules, and `ask`
    and `block` would stop the run.
    """

    NAME = "claude-code"
    TITLE = "Claude Code"
    # 2.1.330 on Linux has neither Glob nor Grep: it tells the model to use `find` in
    # Bash.
    SEARCH_TOOLS = ("Bash (find, grep, ls)",)
    PATH_TOOLS = {
        "Read": ("file_path", "file"),
        "Edit": ("file_path", "edit"),
        "Write": ("file_path", "new"),
        "NotebookEdit": ("notebook_path", "file"),
        "Glob": ("path", "folder"),
        "Grep": ("path", "any"),
        "Workflow": ("scriptPath", "file"),
    }
    COMMAND_TOOLS = {"Bash": ("command", "")}
    # 2.1.332: only this event of a call that went well has the input that ran.
    EVENTS = {**Host.EVENTS, "PostToolUse": "failure"}
    FAILURE_MARKS = {"PostToolBatch": ("tool_use_error", *LACKS), "PostToolUse": ()}
    RESULTS = None
    # 2.1.331 shows 25,000 tokens of a part; what is left is for other tokenizers than
    # those that `contents.tokens_of` was compared with.
    READ_LIMITS = {
        "Read": {
            "whole": 262_144,
            "part": 22_000,
            "in_tokens": True,
            "argument": "limit",
            "override": "allow_large",
        }
    }
    UNMET_MARKS = ("exceeds maximum allowed",)
    # 2.1.332 shows it below the call, and puts it in no request to the model
    USER_FIELD = "systemMessage"
    REFUSALS_SHOWN = False  # 2.1.332 folds those of reads: "permission denied"
    PROJECT_SOURCES = ("CLAUDE_PROJECT_DIR", "")
    START_VARIABLE = "CLAUDE_PROJECT_DIR"
    SAID_AFTER = ("OK",)
    HOME_FOLDER = (".claude", "CLAUDE_CONFIG_DIR")
    RULE_FILES = (_MANAGED, ("settings.json",), CLAUDE_SETTINGS)
    OTHER_HOOKS = {
        "settings": RULE_FILES,
        "programs": ((), _PAGES, tuple(f".claude/{page}" for page in _PAGES)),
        "marks": ("PreToolUse",),
        "plugins": ((), ("plugins/installed_plugins.json",), ()),
    }
    INSTALL_FILES = ("settings.json", ".claude/settings.json")
    # 2.1.331 and 2.1.332 drop a file with a comment or such a comma, hooks and rules.
    SETTINGS_MAY = ("mark",)
    MATCHERS = {"PostToolUseFailure": ""}

    def decode(
        self, event: Event, environ: Environ, *, ended: bool = False
    ) -> Request | None:
        """Return the event as a `Request`; None if another program sent it. VS Code
        sends a timestamp and no mode (from its source, not run).
        """
        is_vscode = "timestamp" in event and "permission_mode" not in event
        if is_vscode or "cursor_version" in event:
            return None
        if any(name in environ for name in _FOREIGN):
            return None
        return super().decode(event, environ, ended=ended)

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call failed. In a batch, only those count that validation
        refused for a path or a text, which have no other event in 2.1.330 (an Edit of
        a missing file), and commands that seem to have worked.
        """
        response = text(event, "tool_response")
        is_command = text(event, self.TOOL_FIELD) in self.COMMAND_TOOLS
        if is_command and says_lack(response):
            return types.Outcome(output=response)
        lower = response.lower()
        is_about_path = any(words in lower for words in (*_MISSING, *_UNMET))
        if not response.startswith(_REFUSED) or not is_about_path:
            return super().outcome(event)
        end = _REFUSED.replace("<", "</")
        error = response.removeprefix(_REFUSED).removesuffix(end)
        if _UNREAD in error:  # the disk tells whether the notebook is missing
            error = f"File does not exist. {error}"
        return types.Outcome(error=error)

    def tools(self) -> str:
        """Return a pattern for the tools that are checked."""
        return f"{super().tools()}|PowerShell|{_TREES}|{_MCP}|{_ACP}"

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what the rules in settings deny.

        In 2.1.197 and 2.1.330, a rule that denies a path is applied before and after a
        correction; one that asks, and any on a shell command, only after it. A rule on
        a command also applies after other words (`timeout 5`, `A=1`, `then`) and in
        quotes, and one on a path to what commands read and change. The case of a path
        is ignored. A file with a rule on Edit is read without a question, by Read and
        by `cat` (2.1.332).

        A rule on a whole tool, `Bash` or `Read(*)`, takes the tool away in 2.1.332, or
        asks about each of its calls as they were corrected. It hides no path: Bash
        reads on where `Read(*)` is denied.
        """
        hidden: list[str] = []
        asked: list[str] = []
        unchanged: list[str] = []
        about = {
            ("Read", "deny"): hidden,
            ("Read", "ask"): asked,
            ("Edit", "deny"): unchanged,
            ("Edit", "ask"): unchanged,
        }
        policies: list[tuple[list[str], str]] = []
        whole_tools = set[str]()
        for tool, pattern, kind in _rules(files.values()):
            if pattern in ("", "*"):
                whole_tools.add(tool)
            elif tool == "PowerShell":
                # by any alias, so each of its commands may be meant
                policies.append(([tool], ""))
            elif tool == "Bash":
                policies.append(([tool], _glob(pattern)))
            elif (tool, kind) in about:
                below = host_rules.hidden_by(
                    pattern, environ, root, self.START_VARIABLE
                )
                about[tool, kind].extend(map(host_rules.caseless, below))
        # Nothing of a file's contents is shown where its read is denied or asked about.
        unread = ("/**",) if "Read" in whole_tools else ()
        return host_rules.Rules(
            tuple(hidden),
            host_rules.denying(policies),
            kept=tuple(asked),
            unchanged=tuple(unchanged),
            asked=(*asked, *unread),
        )


def _rules(contents: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the tool, the pattern and the kind of each rule that denies or asks."""
    for content in contents:
        permissions = table(line_of(content), "permissions")
        for kind in ("deny", "ask"):
            for rule in texts(permissions, kind):
                tool, _, rest = rule.partition("(")
                yield tool, rest.removesuffix(")"), kind


def _glob(pattern: str) -> str:
    """Return the glob for commands of a rule on Bash: `git push:*` is a beginning."""
    if pattern.endswith(":*"):
        return f"{pattern.removesuffix(':*')} *"
    return pattern


host = ClaudeCode()
