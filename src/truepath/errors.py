"""The errors a caller can handle.

Error
├── ConfigError       a setting cannot be used (also a ValueError)
├── WorkspaceError    a root that is no folder (also an OSError)
└── PathNotFound      a wrapped tool's path is not there (also a FileNotFoundError)
"""

from __future__ import annotations


class Error(Exception):
    """Anything truepath raises on purpose."""


class ConfigError(Error, ValueError):
    """A setting is malformed; the message says which, where and what to do."""


class WorkspaceError(Error, OSError):
    """A workspace root cannot be used."""


class PathNotFound(Error, FileNotFoundError):  # noqa: N818  named after the code agents read
    """A wrapped tool's path is not there; the message is the answer for the agent."""
