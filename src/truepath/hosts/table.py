"""What a host says of its program: the names and places that the dialect reads; and the one rule
by which that tells whether an event needs any thought.

The values here are those of Claude Code, whose shapes most programs have taken over. The native
client reads `EVENT_SCHEMA` by the same rule, which may err towards thought alone.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import field, text

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from truepath.hosts.protocol import Phase

    Kind = Literal["file", "folder", "any", "new", "target"]
    """What a path must be: a file, a folder, either; `new` is a file, or nothing yet in a folder
    that is there, and `target` anything, or nothing yet in such a folder."""

    RequiredPath = tuple[str, str]
    """A path, absolute, and what it must be (see `Kind`)."""

    EventSchema = Mapping[str, Any]
    """What a `Table` says of events, as plain data."""

    Scopes = tuple[Sequence[str], Sequence[str], Sequence[str]]
    """Files in three scopes: absolute ones, those below the host's own folder, and those below a
    project. A `*` in a name stands for any text; `~/` begins the user's home."""

CLAUDE_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
"""A project's settings of Claude Code, which other programs run the hooks of too."""


class Table:
    """The attributes of a host."""

    NAME: str
    """On the command line: `claude-code`."""
    TITLE: str
    """To a reader: `Claude Code`."""
    SEARCH: tuple[str, ...] = ()
    """What its model can list and search with, by the names that the model knows."""

    # Its events. The names of fields may have dots: `tool_call.name`; "" is for none.

    EVENTS: Mapping[str, Phase] = {}
    """The events to answer, and when each of them fires."""
    EVENT = "hook_event_name"
    """The field that names the event."""
    TOOL = "tool_name"
    ARGUMENTS = "tool_input"
    """The field with the tool's arguments."""
    CWD = "cwd"
    SESSION = "session_id"
    AGENT = ""
    """The field with the sub-agent's id."""
    PATHS: Mapping[str, tuple[str, Kind]] = {}
    """Tool -> the argument that is its one path, and what that must be for the call to need no
    thought. `[]` after a name goes through a list: `files[].path`."""
    COMMANDS: Mapping[str, tuple[str, str]] = {}
    """Tool -> the argument with a shell command, or with `[]` after it a list of them, and the
    argument with the folder they run in."""
    MARKS: Mapping[str, Sequence[str]] = {}
    """Event -> texts in lower case, of plain letters; where the event holds none of them, it needs
    no thought. An event after a failure that has none is looked at by the path of its call."""
    EVENT_SCHEMA: EventSchema
    """All this as plain data."""
    TOOLS: Sequence[str] = ()
    """The only tools to look at; none for all."""
    CALL_ID = "tool_use_id"
    TURN = ""
    PROMPT = "prompt"
    """The field with what the user typed."""
    ERROR = "error"
    """The field of a failed call with the error."""
    PROJECT = ("", "")
    """The variable, and the field, with the project's folder, absolute."""
    REWRITES = True
    """Whether the host runs a call with other arguments than it came with."""
    REFUSES = True
    """Whether it can keep a call from running without ending the run. Where it cannot, what would
    be refused is advised upon."""
    NOTES = True
    """Whether the model is known to read words beside the result of a call that goes on. Where it
    is not, no likely file is shown in place of a missing one."""
    EDITS_MAKE: Sequence[str] = ()
    """Tools by which an edit of a file that is missing makes it."""
    LATE = False
    """Whether it passes no words on before a tool has run: those of a call that goes on are kept
    and told at its end, so its successes are decoded too."""

    # Its answers.

    NESTED: Sequence[str] = (
        "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext",
    )  # fmt: skip
    """The fields that are put in `hookSpecificOutput`, with the name of the event."""
    REFUSAL: Mapping[str, str] = {"permissionDecision": "deny"}
    APPROVAL: Mapping[str, str] = {}
    """What a corrected input must be given with."""
    REASON = "permissionDecisionReason"
    INPUT = "updatedInput"
    """The field with the whole input of a call."""
    WORDS = "additionalContext"

    # Its places.

    HOME = ("", "")
    """The host's folder below the user's home, and the variable that stands in for it. One below
    `.config` is taken from `XDG_CONFIG_HOME` where that is set."""
    START = ""
    """The variable with the folder that the agent was started in."""
    RULE_FILES: Scopes = ((), (), ())
    """Where the host keeps permission rules."""
    BESIDE: Mapping[str, Any] = {}
    """Where other hooks may be: the fields of `Hooks`, with scopes for places, and more events."""
    SETTINGS = ""
    """The variable with one more file of settings that may list hooks."""

    # What makes it call us.

    FILES = ("", "")
    """The file of settings for a user, below the host's folder, and for a project."""
    OURS = False
    """Whether that file holds nothing else."""
    FLAT = False
    """Whether an entry of an event is the hook, in settings with a version, or holds a list."""
    MATCHERS: Mapping[str, str] = {}
    """Event -> a pattern for tools, "" for all, where it is not the usual one."""
    AFTER = ""
    """What the user still has to do, in one sentence; "" for nothing."""

    def __init_subclass__(cls) -> None:
        """Put `EVENT_SCHEMA` together."""
        after = [name for name, phase in cls.EVENTS.items() if phase == "failure"]
        cls.EVENT_SCHEMA = {
            "event": cls.EVENT,
            "tool": cls.TOOL,
            "input": cls.ARGUMENTS,
            "cwd": cls.CWD,
            "session": cls.SESSION,
            "agent": cls.AGENT,
            "calls": tuple(name for name, phase in cls.EVENTS.items() if phase == "before"),
            "failures": tuple(name for name in after if name not in cls.MARKS),
            "marks": cls.MARKS,
            "paths": cls.PATHS,
            "commands": cls.COMMANDS,
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
