"""truepath: every path in an agent's tool call, checked before the tool runs.

A path goes in; the right file or a clear answer comes out.

`Workspace(".").resolve("src/old.py")` answers a question; `Guard(".").wrap(read_file)`
and `Guard(".").check(call)` decide about tool calls. The names in `__all__` are all
that is public.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from truepath.config.presets import Policy
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
    from truepath.types import (
        Action,
        Candidate,
        Cause,
        Decision,
        Operation,
        Outcome,
        Resolution,
        Status,
        ToolCall,
    )

__version__ = "0.3.0"

_HOMES = {
    "config.presets": "Policy",
    "config.settings": "Settings load_settings",
    "errors": "ConfigError Error PathIsFile PathIsFolder PathNotFound PathRefused "
    "SandboxError WorkspaceError",
    "guard.checked_call": "CheckedCall",
    "guard.guard": "Guard",
    "journal.event": "Event",
    "project.remote.sandbox": "Runner ShellRunner",
    "resolve.workspace": "Workspace",
    "session.stores": "Store open_store",
    "types": "Action Candidate Cause Decision Operation Outcome Resolution Status "
    "ToolCall",
}
"""Module -> its public names."""

__all__ = [
    "Action",
    "Candidate",
    "Cause",
    "CheckedCall",
    "ConfigError",
    "Decision",
    "Error",
    "Event",
    "Guard",
    "Operation",
    "Outcome",
    "PathIsFile",
    "PathIsFolder",
    "PathNotFound",
    "PathRefused",
    "Policy",
    "Resolution",
    "Runner",
    "SandboxError",
    "Settings",
    "ShellRunner",
    "Status",
    "Store",
    "ToolCall",
    "Workspace",
    "WorkspaceError",
    "load_settings",
    "open_store",
]

_RENAMED: dict[str, tuple[str, str]] = {}
"""Name that was public -> its new one, and the version that goes without the old one:
two minor versions after the one that says so."""


class Late:
    """A module that is imported when one of its names is first used.

    The head of a file has it for what only some calls need: a hook must not pay for
    what it does not use. Type checkers see the import itself. The module is of the
    file's room, or of one that the file imports from anyway.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the module."""
        # As `import_module`, which would be an import itself.
        return getattr(__import__(self._name, fromlist=["__name__"]), name)


def __dir__() -> list[str]:
    """Return the public names: what `help` and completion show."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    """Import a public name on first access: a hook must not pay for what it does not
    use.
    """
    if name in _RENAMED:
        import warnings  # no name is an old one, usually

        new, version = _RENAMED[name]
        told = f"truepath.{name} is truepath.{new}, and goes with version {version}"
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        name = new
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module 'truepath' has no attribute {name!r}")
    import typing  # noqa: F401  so that the closed sets of `types` are what they say
    from importlib import import_module  # a hook uses no public name

    return getattr(import_module(f"truepath.{home}"), name)
