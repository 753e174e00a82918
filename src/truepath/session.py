"""What one session remembers, and when misses in a row are a loop.

Pure: a state and a step go in, a new state and a streak come out. It must not know disks, clocks,
hosts, or a single word that an agent reads.

A miss counts once per model turn. Where the host names no turn, one is derived from this: a call
that began before the last answer was given cannot be a reaction to it, so it belongs to the same
turn; any other call begins a new one (see `Step.started`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from truepath.likeness import likeness

StepKind = Literal["miss", "corrected", "success", "discovery", "prompt"]
"""What happened: a path was not there; it was not there and the call ran on another one; it was
there; the agent listed or searched; the user typed something."""

IDLE = 3600.0
"""Seconds without a step after which a session starts afresh."""
FOLLOWED = 5
"""Steps after an interception that tell what the agent made of it."""

_MISSES = 16
_SHOWN = 12
_KNOWN = 64
_FOLDERS = 16
_ONCE = 64
_TRIED = 8
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
    invented: str = ""
    """The outermost folder of the path that does not exist; empty when its folder exists."""
    waiting: bool = False
    """Whether the host may still report this same miss as a failure."""
    looked: bool = False
    """Whether the agent listed or searched since."""
    lifted: bool = False
    """Whether it listed or searched at some time in this streak."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """All that is kept of one session (and agent): small, bounded, JSON-ready."""

    seen: float = 0.0
    """Time of the last step, seconds since the epoch, up to a minute behind."""
    missed: int = 0
    """All misses counted in this session."""
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
    awaiting: int = 0
    """How many of the next steps tell what the agent made of an interception."""
    warned: tuple[str, ...] = ()
    """Slips the agent was warned of; asking again means it."""
    noted: tuple[str, ...] = ()
    """Notes given once a session."""
    read: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """Folders it works in, the latest last."""
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


_SCALARS = ("seen", "missed", "turn", "turns", "answered", "awaiting")
_LISTS = ("shown", "warned", "noted", "read", "listed", "written", "folders", "owed")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in a session."""

    kind: StepKind
    path: str = ""
    """For a miss: where the written path points, relative to the root with `/`, else absolute."""
    turn: str = ""
    """The model's turn; empty where the host names none. An identifier that spans a whole user
    prompt is no model turn and must not be given here."""
    call_id: str = ""
    started: float | None = None
    """When the call reached us, seconds since the epoch; the moment of recording by default. A
    hook gives the time its process began, so that calls of one turn are seen to overlap."""
    reported: bool = False
    """Whether the host reports a failure after the tool ran, rather than asking before."""
    invented: str = ""
    """For a miss: the outermost folder of the path that does not exist."""
    shown: tuple[str, ...] = ()
    """For a miss: the candidates the answer names."""


@dataclass(frozen=True, slots=True)
class Streak:
    """Where a session stands after a step."""

    count: int = 0
    """Turns in a row that missed on one aim."""
    level: Literal[0, 1, 2, 3] = 0
    """
    - 0: no miss.
    - 1: a first miss.
    - 2: a second in a row: the answer carries the strategy shift.
    - 3: more, and nothing listed or searched yet: modifying tools on missing paths are refused.
    """
    tried: tuple[str, ...] = ()
    """The wrong paths of this aim, oldest first."""
    shown: tuple[str, ...] = ()
    """Candidates shown so far."""
    explored: bool = False
    """Whether the agent listed or searched in this streak."""
    counted: bool = True
    """False when this miss had been counted before: a refusal that the host reports as failed."""
    ended: int = 0
    """Length of the streak that this step ended; 0 when it ended none."""
    followed: bool = False
    """Whether this step tells what the agent made of an earlier interception."""

    @property
    def shift(self) -> bool:
        """Whether the answer carries the strategy shift."""
        return self.level >= 2


def current(state: SessionState, now: float) -> SessionState:
    """Return the state, or a fresh one when the session was idle too long.

    A time far ahead is a clock that was set back, and such a state would never expire.
    """
    return state if abs(now - state.seen) <= IDLE else SessionState()


