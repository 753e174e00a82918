"""What a tool does, and which of its arguments are paths, shell commands or patches.

The tables are in `tool_tables`. An unknown tool whose name is not clear has no paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from truepath import TYPE_CHECKING, Late
from truepath.calls import tool_tables as data
from truepath.calls.tool_tables import Use, by_name, fold
from truepath.paths import LONGEST
from truepath.records import dataclass, replace
from truepath.types import Any, Operation, PathArgument, ToolCall

if TYPE_CHECKING:
    import json
    import shlex

    from truepath.calls import patterns
    from truepath.calls.shell import programs
else:
    json = Late("json")
    shlex = Late("shlex")
    patterns = Late("truepath.calls.patterns")
    programs = Late("truepath.calls.shell.programs")

_LONGEST_COMMAND = 1 << 17
"""Characters of a command: Linux passes no longer word to `sh -c` (MAX_ARG_STRLEN).
Reading a character takes some microseconds."""


_ROLES: dict[str, str] = by_name(data.ARGUMENTS)
_ALL_SHELLS = data.SHELL_TOOLS | data.POWERSHELL_TOOLS | data.OTHER_SHELL_TOOLS
_KNOWN = {*data.TOOLS, *data.CHOOSERS, *data.PATCH_TOOLS, *_ALL_SHELLS}
_NOUNS = data.FOLDER_WORDS | data.FILE_WORDS
_CLEAR = {*data.VERBS, *data.LINKS, *_NOUNS, *data.PLAIN_WORDS}
_PLACES = frozenset(
    name for name, role in _ROLES.items() if role in ("working", "folder")
)
# The argument vectors in which agent programs send a command line, as they were seen:
# `["bash", "-lc", LINE]`. What these programs do is in the table of programs.
_SHELL_PROGRAMS = frozenset({"bash", "sh", "zsh", "dash"})

# Not compiled, because most processes use none of them.
_HEADER = r"(?m)^(?:\*\*\*|---) "
_URL = r"(?i)(?!file:)[a-z][a-z\d+-]+://|data:"
"""A drive is one letter, and `file:` is a path with a decoration."""
_ENDED = r"[^*?{}]+(?:\.\w+(?:\*|\?[\w=&%#-]*)|\?)"
"""A name with the mark of `ls -F`, or the query of a URL, after it."""
_ROOTED = r"[\s\"'`]*(?:[/\\~]|.:|file:)"
"""The beginning of a path that depends on no folder, in quotes or not."""
_CHOICE = r"\{[^{},]*,[^{}]*\}"
"""`{a,b}`; a folder `{id}` is a name."""
_SIGNS = frozenset(":*?{")
"""What a URL and a pattern have, and hardly any path."""


@dataclass(frozen=True, slots=True)
class CommandText:
    """One shell command, or one patch, inside a call's arguments."""

    argument: str
    text: str
    index: int | None = None
    """The position in a list of commands or an argument vector."""
    powershell: bool = False
    joined: bool = False
    """Whether it is an argument vector, written as one command."""


def path_arguments(call: ToolCall) -> list[PathArgument]:
    """Return the paths in a call's arguments, in order; for a shell, the folder that it
    runs in.

    URLs, globs, empty values and values that are not text are left out.
    """
    arguments = arguments_of(call)
    if runs_commands(call):
        return [
            PathArgument(key, value, "list", "folder")
            for key, name, value in items(arguments)
            if name in _PLACES and isinstance(value, str) and _is_path(value)
        ]
    use = _use(call)
    paths = list(_collect(arguments, use)) if use else []
    if _tool(call)[0] not in data.PATTERN_TOOLS:
        return paths
    for key, name, value in items(arguments):
        # The pattern begins in a folder of the one that is searched.
        folder = patterns.folder_of(value) if name in data.PATTERN_ARGUMENTS else ""
        if folder and _is_path(folder):
            paths.append(PathArgument(key, folder, "search", "folder"))
    return paths


