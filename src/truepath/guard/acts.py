"""Where a call acts: the paths that it changes or runs, and the folders in which its
commands do something.

Whether a call may be changed is no question here, so what is merely likely counts: a
line that is not understood acts wherever it names a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from truepath.calls import tools
from truepath.calls.shell.runs import CHANGES, Run, runs
from truepath.records import dataclass
from truepath.types import Operation, ToolCall

_ANYWHERE = re.compile(r"(?<![\w.~$/-])(?:~|\.{0,2})/[^\s'\"`<>()\[\]{},;|&=]*")
"""A path in a text that is code: absolute, or from the folder or the home folder."""

_LONGEST_WORD = 4096
_MOST_PATHS = 64
"""Paths of one text, at most."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a call does in one place."""

    place: str
    """Absolute, as the call has it."""
    written: str
    """The same as the agent wrote it; for a folder, the folder."""
    operation: Operation
    """What is done to the path; `execute` where a command runs."""
    folder: bool = False
    """Whether a command runs in this folder, and no path is named."""
    edits: bool = False
    """Whether it changes a file as an edit does."""
    line: str = ""
    """The command."""


def of_path(place: str, written: str, operation: Operation) -> Iterator[Act]:
    """Yield what a tool does to a path that it is given."""
    if operation in CHANGES:
        edits = operation in ("edit", "write")
        yield Act(place, written, operation, edits=edits)


def of_commands(call: ToolCall, here: str) -> Iterator[Act]:
    """Yield what the commands of a call do; `here` is the agent's folder, absolute."""
    given = [argument.written for argument in tools.path_arguments(call)]
    folder = os.path.join(here, *map(os.path.expanduser, given))
    for command in tools.commands(call):
        for run in runs(command.text):
            yield from _of_run(run, folder)


def _of_run(run: Run, here: str) -> Iterator[Act]:
    if run.looks and not run.changes:
        return
    folder = None
    if run.folders is not None:
        folder = os.path.normpath(os.path.join(here, *run.folders))
    for written, operation in run.changes:
        if folder is not None or os.path.isabs(written):
            place = os.path.join(folder or here, written)
            edits = operation == "edit"
            yield Act(place, written, operation, edits=edits, line=run.line)
    for written in paths_in(run.code):
        if folder is not None or os.path.isabs(written):
            place = os.path.join(folder or here, written)
            yield Act(place, written, "execute", line=run.line)
    if run.here and folder is not None:
        yield Act(folder, folder, "execute", folder=True, line=run.line)


def paths_in(texts: Sequence[str]) -> Iterator[str]:
    """Yield what may be a path in some texts, which may be code."""
    for text in texts:
        if "/" not in text:
            continue
        if not re.search(r"[\s'\"=]", text):
            yield os.path.expanduser(text[:_LONGEST_WORD])
            continue
        for match in [*_ANYWHERE.finditer(text)][:_MOST_PATHS]:
            yield os.path.expanduser(match[0].rstrip(".:")[:_LONGEST_WORD])