def record(
    state: SessionState, step: Step, *, now: float, slack: float = 0.0
) -> tuple[SessionState, Streak]:
    """Take one step.

    Args:
        state: What is remembered; `SessionState()` for a new session.
        step: What happened.
        now: Seconds since the epoch.
        slack: Seconds after an answer within which a call still belongs to the same derived turn:
            the time a host takes to start the hooks of parallel calls one after another.

    Returns:
        The new state, and where the session stands.
    """
    state = _touched(current(state, now), now)
    if step.kind not in ("miss", "corrected") and not (state.misses or state.awaiting):
        return state, Streak()  # the common case: nothing changes, so a store writes nothing
    step = replace(step, path=_clipped(step.path), invented=_clipped(step.invented))
    turn = _turn(state, step, step.started if step.started is not None else now, slack)
    followed = state.awaiting > 0 and step.kind != "miss"
    state = _advanced(state, turn, now)
    if step.kind == "miss":
        return _missed(state, step, turn)
    if step.kind == "discovery":
        state, streak = _looked(state)
    else:
        state, streak = _reset(state, step.kind, turn)
    return state, replace(streak, followed=followed)


def standing(state: SessionState, path: str | None = None, invented: str = "") -> Streak:
    """Return where the session stands, without taking a step: after its last miss or, with a
    path, after the last that had that path's aim. To share nothing but a folder is too little.
    """
    aim = Miss(_clipped(path or ""), "", invented=_clipped(invented))
    alike = [m for m in state.misses if path is None or _like(aim, m) not in (None, "folder")]
    return _streak(state, alike[-1]) if alike else Streak()


def once(state: SessionState, note: str, *, now: float) -> tuple[SessionState, bool]:
    """Return whether `note` is given for the first time in this session, and remember it."""
    state = current(state, now)
    return _with(state, now, noted=_recent(state.noted, note, _ONCE)), note not in state.noted


def warned(state: SessionState, slip: str, *, now: float) -> tuple[SessionState, bool]:
    """Return whether the agent was warned of `slip` already, and remember that it is now."""
    state = current(state, now)
    return _with(state, now, warned=_recent(state.warned, slip, _ONCE)), slip in state.warned


def remember(state: SessionState, operation: str, path: str, *, now: float) -> SessionState:
    """Remember that the session did `operation` on `path`, relative to the root."""
    state = current(state, now)
    folder = path if operation in ("list", "mkdir") else path.rpartition("/")[0]
    state = _with(state, now, folders=_recent(state.folders, folder, _FOLDERS))
    if operation in ("list", "search"):
        return _with(state, now, listed=_recent(state.listed, path, _KNOWN))
    if operation in ("read", "execute"):
        return _with(state, now, read=_recent(state.read, path, _KNOWN))
    return _with(state, now, written=_recent(state.written, path, _KNOWN))


def _with(state: SessionState, now: float, **changes: tuple[str, ...]) -> SessionState:
    """Return the state with changes; one that changes nothing stays equal, `seen` but for."""
    changed = replace(state, **changes)  # type: ignore[arg-type]
    return _touched(state, now) if changed == state else replace(changed, seen=now)


def _touched(state: SessionState, now: float) -> SessionState:
    if abs(now - state.seen) < _REFRESH or state == SessionState():
        return state
    return replace(state, seen=now)


def _turn(state: SessionState, step: Step, started: float, slack: float) -> str:
    if step.turn:
        return _clipped(step.turn)
    if step.call_id:
        for miss in state.misses:
            if miss.call_id == step.call_id:
                return miss.turn
    if state.turn and started < state.answered + slack:
        return state.turn
    return f"~{state.turns + 1}"


def _advanced(state: SessionState, turn: str, now: float) -> SessionState:
    state = replace(state, seen=now, answered=max(now, state.answered))
    if turn == f"~{state.turns + 1}":
        return replace(state, turn=turn, turns=state.turns + 1)
    # A late report about an earlier turn does not bring that turn back.
    old = turn in {miss.turn for miss in state.misses}
    return state if old else replace(state, turn=turn)


