"""VS Code (Copilot Chat, the harness called Local). Not run: from the hooks reference
of 2026-07 and the extension's source of 2026-03.
"""

from __future__ import annotations

from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS

_PROJECT = (".github/hooks/*.json", *CLAUDE_SETTINGS)


class VSCode(Host):
    """A failed tool has no event, and a text from before it ran is lost."""

    NAME = "vscode"
    TITLE = "VS Code (Copilot Chat, Local)"
    SEARCH_TOOLS = ("file_search", "grep_search", "list_dir")
    EVENTS = {"PreToolUse": "before", "UserPromptSubmit": "prompt"}
    # Copilot CLI and Claude Code, which run the same hooks, have other names.
    ONLY_TOOLS = (
        "read_file",
        "list_dir",
        "create_file",
        "file_search",
        "grep_search",
        "apply_patch",
        "replace_string_in_file",
        "multi_replace_string_in_file",
        "insert_edit_into_file",
        "run_in_terminal",
    )
    PATH_TOOLS = {"read_file": ("filePath", "file"), "list_dir": ("path", "folder")}
    COMMAND_TOOLS = {"run_in_terminal": ("command", "")}
    SHOWS_NOTES = False  # documented, but not observed
    HOME_FOLDER = (".copilot", "")
    OTHER_HOOKS = {
        "settings": (("~/.claude/settings.json",), ("hooks/*.json",), _PROJECT),
        "matchers": False,
    }
    INSTALL_FILES = ("hooks/truepath-vscode.json", ".github/hooks/truepath-vscode.json")
    SETTINGS_HEAD = {"version": 1}
    FLAT_ENTRIES = True
    MATCHERS = {"PreToolUse": ""}  # matchers are ignored


host = VSCode()
