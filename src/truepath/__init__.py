"""truepath: every path in an agent's tool call, checked before the tool runs.

A path goes in; the right file or a clear answer comes out.

`Workspace(".").resolve("src/old.py")` answers a question; `Guard(".").wrap(read_file)`
and `Guard(".").check(call)` decide about tool calls. The names in `__all__` are all
that is public.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from truepath.config.settings import Settings, load_settings
    from truepath.errors import (
        ConfigError,
        Error,
        PathIsFile,
        PathIsFolder,
        PathNotFound,
        PathRefused,
        SandboxError,
        WorkspaceError,
    )
    from truepath.guard.checked_call import CheckedCall
    from truepath.guard.guard import Guard
    from truepath.journal.event import Event
    from truepath.project.remote.sandbox import Runner, ShellRunner
    from truepath.resolve.workspace import Workspace
    from truepath.session.stores import Store, open_store
    from truepath.types import Candidate, Decision, Outcome, Resolution, ToolCall

__version__ = "0.2.0"

_HOMES = {
    "config.settings": "Settings load_settings",
    "errors": "ConfigError Error PathIsFile PathIsFolder PathNotFound PathRefused "
    "SandboxError WorkspaceError",
    "guard.checked_call": "CheckedCall",
    "guard.guard": "Guard",
    "journal.event": "Event",
    "project.remote.sandbox": "Runner ShellRunner",
    "resolve.workspace": "Workspace",
    "session.stores": "Store open_store",
    "types": "Candidate Decision Outcome Resolution ToolCall",
}
"""Module -> its public names."""

__all__ = [
    "Candidate",
    "CheckedCall",
    "ConfigError",
    "Decision",
    "Error",
    "Event",
    "Guard",
    "Outcome",
    "PathIsFile",
    "PathIsFolder",
    "PathNotFound",
    "PathRefused",
    "Resolution",
    "Runner",
    "SandboxError",
    "Settings",
    "ShellRunner",
    "Store",
    "ToolCall",
    "Workspace",
    "WorkspaceError",
    "load_settings",
    "open_store",
]


def __dir__() -> list[str]:
    """Return the public names: what `help` and completion show."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    """Import a public name on first access: a hook must not pay for what it does not
    use.
    """
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module 'truepath' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"truepath.{home}"), name)