def _missed(state: SessionState, step: Step, turn: str) -> tuple[SessionState, Streak]:
    known = _counted_before(state, step)
    if known is not None:
        misses = tuple(replace(m, waiting=False) if m is known else m for m in state.misses)
        return replace(state, misses=misses), replace(_streak(state, known), counted=False)
    miss = _next_miss(state, step, turn)
    shown = state.shown
    for path in step.shown:
        shown = _recent(shown, path, _SHOWN)
    state = replace(
        state,
        missed=state.missed + 1,
        misses=(*state.misses, miss)[-_MISSES:],
        shown=shown,
        awaiting=FOLLOWED,
    )
    return state, _streak(state, miss)


def _next_miss(state: SessionState, step: Step, turn: str) -> Miss:
    miss = Miss(
        step.path, turn, call_id=step.call_id, invented=step.invented, waiting=not step.reported
    )
    earlier = [other for other in state.misses if _continues(miss, other)]
    before = (other.count for other in earlier if other.turn != turn)
    beside = (other.count for other in earlier if other.turn == turn)
    return replace(
        miss,
        count=max(1 + max(before, default=0), max(beside, default=0)),
        lifted=any(other.looked or other.lifted for other in earlier),
    )


def _like(miss: Miss, other: Miss) -> str | None:
    return likeness(miss.path, other.path, (miss.invented, other.invented))


def _continues(miss: Miss, other: Miss) -> bool:
    """Whether `miss` goes on with the aim of `other`.

    After looking, another path is a new try, even a like one; only the very same is a loop.
    """
    like = _like(miss, other)
    return like == "path" if other.looked else like is not None


def _counted_before(state: SessionState, step: Step) -> Miss | None:
    for miss in reversed(state.misses):
        if miss.path != step.path:
            continue
        if step.call_id and miss.call_id:
            if step.call_id == miss.call_id:
                return miss
        elif step.reported and miss.waiting:
            return miss
    return None


def _streak(state: SessionState, miss: Miss) -> Streak:
    explored = miss.looked or miss.lifted
    level: Literal[1, 2, 3] = 1 if miss.count == 1 else 2 if miss.count == 2 or explored else 3
    tried = [other.path for other in state.misses if _like(miss, other)]
    return Streak(
        count=miss.count,
        level=level,
        tried=tuple(dict.fromkeys(tried))[-_TRIED:],
        shown=state.shown,
        explored=explored,
    )


def _looked(state: SessionState) -> tuple[SessionState, Streak]:
    misses = tuple(replace(miss, looked=True) for miss in state.misses)
    state = replace(state, misses=misses, awaiting=max(0, state.awaiting - 1))
    return state, standing(state)


def _reset(state: SessionState, kind: StepKind, turn: str) -> tuple[SessionState, Streak]:
    """End the streak. Misses beside a success in one turn remain, as the first of a new streak:
    the calls of a turn have no order, so a success before or after them must mean the same.
    """
    kept = () if kind == "prompt" else tuple(m for m in state.misses if m.turn == turn)
    ended = max((m.count for m in state.misses), default=0)
    awaiting = {"corrected": FOLLOWED, "prompt": 0}.get(kind, max(0, state.awaiting - 1))
    state = replace(
        state,
        misses=tuple(replace(miss, count=1, lifted=False) for miss in kept),
        shown=state.shown if kept else (),
        awaiting=awaiting,
    )
    return state, replace(standing(state), ended=ended if ended > 1 else 0)


def _recent(known: tuple[str, ...], item: str, limit: int) -> tuple[str, ...]:
    """Add an item as the latest; nothing changes when it is the latest already."""
    item = _clipped(item)
    if known and known[-1] == item:
        return known
    return (*(other for other in known if other != item), item)[-limit:]


def _clipped(text: str) -> str:
    return text[-_LENGTH:]


def _decoded(data: Mapping[str, Any]) -> SessionState:
    if data["version"] != _VERSION:
        raise ValueError("a session state of another version")
    for name in _SCALARS:
        if not isinstance(data[name], str if name == "turn" else (int, float)):
            raise TypeError(f"{name} is malformed")
    values = {name: data[name] for name in _SCALARS}
    values.update({name: tuple(map(_text, data[name])) for name in _LISTS})
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
