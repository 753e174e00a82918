"""The ruler of a command that fails a third time in the same way, with nothing written
in the project since the first: nothing is refused, and the agent is told once.

A client may not see what is written between, so the disk and git's index are asked, and
only then. Numbers in an error count for nothing: the time that a test took.

Its text: `same line`.
"""

from __future__ import annotations

import re

from truepath.calls.tools import arguments_of, runs_commands
from truepath.fields import digest
from truepath.guard.reading import Reading, Ruling
from truepath.guard.texts import SHIFT

ROW = "same-line"
"""The row of what is noted of a command that failed."""

_TOLD = 3
"""The failure in a row that is told."""

_NOTE = "last-line:"
"""The beginning of the note on the last line that failed: what it is, how often in a
row, and when first, in seconds since the epoch."""

_COUNTED = r"\w*\d\w*"
"""A word with a digit: a time, a count, an address."""


def same_line(reading: Reading) -> Ruling | None:
    """Rule about a command that failed; without a word, but for the third time."""
    call = reading.call
    error = reading.failure.error if reading.failure else ""
    if not error or not reading.checks or not runs_commands(call):
        return None

    line = (call.tool, call.cwd, arguments_of(call), re.sub(_COUNTED, "", error))
    beginning = f"{_NOTE}{digest(line)}:"
    known = [each for each in reading.known.kept().notes if each.startswith(beginning)]
    count, since = 1, reading.known.when.started
    if known:
        before, first = known[0].removeprefix(beginning).split(":")
        count, since = int(before) + 1, float(first)
    if count == _TOLD and reading.space.tree.written_since(since):
        count, since = 1, reading.known.when.started
    is_told = count == _TOLD and reading.rules["execute"] != "observe"
    return Ruling(
        "advise" if is_told else "allow",
        row=ROW,
        says="same line",
        code=SHIFT,
        notes=(f"{beginning}{count}:{since:.3f}",),
    )
