"""pi, through an extension of ours. Pure; knows no disk and no engine.

Every statement about the program was observed by running 0.73.1.
"""

from __future__ import annotations

from truepath.hosts import plugin

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from truepath.hosts.hooks import Hooks
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


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`).

    An extension sees what those that were loaded before it have made of a call.
    """
    from truepath.hosts.hooks import IMPORTS, Hooks

    user = environ.get("PI_CODING_AGENT_DIR") or f"{environ.get('HOME', '')}/.pi/agent"
    places = ((user, ""), (root, ".pi/"))
    return Hooks(
        settings=tuple((at, f"{inner}settings.json") for at, inner in places),
        programs=tuple(
            (at, f"{inner}extensions/{name}") for at, inner in places for name in ("*", "*/index.*")
        ),
        marks=("tool_call", *IMPORTS),
        lists=("packages", "extensions"),
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes pi call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    script = plugin.script("pi.js", STAKES, client, timeout=timeout)
    piece = Piece("extensions/truepath.js", ".pi/extensions/truepath.js", script)
    return Setup(".pi/agent", "PI_CODING_AGENT_DIR", (piece,))
