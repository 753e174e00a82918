"""Whether an event needs any thought: the one rule that reads a host's `EVENT_SCHEMA`.

The native client reads the same tables by the same rule. It may err towards thought alone.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import field, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    Kind = Literal["file", "folder", "any", "new", "target"]
    """What a path must be: a file, a folder, either; `new` is a file, or nothing yet in a folder
    that is there, and `target` anything, or nothing yet in such a folder."""

    RequiredPath = tuple[str, str]
    """A path, absolute, and what it must be (see `Kind`)."""

    EventSchema = Mapping[str, Any]
    """What a `Table` says of events, as plain data."""


def required_paths(
    table: EventSchema, event: Mapping[str, Any], data: bytes
) -> Sequence[RequiredPath] | None:
    """Return the paths that must be as they should for `event` to need no thought.

    An empty sequence means that nothing here concerns us; None means that only a full look can
    tell. An event that the table does not name concerns us only by what a session remembers.

    Args:
        table: The host's.
        event: The event, parsed.
        data: The same as it came.
    """
    name = field(event, table["event"])
    if name in table["marks"]:
        lower = data.lower()
        return None if any(mark.encode() in lower for mark in table["marks"][name]) else ()
    if name not in table["calls"] and name not in table["failures"]:
        return ()
    tool, arguments = field(event, table["tool"]), field(event, table["input"])
    cwd = text(event, table["cwd"])
    if not isinstance(tool, str) or not cwd:
        return None
    if tool in table["paths"]:
        argument, kind = table["paths"][tool]
        return _named(arguments, argument, kind, cwd)
    if tool in table["commands"] and name in table["calls"]:
        argument, folder = table["commands"][tool]
        return _in_command(arguments, argument, folder, cwd)
    return None


def _named(arguments: object, argument: str, kind: Kind, cwd: str) -> Sequence[RequiredPath] | None:
    found = list(_values(arguments, argument.split(".")))
    if found == [None] and kind in ("any", "folder"):
        return ()  # a search without a path searches the working directory
    if not found or not all(isinstance(value, str) and value for value in found):
        return None
    return [(os.path.join(cwd, value), kind) for value in found]


def _in_command(
    arguments: object, argument: str, folder: str, cwd: str
) -> Sequence[RequiredPath] | None:
    from truepath.calls.shell.uses import must_exist

    commands = list(_values(arguments, argument.split(".")))
    there = field(arguments, folder) if folder else None
    if not commands or not isinstance(there, (str, type(None))):
        return None
    cwd = os.path.join(cwd, there or "")
    required: list[RequiredPath] = [(cwd, "folder")] if there else []
    for command in commands:
        paths = must_exist(command, cwd) if isinstance(command, str) else None
        if paths is None:
            return None
        required += paths
    return required


def _values(value: object, names: Sequence[str]) -> Iterator[Any]:
    """Yield what is under a name, each item of a list where the name says so; None for nothing."""
    if not names:
        yield value
        return
    inner = field(value, names[0].removesuffix("[]"))
    # A single value may take the place of a list; so may nothing.
    listed = names[0].endswith("[]") and isinstance(inner, list)
    for each in inner if listed else [inner]:
        yield from _values(each, names[1:])
