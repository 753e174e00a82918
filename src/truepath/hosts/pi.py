"""pi, through an extension of truepath, as observed by running 0.87.1."""

from __future__ import annotations

from truepath.hosts.plugin import IMPORTS, Plugin


class Pi(Plugin):
    """pi asks for no permission."""

    NAME = "pi"
    TITLE = "pi"
    SEARCH = ("find", "grep", "ls")
    PATHS = {
        "read": ("path", "file"),
        "edit": ("path", "file"),
        "write": ("path", "new"),
        "grep": ("path", "any"),
        "find": ("path", "folder"),
        "ls": ("path", "folder"),
    }
    COMMANDS = {"bash": ("command", "")}
    HOME = (".pi/agent", "PI_CODING_AGENT_DIR")
    BESIDE = {
        "settings": ((), ("settings.json",), (".pi/settings.json",)),
        "programs": (
            (),
            ("extensions/*", "extensions/*/index.*"),
            (".pi/extensions/*", ".pi/extensions/*/index.*"),
        ),
        "marks": ("tool_call", *IMPORTS),
        "lists": ("packages", "extensions"),
    }
    TEMPLATE = "pi.js"
    FILES = ("extensions/truepath.js", ".pi/extensions/truepath.js")


host = Pi()
