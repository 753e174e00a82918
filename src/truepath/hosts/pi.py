"""pi, through an extension of ours. Pure; knows no disk and no engine.

Every statement about the program was observed by running 0.73.1.
"""

from __future__ import annotations

from truepath.hosts import plugin

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from truepath.hosts.protocol import Request
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes

NAME = "pi"
TITLE = "pi"

STAKES: Stakes = plugin.stakes(
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

encode = plugin.encode


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:  # noqa: ARG001
    """Return the event in our words, or None for one that is not ours to answer."""
    return plugin.decode(event, NAME)


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes pi call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    script = plugin.script("pi.js", STAKES, client, timeout=timeout)
    piece = Piece("extensions/truepath.js", ".pi/extensions/truepath.js", script)
    return Setup(".pi/agent", "PI_CODING_AGENT_DIR", (piece,))
