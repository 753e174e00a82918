"""The calls whose end is not known yet, and the files that answers have named.

Pure functions on entries. A corrected call is open from its answer until an event says
how it ended; an offer ends with the next call on its name.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING
from truepath.fields import digest
from truepath.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    from truepath.types import ToolCall

    End = Literal["ran", "failed", "dropped", "declined", "unknown"]
    Follow = Literal["took", "other", "again"]
else:
    End = Follow = str
"""
- `End` of a corrected call: it ran on the new path; it did so and failed; it ran as it
  was written; the person refused it; none of these can be told.
- `Follow`, what the next call on the name of an offer was about: the offered file;
  another that is there; one that is missing.
"""


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A corrected call that has not ended."""

    call: str
    """The host's id of the call; "" if it gives none."""
    tool: str
    turn: str
    """The model's turn, if the host names it."""
    changed: tuple[str, ...]
    """The names of the arguments that were changed."""
    new: str
    """The mark of their values as corrected."""
    old: str
    """The same as written."""
    events: tuple[str, ...]
    """The ids of the journal's events, one for each path; so are the next two."""
    written: tuple[str, ...]
    used: tuple[str, ...]
    """The path that the call has in its place."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A refusal, or advice, that named one file; or a likely file that was shown."""

    event: str
    """The id of the journal's event."""
    turn: str
    at: float
    """When it was told, in seconds since the epoch."""
    path: str
    """The file, relative to the root."""
    names: tuple[str, ...]
    """The last names of the file and of what was written."""
    reason: str
    held_back: tuple[str, ...]

    def follow(self, used: Mapping[str, bool]) -> Follow | None:
        """Return what a call did with it; None if it is not about it. `used` are the
        paths of the call -> whether they are there.
        """
        about = [path for path in used if path.rpartition("/")[2] in self.names]
        if not about or self.path in about:
            return "took" if about else None
        return "other" if any(used[path] for path in about) else "again"


def opened(
    call: ToolCall,
    corrected: Mapping[str, Any],
    paths: Sequence[tuple[str, str, str]],
) -> OpenCall:
    """Return the entry of a call that runs with corrected arguments; `paths` are the
    event, the path as written and the one in its place, of each.
    """
    written = call.arguments
    # By identity: a value of a caller in this process may not be comparable.
    names = [
        name for name, value in corrected.items() if written.get(name) is not value
    ]
    changed = tuple(sorted(names))
    events, old, used = zip(*paths, strict=True)
    return OpenCall(
        call.call_id,
        call.tool,
        call.turn,
        changed,
        mark(corrected, changed),
        mark(written, changed),
        tuple(events),
        tuple(old),
        tuple(used),
    )


def mark(arguments: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return what identifies the values of some arguments."""
    return digest([arguments.get(name) for name in names])


def closing(
    calls: Sequence[OpenCall], call_id: str, tool: str, arguments: Mapping[str, Any]
) -> dict[OpenCall, End]:
    """Return the open call that a call which is over was, with what it ran on: `ran` on
    the new paths, `dropped` on the written ones, else `unknown`; else nothing.

    Without an id, equal calls are taken in their order.
    """
    of_id = [each for each in calls if call_id and each.call == call_id]
    found = of_id or [each for each in calls if not each.call and each.tool == tool]
    for each in found:
        ran = mark(arguments, each.changed)
        if ran in (each.new, each.old):
            return {each: "ran" if ran == each.new else "dropped"}
    for each in found:
        end = _wrapped(each, arguments)
        if end != "unknown" or each in of_id:
            return {each: end}
    return {}


def _wrapped(opened: OpenCall, arguments: Mapping[str, Any]) -> End:
    """Return what a call ran on that another hook changed too, by the paths in it."""
    text = " ".join(str(arguments.get(name)) for name in opened.changed)
    pairs = [*zip(opened.used, opened.written, strict=True)]
    has_new = all(_has(text, used, written) for used, written in pairs)
    has_old = any(_has(text, written, used) for used, written in pairs)
    if has_new == has_old:
        return "unknown"
    return "ran" if has_new else "dropped"


def _has(text: str, path: str, other: str) -> bool:
    """Return whether a text has a path that is no part of another one."""
    return path in (text.replace(other, "") if path in other else text)
