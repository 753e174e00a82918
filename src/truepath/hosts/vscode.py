"""VS Code (Copilot Chat, the harness called Local). From documents, not run: the hooks reference of
2026-07 and the extension's source of 2026-03.
"""

from __future__ import annotations

from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS

_PROJECT = (".github/hooks/*.json", *CLAUDE_SETTINGS)


class VSCode(Host):
    """A tool that fails has no event afterwards, and what was said before it ran is lost then."""

    NAME = "vscode"
    TITLE = "VS Code (Copilot Chat, Local)"
    SEARCH = ("file_search", "grep_search", "list_dir")
    EVENTS = {"PreToolUse": "before", "UserPromptSubmit": "prompt"}
    TOOLS = (  # Copilot CLI and Claude Code, which run the same hooks, have other names
        *("read_file", "list_dir", "create_file", "file_search", "grep_search", "apply_patch"),
        *("replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file"),
        "run_in_terminal",
    )
    PATHS = {"read_file": ("filePath", "file"), "list_dir": ("path", "folder")}
    COMMANDS = {"run_in_terminal": ("command", "")}
    NOTES = False  # documented, and not seen
    HOME = (".copilot", "")
    BESIDE = {
        "settings": (("~/.claude/settings.json",), ("hooks/*.json",), _PROJECT),
        "matchers": False,
    }
    FILES = ("hooks/truepath-vscode.json", ".github/hooks/truepath-vscode.json")
    OURS = FLAT = True
    MATCHERS = {"PreToolUse": ""}  # they are ignored, so every tool comes by


host = VSCode()
