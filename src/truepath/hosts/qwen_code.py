"""Qwen Code, as observed by running 0.24.4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from truepath.hosts.fields import line_of, tables, text, texts
from truepath.hosts.host import Host
from truepath.hosts.protocol import Environ, Event
from truepath.hosts.rules import Rules
from truepath.types import Any, Outcome

_REFUSED = "invalid_tool_params"
"""The kind of error of a call that validation refused; our denials have another."""

_RELATIVE = "must be absolute"
"""What a refusal says of a relative path, which may be there or not: that is looked up."""

_READS = ("Read", "ReadFile", "read_file")
"""The names in a permission rule for what keeps a file from being read."""

_SYSTEM = ("/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json")
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""


class QwenCode(Host):
    """Before a call a denial alone is heard: `updatedInput` and context are dropped. After it
    context alone is. Both are read as they are, but for `<` and `>` of the context.
    """

    NAME = "qwen"
    TITLE = "Qwen Code"
    SEARCH = ("glob", "grep_search", "run_shell_command (ls)")
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolBatch": "batch",
        "UserPromptSubmit": "prompt",
    }
    PATHS = {
        "read_file": ("file_path", "file"),
        "edit": ("file_path", "file"),
        "write_file": ("file_path", "new"),
        "notebook_edit": ("notebook_path", "file"),
        "glob": ("path", "folder"),
        "grep_search": ("path", "any"),
        "list_directory": ("path", "folder"),
    }
    COMMANDS = {"run_shell_command": ("command", "directory")}
    MARKS = {"PostToolBatch": (_REFUSED,)}
    AGENT = "agent_id"
    CALL_ID = "tool_call_id"  # the model's own; `tool_use_id` is another one in each kind of event
    PROMPT = "submitted_prompt"
    PROJECT = ("QWEN_PROJECT_DIR", "")
    START = "QWEN_PROJECT_DIR"
    REWRITES = False
    LATE = True
    HOME = (".qwen", "QWEN_HOME")
    RULE_FILES = (_SYSTEM, ("settings.json",), (".qwen/settings.json", ".qwenignore"))
    BESIDE = {"settings": ((), ("settings.json",), (".qwen/settings.json",))}
    FILES = ("settings.json", ".qwen/settings.json")

    def ignores(self, event: Event, environ: Environ) -> bool:  # noqa: ARG002
        """Whether the user typed nothing: 0.24.4 itself "submits" the results of tools."""
        return event.get("hook_event_name") == "UserPromptSubmit" and not text(event, self.PROMPT)

    def batch(self, event: Event) -> Iterator[tuple[Event, Outcome]]:
        """Yield the calls of a turn that went well, and those that validation refused (a relative
        path, a search in a folder that is not there): at 0.24.4 these have no other event.
        """
        from truepath.types import Outcome

        for entry in tables(event, "tool_calls"):
            if not text(entry, "tool_name"):
                continue
            error = text(entry, "tool_response.error")
            if entry.get("status") == "success":
                yield entry, Outcome()
            elif text(entry, "tool_response.error_type") == _REFUSED:
                unread = "File not found. " if _RELATIVE in error else ""
                yield entry, Outcome(error=unread + error)

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return which files are not to be named.

        At 0.24.4 rules are applied to a call before its hooks, and no call runs on another path
        than it came with: there is nothing to lead around.
        """
        from truepath.hosts.rules import Rules, hidden_by, ignored

        hidden: list[str] = []
        for path, content in files.items():
            if path.endswith("ignore"):
                hidden += ignored(path, content, root)
                continue
            for rule in texts(line_of(content), "permissions.deny"):
                tool, _, rest = rule.partition("(")
                if tool in _READS and rest.removesuffix(")"):
                    hidden += hidden_by(rest.removesuffix(")"), environ, root, self.START)
        return Rules(tuple(hidden))

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry. 0.15.10 counts a timeout in milliseconds; 0.24.4 does so from 1000 on,
        and counts seconds below.
        """
        return {"name": "truepath", **super().hook(client, timeout * 1000)}


host = QwenCode()
