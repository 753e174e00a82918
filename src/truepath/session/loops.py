"""When misses in a row are a loop: how a step changes a session, and how long its streak is.

Pure: a state and a step go in, a new state and a streak come out. It must not know disks, clocks,
hosts, or a single word that an agent reads.

A miss counts once per model turn. Where the host names no turn, one is derived from this: a call
that began before the last answer was given cannot be a reaction to it, so it belongs to the same
turn; any other call begins a new one (see `Step.started`).
"""

from __future__ import annotations

import re

from truepath.records import dataclass, replace
from truepath.session.state import Miss, SessionState, clipped, current, latest, touched

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from typing import Literal

    StepKind = Literal["miss", "corrected", "success", "discovery", "prompt"]
    Likeness = Literal["path", "name", "stem", "series", "invented", "near"]
    Level = Literal[0, 1, 2, 3]
else:
    StepKind = Likeness = str
    Level = int
"""
- `StepKind`: what happened: a path was not there; it was not there and the call ran on another one;
  it was there; the agent listed or searched; the user typed something.
- `Likeness`: why two missed paths have one aim (see `likeness`).
"""

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
    """One thing that happened in a session. What follows `started` is said of a miss only."""

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
    """Whether the call ran on a likely file."""
    missing_folder: str = ""
    """The outermost folder of the path that does not exist."""
    asks: bool = False
    """Whether the call only lists; to ask for another folder is no loop."""
    shown: tuple[str, ...] = ()
    """Those of the candidates the answer names that are there."""


@dataclass(frozen=True, slots=True)
class Streak:
    """A session's streak after a step."""

    count: int = 0
    """Turns in a row that missed on one aim."""
    level: Level = 0
    """
    - 0: no miss.
    - 1: a first miss.
    - 2: a second in a row, or more after listing or searching.
    - 3: more, and nothing listed or searched yet: modifying tools on missing paths are refused.
    """
    shift: bool = False
    """Whether the answer carries the strategy shift: once in a streak, at its second miss."""
    tried: tuple[str, ...] = ()
    """The wrong paths of this aim, oldest first."""
    shown: tuple[str, ...] = ()
    """Candidates shown so far."""
    counted: bool = True
    """False when this miss had been counted before: a refusal that the host reports as failed."""
    again: bool = False
    """Whether the very path was missed before."""
    ended: int = 0
    """Length of the streak that this step ended; 0 when it ended none."""
    followed: bool = False
    """Whether this step tells what the agent made of an earlier interception."""


def record(
    state: SessionState, step: Step, *, now: float, turn_gap_s: float = 0.0
) -> tuple[SessionState, Streak]:
    """Take one step, and return the new state and the streak.

    Args:
        state: What is remembered; `SessionState()` for a new session.
        step: What happened.
        now: Seconds since the epoch.
        turn_gap_s: Seconds after an answer within which a call belongs to the same derived turn:
            the time a host takes to start the hooks of parallel calls one after another.
    """
    state = current(state, now)
    if step.kind not in ("miss", "corrected") and not (state.misses or state.followed_calls):
        return touched(state, now), Streak()  # the common case: mostly a store writes nothing
    step = replace(step, path=clipped(step.path), missing_folder=clipped(step.missing_folder))
    turn = _turn(state, step, now if step.started is None else step.started, turn_gap_s)
    state = _advanced(state, turn, now)
    if step.kind == "miss":
        return _missed(state, step, turn)
    followed = state.followed_calls > 0
    state = replace(state, followed_calls=max(0, state.followed_calls - 1))
    if step.kind == "discovery":
        searched = tuple(replace(miss, searched_since=True) for miss in state.misses)
        state = replace(state, misses=searched)
        return state, replace(standing(state), followed=followed)
    ended = max((miss.count for miss in state.misses), default=0)
    state = _reset(state, step.kind, turn)
    return state, replace(standing(state), ended=ended if ended > 1 else 0, followed=followed)


