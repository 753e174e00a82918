"""Whether an event needs any thought: the table a host declares, and the one rule that reads it.

The native client reads the same tables by the same rule. It may err towards thought alone.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import field, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal, TypedDict

    from truepath.hosts.protocol import Phase

    Kind = Literal["file", "folder", "any", "new", "target"]
    """What a path must be: a file, a folder, either; `new` is a file, or nothing yet in a folder
    that is there, and `target` anything, or nothing yet in such a folder."""

    RequiredPath = tuple[str, str]
    """A path, absolute, and what it must be (see `Kind`)."""

    class EventSchema(TypedDict):
        """A host's table. Fields of an event are named with dots: `tool_call.name`."""

        event: str
        """The field that names the event."""
        tool: str
        input: str
        """The field with the tool's arguments."""
        cwd: str
        session: str
        agent: str
        """The field with the sub-agent's id; "" where the host has none."""
        calls: tuple[str, ...]
        """Events before one tool call."""
        failures: tuple[str, ...]
        """Events after one tool call that failed."""
        marks: Mapping[str, tuple[str, ...]]
        """Event -> texts in lower case, of plain letters; where the event holds none of them, it
        needs no thought."""
        paths: Mapping[str, tuple[str, Kind]]
        """Tool -> the argument that is its one path, and what that must be (see `RequiredPath`).
        `[]` after a name goes through a list: `files[].path`."""
        commands: Mapping[str, tuple[str, str]]
        """Tool -> the argument with a shell command, or with `[]` after it a list of them, and the
        argument with the folder they run in ("" for none)."""


def event_schema(
    events: Mapping[str, Phase],
    paths: Mapping[str, tuple[str, Kind]],
    commands: Mapping[str, tuple[str, str]],
    *,
    marks: Mapping[str, tuple[str, ...]] | None = None,
    event: str = "hook_event_name",
    tool: str = "tool_name",
    arguments: str = "tool_input",
    cwd: str = "cwd",
    session: str = "session_id",
    agent: str = "",
) -> EventSchema:
    """Return a host's table from its events, the fields of `EventSchema` that it has, and names.

    An event after a failure that has no marks holds a call that failed, and is looked at by it.
    """
    marked = marks or {}
    failures = (name for name, phase in events.items() if phase == "failure")
    return {
        "event": event,
        "tool": tool,
        "input": arguments,
        "cwd": cwd,
        "session": session,
        "agent": agent,
        "calls": tuple(name for name, phase in events.items() if phase == "before"),
        "failures": tuple(name for name in failures if name not in marked),
        "marks": marked,
        "paths": paths,
        "commands": commands,
    }


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
        return _named(arguments, *table["paths"][tool], cwd)
    if tool in table["commands"] and name in table["calls"]:
        return _in_command(arguments, *table["commands"][tool], cwd)
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
