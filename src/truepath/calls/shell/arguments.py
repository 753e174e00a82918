"""A program's arguments, read by its table entry: which are paths, and what is done to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

from truepath.calls.shell.commands import Command, Form, Role
from truepath.calls.shell.syntax_tree import Word
from truepath.paths import LONGEST
from truepath.records import dataclass, field

_SOURCE = re.compile(
    r"\.(?:py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|go|rs|c|h|cc|cpp|hpp|cs|java|kt|rb"
    r"|php|swift|scala|sh|bash|zsh|sql|html|css|scss|less|md|mdx|rst|txt|json|jsonc|yml|yaml|toml"
    r"|ini|cfg|conf|xml|csv|lock|proto|graphql|tf|lua|pl|ex|exs|erl|hs|dart|r|jl|ml|zig|nix)\Z"
)
_EXTENSION = re.compile(r"[^/]\.[A-Za-z0-9]+\Z")
_DOTS = re.compile(r"[./]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_REMOTE = re.compile(r"[\w.@-]{2,}:(?!//)")
PATTERN = re.compile(r"\A!|[*?]|\{[^{}]*,[^{}]*\}")
"""Quoted, a wildcard is for the program: git, eslint and zip match it against names themselves, and
leave out what follows `!`."""
_FIELD = re.compile(r"[^=]+=[@<]([^;,]+)(?:;.*)?")
_BACKUP = re.compile(r"\.\w+")


class Found(NamedTuple):
    """One argument that holds a path."""

    word: Word
    role: Role
    part: tuple[int, int]
    """Where in the word's value the path lies."""

    @property
    def value(self) -> str:
        """The path."""
        return (self.word.value or "")[self.part[0] : self.part[1]]


@dataclass(slots=True, eq=False, repr=False)
class Arguments:
    """The arguments sorted into options, their values and operands."""

    operands: list[Word] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    """Options' values that are paths."""
    options: set[str] = field(default_factory=set)
    before_dashes: int | None = None
    """How many operands precede `--`."""
    doubtful: set[int] = field(default_factory=set)
    """Positions in `operands` that may be an option's value."""
    length: int = 0
    """How many words were read."""
    hidden: bool = False
    """The shell expands a word that holds a path to be created."""


def find_paths(command: Command, arguments: Arguments) -> list[Found]:
    """Return the arguments that are paths, options' values first."""
    chosen = list(_operands(command, arguments))
    arguments.hidden |= any(word.value is None and role.creates for word, role in chosen)
    found = [
        Found(word, _narrowed(role, word.value), part)
        for word, role in chosen
        if word.value is not None and (part := path_part(role.form, word.value)) is not None
    ]
    return arguments.found + found


def _operands(command: Command, arguments: Arguments) -> Iterator[tuple[Word, Role]]:
    role, words = command.operands, arguments.operands
    if role is None or not arguments.options.isdisjoint(_names(command.program)):
        return
    skip = leading(command, arguments)
    if skip and _shifted(arguments, skip):
        return
    if command.backup_suffix and words and _is_backup(words[0].value, instead=skip > 0):
        skip += 1
    end = len(words) if command.limit is None else min(len(words), skip + command.limit)
    for index in range(skip, end):
        if index in arguments.doubtful:
            continue
        found = _role(command, arguments, index)
        if found is not None:
            yield words[index], found


def leading(command: Command, arguments: Arguments) -> int:
    """Return how many of the first operands are no paths."""
    unneeded = not arguments.options.isdisjoint(_names(command.skip_unless))
    return 0 if unneeded else command.skip


@cache
def _names(options: str) -> frozenset[str]:
    return frozenset(options.split())


def _is_backup(value: str | None, *, instead: bool) -> bool:
    """Whether `value` is a suffix for copies; `instead`: where a script is due, `.bak` is none."""
    return value == "" or (instead and value is not None and bool(_BACKUP.fullmatch(value)))


def _shifted(arguments: Arguments, skip: int) -> bool:
    """Whether an expansion or an unknown option makes the operands' positions uncertain."""
    first = arguments.operands[:skip]
    return any(word.splits for word in first) or any(at <= skip for at in arguments.doubtful)


def _role(command: Command, arguments: Arguments, index: int) -> Role | None:
    role = command.operands
    if role is None:
        return None
    edits = not arguments.options.isdisjoint(_names(command.edit_options))
    if edits and role.operation == "read":
        role = role._replace(operation="edit")
    if command.last is not None and index == len(arguments.operands) - 1:
        return command.last
    if not command.before_dashes:
        return role
    if arguments.before_dashes is not None:
        return role._replace(form="plain") if index >= arguments.before_dashes else None
    if command.before_dashes == "only":
        return None
    if command.before_dashes == "last":
        return role if index == len(arguments.operands) - 1 else None
    return role


def _narrowed(role: Role, value: str) -> Role:
    """Return the role of `value`: Go takes files of a package for it, Python a folder to run."""
    if role.form == "package" and value.endswith(".go"):
        return role._replace(kind="file")
    if role.form == "program" and not _EXTENSION.search(value):
        return role._replace(kind="any")
    return role