def standing(state: SessionState, path: str | None = None, missing_folder: str = "") -> Streak:
    """Return the streak, without taking a step: after the last miss or, with a
    path, after the last that had that path's aim.
    """
    aim = _aim(path or "", missing_folder)
    alike = [miss for miss in state.misses if path is None or _like(aim, miss)]
    return _streak(state, alike[-1]) if alike else Streak()


def assumed_before(state: SessionState, step: Step, *, turn_gap_s: float = 0.0) -> bool:
    """Return whether an earlier turn than that of a miss was shown a likely file for its aim.

    `step` is the miss, which is not taken; it has a `turn` or a time at which it `started`.
    """
    aim = _aim(step.path, step.missing_folder)
    turn = _turn(state, step, step.started or 0.0, turn_gap_s)
    return any(
        miss.path in state.assumed and miss.turn != turn and _like(aim, miss)
        for miss in state.misses
    )


def _turn(state: SessionState, step: Step, started: float, turn_gap_s: float) -> str:
    if step.turn:
        return clipped(step.turn)
    same = [miss for miss in state.misses if step.call_id and miss.call_id == step.call_id]
    if same:
        return same[0].turn
    if state.turn and started < state.answered + turn_gap_s:
        return state.turn
    return f"~{state.turns + 1}"


def _advanced(state: SessionState, turn: str, now: float) -> SessionState:
    state = replace(state, seen=now, answered=now)
    if turn == f"~{state.turns + 1}":
        return replace(state, turn=turn, turns=state.turns + 1)
    # A late report about an earlier turn does not bring that turn back.
    return state if any(miss.turn == turn for miss in state.misses) else replace(state, turn=turn)


def _missed(state: SessionState, step: Step, turn: str) -> tuple[SessionState, Streak]:
    known = _counted_before(state, step)
    if known is not None:
        misses = tuple(replace(m, waiting=False) if m is known else m for m in state.misses)
        return replace(state, misses=misses), replace(_streak(state, known), counted=False)
    miss, shown = _next_miss(state, step, turn), state.shown
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


def _counted_before(state: SessionState, step: Step) -> Miss | None:
    for miss in reversed(state.misses):
        if miss.path == step.path:
            if step.call_id and miss.call_id:
                if step.call_id == miss.call_id:
                    return miss
            elif step.reported and miss.waiting:
                return miss
    return None


def _next_miss(state: SessionState, step: Step, turn: str) -> Miss:
    aim = _aim(step.path, step.missing_folder)
    earlier = [other for other in state.misses if _continues(aim, other, asks=step.asks)]
    before = max((other.count for other in earlier if other.turn != turn), default=0)
    beside = max((other.count for other in earlier if other.turn == turn), default=0)
    count = max(1 + before, beside)
    return Miss(
        step.path,
        turn,
        count,
        call_id=step.call_id,
        missing_folder=step.missing_folder,
        waiting=not step.reported,
        searched_in_streak=any(each.searched_since or each.searched_in_streak for each in earlier),
        shift=count > 1 and not any(other.count > 1 for other in earlier),
    )


def _aim(path: str, missing_folder: str) -> Miss:
    return Miss(clipped(path), "", missing_folder=clipped(missing_folder))


def _like(miss: Miss, other: Miss) -> Likeness | None:
    return likeness(miss.path, other.path, (miss.missing_folder, other.missing_folder))


def _continues(miss: Miss, other: Miss, *, asks: bool) -> bool:
    """Whether `miss` goes on with the aim of `other`.

    To list is a question, and after looking another path is a new try, even a like one: then only
    the very same is a loop.
    """
    like = _like(miss, other)
    return like == "path" if other.searched_since or asks else like is not None


def _streak(state: SessionState, miss: Miss) -> Streak:
    explored = miss.searched_since or miss.searched_in_streak
    alike = [other for other in state.misses if _like(miss, other)]
    return Streak(
        count=miss.count,
        level=1 if miss.count == 1 else 2 if miss.count == 2 or explored else 3,
        shift=miss.shift,
        tried=tuple(dict.fromkeys(other.path for other in alike))[-_TRIED:],
        shown=state.shown,
        again=sum(_like(miss, other) == "path" for other in alike) > 1,
    )


