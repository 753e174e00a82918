"""What one session remembers: what was missed, told and used in it, small and fit for storage.

Pure: a state goes in, a new one comes out. No disk, no clock, no host, and no word that an agent
reads; `loops` says when its misses are a loop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from truepath.records import dataclass, replace

IDLE = 3600.0
"""Seconds without a step after which a session starts afresh."""
_USED = 128
"""Paths kept of those that were read, listed or searched."""
_ONCE = 64
"""Notes that were given, and typos that were warned of."""
_LENGTH = 1024
"""Characters kept of a path; its end, where the name is."""
_REFRESH = 60.0
"""Seconds by which `seen` may lag, so that a step that changes nothing else writes nothing."""
_VERSION = 1


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


@dataclass(frozen=True, slots=True)
class SessionState:
    """All that is kept of one session (and agent): small, bounded, JSON-ready."""

    seen: float = 0.0
    """Time of the last step, seconds since the epoch, up to a minute behind."""
    misses: tuple[Miss, ...] = ()
    """Since the last reset, oldest first."""
    turn: str = ""
    """The last turn."""
    turns: int = 0
    """How many turns were derived."""
    answered: float = 0.0
    """When the last step was answered."""
    shown: tuple[str, ...] = ()
    """Candidates shown since the last reset."""
    assumed: tuple[str, ...] = ()
    """Those of the missed paths for which a likely file was shown, since the last reset."""
    followed_calls: int = 0
    """How many of the next steps tell what the agent made of an interception."""
    warned_typos: tuple[str, ...] = ()
    """Typos the agent was warned of; asking again means them."""
    notes_given: tuple[str, ...] = ()
    """Notes given once a session."""
    used: tuple[str, ...] = ()
    """Paths that it read, listed or searched, relative to the root, the latest last."""
    owed: tuple[str, ...] = ()
    """Words that wait for the end of their calls, each after its call's mark."""

    def to_json(self) -> str:
        """Return the state as one line of JSON."""
        data = {name: getattr(self, name) for name in _SCALARS + _LISTS}
        misses = [[getattr(miss, name) for name in Miss.__slots__] for miss in self.misses]
        return json.dumps({"version": _VERSION, **data, "misses": misses}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> SessionState:
        """Return the state that `to_json` wrote; raise ValueError for anything else."""
        try:
            return _decoded(json.loads(text))
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not a session state: {error}") from error


_SCALARS = ("seen", "turn", "turns", "answered", "followed_calls")
_LISTS = ("shown", "assumed", "warned_typos", "notes_given", "used", "owed")


def current(state: SessionState, now: float) -> SessionState:
    """Return the state, or a fresh one when the session was idle too long.

    A time far ahead is a clock that was set back, and such a state would never expire.
    """
    return state if abs(now - state.seen) <= IDLE else SessionState()


def once(state: SessionState, note: str, *, now: float) -> tuple[SessionState, bool]:
    """Return whether `note` is given for the first time in this session, and remember it."""
    state = current(state, now)
    return _with(
        state, now, notes_given=latest(state.notes_given, note, _ONCE)
    ), note not in state.notes_given


def warned_before(state: SessionState, typo: str, *, now: float) -> tuple[SessionState, bool]:
    """Return whether the agent was warned of `typo` already, and remember that it is now."""
    state = current(state, now)
    return _with(
        state, now, warned_typos=latest(state.warned_typos, typo, _ONCE)
    ), typo in state.warned_typos


def remember(state: SessionState, path: str, *, now: float) -> SessionState:
    """Remember that the session used `path`, relative to the root."""
    state = current(state, now)
    return _with(state, now, used=latest(state.used, path, _USED))


def _with(state: SessionState, now: float, **changes: tuple[str, ...]) -> SessionState:
    """Return the state with changes; one that changes nothing stays equal, `seen` but for."""
    changed = replace(state, **changes)  # type: ignore[arg-type]
    return touched(state, now) if changed == state else replace(changed, seen=now)


def touched(state: SessionState, now: float) -> SessionState:
    """Return the state as of now; the very same where that would be a write for nothing."""
    if abs(now - state.seen) < _REFRESH or state == SessionState():
        return state
    return replace(state, seen=now)


def latest(known: tuple[str, ...], item: str, limit: int) -> tuple[str, ...]:
    """Add an item as the latest; nothing changes when it is the latest already."""
    item = clipped(item)
    if known and known[-1] == item:
        return known
    return (*(other for other in known if other != item), item)[-limit:]


def clipped(text: str) -> str:
    """Return as much of a path or a name as is kept."""
    return text[-_LENGTH:]


def _decoded(data: Mapping[str, Any]) -> SessionState:
    if data["version"] != _VERSION:
        raise ValueError("a session state of another version")
    for name in _SCALARS:
        if not isinstance(data[name], str if name == "turn" else (int, float)):
            raise TypeError(f"{name} is malformed")
    values = {name: data[name] for name in _SCALARS}
    # A list that an older truepath does not write is empty; one that it adds is of no use here.
    values.update({name: tuple(map(_text, data.get(name, ()))) for name in _LISTS})
    return SessionState(**values, misses=tuple(_decoded_miss(miss) for miss in data["misses"]))


def _decoded_miss(values: Any) -> Miss:
    miss = Miss(*values)
    kinds = (str, str, int, str, str, bool, bool, bool)
    if len(values) != len(kinds) or not all(map(isinstance, values, kinds)):
        raise TypeError("a miss is malformed")
    return miss


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a name is no text")
    return value
