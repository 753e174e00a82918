"""Which program a simple command really runs, once `sudo`, `env` and their like are undone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from truepath.calls.shell.arguments import Found, scan
from truepath.calls.shell.commands import UNKNOWN as UNLISTED
from truepath.calls.shell.commands import Command, Prefix, basename, lookup, subcommand, tables
from truepath.calls.shell.deeds import EXECUTE, LOOK, UNKNOWN, Deed, deed_of
from truepath.calls.shell.special import operation, use
from truepath.calls.shell.syntax_tree import Word
from truepath.calls.shell.tables.unix import RUN
from truepath.calls.shell.use import DESTRUCTIVE, Use, fixed

_ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*=")
_SCRIPT = re.compile(r"[\w.-]+\.(?:py|sh|js|ts|rb|pl)\Z")
# These run a script of the folder by its name alone; the shell looks such a name up in PATH.
_RUNNING_SCRIPTS = frozenset(("uv run", "pdm run"))
# `-I %`: xargs puts what it reads in the place of `%`.
_PLACEHOLDER = re.compile(r"-[A-Za-z0-9]*?[IJi](.*)|--replace(?:=(.*))?", re.DOTALL)
# What these name is a package of a registry; a `/` in it is no folder.
_PACKAGES = frozenset(("npx", "bunx", "uvx", "pnpm dlx", "yarn dlx", "npm exec", "bundle exec"))
# Programs of the system are found or not found by every agent alike; no project holds them.
_SYSTEM = ("/bin/", "/usr/", "/sbin/", "/opt/")


class Invocation(NamedTuple):
    """A program with its arguments."""

    name: str
    """The program's name as the tables know it; empty when the shell decides it."""
    words: tuple[Word, ...] = ()
    """Its arguments."""
    found: tuple[Found, ...] = ()
    """Paths among what precedes the arguments, the program's own among them."""
    asks: bool = False
    """Nothing is run: the program is only asked about."""
    appended: bool = False
    """Arguments follow that nobody can see here."""


def invocation(words: Sequence[Word]) -> Invocation:
    """Return the program that the words of a simple command run."""
    found: list[Found] = []
    appended = False
    full = ""
    rest = list(words)
    while rest:
        name = basename(rest[0].value or "")
        known = _prefix(name, rest)
        if known is None:
            break
        prefix, length, full = known
        arguments = scan(
            Command(valued=prefix.valued, paths=prefix.paths),
            rest[length:],
            first=True,
        )
        if arguments.options & set(prefix.question.split()):
            return Invocation(name, asks=True)
        found += arguments.found
        appended = appended or prefix.appends
        own = rest[length : length + arguments.length]
        rest = _own_arguments(rest[length + arguments.length :], prefix, full)
        if prefix.appends:
            rest = _replaced(rest, own)
    if not rest or rest[0].value is None:
        return Invocation("", tuple(rest[1:]), tuple(found))
    if full not in _PACKAGES:
        found += _program(rest[0], named=full in _RUNNING_SCRIPTS)
    return _module(rest, tuple(found), appended=appended)


def _prefix(name: str, words: Sequence[Word]) -> tuple[Prefix, int, str] | None:
    prefixes = tables()[1]
    pair = f"{name} {words[1].value}" if len(words) > 1 else name
    if pair in prefixes:
        return prefixes[pair], 2, pair
    return (prefixes[name], 1, name) if name in prefixes else None


def _own_arguments(words: list[Word], prefix: Prefix, name: str) -> list[Word]:
    """Drop what belongs to the prefix itself: `timeout 5`, `env A=b`."""
    words = words[prefix.skip :]
    while name in ("env", "sudo") and words and _ASSIGNMENT.match(words[0].raw):
        words = words[1:]
    return words


def _replaced(words: list[Word], own: Sequence[Word]) -> list[Word]:
    """Return the words with no value where xargs, by its `own` arguments, puts another text."""
    texts = [word.value or "" for word in own]
    for at, text in enumerate(texts):
        if found := _PLACEHOLDER.fullmatch(text):
            apart = texts[at + 1] if text[-1] in "IJ" and at + 1 < len(texts) else ""
            mark = found[1] or found[2] or apart or "{}"
            return [
                word._replace(reading=None, splits=False) if mark in (word.value or "") else word
                for word in words
            ]
    return words


def _program(word: Word, *, named: bool) -> list[Found]:
    """Return the program where it is a path; with `named`, a script's name is one."""
    value = word.value or ""
    script = named and _SCRIPT.fullmatch(value) is not None
    if value.startswith(_SYSTEM) or ("/" not in value and not script):
        return []
    return [Found(word, RUN, (0, len(value)))]


