"""Kimi Code, as observed by running 2.1.0."""

from __future__ import annotations

from truepath import TYPE_CHECKING
from truepath.fields import field
from truepath.hosts.host import Host
from truepath.records import replace

if TYPE_CHECKING:
    from typing import Any

    from truepath.hosts.protocol import Piece, Request
    from truepath.types import Decision


class KimiCode(Host):
    """Only a denial before a call has an effect: 2.1.0 reads no input and no context
    from a hook, and does not wait for one after a call.
    """

    NAME = "kimi"
    TITLE = "Kimi Code"
    SEARCH_TOOLS = ("Glob", "Grep", "Bash (ls)")
    # 2.1.0: a sub-agent's own events have the session of the agent that started it.
    EVENTS = {
        "PreToolUse": "before",
        "UserPromptSubmit": "prompt",
        "SubagentStart": "agent",
        "SubagentStop": "agent",
    }
    PATH_TOOLS = {
        "Read": ("path", "file"),
        "ReadMediaFile": ("path", "file"),
        "Edit": ("path", "edit"),
        "Write": ("path", "new"),
        "Glob": ("path", "folder"),
        "Grep": ("path", "any"),
    }
    COMMAND_TOOLS = {"Bash": ("command", "cwd")}
    CALL_ID_FIELD = "tool_call_id"
    PROMPT_FIELD = "prompt.0.text"
    REWRITES = SHOWS_NOTES = False
    HOME_FOLDER = (".kimi-code", "KIMI_CODE_HOME")
    OTHER_HOOKS = {"programs": ((), ("config.toml",), ()), "marks": ("PreToolUse",)}
    INSTALL_FILES = ("config.toml", "")
    FLAT_ENTRIES = True

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return a refusal; nothing else would reach the model."""
        return super().before(request, decision) if decision.action == "refuse" else {}

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return the end of the settings: hooks are a list there, in TOML."""
        from json import dumps  # an installation's alone

        [piece] = super().pieces(client, timeout=timeout)
        text = ""
        for event, [entry] in field(piece.content, "hooks").items():
            text += f"\n[[hooks]]\nevent = {dumps(event)}\n"
            for name, value in entry.items():
                if name != "type":  # a hook is a command in any case
                    # A text of JSON is one of TOML too.
                    text += f"{name} = {dumps(value, ensure_ascii=False)}\n"
        return (replace(piece, content=text),)


host = KimiCode()
