"""Cursor. From documents, not run: its page on hooks and the code of its SDK 1.0.32, of 2026-09."""

from __future__ import annotations

from truepath.hosts.host import LIMIT, Host
from truepath.hosts.table import CLAUDE_SETTINGS

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from typing import Any

    from truepath.hosts.protocol import Request
    from truepath.types import Decision


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
    HINTS = True
    NESTED = ()
    REFUSAL = {"permission": "deny"}  # never `allow`, which approves the call
    REASON = "user_message"
    # Applied are `file_path`, `pattern`, `command`, `cwd` and `timeout`; the rest is kept.
    INPUT = "updated_input"
    WORDS = "additional_context"
    HOME = (".cursor", "")
    SERVERS = ("mcp.json", ".cursor/mcp.json")
    BESIDE = {
        "settings": (
            (
                "/etc/cursor/hooks.json",
                "/Library/Application Support/Cursor/hooks.json",
                "~/.claude/settings.json",
            ),
            ("hooks.json",),
            (".cursor/hooks.json", *CLAUDE_SETTINGS),
        ),
        "events": ("beforeshellexecution", "beforereadfile"),
        "aliases": {"Shell": ("Bash",), "Write": ("Edit",)},
    }
    FILES = ("hooks.json", ".cursor/hooks.json")
    FLAT = True

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return the answer before a call: to the message of a denial Cursor adds that the model is
        to suggest no way around, so the candidates are in the context, which is passed on too.
        """
        said = super().before(request, decision)
        if self.REASON in said:
            first = decision.text.partition("\n")[0]
            said |= {self.REASON: first[:LIMIT], self.WORDS: decision.text[:LIMIT]}
        return said

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry; whether a shell runs it is not documented, so it brings its own."""
        from shlex import quote

        line = super().hook(client, timeout)["command"]
        legible = quote(line) if {*'"$`\\'} & {*line} else f'"{line}"'
        return {"command": f"sh -c {legible}", "timeout": timeout}


host = Cursor()
