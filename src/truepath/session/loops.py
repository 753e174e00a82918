"""When misses in a row are a loop: how a step changes a session, and how long its streak is.

Pure: a state and a step go in, a new state and a streak come out. It must not know disks, clocks,
hosts, or a single word that an agent reads.

A miss counts once per model turn. Where the host names no turn, one is derived from this: a call
that began before the last answer was given cannot be a reaction to it, so it belongs to the same
turn; any other call begins a new one (see `Step.started`).
"""

from __future__ import annotations

from typing import Literal

from truepath.records import dataclass, replace
from truepath.session.similar import likeness
from truepath.session.state import Miss, SessionState, clipped, current, latest, touched

StepKind = Literal["miss", "corrected", "success", "discovery", "prompt"]
"""What happened: a path was not there; it was not there and the call ran on another one; it was
there; the agent listed or searched; the user typed something."""

FOLLOWED = 5
"""Steps after an interception that tell what the agent made of it."""

_MISSES = 16
"""Misses kept, the last ones."""
_SHOWN = 12
"""Candidates kept of those that were shown."""
_TRIED = 8
"""Wrong paths listed for one aim."""


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
    assumed: bool = False
    """For a miss: whether the call ran on a likely file."""
    missing_folder: str = ""
    """For a miss: the outermost folder of the path that does not exist."""
    asks: bool = False
    """For a miss: whether the call only lists; to ask for another folder is no loop."""
    shown: tuple[str, ...] = ()
    """For a miss: those of the candidates the answer names that are there."""


@dataclass(frozen=True, slots=True)
class Streak:
    """A session's streak after a step."""

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
    counted: bool = True
    """False when this miss had been counted before: a refusal that the host reports as failed."""
    ended: int = 0
    """Length of the streak that this step ended; 0 when it ended none."""
    again: bool = False
    """Whether the very path was missed before."""
    followed: bool = False
    """Whether this step tells what the agent made of an earlier interception."""

    @property
    def shift(self) -> bool:
        """Whether the answer carries the strategy shift."""
        return self.level >= 2


def record(
    state: SessionState, step: Step, *, now: float, turn_gap_s: float = 0.0
) -> tuple[SessionState, Streak]:
    """Take one step.

    Args:
        state: What is remembered; `SessionState()` for a new session.
        step: What happened.
        now: Seconds since the epoch.
        turn_gap_s: Seconds after an answer within which a call belongs to the same derived turn:
            the time a host takes to start the hooks of parallel calls one after another.

    Returns:
        The new state, and the streak.
    """
    state = touched(current(state, now), now)
    if step.kind not in ("miss", "corrected") and not (state.misses or state.followed_calls):
        return state, Streak()  # the common case: nothing changes, so a store writes nothing
    step = replace(step, path=clipped(step.path), missing_folder=clipped(step.missing_folder))
    turn = _turn(state, step, step.started if step.started is not None else now, turn_gap_s)
    followed = state.followed_calls > 0 and step.kind != "miss"
    state = _advanced(state, turn, now)
    if step.kind == "miss":
        return _missed(state, step, turn)
    if step.kind == "discovery":
        state, streak = _looked(state)
    else:
        state, streak = _reset(state, step.kind, turn)
    return state, replace(streak, followed=followed)


def standing(state: SessionState, path: str | None = None, missing_folder: str = "") -> Streak:
    """Return the streak, without taking a step: after the last miss or, with a
    path, after the last that had that path's aim.
    """
    aim = Miss(clipped(path or ""), "", missing_folder=clipped(missing_folder))
    alike = [m for m in state.misses if path is None or _like(aim, m)]
    return _streak(state, alike[-1]) if alike else Streak()


def assumed_before(state: SessionState, step: Step, *, turn_gap_s: float = 0.0) -> bool:
    """Return whether an earlier turn than that of a miss was shown a likely file for its aim.

    Args:
        state: What is remembered.
        step: The miss, which is not taken. It has a `turn` or a time at which it `started`.
        turn_gap_s: As in `record`.
    """
    miss = Miss(clipped(step.path), "", missing_folder=clipped(step.missing_folder))
    turn = _turn(state, step, step.started or 0.0, turn_gap_s)
    return any(
        other.path in state.assumed and other.turn != turn and _like(miss, other)
        for other in state.misses
    )


def _turn(state: SessionState, step: Step, started: float, turn_gap_s: float) -> str:
    if step.turn:
        return clipped(step.turn)
    if step.call_id:
        for miss in state.misses:
            if miss.call_id == step.call_id:
                return miss.turn
    if state.turn and started < state.answered + turn_gap_s:
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
        shown = latest(shown, path, _SHOWN)
    state = replace(
        state,
        misses=(*state.misses, miss)[-_MISSES:],
        shown=shown,
        assumed=latest(state.assumed, step.path, _MISSES) if step.assumed else state.assumed,
        followed_calls=FOLLOWED,
    )
    return state, _streak(state, miss)


def _next_miss(state: SessionState, step: Step, turn: str) -> Miss:
    miss = Miss(
        step.path,
        turn,
        call_id=step.call_id,
        missing_folder=step.missing_folder,
        waiting=not step.reported,
    )
    earlier = [other for other in state.misses if _continues(miss, other, asks=step.asks)]
    before = (other.count for other in earlier if other.turn != turn)
    beside = (other.count for other in earlier if other.turn == turn)
    return replace(
        miss,
        count=max(1 + max(before, default=0), max(beside, default=0)),
        searched_in_streak=any(
            other.searched_since or other.searched_in_streak for other in earlier
        ),
    )


def _like(miss: Miss, other: Miss) -> str | None:
    return likeness(miss.path, other.path, (miss.missing_folder, other.missing_folder))


def _continues(miss: Miss, other: Miss, *, asks: bool) -> bool:
    """Whether `miss` goes on with the aim of `other`.

    To list is a question, and after looking another path is a new try, even a like one: then only
    the very same is a loop.
    """
    like = _like(miss, other)
    return like == "path" if other.searched_since or asks else like is not None


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
    explored = miss.searched_since or miss.searched_in_streak
    level: Literal[1, 2, 3] = 1 if miss.count == 1 else 2 if miss.count == 2 or explored else 3
    tried = [other.path for other in state.misses if _like(miss, other)]
    return Streak(
        count=miss.count,
        level=level,
        tried=tuple(dict.fromkeys(tried))[-_TRIED:],
        shown=state.shown,
        again=sum(_like(miss, other) == "path" for other in state.misses) > 1,
    )


def _looked(state: SessionState) -> tuple[SessionState, Streak]:
    misses = tuple(replace(miss, searched_since=True) for miss in state.misses)
    state = replace(state, misses=misses, followed_calls=max(0, state.followed_calls - 1))
    return state, standing(state)


def _reset(state: SessionState, kind: StepKind, turn: str) -> tuple[SessionState, Streak]:
    """End the streak. Misses beside a success in one turn remain, as the first of a new streak:
    the calls of a turn have no order, so a success before or after them must mean the same.
    """
    kept = () if kind == "prompt" else tuple(m for m in state.misses if m.turn == turn)
    ended = max((m.count for m in state.misses), default=0)
    followed_calls = {"corrected": FOLLOWED, "prompt": 0}.get(
        kind, max(0, state.followed_calls - 1)
    )
    state = replace(
        state,
        misses=tuple(replace(miss, count=1, searched_in_streak=False) for miss in kept),
        shown=state.shown if kept else (),
        assumed=state.assumed if kept else (),
        followed_calls=followed_calls,
    )
    return state, replace(standing(state), ended=ended if ended > 1 else 0)
