"""Which program a simple command really runs, once `sudo`, `env` and their like are undone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from truepath.shell.arguments import Found, scan
from truepath.shell.commands import Command, Prefix, basename, lookup, subcommand, tables
from truepath.shell.special import DESTRUCTIVE, Use, fixed, use
from truepath.shell.tree import Word
from truepath.shell.unix import RUN

_ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*=")
_SCRIPT = re.compile(r"[\w.-]+\.(?:py|sh|js|ts|rb|pl)\Z")
# What these name is a package of a registry; a `/` in it is no folder.
_PACKAGES = frozenset(("npx", "bunx", "uvx", "pnpm dlx", "bundle exec"))
# Programs of the system are found or not found by every agent alike; no project holds them.
_SYSTEM = ("/bin/", "/usr/", "/sbin/", "/opt/")


class Invocation(NamedTuple):
    """A program with its arguments."""

    name: str
    """The program's name as the tables know it; empty when the shell decides it."""
    words: tuple[Word, ...] = ()
    """Its arguments."""
    found: tuple[Found, ...] = ()
    """Paths among what stands before the arguments, the program's own among them."""
    asks: bool = False
    """Nothing is run: the program is only asked about."""
    appended: bool = False
    """Arguments follow that nobody can see here."""


def invocation(words: Sequence[Word]) -> Invocation:
    """Return the program that the words of a simple command run."""
    found: list[Found] = []
    appended = packages = False
    rest = list(words)
    while rest:
        name = basename(rest[0].value or "")
        known = _prefix(name, rest)
        if known is None:
            break
        prefix, length, full = known
        packages = full in _PACKAGES
        arguments = scan(Command(takes=prefix.takes, paths=prefix.paths), rest[length:], first=True)
        if arguments.options & set(prefix.question.split()):
            return Invocation(name, asks=True)
        found += arguments.found
        appended = appended or prefix.appends
        rest = _own_arguments(rest[length + arguments.length :], prefix, full)
    if not rest or rest[0].value is None:
        return Invocation("", tuple(rest[1:]), tuple(found))
    if not packages:
        found += _program(rest[0])
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


def _program(word: Word) -> list[Found]:
    value = word.value or ""
    if value.startswith(_SYSTEM) or ("/" not in value and not _SCRIPT.fullmatch(value)):
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
    command, words, found = lookup(call.name), call.words, list(call.found)
    if command.nested:
        arguments = scan(command, words, first=True)
        found += arguments.found
        words = words[arguments.length :]
        names = []
        for word in words[:3]:
            if word.value is None or word.value.startswith("-"):
                break
            names.append(word.value)
        command, count = subcommand(call.name, names)
        words = words[count:]
    result = use(command, words)
    if call.appended:
        result = _appended(command, result)
    return Use(
        (*found, *result.found),
        result.free or call.name == "",
        asks=result.asks or call.asks,
        optional=result.optional,
        makes=result.makes,
        parents=result.parents,
    )


def _appended(command: Command, result: Use) -> Use:
    """With arguments to come that nobody can see, the last operand is not the last."""
    if command.last is not None:
        return Use(free=True)
    destroys = any(item.role.operation in DESTRUCTIVE for item in result.found)
    return Use(
        tuple(fixed(item) for item in result.found) if destroys else result.found,
        result.free or any(item.role.creates for item in result.found),
        asks=result.asks,
        optional=result.optional,
    )
