"""Amp, through a plugin of ours. Pure; knows no disk and no engine.

From documents, not run: the types and the code inside @ampcode/cli 0.0.1790142911.
"""

from __future__ import annotations

from truepath.hosts import plugin
from truepath.hosts.fields import text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Request
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes

NAME = "amp"
TITLE = "Amp"

STAKES: Stakes = plugin.stakes(
    {
        "Read": ("path", "any"),
        "edit_file": ("path", "file"),
        "create_file": ("path", "new"),
        "Grep": ("path", "any"),
    },
    {"Bash": ("cmd", "cwd"), "shell_command": ("command", "workdir")},
)

_LOOKS = ("Read", "Grep", "glob", "finder")
"""Tools that only look. Amp asks all plugins at once and takes the first that does not allow, and
its own permissions are such a plugin: they may never see a call that another one has changed. So
whatever can do harm is refused with the right path, and comes again as the model's own call."""

encode = plugin.encode


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:  # noqa: ARG001
    """Return the event in our words, or None for one that is not ours to answer."""
    looks = text(event, "tool") in _LOOKS
    return plugin.decode(event, NAME, rewrites=looks, notes=False)


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`)."""
    from truepath.hosts.hooks import IMPORTS, Hooks, config_home

    places = ((f"{config_home(environ)}/amp", "plugins/*"), (root, ".amp/plugins/*"))
    return Hooks(settings=(), programs=places, marks=("tool.call", *IMPORTS))


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes Amp call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    script = plugin.script("amp.ts", STAKES, client, timeout=timeout)
    piece = Piece("plugins/truepath.ts", ".amp/plugins/truepath.ts", script)
    return Setup(".config/amp", "", (piece,))