def unread_paths(call: ToolCall) -> Iterator[PathArgument]:
    """Yield the paths of a call whose use is not known, by the names of its arguments;
    none if they are elsewhere.
    """
    if _tool(call)[0] and not runs_commands(call):
        yield from _collect(arguments_of(call), ("read", "any"))


def is_pattern(argument: str) -> bool:
    """Return whether an argument of a search is a pattern, not a path."""
    return fold(argument) in data.PATTERN_ARGUMENTS


def commands(call: ToolCall) -> tuple[CommandText, ...]:
    """Return every command, for a POSIX shell or for PowerShell: text, lists of texts,
    vectors (`["bash", "-lc", text]`, `["apply_patch", text]`).

    Input for a running program (OpenHands' `is_input`) is not a command, and a longer
    one than `_LONGEST_COMMAND` is left alone.
    """
    tool = _tool(call)[0]
    arguments = arguments_of(call)
    is_input = str(arguments.get("is_input", "")).lower() == "true"
    if is_input or tool not in data.SHELL_TOOLS | data.POWERSHELL_TOOLS:
        return ()
    is_codex = tool in data.CODEX_SHELLS or call.host == "codex"
    powershell = tool in data.POWERSHELL_TOOLS or (is_codex and _on_drive(call))
    texts: list[CommandText] = []
    for key, name, value in items(arguments):
        if name in data.SHELL_ARGUMENTS:
            texts += _command_texts(key, from_json(value), powershell)
    # What the others do is not known without a long one.
    if any(len(command.text) > _LONGEST_COMMAND for command in texts):
        return ()
    for place, command in enumerate(texts):
        # Of a tool whose shell is not known, only the text tells.
        if not command.joined and programs.has_cmdlet(command.text):
            texts[place] = replace(command, powershell=True)
    return tuple(texts)


def _on_drive(call: ToolCall) -> bool:
    """Return whether a call runs on a drive of Windows, where Codex runs PowerShell."""
    arguments = items(arguments_of(call))
    folders = [value for _, name, value in arguments if name in _PLACES]
    folders.append(call.cwd)
    return any(re.match(r"[A-Za-z]:[\\/]", str(folder)) for folder in folders)


def may_be_windows(call: ToolCall) -> bool:
    """Return whether a call's commands may be for a shell that separates names by
    backslashes.
    """
    return _on_drive(call) and _tool(call)[0] not in data.BASH_TOOLS


def runs_commands(call: ToolCall) -> bool:
    """Return whether a call runs commands on this machine, understood or not."""
    return _tool(call)[0] in _ALL_SHELLS


def patch_text(call: ToolCall) -> CommandText | None:
    """Return a call's patch that names its files, if it has one."""
    if _tool(call)[0] not in data.PATCH_TOOLS:
        return None
    for key, name, value in items(arguments_of(call)):
        is_text = name in data.PATCH_ARGUMENTS and isinstance(value, str)
        # OpenAI's hosted tool gives a diff without headers: its path is an argument.
        if is_text and re.search(_HEADER, value):
            return CommandText(key, value)
    return None


def with_text(
    arguments: Mapping[str, Any], old: PathArgument | CommandText, new: str
) -> dict[str, Any]:
    """Return new arguments with one of the `path_arguments` or `commands`, or the
    patch, replaced.

    A list given as JSON text stays JSON text.
    """
    key = old.argument
    text = old.text if isinstance(old, CommandText) else old.written
    return {**arguments, key: _replaced(arguments[key], text, old.index, new)}


def is_discovery(call: ToolCall) -> bool:
    """Return whether a call lists or searches, by tool or by shell command."""
    lines = commands(call)
    if lines:
        return any(programs.looks_around(line.text) for line in lines)
    use = _use(call)
    return use is not None and use[0] in ("list", "search")


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return a call's arguments; none if they are not a mapping."""
    arguments = call.arguments
    if isinstance(arguments, dict):
        return arguments
    # Models also write `null`, a list or a text where a host expects an object.
    return dict(arguments) if hasattr(arguments, "keys") else {}


