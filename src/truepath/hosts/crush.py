"""Crush. Not run: from its page on hooks and its source, of 2026-08."""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.hosts.host import Host

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ
    from truepath.hosts.rules import Rules
else:
    host_rules = Late("truepath.hosts.rules")

_DATA = "~/.local/share/crush/crush.json"
_SHELL = ("crushrc", ".crushrc")
"""Settings written in Bash, which the program runs."""


class Crush(Host):
    """It has one event, before a call of the agent itself: those of a sub-agent have
    none. `view` limits what it returns (200 KB), whatever the size of the file.
    """

    NAME = "crush"
    TITLE = "Crush"
    SEARCH_TOOLS = ("glob", "grep", "ls")
    EVENTS = {"PreToolUse": "before"}
    EVENT_FIELD = "event"
    PATH_TOOLS = {
        "view": ("file_path", "file"),
        "edit": ("file_path", "edit"),
        "multiedit": ("file_path", "edit"),
        "write": ("file_path", "new"),
        "ls": ("path", "folder"),
        "glob": ("path", "folder"),
        "grep": ("path", "any"),
    }
    COMMAND_TOOLS = {"bash": ("command", "working_dir")}
    CALL_ID_FIELD = ""
    PROJECT_SOURCES = ("CRUSH_PROJECT_DIR", "")
    START_VARIABLE = "CRUSH_PROJECT_DIR"
    SHOWS_NOTES = False  # documented, but not observed
    NESTED_FIELDS = ()
    REFUSAL = {"decision": "deny"}  # never `allow`, which skips the user's box
    REASON_FIELD = "reason"
    INPUT_FIELD = "updated_input"
    MERGES = True
    TEXT_FIELD = "context"
    HOME_FOLDER = (".config/crush", "CRUSH_GLOBAL_CONFIG")
    RULE_FILES = ((), (), (".crushignore",))
    OTHER_HOOKS = {
        "settings": (
            ("/etc/crush/crush.json", _DATA),
            ("crush.json",),
            ("crush.json", ".crush.json", ".crush/crush.json"),
        ),
        "events": ("pre_tool_use",),
        "programs": ((), _SHELL[:1], _SHELL),
        "marks": ("hook add",),
    }
    INSTALL_FILES = ("crush.json", "crush.json")
    FLAT_ENTRIES = True

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what its tools that list and search leave out."""
        hidden = (
            pattern
            for path, content in files.items()
            for pattern in host_rules.ignored(path, content, root)
        )
        return host_rules.Rules(tuple(hidden))

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry. Status 2 blocks a call, and 49 ends the turn."""
        usual = super().hook(client, timeout)
        return {"name": "truepath", "command": usual["command"], "timeout": timeout}


host = Crush()
