"""Which argument of a tool call is a path, a shell command or a patch, and what is done to it.

Names in, operations out; the tables are in `tool_tables`. Knows no disk and no policy.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from typing import Any

from truepath.calls import tool_tables as data
from truepath.calls.shell.words import pieces
from truepath.calls.tool_names import (
    EDITORS,
    PATCHES,
    SHELLS,
    TOOLS,
    Use,
    base_name,
    fold,
    folded,
    guess,
    is_described,
    is_remote,
)
from truepath.records import dataclass
from truepath.types import Operation, PathArgument, ToolCall

_SHELL_ARGUMENTS = folded(data.SHELL_ARGUMENTS)
_PATCH_ARGUMENTS = folded(data.PATCH_ARGUMENTS)
_PATHS = folded(data.PATH_NAMES)
_BARE = folded(data.BARE_NAMES)
_FOLDERS = folded(data.FOLDER_NAMES)
_WORKING = folded(data.WORKING_NAMES)
_PLACES = _WORKING | _FOLDERS
_SOURCES = folded(data.SOURCE_NAMES)
_DESTINATIONS = folded(data.DESTINATION_NAMES)
_LOOSE_ENDS = folded(data.LOOSE_ENDS)
_OBJECTS = folded(data.OBJECT_NAMES)
_OLD_TEXTS = folded(data.OLD_TEXT_NAMES)
_GLOB_TOOLS = folded(data.GLOB_TOOLS)
_REMOTE_ARGUMENTS = folded(data.REMOTE_ARGUMENTS)
_READERS = frozenset(tool for tool, _ in data.READS_FOLDERS)
_LOOKING = frozenset(data.DISCOVERY_COMMANDS.split())
_LOOKING_GIT = frozenset(data.DISCOVERY_GIT.split())
_CHANGES: frozenset[Operation] = frozenset({"copy", "edit", "execute", "move", "delete"})
_SHELL_PROGRAMS = frozenset({"bash", "sh", "zsh", "dash"})


@dataclass(frozen=True, slots=True)
class CommandText:
    """One shell command inside a call's arguments."""

    argument: str
    text: str
    index: int | None = None
    """The position, when the argument is a list of commands or an argument vector."""


def path_arguments(call: ToolCall) -> list[PathArgument]:
    """Return the paths in a call's arguments, in their order.

    Empty for a tool it does not know how to read, and for values that are no paths of this
    machine: URLs, globs, empty or not text.
    """
    if _is_remote(call):
        return []
    name = base_name(call.tool)
    arguments = call.arguments
    if name in SHELLS:
        return list(_working_folders(arguments, _PLACES))
    if name in PATCHES and (found := list(_hosted_patch(arguments))):
        return found
    use = _use(call, name)
    if use is None:
        return []
    if call.tool in _READERS and any((call.tool, key) in data.READS_FOLDERS for key in arguments):
        use = ("read", "any")
    return list(_collect(arguments, use, name))


def commands(call: ToolCall) -> tuple[CommandText, ...]:
    """Return every shell command in a call: text, lists of texts, and `["bash", "-lc", text]`.

    Those of a POSIX shell: PowerShell and cmd have none.
    """
    if _is_remote(call) or base_name(call.tool) not in SHELLS:
        return ()
    # OpenHands' terminal: what is typed into a running program is no command line.
    if str(call.arguments.get("is_input", "")).lower() == "true":
        return ()
    return tuple(
        command
        for key, name, value in items(call.arguments)
        if name in _SHELL_ARGUMENTS
        for command in _command_texts(key, value)
    )


def runs_commands(call: ToolCall) -> bool:
    """Tell whether a call runs commands on this machine, readable or not."""
    return not _is_remote(call) and base_name(call.tool) in SHELLS


def patch_argument(call: ToolCall) -> str | None:
    """Return the name of the argument that holds patch text which names its files, if any."""
    if _is_remote(call) or base_name(call.tool) not in PATCHES:
        return None
    for key, name, value in items(call.arguments):
        if name in _PATCH_ARGUMENTS and isinstance(value, str) and _names_files(value):
            return key
    return None


def folder_argument(call: ToolCall) -> str | None:
    """Return the name of the argument that says where a shell command runs, if one is given."""
    if _is_remote(call) or base_name(call.tool) not in SHELLS:
        return None
    found = list(_working_folders(call.arguments, _PLACES))
    return found[0].argument if found else None


def with_path(arguments: Mapping[str, Any], argument: PathArgument, new: str) -> dict[str, Any]:
    """Return the whole arguments with one path replaced; what came in stays as it was.

    `argument` is one that `path_arguments` found. In `files: [{path}]` it is the path of the
    object at `index`; a list that came as JSON text is given back as JSON text.
    """
    whole = dict(arguments)
    whole[argument.argument] = _replaced(
        whole[argument.argument], argument.written, argument.index, new
    )
    return whole


def with_command(arguments: Mapping[str, Any], command: CommandText, new: str) -> dict[str, Any]:
    """Return the whole arguments with one of its `commands` replaced."""
    whole = dict(arguments)
    whole[command.argument] = _replaced(whole[command.argument], command.text, command.index, new)
    return whole