def _module(words: Sequence[Word], found: tuple[Found, ...], *, appended: bool) -> Invocation:
    """Undo `python -m module`."""
    name = basename(words[0].value or "")
    rest = tuple(words[1:])
    if name == "coverage" and rest and rest[0].value == "run":
        rest = rest[1:] if "-m" in [word.value for word in rest] else rest
    if name in ("python", "pypy", "py", "coverage"):
        for at, word in enumerate(rest[:-1]):
            if word.value == "-m":
                module = basename(rest[at + 1].value or "")
                return Invocation(module, rest[at + 2 :], found, appended=appended)
            if word.value is None or not word.value.startswith("-") or word.value == "-c":
                break
    return Invocation(name, rest, found, appended=appended)


def understand(call: Invocation) -> Use:
    """Return what a program does with its arguments."""
    command, words, inner = _subcommand(call)
    result = use(command, words)
    own = _deed(command, result, words)
    whole = _whole(call, command, words, result, own)
    if call.appended:
        result = _appended(command, result)
    return Use(
        (
            # What is appended to a command is read before it, and given to all that it does.
            *(_judged(item, whole if call.appended else own) for item in call.found),
            *(_judged(item, own) for item in (*inner, *result.found)),
        ),
        result.may_create or call.name == "",
        asks=result.asks or call.asks,
        optional=result.optional,
        makes=result.makes,
        parents=result.parents,
        deed=whole,
        compares=command.compares,
    )


def _deed(command: Command, result: Use, words: Sequence[Word]) -> Deed:
    """Return what a command does beyond its paths, and so with those that it reads.

    What may make files of its own does more than read; what edits may find its files itself.
    What is read for a file that is named (`sort -o a b`) is copied.
    """
    done = result.deed
    if any(item.role.creates and not item.value.startswith("/dev/") for item in result.found):
        done = done.with_(deed_of("copy"))
    if not command.needs_operand or any(not (word.value or "").startswith("-") for word in words):
        done = done.with_(deed_of(command.does, certain=command.does != "delete"))
    if command.edit_options and operation(command, words) == "edit":
        done = done.with_(deed_of("edit"))
    return done.with_(EXECUTE) if result.may_create else done


def _whole(
    call: Invocation, command: Command, words: Sequence[Word], result: Use, own: Deed
) -> Deed:
    """Return the strictest of all that a command does."""
    if call.asks:
        return LOOK
    if command is UNLISTED:
        return UNKNOWN
    done = own
    for item in result.found:
        done = done.with_(deed_of(item.role.operation, certain=item.role.rewritable))
    if command.operands is not None and (call.appended or any(map(_is_open, words))):
        hidden = deed_of(operation(command, words), certain=False)
        done = done.with_(hidden).with_(deed_of(command.last.operation) if command.last else LOOK)
    return done._replace(certain=done.certain and done.looks) if call.appended else done


def _judged(item: Found, deed: Deed) -> Found:
    """Return a path that is read as what is done with what is read."""
    role = item.role
    if role.enters or deed.looks or not deed_of(role.operation).looks:
        return item
    fit = role.rewritable and deed.certain
    return item._replace(role=role._replace(operation=deed.operation, rewritable=fit))


def _is_open(word: Word) -> bool:
    """Whether a word stands for paths that nobody can name here."""
    return word.value is None or "*" in word.value


def _subcommand(call: Invocation) -> tuple[Command, tuple[Word, ...], tuple[Found, ...]]:
    """Return how the arguments are read, those arguments, and the paths that precede them."""
    command, words = lookup(call.name), call.words
    if not command.nested:
        return command, words, ()
    arguments = scan(command, words, first=True)
    words = words[arguments.length :]
    names = []
    for word in words[:3]:
        if word.value is None or word.value.startswith("-"):
            break
        names.append(word.value)
    command, count = subcommand(call.name, names)
    return command, words[count:], tuple(arguments.found)


def _appended(command: Command, result: Use) -> Use:
    """With arguments to come that nobody can see, the last operand is not the last."""
    if command.last is not None:
        return Use(may_create=True)
    destroys = any(item.role.operation in DESTRUCTIVE for item in result.found)
    creates = command.operands is not None and command.operands.creates
    return Use(
        tuple(fixed(item) for item in result.found) if destroys else result.found,
        result.may_create or creates,
        asks=result.asks,
        optional=result.optional,
    )
