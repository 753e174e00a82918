"""What one session remembers: its misses, what it was told and is owed, small and fit for storage.

Pure: no disk, no clock, no host. `loops` says when misses are a loop.
"""

from __future__ import annotations

import json

from truepath.records import dataclass, replace

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from typing import Any

IDLE = 3600.0
"""Seconds without a step after which a session starts afresh."""
_NOTES = 64
"""Notes remembered as given."""
_LENGTH = 1024
"""Characters kept of a path; its end, where the name is."""
_REFRESH = 60.0
"""Seconds by which `seen` may lag, so that a step that changes nothing else writes nothing."""
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Miss:
    """One path that was not there."""

    path: str
    turn: str
    count: int = 1
    """Turns in a row, this one included, that missed on the same aim."""
    call_id: str = ""
    missing_folder: str = ""
    """The outermost folder of the path that does not exist; empty when its folder exists."""
    waiting: bool = False
    """Whether the host may still report this same miss as a failure."""
    searched_since: bool = False
    """Whether the agent listed or searched since."""
    searched_in_streak: bool = False
    """Whether it listed or searched at some time in this streak."""
    shift: bool = False
    """Whether its answer carried the strategy shift."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """All that is kept of one session (and agent): bounded, JSON-ready."""

    seen: float = 0.0
    """Time of the last step, seconds since the epoch; up to a minute behind."""
    misses: tuple[Miss, ...] = ()
    """Since the last reset, oldest first."""
    turn: str = ""
    """The last turn."""
    turns: int = 0
    """How many turns were derived."""
    answered: float = 0.0
    """When the last step that counts was answered."""
    followed_calls: int = 0
    """How many of the next steps tell what the agent made of an interception."""
    shown: tuple[str, ...] = ()
    """Candidates shown since the last reset."""
    assumed: tuple[str, ...] = ()
    """Those of the missed paths for which a likely file was shown, since the last reset."""
    notes: tuple[str, ...] = ()
    """Notes given, each once a session."""
    owed: tuple[str, ...] = ()
    """Words that wait for the end of their calls, each after its call's mark."""

    def to_json(self) -> str:
        """Return the state as one line of JSON."""
        data = {name: getattr(self, name) for name in (*_SCALARS, *_LISTS)}
        misses = [[getattr(miss, name) for name in Miss.__slots__] for miss in self.misses]
        return json.dumps({"version": _VERSION, **data, "misses": misses}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> SessionState:
        """Return the state that `to_json` wrote; raise ValueError for anything else."""
        try:
            data = json.loads(text)
            if data["version"] != _VERSION:
                raise ValueError("a session state of another version")
            values: dict[str, Any] = {
                **{name: _of(kind, data[name]) for name, kind in _SCALARS.items()},
                **{name: tuple(_of(str, one) for one in data[name]) for name in _LISTS},
            }
            return cls(**values, misses=tuple(map(_miss, data["misses"])))
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not a session state: {error}") from error


_NUMBER = (int, float)
_SCALARS = {"seen": _NUMBER, "turn": str, "turns": int, "answered": _NUMBER, "followed_calls": int}
_LISTS = ("shown", "assumed", "notes", "owed")
_MISS = (str, str, int, str, str, bool, bool, bool, bool)


def _miss(values: list[Any]) -> Miss:
    if len(values) != len(_MISS):
        raise TypeError("a miss is malformed")
    return Miss(*map(_of, _MISS, values))


def _of(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is malformed")
    return value


def current(state: SessionState, now: float) -> SessionState:
    """Return the state, or a fresh one when the session was idle too long.

    A time far ahead is a clock that was set back, and such a state would never expire.
    """
    return state if abs(now - state.seen) <= IDLE else SessionState()


def once(state: SessionState, notes: tuple[str, ...], *, now: float) -> tuple[SessionState, bool]:
    """Return whether any of `notes` is given for the first time in this session, and remember."""
    state = current(state, now)
    is_first = any(clipped(note) not in state.notes for note in notes)
    for note in notes:
        state = replace(state, notes=latest(state.notes, note, _NOTES))
    return (replace(state, seen=now) if is_first else touched(state, now)), is_first


def touched(state: SessionState, now: float) -> SessionState:
    """Return the state as of now; the very same where that would be a write for nothing."""
    if abs(now - state.seen) < _REFRESH or state == SessionState():
        return state
    return replace(state, seen=now)


def latest(known: tuple[str, ...], item: str, limit: int) -> tuple[str, ...]:
    """Add an item as the latest; nothing changes when it is the latest already."""
    item = clipped(item)
    return (*(other for other in known if other != item), item)[-limit:]


def clipped(text: str) -> str:
    """Return as much of a path or a name as is kept."""
    return text[-_LENGTH:]