def discovery_tools(host: str) -> tuple[str, ...]:
    """Return the listing and searching tools of a host by the names that its model knows."""
    name = host.lower().replace("_", "-")
    return data.DISCOVERY.get(data.HOST_ALIASES.get(name, name), data.DISCOVERY_UNKNOWN)


def is_discovery(call: ToolCall) -> bool:
    """Tell whether a call looks around: it lists or searches, by tool or by shell command."""
    if found := commands(call):
        return any(_looks_around(command.text) for command in found)
    if _is_remote(call):
        return False
    use = _use(call, base_name(call.tool))
    return use is not None and use[0] in ("list", "search")


def _is_remote(call: ToolCall) -> bool:
    """Tell whether the call's paths are not of this machine; a call of no shape counts as such."""
    # A dictionary, as nearly all are, is known at once; a mapping is asked for.
    if not isinstance(call.arguments, (dict, Mapping)) or not isinstance(call.tool, str):
        return True
    return _is_remote_call(call.tool, tuple(call.arguments))


@lru_cache(maxsize=1024)  # a call is asked about several times, and the next has the same names
def _is_remote_call(tool: str, arguments: tuple[object, ...]) -> bool:
    names = [fold(key) for key in arguments if isinstance(key, str)]
    return is_remote(tool) or not _REMOTE_ARGUMENTS.isdisjoint(names)


