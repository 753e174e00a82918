"""Crush's hook protocol.

From documents, not run: the manual of its hooks and the source, of 2026-08.
"""

from __future__ import annotations

from truepath.hosts.event_schema import event_schema
from truepath.hosts.host import Host

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from truepath.hosts.setup import Setup


class Crush(Host):
    """There is no event after a call; what is said before it reaches the model with its result, a
    failure included.
    """

    NAME = "crush"
    TITLE = "Crush"
    EVENTS = {"PreToolUse": "before"}
    EVENT_SCHEMA = event_schema(
        EVENTS,
        {
            "view": ("file_path", "file"),
            "edit": ("file_path", "file"),
            "multiedit": ("file_path", "file"),
            "write": ("file_path", "new"),
            "glob": ("path", "folder"),
            "grep": ("path", "any"),
            "ls": ("path", "folder"),
        },
        {"bash": ("command", "working_dir")},
        event="event",
    )
    CALL_ID = PROMPT = ""
    NOTES = False  # documented, and not seen
    PROJECT = "CRUSH_PROJECT_DIR"
    # Never `allow`, which skips the user's prompt, nor `halt`, which ends the turn.
    NESTED = False
    REFUSAL = {"decision": "deny"}
    REASON = "reason"
    INPUT = "updated_input"  # it is merged into the input, which a whole one leaves nothing of
    WORDS = "context"
    HOME = (".config/crush", "")
    HOOK_FILES = ((), ("crush.json",), ("crush.json", ".crush.json"))

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes Crush call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup, harmless, listed

        hook = {"name": "truepath", "command": harmless(client), "timeout": timeout}
        table = listed(hook, {"PreToolUse": f"^({self.tools()})$"}, grouped=False)
        return Setup(*self.HOME, (Piece("crush.json", "crush.json", {"hooks": table}),))


host = Crush()
