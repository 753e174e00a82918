"""The attributes that describe a host, and the quick check whether an event needs an
answer.

The defaults are those of Claude Code, whose format most programs have adopted. The
native client applies the same check to a copy of what it needs; it may only err towards
a full check.
"""

from __future__ import annotations

import os
from time import time

from truepath import TYPE_CHECKING, Late
from truepath.config import DOCUMENTS
from truepath.fields import field, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    from truepath.calls import patterns
    from truepath.calls.shell import programs, quick_look
    from truepath.calls.shell.needs import LookedFor
    from truepath.hosts.protocol import Phase

    Kind = Literal["file", "edit", "folder", "any", "entry", "new", "target"]
    """What a path must be: a file (`edit` for a tool that replaces text in it), a
    folder, either (`entry` for a tool that does not search); `new` is a file, or
    nothing in an existing folder, and `target` anything, or nothing in an existing
    folder. A tool with a `folder` or `any` path lists or searches."""

    Said = Literal["OK", "note"]

    Lenience = Literal["mark", "comment", "comma"]
    """What some programs read in JSON: a byte order mark at the beginning, comments,
    and a comma after the last item."""

    RequiredPath = tuple[str, str, int]
    """A path, absolute, what it must be (see `Kind`), and the bytes of the largest file
    that its tool reads, 0 for any."""

    Scopes = tuple[Sequence[str], Sequence[str], Sequence[str]]
    """Files in three scopes: absolute, below the host's folder, and below a project. A
    `*` matches any text in a name; `~/` is the user's home."""
else:
    patterns = Late("truepath.calls.patterns")
    programs = Late("truepath.calls.shell.programs")
    quick_look = Late("truepath.calls.shell.quick_look")

REFUSALS = (
    b"PATH_NOT_FOUND",
    b"PATH_IS_NOT_A_FILE",
    b"PATH_IS_NOT_A_FOLDER",
    b"PATH_LOOKS_WRONG",
    b"WRONG_FOLDER",
)
"""Codes of answers (see `guard.messages`): a failure that quotes one has been
answered."""

LACKS = (
    "not a git repository",
    "missing script",
    "err_pnpm_no_",
    "couldn't find a package.json",
    "could not read package.json",
    "script not found",
    "could not find `cargo.toml`",
    "go.mod file not found",
    "find main module",
    "contain main module",
    "pyproject.toml file in",
    "no `pyproject.toml` found",
    "no configuration file provided",
    "suitable configuration file",
    "no rule to make target",
    "no makefile found",
)
"""What a command says, in lower case, whose folder lacks what it needs (see
`calls/unmet_texts.txt`): behind a pipe it ends with status 0, like one that worked."""

CLAUDE_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
"""A project's settings of Claude Code, whose hooks other programs run too."""


def says_lack(output: str) -> bool:
    """Return whether a command's output says that its folder lacks something."""
    low = output.lower()
    return any(words in low for words in LACKS)


class Required:
    """What must exist for an event to pass unchecked: `paths`, and in folders that its
    commands run in, `contents`.
    """

    __slots__ = ("contents", "paths")

    def __init__(
        self,
        paths: Sequence[RequiredPath] = (),
        contents: Sequence[LookedFor] = (),
    ) -> None:
        self.paths = paths
        self.contents = contents


