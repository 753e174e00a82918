"""A command line's path operands, and the command line with some of them replaced.

Pure: no disk is looked at; the caller decides what exists and what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from truepath.calls.shell.deeds import UNKNOWN, Deed
from truepath.calls.shell.operand import Operand
from truepath.records import replace

_POWERSHELL = re.compile(rb"(?:^|[\s=|(])@['\"]\r?\n")
"""A here-string; its content is text, and no shell's redirections."""

LONGEST_COMMAND = 1_000_000
"""Bytes. Linux takes 128 KiB in one argument (MAX_ARG_STRLEN); what is longer is no command."""

_KEPT = 8_000
"""Bytes of a command whose reading is kept: a longer one holds a text, and seldom comes again."""


class Reading(NamedTuple):
    """What a command line does."""

    operands: tuple[Operand, ...] = ()
    deed: Deed = UNKNOWN
    """The strictest of all that it does, to paths that are named or not."""
    compares: bool = False
    """It compares files: that two of them are one and the same would be an answer."""
    single: bool = True
    """It is one command: refusing it keeps nothing else from running."""


def operands(command: str) -> tuple[Operand, ...]:
    """Return the paths that a command line reads, changes or makes, in the order written.

    Left alone, so not among them: questions (`test -f x`, `cat x || true`, `ls x 2>/dev/null`),
    whatever the shell expands, text for other programs, and paths that an earlier part of the
    same command line may have created. A command line that cannot be read with certainty has
    none.
    """
    return read(command).operands


def read(command: str) -> Reading:
    """Return what a command line does; of one that cannot be read, that nobody knows."""
    try:
        source = command.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return Reading()
    if (
        len(source) > LONGEST_COMMAND
        or b"\0" in source
        or (b"@" in source and _POWERSHELL.search(source))
    ):
        return Reading()
    return _read(source) if len(source) <= _KEPT else _read.__wrapped__(source)


@lru_cache(maxsize=1024)  # a call is read before and after it runs, and agents repeat themselves
def _read(source: bytes) -> Reading:
    from truepath.calls.shell.parser import parse
    from truepath.calls.shell.syntax_tree import Unsupported, function_names, is_single
    from truepath.calls.shell.walk import Walk

    try:
        tree = parse(source)
    except Unsupported:
        return Reading()
    functions = function_names(tree)
    walk = Walk(functions=functions)
    try:
        if functions:
            trial = Walk(functions=functions, dry=True)
            trial.run(tree)
            walk.end = trial.state
        walk.run(tree)
    except Unsupported:
        return Reading()
    # A program text (`bash -c '...'`) may hold several.
    single = is_single(tree) and not any(operand.inside for operand in walk.operands)
    return Reading(_ordered(walk.operands), walk.deed, walk.compares, single)


def _ordered(found: list[Operand]) -> tuple[Operand, ...]:
    """Sort by place, and let the folders' indices follow."""
    order = sorted(range(len(found)), key=lambda index: found[index].span)
    if order == list(range(len(found))):
        return tuple(found)
    place = {old: new for new, old in enumerate(order)}
    return tuple(
        replace(found[index], cwd=tuple(place[folder] for folder in found[index].cwd))
        for index in order
    )


def rewrite(command: str, changes: Mapping[Operand, str]) -> str | None:
    """Return `command` with each operand's path replaced, every other byte as it was.

    The keys are operands of this very command. The new command is parsed again; None when it
    would differ in anything but those operands, when one of them must not be rewritten, or when
    a path cannot be written in its place. Two operands: both or none.
    """
    known = operands(command)
    if any(operand not in known or not operand.rewritable for operand in changes):
        return None
    from truepath.calls.shell.replacing import replaced, same_but

    source = command.encode("utf-8", "surrogateescape")
    result = replaced(source, changes)
    if result is None or not same_but(source, result, changes):
        return None
    return result.decode("utf-8", "surrogateescape")
