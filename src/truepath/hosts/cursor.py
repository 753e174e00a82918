"""Cursor. Not run: from its page on hooks and its SDK 1.0.32, of 2026-09."""

from __future__ import annotations

from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS

_MANAGED = ("/etc/cursor/hooks.json", "/Library/Application Support/Cursor/hooks.json")


class Cursor(Host):
    """`beforeSubmitPrompt` does not fire without a window. `generation_id` is not a
    model turn: it spans everything after one prompt of the user.
    """

    NAME = "cursor"
    TITLE = "Cursor"
    SEARCH_TOOLS = ("Glob", "Grep", "List")
    EVENTS = {
        "preToolUse": "before",
        "postToolUseFailure": "failure",
        "beforeSubmitPrompt": "prompt",
    }
    PATH_TOOLS = {
        "Read": ("file_path", "file"),
        "Write": ("file_path", "new"),
        "Delete": ("file_path", "entry"),
        "Grep": ("file_path", "any"),
        "List": ("file_path", "folder"),
    }
    COMMAND_TOOLS = {"Shell": ("command", "cwd")}
    SESSION_FIELD = "conversation_id"
    PROJECT_SOURCES = ("", "workspace_roots.0")
    ERROR_FIELD = "error_message"
    SHOWS_NOTES = False  # documented, but not observed
    NESTED_FIELDS = ()
    REFUSAL = {"permission": "deny"}  # never `allow`, which approves the call
    REASON_FIELD = "user_message"
    # Only `file_path`, `pattern`, `command`, `cwd` and `timeout` are applied.
    INPUT_FIELD = "updated_input"
    TEXT_FIELD = "additional_context"
    HOME_FOLDER = (".cursor", "")
    OTHER_HOOKS = {
        "settings": (
            (*_MANAGED, "~/.claude/settings.json"),
            ("hooks.json",),
            (".cursor/hooks.json", *CLAUDE_SETTINGS),
        ),
        "events": ("beforeshellexecution", "beforereadfile"),
        "aliases": {"Shell": ("Bash",), "Write": ("Edit",)},
    }
    INSTALL_FILES = ("hooks.json", ".cursor/hooks.json")
    SETTINGS_HEAD = {"version": 1}
    FLAT_ENTRIES = True


host = Cursor()
