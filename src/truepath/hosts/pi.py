"""pi, through an extension of truepath, as observed by running 1.5.2."""

from __future__ import annotations

from truepath.hosts.plugin import IMPORTS, Plugin


class Pi(Plugin):
    """pi has no permission rules."""

    NAME = "pi"
    TITLE = "pi"
    SEARCH_TOOLS = ("find", "grep", "ls")
    PATH_TOOLS = {
        "read": ("path", "file"),
        "edit": ("path", "edit"),
        "write": ("path", "new"),
        "grep": ("path", "any"),
        "find": ("path", "folder"),
        "ls": ("path", "folder"),
    }
    COMMAND_TOOLS = {"bash": ("command", "")}
    UNMET_MARKS = (
        "could not find the exact text",
        "could not find edits[",
        "occurrences of",
    )
    HOME_FOLDER = (".pi/agent", "PI_CODING_AGENT_DIR")
    OTHER_HOOKS = {
        "settings": ((), ("settings.json",), (".pi/settings.json",)),
        "programs": (
            (),
            ("extensions/*", "extensions/*/index.*"),
            (".pi/extensions/*", ".pi/extensions/*/index.*"),
        ),
        "marks": ("tool_call", *IMPORTS),
        "lists": ("packages", "extensions"),
    }
    INSTALL_FILES = ("extensions/truepath.js", ".pi/extensions/truepath.js")


host = Pi()
