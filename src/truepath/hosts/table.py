"""What a host says of its program: the names and places that the dialect reads. Data.

The values here are those of Claude Code, whose shapes most programs have taken over.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.hosts.event_schema import EventSchema, Kind
    from truepath.hosts.protocol import Phase

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
    """All this as plain data, for the look at whether an event needs thought."""
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
    HINTS = False
    """Whether its own errors may name the right path (see `Exchange.hinted`)."""
    REWRITES = True
    REFUSES = True
    NOTES = True
    LATE = False
    """What `Request` says under these names."""

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
    SERVERS = ("", "")
    """Where the host lists MCP servers whose tools no hook of truepath sees, under `mcpServers`: a
    JSON file below its own folder, and one below a project; "" for none."""
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
    BELOW = True
    """What `Setup` says under these names."""

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
