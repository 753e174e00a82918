"""Amp, through a plugin of truepath.

From documents, not run: the types and the code inside @ampcode/cli 0.0.1790142911.
"""

from __future__ import annotations

from truepath.hosts.fields import text
from truepath.hosts.plugin import Plugin, plugin_schema, script

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Environ, Event, Request
    from truepath.hosts.setup import Setup

_LOOKS = ("Read", "Grep", "glob", "finder")
"""Tools that only look. Amp asks all plugins at once and takes the first that does not allow, and
its own permissions are such a plugin: they may never see a call that another one has changed. So
whatever can do harm is refused with the right path, and comes again as the model's own call."""


class Amp(Plugin):
    """Read opens files, folders and images."""

    NAME = "amp"
    TITLE = "Amp"
    EVENT_SCHEMA = plugin_schema(
        {
            "Read": ("path", "any"),
            "edit_file": ("path", "file"),
            "create_file": ("path", "new"),
            "Grep": ("path", "any"),
        },
        {"Bash": ("cmd", "cwd"), "shell_command": ("command", "workdir")},
    )
    NOTES = False  # documented, and not seen
    HOME = (".config/amp", "")

    def decode(self, event: Event, environ: Environ) -> Request | None:
        """Return the event as a `Request` (see `Host`)."""
        from truepath.records import replace

        request = super().decode(event, environ)
        looks = text(event, "tool") in _LOOKS
        return replace(request, rewrites=looks) if request else None

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs (see `Host`)."""
        from truepath.hosts.hooks import IMPORTS, Hooks

        places = ((self.folder(environ), "plugins/*"), (root, ".amp/plugins/*"))
        return Hooks((), programs=places, marks=("tool.call", *IMPORTS))

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes Amp call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup

        text = script("amp.ts", self.EVENT_SCHEMA, client, timeout=timeout)
        piece = Piece("plugins/truepath.ts", ".amp/plugins/truepath.ts", text)
        return Setup(*self.HOME, (piece,))


host = Amp()