def items(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield (key, folded key, value) of every argument."""
    for key, value in arguments.items():
        if isinstance(key, str):
            yield key, fold(key), value


def from_json(value: Any) -> Any:
    """Return a value with a list or object given as JSON text parsed; Cline's hooks
    send such.
    """
    if not isinstance(value, str) or not value.lstrip().startswith(('["', "[{", '{"')):
        return value

    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


@lru_cache(maxsize=1024)
def _understood(tool: str) -> tuple[str, Use | None]:
    """Return a tool's own name, folded, and its use; "" and None if its paths are
    elsewhere.
    """
    # As nearly all are. Two `_` part a server's name from the tool's.
    if "__" not in tool and fold(tool) in _KNOWN:
        return fold(tool), data.TOOLS.get(fold(tool))
    # Split both ways: `webSearch` is two words, `e2b` is one.
    tool_words = [*_words(tool), *re.findall(r"[a-z0-9]+", tool.lower())]
    if not data.REMOTE_WORDS.isdisjoint(tool_words):
        return "", None
    # Hosts put servers and namespaces before the name: `mcp__files__read_file`,
    # `functions.shell`.
    parts = [part for part in re.split(r"__|[/:.]", tool) if part]
    tool_name = parts[-1] if parts else tool
    words = _words(tool_name)[:20]
    names = [fold(tool_name)]
    if words and words[0] in data.SERVER_WORDS | {"mcp"}:
        # `filesystem-read_file`; a server name of unknown length follows `mcp`, of
        # which a single word is not enough to go by.
        first = 2 if words[0] == "mcp" else 1
        ends = range(first, len(words) - first + 1)
        names += ["".join(words[start:]) for start in ends]
    for name in names:
        if name in _KNOWN:
            return name, data.TOOLS.get(name)
    return fold(tool_name), _guess(words)


def _words(name: str) -> list[str]:
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    return [word.lower() for word in words]


_MILDEST_FIRST: Sequence[Operation] = (
    *("read", "list", "search", "copy", "execute", "move"),
    *("edit", "write", "mkdir", "delete"),
)
"""Operations, from the one that only looks to the one that cannot be undone."""


def _guess(words: Sequence[str]) -> Use | None:
    """Return the use of an unknown tool by the strictest verb in its name."""
    if not _CLEAR.issuperset(words):
        return None
    nouns = {
        word for word in words if word not in data.VERBS and word not in data.LINKS
    }
    linked = {word for link, word in pairwise(words) if link in data.LINKS}
    # `move` alone may be a chess move; `find_and_replace` says enough without a noun.
    if (nouns or not linked) and _NOUNS.isdisjoint(nouns):
        return None
    # A noun may come first: `file_read`.
    first = next((word for word in words if word not in _NOUNS), "")
    # What `process` does in `read_and_process_file` is not known.
    if not {first, *linked} <= data.VERBS.keys():
        return None
    uses = (data.VERBS[word] for word in words if word in data.VERBS)
    operation, kind = max(uses, key=lambda use: _MILDEST_FIRST.index(use[0]))
    if data.FOLDER_WORDS.isdisjoint(nouns):
        return operation, kind
    on_folders: Mapping[Operation, Operation] = {"read": "list", "write": "mkdir"}
    return on_folders.get(operation, operation), "folder"


def _tool(call: ToolCall) -> tuple[str, Use | None]:
    """Return the tool's own name and use; "" and None if the call's paths are
    elsewhere.
    """
    arguments = items(arguments_of(call))
    is_remote = any(name in data.REMOTE_ARGUMENTS for _, name, _ in arguments)
    # Hosts pass on what a model wrote: the name may be null or a list.
    if is_remote or not isinstance(call.tool, str):
        return "", None
    return _understood(call.tool)


def _use(call: ToolCall) -> Use | None:
    """Return what a call does to its paths; None if it has none or is unknown."""
    name, use = _tool(call)
    arguments = arguments_of(call)
    if name in data.CHOOSERS:
        # OpenAI's hosted tool has it in an object: `{"operation": {"type": ...}}`.
        inner = arguments.get("operation")
        given = inner if isinstance(inner, dict) else arguments
        choice = given.get(data.CHOOSERS[name])
        return data.CHOICES.get(fold(choice)) if isinstance(choice, str) else None
    # A tool with the name of one that reads files may list folders too.
    for (tool, key), hosts in data.READS_FOLDERS.items():
        is_host = not call.host or call.host in hosts
        if call.tool == tool and key in arguments and is_host:
            return ("read", "any")
    makes = use and use[0] == "edit" and _makes_the_file(arguments, name)
    return ("write", "file") if makes else use


def _makes_the_file(arguments: Mapping[str, Any], name: str) -> bool:
    """Return whether an edit tool is asked to create a file."""
    # Null means not given: models fill in all nullable fields of a schema.
    values = {name: value for _, name, value in items(arguments) if value is not None}
    old = [value for name, value in values.items() if name in data.OLD_TEXT_NAMES]
    if old:
        return old == [""]
    edits = values.get("edits")
    if isinstance(edits, list) and edits and isinstance(edits[0], dict):
        return _makes_the_file(edits[0], "")  # the first edit (Claude Code, Crush)
    # Cursor's edit_file (code_edit), Zed's, and Cline 3.0.65's editor create missing
    # files.
    makes = "codeedit" in values or values.get("mode") in ("create", "overwrite")
    return makes or (name == "editor" and "insertline" not in values)


def _collect(arguments: Mapping[str, Any], use: Use) -> Iterator[PathArgument]:
    """Yield the paths in the arguments of a tool with that use."""
    pairs = _roles(arguments)
    roles = {role for _, role in pairs}
    if use[0] == "search":
        roles.discard("bare")  # what it looks for, not where
    if {"path", "bare"} <= roles:
        return  # a folder and a bare name are two halves of one path
    has_base = not roles.isdisjoint({"working", "folder"})
    is_halved = has_base and not roles.isdisjoint({"path", "source", "bare"})
    for key, role in pairs:
        own_use = _own_use(role, use)
        if own_use is None:
            continue
        for path in _paths_of(key, role, arguments[key], own_use):
            # A path relative to another argument is a half too.
            if not is_halved or re.match(_ROOTED, path.written):
                yield path


def _paths_of(key: str, role: str, value: object, use: Use) -> Iterator[PathArgument]:
    """Yield the paths that one argument holds."""
    operation, kind = use
    # For a single path, an object does not count, and JSON text is a path as written.
    several = role == "objects" or fold(key).endswith("s")
    value = from_json(value) if several else value
    given: Iterable[tuple[int | None, object]] = [(None, value)]
    if isinstance(value, (list, tuple)):
        given = enumerate(value)
    elif not (several or isinstance(value, str)):
        return
    for index, item in given:
        # Texts among `edits` or `changes` are code.
        written = item if role != "objects" else None
        if isinstance(item, dict):
            written = item.get(_path_key(item))
        is_file = index is None and (kind == "file" or operation == "read")
        if isinstance(written, str) and _is_path(written, file=is_file):
            yield PathArgument(key, written, operation, kind, index)


def _roles(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the arguments that name paths, each with its role."""
    # An argument that is null or empty was not given: it is no half of a path.
    return [
        (key, _ROLES[name])
        for key, name, value in items(arguments)
        if name in _ROLES and value and isinstance(value, (str, list, tuple, dict))
    ]


def _own_use(role: str, use: Use) -> Use | None:
    """Return what is done to the path in an argument; None if it holds no path."""
    operation, kind = use
    takes_two = operation in ("copy", "move")
    if takes_two and role == "destination":
        return "write", "any"
    fits = {
        "path": True,
        "objects": True,
        "bare": operation != "search",
        "folder": kind != "file",
        "source": takes_two,
    }
    return use if fits.get(role) else None


def _path_key(item: Mapping[str, Any], written: str | None = None) -> str | None:
    """Return the first key of an object that holds a path, or the path `written`."""
    for key, name, text in items(item):
        is_path = isinstance(text, str) and _ROLES.get(name) in ("path", "bare")
        if is_path and written in (None, text):
            return key
    return None


def _replaced(value: Any, old: str, index: int | None, new: str) -> Any:
    """Return the value of an argument with one of its paths or commands replaced."""
    if value == old and index is None:
        return new
    parsed = from_json(value)
    if isinstance(value, str) and parsed is not value:
        changed = _replaced(parsed, old, index, new)
        return json.dumps(changed, ensure_ascii=False, separators=(",", ":"))
    key = _path_key(value, old) if isinstance(value, dict) else None
    if key:
        return {**value, key: new}
    if isinstance(value, str) and value.startswith(f"{old}/"):  # in a pattern
        return new + value[len(old) :]
    if isinstance(value, (list, tuple)) and index is not None:
        changed = list(value)
        changed[index] = _replaced(changed[index], old, None, new)
        return tuple(changed) if isinstance(value, tuple) else changed
    raise KeyError(old)


def _is_path(value: str, *, file: bool = False) -> bool:
    """Return whether a text may be a path; that of a `file` is no pattern if only its
    end is.
    """
    text = value.strip()
    if len(value) > LONGEST or not text or "\0" in text:
        return False
    if _SIGNS.isdisjoint(text):  # as in nearly all: no expression is compiled
        return True
    if re.match(_URL, text):
        return False
    if file and re.fullmatch(_ENDED, text):
        return True
    # The `?` of a Windows device path is not a wildcard.
    rest = text[4:] if text.startswith(("\\\\?\\", "//?/")) else text
    return {"*", "?"}.isdisjoint(rest) and not re.search(_CHOICE, rest)


def _command_texts(key: str, value: object, powershell: bool) -> Iterator[CommandText]:
    """Yield the commands that the value of one argument holds."""
    if not isinstance(value, (list, tuple)) or fold(key) == "commands":
        given = (
            enumerate(value) if isinstance(value, (list, tuple)) else [(None, value)]
        )
        for index, text in given:
            if isinstance(text, str) and text.strip():
                yield CommandText(key, text, index, powershell=powershell)
        return
    # What is no text keeps its position.
    texts = [item if isinstance(item, str) else "" for item in value]
    shell = _shell_of(texts)
    if shell is not None:
        is_powershell = shell == "powershell"
        yield CommandText(key, texts[-1], len(texts) - 1, powershell=is_powershell)
    elif texts[:1] in (["apply_patch"], ["applypatch"]):  # Codex's form of a patch
        # Other vectors are not understood: a path in one may be anything.
        yield CommandText(key, shlex.join(texts), joined=True)


def _shell_of(words: Sequence[str]) -> str | None:
    """Return the language of the command line that ends an argument vector; None if
    none does.
    """
    if len(words) < 3:
        return None
    program = re.split(r"[/\\]", words[0].lower())[-1].removesuffix(".exe")
    # A fourth word would be `$0`, and the line not the last word.
    if program in _SHELL_PROGRAMS and len(words) == 3 and words[1] in ("-c", "-lc"):
        return "posix"
    options = {word.lower() for word in words[1:-2]}
    is_command = words[-2].lower() in ("-c", "-command")
    is_powershell = (
        program in ("pwsh", "powershell")
        and is_command
        and options <= data.PWSH_OPTIONS
    )
    return "powershell" if is_powershell else None