class Table:
    """The attributes of a host."""

    NAME: str
    """Its name on the command line: `claude-code`."""
    TITLE: str
    """Its name in texts: `Claude Code`."""
    SEARCH_TOOLS: tuple[str, ...] = ()
    """What its model can list and search with, as the model knows it."""

    # Its events. The name of a field may have dots: `tool_call.name`; "" is none.

    EVENTS: Mapping[str, Phase] = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolBatch": "batch",
        "UserPromptSubmit": "prompt",
    }
    """Event to answer -> when it fires; the one before a call is the first."""
    EVENT_FIELD = "hook_event_name"
    """The field that names the event."""
    TOOL_FIELD = "tool_name"
    ARGUMENTS_FIELD = "tool_input"
    """The field with the tool's arguments."""
    CWD_FIELD = "cwd"
    SESSION_FIELD = "session_id"
    AGENT_FIELD = "agent_id"
    """The field with the sub-agent's id."""
    PATH_TOOLS: Mapping[str, tuple[str, Kind]] = {}
    """Tool -> the argument with its only path, and what that must be for the call to
    pass unchecked. `[]` after a name goes through a list: `files[].path`."""
    AGENT_TOOLS: Sequence[str] = ()
    """Tools that run a sub-agent, in a program whose events do not name it: before such
    a call and after it, another agent goes on."""
    COMMAND_TOOLS: Mapping[str, tuple[str, str]] = {}
    """Tool -> the argument with a shell command (`[]`: a list of them), and the one
    with the folder that they run in; "." if that is the event's working directory,
    which may not exist."""
    FAILURE_MARKS: Mapping[str, Sequence[str]] = {}
    """Event -> texts in lower case; an event that contains none of them passes
    unchecked. A failure that is not listed here is checked by the path of its call."""
    MODEL_TOOLS: Mapping[str, str] = {}
    """Tool, as events name it -> its name in the model's list, where it has another."""
    ONLY_TOOLS: Sequence[str] = ()
    """The only tools to check; empty for all."""
    CALL_ID_FIELD = "tool_use_id"
    TURN_FIELD = ""
    PROMPT_FIELD = "prompt"
    """The field with what the user typed."""
    ERROR_FIELD = "error"
    """The field with the error of a failed call."""
    PROJECT_SOURCES = ("", "")
    """The variable, and the field, with the project's folder, absolute."""
    REWRITES = True
    """Whether the host runs a call with changed arguments."""
    REFUSES = True
    """Whether it can refuse a call without ending the run; if not, a refusal becomes
    advice."""
    SHOWS_NOTES = True
    """Whether the model is known to read a note with the result of a call. If not, no
    likely file is shown in place of a missing one."""
    READ_LIMITS: Mapping[str, Mapping[str, Any]] = {}
    """Tool -> the largest file that it reads whole, and how it reads a part of a larger
    one: the fields of `types.ReadLimit`."""
    UNMET_MARKS: Sequence[str] = ()
    """Texts in lower case; a failure that contains one is checked though its path
    exists."""
    CREATING_TOOLS: Sequence[str] = ()
    """Edit tools that create a missing file."""
    SAID_AFTER: Sequence[Said] = ()
    """What is stored until its call is over, and said with the result, so successes are
    decoded too: `OK`, what a correction says, of which nothing is said where the user
    refuses the call or it fails; `note`, all else that is said of a call that runs. A
    refusal is always said before."""

    RESULTS: Sequence[str] | None = ()
    """The tools of whose every call that ran it sends an event: a call without one,
    when the next prompt comes, was refused by the user. None for all tools; none where
    that is not known."""
    DECLINED = ""
    """What an event says, in lower case, of a call that the user refused."""

    # Its answers.

    NESTED_FIELDS: Sequence[str] = (
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
    )
    """The fields in `hookSpecificOutput`, with the name of the event."""
    REFUSAL: Mapping[str, str] = {"permissionDecision": "deny"}
    APPROVAL: Mapping[str, str] = {}
    """Fields that a corrected input requires."""
    REASON_FIELD = "permissionDecisionReason"
    INPUT_FIELD = "updatedInput"
    """The field with the corrected input: the whole of it, or, if the host `MERGES` it
    into the old one, what changes."""
    MERGES = False
    TEXT_FIELD = "additionalContext"
    USER_FIELD = ""
    """The field with a line that only the user is shown; "" if there is none."""
    REFUSALS_SHOWN = True
    """Whether the user sees a refusal with its reason; if not, the line tells of it."""
    CORRECTED_BOXES: Sequence[str] | None = None
    """The only tools of which the box that asks the user shows a corrected call as it
    runs; None if that of each does. Elsewhere it shows the call as it was written: the
    user would approve one call, and another would run (see `Rules.asks`)."""

    # Its places.

    HOME_FOLDER = ("", "")
    """The host's folder below the user's home, and the variable that overrides it.
    `XDG_CONFIG_HOME` replaces `.config`."""
    START_VARIABLE = ""
    """The variable with the folder that the agent was started in."""
    RULE_FILES: Scopes = ((), (), ())
    """The files with the host's permission rules."""
    OTHER_HOOKS: Mapping[str, Any] = {}
    """Where other hooks may be: fields of `Hooks`, with scopes for files."""
    SETTINGS_VARIABLE = ""
    """The variable with one more settings file that may list hooks."""

    # What makes it call truepath.

    INSTALL_FILES = ("", "")
    """The settings file for a user, below the host's folder, and for a project."""
    SETTINGS_MAY: Sequence[Lenience] | None = None
    """What the program reads in its settings beside JSON; it runs no hook of a file
    with anything else. None if that was not tried: then nothing counts as read."""
    SETTINGS_KEYS: Sequence[str] = ()
    """The only keys that the program reads at the top of its settings; it runs no hook
    of a file with another. Empty for any."""
    SETTINGS_HEAD: Mapping[str, Any] = {}
    """What the settings must have beside the hooks."""
    FLAT_ENTRIES = False
    """Whether the entry of an event is the hook itself, not a list."""
    MATCHERS: Mapping[str, str] = {}
    """Event -> a pattern for tools, "" for all, if not the default."""
    NEXT_STEP = ""
    """What the user still has to do after installing, in one sentence."""


