"""What one command does with its arguments: the record, and the common way to fill it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from truepath.calls.shell.arguments import PATTERN, Arguments, Found, find_paths
from truepath.calls.shell.commands import Command, Role
from truepath.calls.shell.deeds import LOOK, Deed
from truepath.calls.shell.syntax_tree import Word
from truepath.types import Operation

DESTRUCTIVE: frozenset[Operation] = frozenset(("delete", "move"))


class Use(NamedTuple):
    """What one command does with its arguments."""

    found: tuple[Found, ...] = ()
    may_create: bool = False
    """It may create files that nobody can name."""
    asks: bool = False
    """It only asks whether its paths are there."""
    optional: bool = False
    makes: tuple[str, ...] = ()
    """Paths it creates that no argument holds as they are."""
    parents: bool = False
    """It creates the folders above its paths as well."""
    deed: Deed = LOOK
    """What it does beyond its paths."""
    compares: bool = False
    """Its answer is whether files are the same."""


def plain(command: Command, arguments: Arguments) -> Use:
    """Return the use that a program's table entry describes."""
    found = find_paths(command, arguments)
    parents = command.operands is not None and command.operands.operation == "mkdir"
    may_create = command.may_create or arguments.hidden
    return Use(tuple(_guarded(found, arguments.operands)), may_create, parents=parents)


def _guarded(found: list[Found], words: Sequence[Word]) -> list[Found]:
    """Forbid rewriting in a destructive command that also holds what is yet to be expanded, by the
    shell or by the program (`git rm '*.log'`).
    """
    destroys = any(item.role.operation in DESTRUCTIVE for item in found)
    if destroys and any(word.value is None or PATTERN.search(word.value) for word in words):
        return [fixed(item) for item in found]
    return found


def fixed(item: Found) -> Found:
    """Return a path that is never rewritten."""
    return item._replace(role=item.role._replace(rewritable=False))


def add(found: list[Found], word: Word, role: Role) -> None:
    """Add a whole argument, where the shell does not expand it."""
    if word.value is not None:
        found.append(Found(word, role, (0, len(word.value))))
