"""pi, through an extension of truepath.

Every statement about the program was observed by running 0.73.1.
"""

from __future__ import annotations

from truepath.hosts.plugin import Plugin, plugin_schema, script

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from truepath.hosts.protocol import Environ, Hooks
    from truepath.hosts.setup import Setup


class Pi(Plugin):
    """An extension sees what those that were loaded before it have made of a call."""

    NAME = "pi"
    TITLE = "pi"
    EVENT_SCHEMA = plugin_schema(
        {
            "read": ("path", "file"),
            "edit": ("path", "file"),
            "write": ("path", "new"),
            "grep": ("path", "any"),
            "find": ("path", "folder"),
            "ls": ("path", "folder"),
        },
        {"bash": ("command", "")},
    )
    HOME = (".pi/agent", "PI_CODING_AGENT_DIR")
    HOOK_FILES = ((), ("settings.json",), (".pi/settings.json",))

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs (see `Host`)."""
        from truepath.hosts.protocol import IMPORTS
        from truepath.records import replace

        places = (f"{self.folder(environ)}/extensions", f"{root}/.pi/extensions")
        return replace(
            super().hooks(environ, root),
            programs=tuple((at, name) for at in places for name in ("*", "*/index.*")),
            marks=("tool_call", *IMPORTS),
            lists=("packages", "extensions"),
        )

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes pi call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup

        text = script("pi.js", self.EVENT_SCHEMA, client, timeout=timeout)
        piece = Piece("extensions/truepath.js", ".pi/extensions/truepath.js", text)
        return Setup(*self.HOME, (piece,))


host = Pi()