def items(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield (key, folded key, value) of every argument with a usable name."""
    for key, value in arguments.items():
        if isinstance(key, str):
            yield key, fold(key), value


def _use(call: ToolCall, name: str) -> Use | None:
    if name in EDITORS:
        return data.EDITOR_COMMANDS.get(str(call.arguments.get("command", "")))
    use = TOOLS.get(name)
    if use is None:
        return guess(call.tool)
    if use[0] == "edit" and _makes_the_file(call.arguments, name):
        return ("write", "file")
    return use


def _makes_the_file(arguments: Mapping[str, Any], name: str) -> bool:
    """Tell whether an edit tool is asked to make a file, so that a missing one is no mistake."""
    # What is null was not given: models fill in all the fields that a schema allows to be null.
    keys = {name: value for _, name, value in items(arguments) if value is not None}
    old = [value for key, value in keys.items() if key in _OLD_TEXTS]
    if old:
        return old == [""]
    edits = keys.get("edits")
    if isinstance(edits, list) and edits and isinstance(edits[0], Mapping):
        return _makes_the_file(edits[0], "")  # the first of several (Claude Code, Crush)
    # Cursor's edit_file (code_edit) and Cline 3.0.65's editor make what is not there.
    if "codeedit" in keys or keys.get("mode") in ("create", "overwrite"):
        return True
    return name == "editor" and "insertline" not in keys


def _collect(arguments: Mapping[str, Any], use: Use, name: str) -> Iterator[PathArgument]:
    known = is_described(name)
    given = {argument for _, argument, value in items(arguments) if _holds_something(value)}
    if use[0] != "search" and given & _PATHS and given & _BARE:
        return  # a folder and a bare name: two halves of one path, not ours to join
    bases = _bases(given, use)
    if bases and use[0] not in ("write", "mkdir"):
        yield from _working_folders(arguments, bases, use[0])
    for key, argument, value in items(arguments):
        own = None if argument in bases else _use_of(argument, use, known=known)
        if own is None:
            continue
        for index, written in _texts(argument, value):
            # Relative to another argument: two halves again.
            half = bool(bases) and not _is_rooted(written)
            if not half and _is_path(written, glob=name in _GLOB_TOOLS, known=known):
                yield PathArgument(key, written, *own, index)


def _holds_something(value: object) -> bool:
    """Tell whether a value may hold a path. Of others, such as a table, not even this is asked."""
    return isinstance(value, (str, Mapping, list, tuple)) and len(value) > 0


def _bases(given: set[str], use: Use) -> set[str]:
    """Return the arguments that say where the call's other paths start from."""
    named = _PATHS | _SOURCES if use[0] == "search" else _PATHS | _SOURCES | _BARE
    return given & (_PLACES if given & named else _WORKING)


def _use_of(argument: str, use: Use, *, known: bool) -> Use | None:
    """Return what is done to the path in an argument, or None where it holds no path."""
    operation, kind = use
    if operation in ("copy", "move"):
        if argument in _LOOSE_ENDS and not known:
            return None
        if argument in _DESTINATIONS:
            return ("write", "any")
        if argument in _SOURCES:
            return use
    if argument in _FOLDERS:
        if kind == "file":
            return None
        return use if known else (operation, "folder")
    if argument in _BARE:
        return None if operation == "search" else use
    return use if argument in _PATHS or argument in _OBJECTS else None


def _texts(argument: str, value: object) -> Iterator[tuple[int | None, str]]:
    """Yield (index, text) of every path that one argument's value may hold."""
    several = argument in _OBJECTS or argument.endswith("s")
    # Where one path is wanted, an object is none, and JSON text is that path as it is written.
    value = from_json(value) if several else value
    if isinstance(value, str):
        if argument not in _OBJECTS:
            yield None, value
    elif isinstance(value, Mapping):
        if several and (key := _path_key(value)):
            yield None, value[key]
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            if isinstance(item, str) and argument not in _OBJECTS:
                yield index, item
            elif isinstance(item, Mapping) and (key := _path_key(item)):
                yield index, item[key]


def _path_key(item: Mapping[str, Any], written: str | None = None) -> str | None:
    for key, name, value in items(item):
        named = name in _PATHS or name in _BARE
        if named and isinstance(value, str) and written in (None, value):
            return key
    return None


def from_json(value: object) -> object:
    """Return what a list or object that came as JSON text holds; Cline's file hooks send such."""
    if not isinstance(value, str) or not value.lstrip().startswith(('["', "[{", '{"')):
        return value
    import json

    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _replaced(value: object, old: str, index: int | None, new: str) -> object:
    if value == old and index is None:
        return new
    held = from_json(value)
    if isinstance(value, str) and held is not value:
        import json

        changed = _replaced(held, old, index, new)
        return json.dumps(changed, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, Mapping) and (key := _path_key(value, old)):
        return {**value, key: new}
    if isinstance(value, (list, tuple)) and index is not None:
        items = list(value)
        items[index] = _replaced(items[index], old, None, new)
        return tuple(items) if isinstance(value, tuple) else items
    raise KeyError(old)


def _hosted_patch(arguments: Mapping[str, Any]) -> Iterator[PathArgument]:
    """Yield the path of OpenAI's apply_patch operation: `{type, path, diff}`, alone or nested."""
    nested = arguments.get("operation")
    item = nested if isinstance(nested, Mapping) else arguments
    use = data.PATCH_OPERATIONS.get(str(item.get("type", "")))
    written = item.get("path")
    if use and isinstance(written, str) and _is_path(written):
        yield PathArgument("path" if item is arguments else "operation", written, *use)


def _working_folders(
    arguments: Mapping[str, Any], names: Container[str], operation: Operation = "list"
) -> Iterator[PathArgument]:
    """Yield the folders a call works in: each is judged by what the call does there."""
    operation = operation if operation in _CHANGES else "list"
    for key, name, value in items(arguments):
        if name in names and isinstance(value, str) and _is_path(value):
            yield PathArgument(key, value, operation, "folder")


def _is_path(value: str, *, glob: bool = False, known: bool = True) -> bool:
    text = value.strip()
    if not text or _is_url(text):
        return False
    # The `?` of a Windows device path is no wildcard.
    rest = text[4:] if text.startswith(("\\\\?\\", "//?/")) else text
    if "*" in rest or "?" in rest or (glob and "[" in rest):
        return False
    if "{" in rest and re.search(r"\{[^{}]*,[^{}]*\}", rest):
        return False
    return known or "\n" not in text


def _is_url(text: str) -> bool:
    scheme, mark, _ = text.partition(":")
    if not mark or len(scheme) < 2 or not scheme.replace("+", "").replace("-", "").isalnum():
        return False
    rest = text[len(scheme) + 1 :]
    return scheme.lower() == "data" or (rest.startswith("//") and scheme.lower() != "file")


def _is_rooted(path: str) -> bool:
    text = path.strip().strip("\"'`")
    return text[:1] in ("/", "\\", "~") or text[1:2] == ":" or text.startswith("file:")


def _names_files(text: str) -> bool:
    return "*** " in text or "+++ " in text or "--- " in text


def _command_texts(key: str, value: object) -> Iterator[CommandText]:
    value = from_json(value)
    if isinstance(value, str) and value.strip():
        yield CommandText(key, value)
    if not isinstance(value, (list, tuple)):
        return
    if fold(key) == "commands":
        for index, item in enumerate(value):
            if isinstance(item, str) and item.strip():
                yield CommandText(key, item, index)
    elif _is_shell_vector(value):
        yield CommandText(key, value[2], 2)


def _is_shell_vector(value: list[Any] | tuple[Any, ...]) -> bool:
    if len(value) != 3 or not all(isinstance(item, str) for item in value):
        return False
    program, option, _ = value
    return program.rsplit("/", 1)[-1] in _SHELL_PROGRAMS and option in ("-c", "-lc")


def _looks_around(command: str) -> bool:
    """Tell whether a command line lists or searches; what a pipe is filtered with does not."""
    for sign, piece in pieces(command):
        words = piece.split()
        while words and ("=" in words[0] or words[0] in ("command", "sudo", "time")):
            words = words[1:]
        if not words or sign in ("|", "|&") or sign[-1] in "<>" or {"-delete", "-exec"} & {*words}:
            continue
        program = words[0].rsplit("/", 1)[-1]
        if program in _LOOKING:
            return True
        if program == "git" and len(words) > 1 and words[1] in _LOOKING_GIT:
            return True
    return False
