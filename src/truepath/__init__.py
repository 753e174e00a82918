"""truepath: every path in an agent's tool call, checked before the tool runs.

A path goes in; the right file or a clear answer comes out.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost every hook call 8 ms
if TYPE_CHECKING:
    from truepath.call import Candidate, Decision, Outcome, Resolution, ToolCall
    from truepath.errors import ConfigError, Error, PathNotFound, WorkspaceError
    from truepath.guard import Guard
    from truepath.workspace import Workspace

__version__ = "0.1.0"

_HOMES = {
    "Candidate": "truepath.call",
    "ConfigError": "truepath.errors",
    "Decision": "truepath.call",
    "Error": "truepath.errors",
    "Guard": "truepath.guard",
    "Outcome": "truepath.call",
    "PathNotFound": "truepath.errors",
    "Resolution": "truepath.call",
    "ToolCall": "truepath.call",
    "Workspace": "truepath.workspace",
    "WorkspaceError": "truepath.errors",
}

__all__ = [
    "Candidate",
    "ConfigError",
    "Decision",
    "Error",
    "Guard",
    "Outcome",
    "PathNotFound",
    "Resolution",
    "ToolCall",
    "Workspace",
    "WorkspaceError",
]


def __getattr__(name: str) -> object:
    """Import a public name when first asked for: a hook must not pay for what it does not use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'truepath' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