def phase_of(table: Table, event: Mapping[str, Any]) -> Phase | None:
    """Return when an event fires; None if the table does not name it."""
    if table.AGENT_TOOLS and text(event, table.TOOL_FIELD) in table.AGENT_TOOLS:
        return "agent"
    return table.EVENTS.get(text(event, table.EVENT_FIELD))


def required(table: Table, event: Mapping[str, Any], data: bytes) -> Required | None:
    """Return what must exist for `event` to pass unchecked.

    None if only a full check can tell. An event that the table does not name needs
    nothing: only the session's state matters. `data` is the event as received.
    """
    name = text(event, table.EVENT_FIELD)
    phase = phase_of(table, event)
    if phase == "agent":
        return Required()
    if name in table.FAILURE_MARKS:
        may_have_failed = _has_any(table.FAILURE_MARKS[name], data)
        return None if may_have_failed else Required()
    if phase == "before":
        return _of_call(table, event, commands=True)
    if phase != "failure":
        return Required()
    if _has_any(table.UNMET_MARKS, data):
        return None
    if any(code in data for code in REFUSALS):
        return Required()  # of a call that truepath refused
    return _of_call(table, event, commands=False)


def _has_any(marks: Sequence[str], data: bytes) -> bool:
    """Return whether an event contains any of the texts, which are in lower case."""
    lower = data.lower()
    return any(mark.encode() in lower for mark in marks)


def _of_call(
    table: Table, event: Mapping[str, Any], *, commands: bool
) -> Required | None:
    """Return what the event's call requires; None if only a full check can tell.

    `commands` says whether to look into shell commands.
    """
    tool = field(event, table.TOOL_FIELD)
    arguments = field(event, table.ARGUMENTS_FIELD)
    cwd = text(event, table.CWD_FIELD)
    if not isinstance(tool, str) or not cwd:
        return None
    if tool in table.PATH_TOOLS:
        argument, kind = table.PATH_TOOLS[tool]
        paths = _named(arguments, argument, kind, cwd)
        if paths is None:
            return None
        limit = table.READ_LIMITS.get(tool)
        largest = limit["whole"] if limit else 0
        return Required([(path, kind, largest) for path in paths])
    if commands and tool in table.COMMAND_TOOLS:
        argument, folder = table.COMMAND_TOOLS[tool]
        return _in_command(arguments, argument, folder, cwd)
    return None


