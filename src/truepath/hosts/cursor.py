"""Cursor. From documents, not run: its page on hooks and the code of its SDK 1.0.32, of 2026-09."""

from __future__ import annotations

from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS

_MANAGED = ("/etc/cursor/hooks.json", "/Library/Application Support/Cursor/hooks.json")


class Cursor(Host):
    """`beforeSubmitPrompt` does not fire without a window. `generation_id` is no turn: it spans all
    that follows one prompt of the user.
    """

    NAME = "cursor"
    TITLE = "Cursor"
    SEARCH = ("Glob", "Grep", "List")
    EVENTS = {
        "preToolUse": "before",
        "postToolUseFailure": "failure",
        "beforeSubmitPrompt": "prompt",
    }
    PATHS = {
        "Read": ("file_path", "file"),
        "Write": ("file_path", "new"),
        "Delete": ("file_path", "any"),
        "Grep": ("file_path", "any"),
        "List": ("file_path", "folder"),
    }
    COMMANDS = {"Shell": ("command", "cwd")}
    SESSION = "conversation_id"
    PROJECT = ("", "workspace_roots.0")
    ERROR = "error_message"
    NOTES = False  # documented, and not seen
    NESTED = ()
    REFUSAL = {"permission": "deny"}  # never `allow`, which approves the call
    REASON = "user_message"
    # Applied are `file_path`, `pattern`, `command`, `cwd` and `timeout`; the rest is kept.
    INPUT = "updated_input"
    WORDS = "additional_context"
    HOME = (".cursor", "")
    BESIDE = {
        "settings": (
            (*_MANAGED, "~/.claude/settings.json"),
            ("hooks.json",),
            (".cursor/hooks.json", *CLAUDE_SETTINGS),
        ),
        "events": ("beforeshellexecution", "beforereadfile"),
        "aliases": {"Shell": ("Bash",), "Write": ("Edit",)},
    }
    FILES = ("hooks.json", ".cursor/hooks.json")
    FLAT = True


host = Cursor()
