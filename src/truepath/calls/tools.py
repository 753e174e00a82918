"""What a tool does, and which of its arguments are paths, shell commands or patches.

The tables are in `tool_tables`. An unknown tool whose name is not clear has no paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from truepath.calls import tool_tables as data
from truepath.calls.tool_tables import Use
from truepath.paths import LONGEST
from truepath.records import dataclass, replace
from truepath.types import STRICTNESS, Any, Operation, PathArgument, ToolCall


@lru_cache(maxsize=1024)
def fold(name: str) -> str:
    """Return the normal form of a name: `filePath`, `FilePath`, `file_path` ->
    `filepath`.
    """
    return name.replace("_", "").replace("-", "").lower()


def folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


def _by_name(table: Mapping[Any, str]) -> dict[str, Any]:
    return {name: what for what, words in table.items() for name in folded(words)}


_TOOLS: dict[str, Use] = _by_name(data.TOOLS)
_VERBS: dict[str, Use] = _by_name(data.VERBS)
_ROLES: dict[str, str] = _by_name(data.ARGUMENTS)
_CHOOSERS: dict[str, str] = _by_name(data.CHOOSERS)
_CHOICES: dict[str, Use] = _by_name(data.CHOICES)
_SHELLS = folded(data.SHELL_TOOLS)
_POWERSHELLS = folded(data.POWERSHELL_TOOLS)
_ALL_SHELLS = _SHELLS | _POWERSHELLS | folded(data.OTHER_SHELL_TOOLS)
_PATCHES = folded(data.PATCH_TOOLS)
_KNOWN = _TOOLS.keys() | _CHOOSERS.keys() | _PATCHES | _ALL_SHELLS
_SERVERS, _REMOTE = folded(data.SERVER_WORDS), folded(data.REMOTE_WORDS)
_FOLDERS, _LINKS = folded(data.FOLDER_WORDS), folded(data.LINKS)
_NOUNS = _FOLDERS | folded(data.FILE_WORDS)
_CLEAR = _VERBS.keys() | _LINKS | _NOUNS | folded(data.PLAIN_WORDS)
_OLD_TEXTS, _REMOTE_ARGUMENTS = (
    folded(data.OLD_TEXT_NAMES),
    folded(data.REMOTE_ARGUMENTS),
)
_SHELL_ARGUMENTS, _PATCH_ARGUMENTS = (
    folded(data.SHELL_ARGUMENTS),
    folded(data.PATCH_ARGUMENTS),
)
_PLACES = frozenset(
    name for name, role in _ROLES.items() if role in ("working", "folder")
)
_PATTERN_TOOLS = folded(data.PATTERN_TOOLS)
_PATTERNS = folded(data.PATTERN_ARGUMENTS)
_BASHES = folded(data.BASH_TOOLS)
_SHELL_PROGRAMS = frozenset({"bash", "sh", "zsh", "dash"})
_PWSH_OPTIONS = frozenset(data.PWSH_OPTIONS.split())
_CODEX = folded(data.CODEX_SHELLS)

# Not compiled, because most processes use none of them.
_HEADER = r"(?m)^(?:\*\*\*|---) "
_URL = r"(?i)(?!file:)[a-z][a-z\d+-]+://|data:"
_ENDED = r"[^*?{}]+(?:\.\w+(?:\*|\?[\w=&%#-]*)|\?)"
"""A name with the mark of `ls -F`, or the query of a URL, after it."""
_ROOTED = r"[\s\"'`]*(?:[/\\~]|.:|file:)"


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
    use, arguments = _use(call), given(call)
    if runs_commands(call):
        places = {
            key: value for key, name, value in items(arguments) if name in _PLACES
        }
        texts = [
            (key, value) for key, value in places.items() if isinstance(value, str)
        ]
        return [
            PathArgument(key, text, "list", "folder")
            for key, text in texts
            if _is_path(text)
        ]
    found = list(_collect(arguments, use)) if use else []
    if not found and _tool(call)[0] in _PATTERN_TOOLS:
        found = _in_patterns(arguments)
    return found


def _in_patterns(arguments: Mapping[str, Any]) -> list[PathArgument]:
    """Return the folder that the pattern of a search without a folder begins in."""
    from truepath.calls.patterns import folder_of

    folders = [
        (key, folder_of(value))
        for key, name, value in items(arguments)
        if name in _PATTERNS
    ]
    return [
        PathArgument(key, folder, "search", "folder")
        for key, folder in folders
        if folder and _is_path(folder)
    ]


def commands(call: ToolCall) -> tuple[CommandText, ...]:
    """Return every command, for a POSIX shell or for PowerShell: text, lists of texts,
    vectors (`["bash", "-lc", text]`, `["apply_patch", text]`).

    Input for a running program (OpenHands' `is_input`) is not a command.
    """
    name, arguments = _tool(call)[0], given(call)
    typed = str(arguments.get("is_input", "")).lower() == "true"
    if typed or name not in _SHELLS | _POWERSHELLS:
        return ()
    values = [
        (key, value)
        for key, name, value in items(arguments)
        if name in _SHELL_ARGUMENTS
    ]
    other = name in _POWERSHELLS or (
        (name in _CODEX or call.host == "codex") and _on_drive(call)
    )
    texts = [
        text
        for key, value in values
        for text in _command_texts(key, from_json(value), other)
    ]
    return tuple(
        replace(each, powershell=True) if _has_cmdlet(each) else each for each in texts
    )


def _on_drive(call: ToolCall) -> bool:
    """Return whether a call runs on a drive of Windows, where Codex runs PowerShell."""
    folders = [text for _, name, text in items(given(call)) if name in _PLACES]
    return any(
        re.match(r"[A-Za-z]:[\\/]", str(folder)) for folder in (*folders, call.cwd)
    )


def _has_cmdlet(command: CommandText) -> bool:
    from truepath.calls.shell.programs import has_cmdlet

    return not command.joined and has_cmdlet(command.text)


def may_be_windows(call: ToolCall) -> bool:
    """Return whether a call's commands may be for a shell that separates names by
    backslashes.
    """
    return _on_drive(call) and _tool(call)[0] not in _BASHES


def runs_commands(call: ToolCall) -> bool:
    """Return whether a call runs commands on this machine, understood or not."""
    return _tool(call)[0] in _ALL_SHELLS


def patch_text(call: ToolCall) -> CommandText | None:
    """Return a call's patch that names its files, if it has one."""
    for key, name, value in items(given(call)) if _tool(call)[0] in _PATCHES else ():
        if (
            name in _PATCH_ARGUMENTS
            and isinstance(value, str)
            and re.search(_HEADER, value)
        ):
            return CommandText(key, value)
    return None


def with_text(
    arguments: Mapping[str, Any], old: PathArgument | CommandText, new: str
) -> dict[str, Any]:
    """Return new arguments with one of the `path_arguments` or `commands`, or the
    patch, replaced.

    A list given as JSON text stays JSON text.
    """
    key, text = old.argument, old.text if isinstance(old, CommandText) else old.written
    return {**arguments, key: _replaced(arguments[key], text, old.index, new)}


def is_discovery(call: ToolCall) -> bool:
    """Return whether a call lists or searches, by tool or by shell command."""
    if found := commands(call):
        from truepath.calls.shell.reader import looks_around

        return any(looks_around(command.text) for command in found)
    use = _use(call)
    return use is not None and use[0] in ("list", "search")


def given(call: ToolCall) -> dict[str, Any]:
    """Return a call's arguments; none if they are not a mapping."""
    found = call.arguments
    return (
        found
        if isinstance(found, dict)
        else dict(found)
        if hasattr(found, "keys")
        else {}
    )


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
    import json

    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


@lru_cache(maxsize=1024)
def _understood(tool: str) -> tuple[str, Use | None]:
    """Return a tool's own name, folded, and its use; "" and None if its paths are
    elsewhere.
    """
    # Split both ways: `webSearch` is two words, `e2b` is one.
    if not _REMOTE.isdisjoint((*_words(tool), *re.findall(r"[a-z0-9]+", tool.lower()))):
        return "", None
    own = next((part for part in reversed(re.split(r"__|[/:.]", tool)) if part), tool)
    words = _words(own)[:20]
    for name in (fold(own), *_without_server(words)):
        if name in _KNOWN:
            return name, _TOOLS.get(name)
    return fold(own), _guess(words)


def _words(name: str) -> list[str]:
    return [
        word.lower()
        for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    ]


def _without_server(words: Sequence[str]) -> list[str]:
    """Return the possible own names of `filesystem-read_file` and
    `mcp_server_read_file`.
    """
    if not words or words[0] not in _SERVERS | {"mcp"}:
        return []
    # A server name of unknown length follows `mcp`; a single word is not enough to go
    # by.
    first = 2 if words[0] == "mcp" else 1
    return ["".join(words[start:]) for start in range(first, len(words) - first + 1)]


def _guess(words: Sequence[str]) -> Use | None:
    """Return the use of an unknown tool by the strictest verb in its name."""
    if not _CLEAR.issuperset(words):
        return None
    nouns = {word for word in words if word not in _VERBS and word not in _LINKS}
    linked = {words[at] for at in range(1, len(words)) if words[at - 1] in _LINKS}
    if (nouns or not linked) and _NOUNS.isdisjoint(nouns):
        return None
    first = next((word for word in words if word not in _NOUNS), "")
    if not {first, *linked} <= _VERBS.keys():
        return None
    uses = (_VERBS[word] for word in words if word in _VERBS)
    operation, kind = max(uses, key=lambda use: STRICTNESS[use[0]])
    if _FOLDERS.isdisjoint(nouns):
        return operation, kind
    on_folders: Mapping[Operation, Operation] = {"read": "list", "write": "mkdir"}
    return on_folders.get(operation, operation), "folder"


def _tool(call: ToolCall) -> tuple[str, Use | None]:
    """Return the tool's own name and use; "" and None if the call's paths are
    elsewhere.
    """
    remote = any(name in _REMOTE_ARGUMENTS for _, name, _ in items(given(call)))
    return (
        ("", None)
        if remote or not isinstance(call.tool, str)
        else _understood(call.tool)
    )


def _use(call: ToolCall) -> Use | None:
    """Return what a call does to its paths; None if it has none or is unknown."""
    (name, use), arguments = _tool(call), given(call)
    if name in _CHOOSERS:
        nested = arguments.get("operation")
        chosen = (nested if isinstance(nested, dict) else arguments).get(
            _CHOOSERS[name]
        )
        return _CHOICES.get(fold(chosen)) if isinstance(chosen, str) else None
    if _reads_folders(call, arguments):
        return ("read", "any")
    makes = use and use[0] == "edit" and _makes_the_file(arguments, name)
    return ("write", "file") if makes else use


def _reads_folders(call: ToolCall, arguments: Mapping[str, Any]) -> bool:
    return any(
        call.tool == tool and key in arguments and (not call.host or call.host in hosts)
        for (tool, key), hosts in data.READS_FOLDERS.items()
    )


def _makes_the_file(arguments: Mapping[str, Any], name: str) -> bool:
    """Return whether an edit tool is asked to create a file."""
    # Null means not given: models fill in all nullable fields of a schema.
    keys = {name: value for _, name, value in items(arguments) if value is not None}
    if old := [value for key, value in keys.items() if key in _OLD_TEXTS]:
        return old == [""]
    edits = keys.get("edits")
    if isinstance(edits, list) and edits and isinstance(edits[0], dict):
        return _makes_the_file(edits[0], "")  # the first edit (Claude Code, Crush)
    # Cursor's edit_file (code_edit), Zed's, and Cline 3.0.65's editor create missing
    # files.
    made = "codeedit" in keys or keys.get("mode") in ("create", "overwrite")
    return made or (name == "editor" and "insertline" not in keys)


def _collect(arguments: Mapping[str, Any], use: Use) -> Iterator[PathArgument]:
    roles = _roles(arguments)
    had = {role for _, role in roles if not (use[0] == "search" and role == "bare")}
    if {"path", "bare"} <= had:
        return  # a folder and a bare name are two halves of one path
    halved = had & {"working", "folder"} and had & {"path", "source", "bare"}
    for key, role in roles:
        does = _own_use(role, use)
        for path in _paths_of(key, role, arguments[key], does) if does else ():
            # A path relative to another argument is a half too.
            if not halved or re.match(_ROOTED, path.written):
                yield path


def _paths_of(key: str, role: str, value: object, use: Use) -> Iterator[PathArgument]:
    """Yield the paths that one argument holds."""
    operation, kind = use
    for index, written in _texts(role, fold(key), value):
        file = index is None and (kind == "file" or operation == "read")
        if _is_path(written, file=file):
            yield PathArgument(key, written, operation, kind, index)


def _roles(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the arguments that name paths, each with its role."""
    roles = (
        (key, _ROLES.get(name, ""), value) for key, name, value in items(arguments)
    )
    kinds = (str, list, tuple, dict)
    return [
        (key, role)
        for key, role, value in roles
        if role and value and isinstance(value, kinds)
    ]


def _own_use(role: str, use: Use) -> Use | None:
    """Return what is done to the path in an argument; None if it holds no path."""
    operation, kind = use
    if role in ("source", "destination") and operation in ("copy", "move"):
        return use if role == "source" else ("write", "any")
    fits = {
        "path": True,
        "objects": True,
        "bare": operation != "search",
        "folder": kind != "file",
    }
    return use if fits.get(role) else None


def _texts(role: str, name: str, value: object) -> Iterator[tuple[int | None, str]]:
    """Yield (index, text) of every path that one argument's value may hold."""
    objects = role == "objects"
    # For a single path, an object does not count, and JSON text is a path as written.
    several = objects or name.endswith("s")
    value = from_json(value) if several else value
    if isinstance(value, str) and not objects:
        yield None, value
    elif isinstance(value, dict) and several and (key := _path_key(value)):
        yield None, value[key]
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            if isinstance(item, str) and not objects:
                yield index, item
            elif isinstance(item, dict) and (key := _path_key(item)):
                yield index, item[key]


def _path_key(item: Mapping[str, Any], written: str | None = None) -> str | None:
    """Return the first key of an object that holds a path, or the path `written`."""
    texts = (
        (key, name, text) for key, name, text in items(item) if isinstance(text, str)
    )
    named = (each for each in texts if _ROLES.get(each[1]) in ("path", "bare"))
    return next((key for key, _, text in named if written in (None, text)), None)


def _replaced(value: Any, old: str, index: int | None, new: str) -> Any:
    if value == old and index is None:
        return new
    parsed = from_json(value)
    if isinstance(value, str) and parsed is not value:
        import json

        changed = _replaced(parsed, old, index, new)
        return json.dumps(changed, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, dict) and (key := _path_key(value, old)):
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
    text = value.strip() if len(value) <= LONGEST else ""
    if not text or "\0" in text or re.match(_URL, text):
        return False
    if file and re.fullmatch(_ENDED, text):
        return True
    # The `?` of a Windows device path is not a wildcard.
    rest = text[4:] if text.startswith(("\\\\?\\", "//?/")) else text
    return {"*", "?"}.isdisjoint(rest) and not re.search(r"\{[^{},]*,[^{}]*\}", rest)


def _command_texts(key: str, value: object, powershell: bool) -> Iterator[CommandText]:
    if isinstance(value, str) and value.strip():
        yield CommandText(key, value, powershell=powershell)
    if not isinstance(value, (list, tuple)):
        return
    texts = [item if isinstance(item, str) else "" for item in value]
    if fold(key) == "commands":
        for at, text in enumerate(texts):
            yield from (
                [CommandText(key, text, at, powershell=powershell)]
                if text.strip()
                else ()
            )
    elif (shell := _shell_of(texts)) is not None:
        yield CommandText(
            key, texts[-1], len(texts) - 1, powershell=shell == "powershell"
        )
    elif texts[:1] in (["apply_patch"], ["applypatch"]):
        import shlex

        yield CommandText(key, shlex.join(texts), joined=True)


def _shell_of(words: Sequence[str]) -> str | None:
    """Return the language of the command line that ends an argument vector; None if
    none does.
    """
    program = (
        re.split(r"[/\\]", words[0].lower())[-1].removesuffix(".exe")
        if words[2:]
        else ""
    )
    if program in _SHELL_PROGRAMS and len(words) == 3 and words[1] in ("-c", "-lc"):
        return "posix"
    options = {word.lower() for word in words[1:-2]}
    last = words[-2].lower() if program in ("pwsh", "powershell") else ""
    return (
        "powershell"
        if last in ("-c", "-command") and options <= _PWSH_OPTIONS
        else None
    )
