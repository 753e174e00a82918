"""A cheap look at a shell command: which paths it names, where that is plain to see.

For the hook, which must not load a parser for every command. It may err towards "not plain" alone,
and the native client has the same rule. Imports nothing.
"""

from __future__ import annotations


def operands(command: str) -> tuple[str, ...] | None:  # noqa: ARG001
    """Return the paths that must exist for `command` to need no thought; None where that is not
    plain to see.
    """
    return None
