"""Qwen Code, as observed by running 0.24.4."""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.fields import settings_of, tables, text, texts
from truepath.hosts.host import Host
from truepath.hosts.table import LACKS, says_lack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from truepath import types
    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ, Event
    from truepath.hosts.rules import Rules
    from truepath.types import Outcome
else:
    host_rules = Late("truepath.hosts.rules")
    types = Late("truepath.types")

_REFUSED = "invalid_tool_params"
"""The type of error of a call that validation refused, unlike truepath's denials."""

_UNSTARTED = "not_started"
"""The status of a call that failed before its hooks: where the user is asked about
edits, 0.24.4 first reads the file to show the change."""

_RELATIVE = "must be absolute"
"""What a refusal says about a relative path, whether or not it exists."""

_READS = ("Read", "ReadFile", "read_file")
"""The names of the read tool in a permission rule."""

_SYSTEM = (
    "/etc/qwen-code/settings.json",
    "/Library/Application Support/QwenCode/settings.json",
)
"""An organisation's rules on Linux and macOS (documented, not run)."""


class QwenCode(Host):
    """Before a call, only a denial has an effect; `updatedInput` and context are
    dropped. After it, only context has. `<` and `>` are escaped in it.
    """

    NAME = "qwen"
    TITLE = "Qwen Code"
    SEARCH_TOOLS = ("glob", "grep_search", "run_shell_command (ls)")
    PATH_TOOLS = {
        "read_file": ("file_path", "file"),
        "edit": ("file_path", "edit"),
        "write_file": ("file_path", "new"),
        "notebook_edit": ("notebook_path", "file"),
        "glob": ("path", "folder"),
        "grep_search": ("path", "any"),
        "list_directory": ("path", "folder"),
    }
    COMMAND_TOOLS = {"run_shell_command": ("command", "directory")}
    FAILURE_MARKS = {"PostToolBatch": (_REFUSED, _UNSTARTED, *LACKS)}
    UNMET_MARKS = ("occurrences found for old_string", "occurrences for old_string")
    # The model's own; `tool_use_id` is another one in each kind of event.
    CALL_ID_FIELD = "tool_call_id"
    PROMPT_FIELD = "submitted_prompt"
    PROJECT_SOURCES = ("QWEN_PROJECT_DIR", "")
    START_VARIABLE = "QWEN_PROJECT_DIR"
    REWRITES = False
    SAID_AFTER = ("OK", "note")
    HOME_FOLDER = (".qwen", "QWEN_HOME")
    RULE_FILES = (_SYSTEM, ("settings.json",), (".qwen/settings.json", ".qwenignore"))
    OTHER_HOOKS = {"settings": ((), ("settings.json",), (".qwen/settings.json",))}
    INSTALL_FILES = ("settings.json", ".qwen/settings.json")
    SETTINGS_MAY = ("mark", "comment")  # 0.24.4 ends with status 1 at a comma

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call ended. In a batch, those count that succeeded, what
        validation refused (a relative path, a search in a missing folder), and an edit
        that failed before the user was asked: in 0.24.4 they have no other event. A
        command may only seem to have worked.
        """
        if event.get("status") == "success":
            is_command = text(event, self.TOOL_FIELD) in self.COMMAND_TOOLS
            said = _printed(event) if is_command else ""
            return types.Outcome(output=said) if says_lack(said) else types.Outcome()
        kind = text(event, "tool_response.error_type")
        is_unstarted = text(event, "tool_response.execution_status") == _UNSTARTED
        is_about_file = kind == "file_not_found" or kind.startswith("edit_")
        if kind != _REFUSED and not (is_unstarted and is_about_file):
            return super().outcome(event)
        error = text(event, "tool_response.error")
        if _RELATIVE in error:  # the disk tells whether it is missing too
            error = f"File not found. {error}"
        return types.Outcome(error=error)

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return which files must not be named.

        In 0.24.4 rules are applied before hooks, and calls are never corrected.
        Settings may have comments.
        """
        hidden: list[str] = []
        for path, content in files.items():
            if path.endswith("ignore"):
                hidden += host_rules.ignored(path, content, root)
                continue
            for rule in texts(settings_of(content), "permissions.deny"):
                tool, _, rest = rule.partition("(")
                pattern = rest.removesuffix(")")
                if tool in _READS and pattern:
                    hidden += host_rules.hidden_by(
                        pattern, environ, root, self.START_VARIABLE
                    )
        return host_rules.Rules(tuple(hidden))

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry. 0.15.10 reads a timeout as milliseconds; 0.24.4 does so from
        1000 on, and reads a smaller one as seconds.
        """
        return {"name": "truepath", **super().hook(client, timeout * 1000)}


def _printed(event: Event) -> str:
    """Return what a call that succeeded has printed."""
    parts = tables(event, "tool_response.response_parts")
    return "\n".join(text(part, "functionResponse.response.output") for part in parts)


host = QwenCode()
