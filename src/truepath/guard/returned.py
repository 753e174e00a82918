"""Whether a tool of this process has failed that returned a text, as a model's own tool
does: "Error: old_string not found".

A word of an error proves nothing. The text has a shape of the tables, and the disk
shows it: the file of an edit is as it was before, or a path that is read is missing,
before the call and after it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from truepath.calls.error_texts import is_missing, unmet_conditions
from truepath.calls.tools import runs_commands
from truepath.records import dataclass
from truepath.types import READS, Any, Decision, ToolCall

_BEGINNING = 1_000
"""Characters of a result that may be an error: what follows is the file's."""

_SETTLED_S = 0.1
"""Seconds after which a change of a file is surely another time of it: file systems
count in steps of up to 10 ms."""

_TEXTS = ("error", "message", "result", "output", "text", "content")
"""Names of a text in a result that is an object."""


@dataclass(frozen=True, slots=True)
class Before:
    """What was at the paths of a call before it ran."""

    edited: Mapping[str, tuple[int, ...]]
    """File of an edit -> what is another after it was written."""
    missing: Sequence[str]
    """Paths that are read or edited, and do not exist."""

    def proves(self, text: str) -> bool:
        """Return whether what a call returned may be an error, and the disk does not
        speak against it.
        """
        start = text[:_BEGINNING]
        if self.edited and "text" in unmet_conditions(start):
            return all(_state(file) == was for file, was in self.edited.items())
        if not self.missing or not is_missing(start):
            return False
        return not any(map(os.path.lexists, self.missing))


NOTHING = Before({}, ())
"""For a call whose result is never an error: a command's, whose output is anything."""


def before(call: ToolCall, decision: Decision, root: str) -> Before:
    """Return what is at the paths of a call that is about to run."""
    if decision.action == "refuse" or runs_commands(call):
        return NOTHING
    edited: dict[str, tuple[int, ...]] = {}
    missing: list[str] = []
    for resolution in decision.resolutions:
        operation = resolution.operation
        if operation not in READS and operation != "edit":
            continue
        place = os.path.join(root, resolution.path or resolution.target)
        state = _state(place)
        if not state:
            missing.append(place)
        elif operation == "edit":
            edited[place] = state
    now = time.time_ns()
    settled = all(now - state[0] > _SETTLED_S * 1e9 for state in edited.values())
    return Before(edited if settled else {}, missing)


def text_of(result: object) -> str:
    """Return the text of a tool's result; "" if it has none."""
    if isinstance(result, str):
        return result
    if isinstance(result, Mapping):
        found: list[Any] = [result.get(name) for name in _TEXTS]
        return next((text for text in found if isinstance(text, str)), "")
    return ""


def _state(place: str) -> tuple[int, ...]:
    """Return the time of a file and what else changes with it; none if it is not
    there.
    """
    try:
        found = os.stat(place)
    except (OSError, ValueError):
        return ()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