def step(table: Table, event: Mapping[str, Any], *, named: bool) -> str:
    """Return the step that an event is in its session, as a line for `keys.leave_step`;
    "" if none.

    `named` says whether the event names paths, which exist.
    """
    kind = _kind_of_step(table, event, named=named)
    if not kind:
        return ""
    turn = field(event, table.TURN_FIELD)
    if not isinstance(turn, (str, int)):
        turn = ""
    return f"{kind} {time():.3f} {turn}\n"


def documents(
    table: Table, event: Mapping[str, Any], paths: Sequence[RequiredPath]
) -> Sequence[str]:
    """Return the documents that a call is about to read, each as such a line."""
    if phase_of(table, event) != "before":
        return ()
    return [
        f"document {time():.3f} {path}\n"
        for path, kind, _ in paths
        if kind in ("file", "entry", "any")
        and os.path.basename(path) in DOCUMENTS
        and "\n" not in path
    ]


def _kind_of_step(table: Table, event: Mapping[str, Any], *, named: bool) -> str:
    phase = phase_of(table, event)
    if phase == "agent":
        return "prompt"
    if phase == "prompt":  # Qwen Code submits the results of tools too
        return "prompt" if text(event, table.PROMPT_FIELD) else ""
    if phase != "before":
        return ""
    if _looks(table, event):
        return "discovery"
    return "success" if named else ""


def _looks(table: Table, event: Mapping[str, Any]) -> bool:
    """Return whether a call lists or searches."""
    tool = text(event, table.TOOL_FIELD)
    if tool in table.PATH_TOOLS:
        _, kind = table.PATH_TOOLS[tool]
        return kind in ("any", "folder")
    if tool not in table.COMMAND_TOOLS:
        return False

    argument = table.COMMAND_TOOLS[tool][0]
    values = _values(field(event, table.ARGUMENTS_FIELD), argument.split("."))
    return any(
        programs.looks_around(value) for value in values if isinstance(value, str)
    )


def _named(
    arguments: object, argument: str, kind: str, cwd: str
) -> Sequence[str] | None:
    """Return the paths of a call, absolute; None if only a full check can tell."""
    values = list(_values(arguments, argument.split(".")))
    if values == [None] and kind in ("any", "folder"):
        values = []  # a search without a path searches the working directory
    elif not values or not all(isinstance(value, str) and value for value in values):
        return None
    paths = [os.path.join(cwd, value) for value in values]
    if kind == "folder" and field(arguments, "pattern"):
        # `docs/**/*.md` is searched below `docs`.
        folder = patterns.folder_of(field(arguments, "pattern"))
        if folder:
            paths.append(os.path.join(paths[0] if paths else cwd, folder))
    return paths


def _in_command(
    arguments: object, argument: str, folder: str, cwd: str
) -> Required | None:
    commands = list(_values(arguments, argument.split(".")))
    entered = folder if folder == "." else field(arguments, folder) if folder else None
    if not commands or not isinstance(entered, (str, type(None))):
        return None
    cwd = os.path.join(cwd, entered or "")
    paths: list[RequiredPath] = [(cwd, "folder", 0)] if entered else []
    contents: list[LookedFor] = []
    for command in commands:
        needs = (
            quick_look.must_exist(command, cwd) if isinstance(command, str) else None
        )
        if needs is None:
            return None
        paths_of_command, contents_of_command = needs
        paths += [(path, kind, 0) for path, kind in paths_of_command]
        contents += contents_of_command
    return Required(paths, contents)


def _values(value: object, names: Sequence[str]) -> Iterator[Any]:
    """Yield the value under a name, each item for `[]`; None for nothing."""
    if not names:
        yield value
        return
    inner = field(value, names[0].removesuffix("[]"))
    # A single value may replace a list.
    is_list = names[0].endswith("[]") and isinstance(inner, list)
    for item in inner if is_list else [inner]:
        yield from _values(item, names[1:])