def _reset(state: SessionState, kind: StepKind, turn: str) -> SessionState:
    """End the streak.

    Misses beside a success in one turn remain, as the first of a new streak: the calls of a turn
    have no order, so a success before or after them must mean the same.
    """
    kept = [miss for miss in state.misses if miss.turn == turn and kind != "prompt"]
    first = [replace(one, count=1, searched_in_streak=False, shift=False) for one in kept]
    return replace(
        state,
        misses=tuple(first),
        shown=state.shown if kept else (),
        assumed=state.assumed if kept else (),
        followed_calls={"corrected": FOLLOWED, "prompt": 0}.get(kind, state.followed_calls),
    )


_TEST = r"^(?:tests?|spec)(?=[-_ ])|(?<=[-_ ])(?:tests?|spec)$"
_NEAR_LENGTHS = (4, 64)
"""Letters of names that may be one typo apart: shorter ones are an edit away from far too many
others, and no typo makes a longer one."""
_TWO_EDITS = 9
"""Letters of names that may be two edits apart."""


def likeness(one: str, other: str, missing_folder: tuple[str, str] = ("", "")) -> Likeness | None:
    """Return why two missed paths have one aim, or None when they have not.

    Args:
        one: A path, relative to the root with `/`, or absolute.
        other: Another.
        missing_folder: For each, the outermost folder of it that does not exist; "" when none.

    Returns:
        - `path`: the same path, whatever its case or slashes.
        - `name`: the same last name in another folder.
        - `stem`: the same name but for its extensions, separators or `test`.
        - `series`: the same but for numbers (`0365.md`, `0397.md`; dates).
        - `invented`: both below one folder that does not exist.
        - `near`: names one typo apart.

    Of two files in the root neither `stem` nor `near` is one aim: to look for `.eslintrc.js` and
    `.eslintrc.json`, or for `compose.yml` and `compose.yaml`, asks which one a project has.
    """
    first, second = _folded(one), _folded(other)
    name, name_2 = first.rpartition("/")[2], second.rpartition("/")[2]
    stem, stem_2 = _stem(name), _stem(name_2)
    in_root = name == first and name_2 == second
    folder, folder_2 = map(_folded, missing_folder)
    if first == second:
        return "path"
    if name == name_2:
        return "name"
    if stem == stem_2 and not in_root:
        return "stem"
    if re.sub(r"\d+", "#", first) == re.sub(r"\d+", "#", second):
        return "series"
    if folder and folder == folder_2:
        return "invented"
    return "near" if not in_root and _near(stem, stem_2) else None


def _folded(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").casefold()


def _stem(name: str) -> str:
    # `.eslintrc.json` keeps its leading dot; `config.test.ts` and `test_config.py` are `config`.
    bare = name[:1] + name[1:].partition(".")[0]
    return re.sub(r"[-_ ]+", "", re.sub(_TEST, "", bare)) or bare


def _near(one: str, other: str) -> bool:
    """Whether names differ by a slip of the hand; another first letter or digit is no slip."""
    (shortest, longest), (least, most) = sorted((len(one), len(other))), _NEAR_LENGTHS
    if shortest < least or longest > most or longest - shortest > 2 or one[0] != other[0]:
        return False
    if re.findall(r"\d", one) != re.findall(r"\d", other):
        return False
    edits = _edits(one, other)
    swapped = edits == 2 and sorted(one) == sorted(other)
    return edits == 1 or swapped or (edits == 2 and shortest >= _TWO_EDITS)


def _edits(one: str, other: str) -> int:
    """Return how many letters to add, drop or replace (Levenshtein)."""
    row: list[int] = [*range(len(other) + 1)]
    for place, letter in enumerate(one, 1):
        above, row = row, [place]
        for at, beside in enumerate(other):
            changed = above[at] + int(letter != beside)
            row.append(min(above[at + 1] + 1, row[at] + 1, changed))
    return row[len(other)]