def path_part(form: Form, value: str) -> tuple[int, int] | None:
    """Return where in an argument its path lies, None when it holds none."""
    end: int | None = len(value)
    if form == "pytest":
        end = value.find("::") if "::" in value else end
    elif form == "package":
        end = _package(value)
    elif form == "script":
        end = end if _EXTENSION.search(value) else None
    elif form == "source":
        plain = ":" not in value and ".." not in value.removeprefix("../")
        end = end if plain and _SOURCE.search(value) else None
    elif form == "local":
        local = value.startswith((".", "/")) or value.endswith((".whl", ".tar.gz"))
        end = end if local and "[" not in value else None
    elif form == "assigned":
        end = None if _ASSIGNMENT.match(value) else end
    elif form == "jump":
        end = None if value.startswith("+") else end
    elif form == "sent":
        return (1, len(value)) if value[:1] == "@" else None
    elif form == "field":
        match = _FIELD.fullmatch(value)
        return match.span(1) if match else None
    return None if end is None else (0, end)


def _package(value: str) -> int | None:
    if not (value.startswith(("./", "../", "/")) or value.endswith(".go")):
        return None
    folder = value.removesuffix("/...")
    return None if "..." in folder else len(folder)


def is_path(role: Role, value: str) -> bool:
    """Whether `value` names something that could be missing."""
    if not value or value == "-" or len(value) > LONGEST or "\0" in value or "\n" in value:
        return False
    if _DOTS.fullmatch(value) and not (role.enters and ".." in value):
        return False
    if "://" in value or "{}" in value or value.endswith("...") or value.startswith("/dev/"):
        return False
    if PATTERN.search(value):
        return False
    if role.looked_up != "disk" and value.startswith(":"):
        return False
    return not (role.operation in ("copy", "move", "write") and _REMOTE.match(value))


def scan(command: Command, words: Sequence[Word], *, first: bool = False) -> Arguments:
    """Sort `words` into options, values and operands; with `first`, up to the first operand."""
    result = Arguments()
    at = 0
    while at < len(words):
        word = words[at]
        text = word.value if word.value is not None else word.raw.decode("utf-8", "replace")
        if result.before_dashes is None and text == "--":
            result.before_dashes = len(result.operands)
            at += 1
        elif (
            result.before_dashes is None and len(text) > 1 and text[0] in "-+" and _is_option(text)
        ):
            at += 1 + _option(command, result, words, at, text)
        elif first:
            break
        else:
            result.operands.append(word)
            at += 1
    result.length = min(at, len(words))
    return result


def _is_option(text: str) -> bool:
    return text[0] == "-" or text in ("+o", "+O")


def _option(command: Command, result: Arguments, words: Sequence[Word], at: int, text: str) -> int:
    """Take the option at `at` in; return how many further words belong to it."""
    name, equals, _ = text.partition("=")
    if text.startswith("--") or command.single_dash or name in command.paths:
        result.options.add(name)
        if equals:
            if name in command.paths:
                _value(command.paths[name], result, words[at], len(name) + 1)
            return 0
        return _separate(command, result, words, at, name)
    for position, letter in enumerate(text[1:], 1):
        option = text[0] + letter
        result.options.add(option)
        rest = position + 1 < len(text)
        if option in command.paths or command.values(option) is not None:
            if rest and option in command.paths:
                _value(command.paths[option], result, words[at], position + 1)
            return 0 if rest else _separate(command, result, words, at, option)
        if not command.known(option):
            return 0 if rest else _separate(command, result, words, at, text)
    return 0


def _separate(
    command: Command, result: Arguments, words: Sequence[Word], at: int, option: str
) -> int:
    """Take in the values that follow `option` as words of their own; return how many."""
    if option in command.paths:
        if at + 1 < len(words):
            _value(command.paths[option], result, words[at + 1], 0)
        return 1
    count = command.values(option)
    if count is not None:
        return count
    if not command.known(option):
        result.doubtful.add(len(result.operands))
    return 0


def _value(role: Role, result: Arguments, word: Word, start: int) -> None:
    if word.value is None:
        result.hidden |= role.creates
        return
    part = path_part(role.form, word.value[start:])
    if part is not None:
        result.found.append(Found(word, role, (start + part[0], start + part[1])))


def spans(item: Found) -> Iterator[tuple[int, int, Literal["", "'", '"']]]:
    """Yield the places that hold the path, best first: the whole word, or its quotes' inside."""
    word, reading = item.word, item.word.reading
    if reading is None:
        return
    if item.part == (0, len(reading.value)):
        yield word.start, word.end, ""
        run = reading.runs[0]
        if len(reading.runs) == 1 and run.exact and run.quote:
            yield word.start + 1, word.end - 1, run.quote
    elif (place := reading.place(item.part)) is not None:
        yield word.start + place[0], word.start + place[1], place[2]
