"""The state of a session, and when its misses are a loop.

Pure functions: a state and a step give a new state and a streak. It must not know
disks, clocks, hosts, or the texts that an agent reads.

A miss counts once in a model turn. If the host names no turn, it is derived: a call
that began before the last answer cannot be a reaction to it, so it belongs to the same
turn; any other call begins a new one (see `Step.started`).
"""

from __future__ import annotations

import re
from os.path import commonprefix

from truepath import TYPE_CHECKING
from truepath.fields import dumps, loads
from truepath.records import as_kind, dataclass, replace, values
from truepath.session.led import note_of_document
from truepath.session.ledger import OFFERS, OPEN, Offer, OpenCall

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    StepKind = Literal["miss", "success", "discovery", "prompt"]
    Likeness = Literal["path", "name", "stem", "series", "invented"]
    Level = Literal[0, 1, 2, 3]
else:
    StepKind = Likeness = str
    Level = int
"""
- `StepKind`: a path was missing; it existed, or was corrected; the agent listed or
  searched; the user typed something, or another agent goes on.
- `Likeness`: why two missing paths have the same aim (see `likeness`).
"""

IDLE = 3600.0
"""Seconds without a step after which a session starts anew."""
TURN_GAP_S = 0.3
"""Seconds between one call's answer and the start of the next in which both belong to
one model turn, if a program with hooks does not tell: parallel calls follow in tens of
milliseconds, and a model's next answer usually takes a second."""
MISSES = 16
"""Misses that are stored (the last ones), or counted for one call."""
_GUESSES = 3
"""Turns in a row that miss, with any names, until the strategy shift."""
_GUESSES_IN_ONE = 5
"""The same where all of them are in one folder: a list of names in a document, of which
several are not there, is no loop."""
_PROBED = (
    r"(?:.*/)?(?:\.[^/]+|[^/]+\.(?:cfg|ini|toml|lock|config\.\w+)"
    r"|(?:agents|claude|gemini|skill|readme|contributing|changelog|license|security"
    r"|todo)(?:\.\w+)?"
    r"|(?:make|just|docker|proc|gem|rake)file|(?:docker-)?compose\.ya?ml"
    r"|requirements[\w-]*\.txt|setup\.py|conftest\.py|go\.mod"
    r"|(?:package|composer|tsconfig|jsconfig|turbo|lerna|deno)\.json)"
)
"""Usual optional files, which an agent reads just in case, in lower case."""
_TRIED = 8
"""Wrong paths listed for one aim."""
_NOTES = 64
"""Given notes that are stored."""
_PASSED_BY = "passed-by:"
"""The beginning of a note on a file that an answer named and the next call left."""
_MOVES = 64
"""Moves that are stored."""
_LENGTH = 1024
"""Characters of a path that are stored, from its end."""
_CHANGES = 50
"""Changes of folders that are stored."""
_VERSION = 7
_LEFT = r"(success|discovery|prompt|document) (\d{1,12}\.\d{1,6}) (.*)"
"""A step that a quick check left beside the state: its kind, its time, and its turn or
the document that was read."""


@dataclass(frozen=True, slots=True)
class Miss:
    """One missing path."""

    path: str
    turn: str
    count: int = 1
    """Consecutive turns, including this one, that missed on the same aim."""
    call_id: str = ""
    missing_folder: str = ""
    """The outermost folder of the path that does not exist; empty if its folder
    exists."""
    waiting: bool = False
    """Whether the host may still report this miss as a failure."""
    searched: bool = False
    """Whether the agent has listed or searched in this streak."""
    shift: bool = False
    """Whether its answer included the strategy shift."""
    assumed: bool = False
    """Whether the call ran on a likely file."""


@dataclass(frozen=True, slots=True)
class Move:
    """What an allowed call moved or copied, relative to the root."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SessionState:
    """What is stored for one session (and agent): bounded, JSON-ready."""

    seen: float = 0.0
    """Time of the last step that changed anything, in seconds since the epoch."""
    answered: float = 0.0
    """Time of the last answer to a step that counts."""
    turn: str = ""
    """The last turn."""
    turns: int = 0
    """The number of derived turns."""
    misses: tuple[Miss, ...] = ()
    """Since the last reset, oldest first."""
    notes: tuple[str, ...] = ()
    """Notes that were given; each is given once in a session."""
    moves: tuple[Move, ...] = ()
    """What the session has moved or copied, oldest first."""
    owed: tuple[str, ...] = ()
    """Texts to show at the end of their calls, each after its call's mark."""
    open: tuple[OpenCall, ...] = ()
    """The corrected calls that have not ended, oldest first."""
    offers: tuple[Offer, ...] = ()
    """The files that answers have named, oldest first."""
    checkouts: tuple[str, ...] = ()
    """What is known of the repository's checkouts (`session.checkouts`)."""
    changes: tuple[str, ...] = ()
    """The changes of folders (`session.led`), oldest first."""

    def to_json(self) -> str:
        """Return the state as one line of JSON."""
        data = {
            "version": _VERSION,
            **values(self),
            "misses": [*map(values, self.misses)],
            "moves": [*map(values, self.moves)],
            "open": [*map(values, self.open)],
            "offers": [*map(values, self.offers)],
        }
        return dumps(data)

    @classmethod
    def from_json(cls, text: str | bytes) -> SessionState:
        """Return the state that `to_json` wrote; raise ValueError for anything else."""
        try:
            data = loads(text.decode() if isinstance(text, bytes) else text)
            if data["version"] != _VERSION:
                raise ValueError("a session state of another version")
            return cls(**_fields(cls, data))
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not a session state: {error}") from error


def _fields(cls: Any, data: Any) -> dict[str, Any]:
    return {name: _of(kind, data[name]) for name, kind in cls.__annotations__.items()}


def _of(kind: str, value: Any) -> Any:
    for part in (Miss, Move, OpenCall, Offer):
        if kind == f"tuple[{part.__name__}, ...]" and isinstance(value, list):
            return tuple(part(**_fields(part, each)) for each in value)
    return as_kind(kind, value)


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a session. The fields after `started` are for a miss."""

    kind: StepKind
    path: str = ""
    """For a miss: where the path points, relative to the root with `/`, else
    absolute."""
    turn: str = ""
    """The model's turn; empty if the host names none. An identifier of a whole user
    prompt must not be given here."""
    call_id: str = ""
    started: float | None = None
    """When the call arrived, in seconds since the epoch; by default now. A hook gives
    the start of its process, so that the calls of one turn overlap."""
    reported: bool = False
    """Whether the host reports a failure, rather than asking before the tool runs."""
    assumed: bool = False
    """Whether the call ran on a likely file."""
    missing_folder: str = ""
    """The outermost folder of the path that does not exist."""
    asks: bool = False
    """Whether the call only lists; listing another folder is not a loop."""


@dataclass(frozen=True, slots=True)
class Streak:
    """A session's streak after a step."""

    count: int = 0
    """Consecutive turns that missed on one aim."""
    level: Level = 0
    """
    - 0: no miss.
    - 1: a first miss.
    - 2: the second in a row, or a later one after listing or searching.
    - 3: a later one without: tools that modify missing paths are refused.
    """
    shift: bool = False
    """Whether the answer includes the strategy shift: once in a streak, at the second
    miss, or at the third whatever the names."""
    tried: tuple[str, ...] = ()
    """The wrong paths of this aim, oldest first."""
    same: bool = True
    """Whether they may be one file; else they are in one missing folder, or differ in
    all."""
    counted: bool = True
    """False for a miss that was counted before: the host reports its refusal as a
    failure."""
    assumed: bool = False
    """Whether the agent was shown a likely file in an earlier turn."""


def longest(streaks: Sequence[Streak]) -> Streak:
    """Return the streak that an answer is about, of those of one call's misses."""
    told = max(streaks, key=lambda streak: (streak.shift, streak.level), default=None)
    return told or Streak()


def record(
    state: SessionState, step: Step, *, now: float, turn_gap_s: float = 0.0
) -> tuple[SessionState, Streak]:
    """Take one step at `now`, in seconds since the epoch; return the new state and the
    streak.

    A call within `turn_gap_s` after an answer still belongs to the same derived turn: a
    host takes that long to start the hooks of parallel calls.
    """
    state = current(state, now)
    if step.kind == "prompt":  # what was offered is another matter now
        kept = [note for note in state.notes if not note.startswith(_PASSED_BY)]
        state = replace(state, offers=(), notes=tuple(kept))
    if step.kind != "miss" and not state.misses:
        return state, Streak()  # the common case, in which a store writes nothing
    counted = [miss for miss in state.misses if _is_same(step, miss)]
    if counted:
        return _reported(state, counted[-1], now)
    turn = _turn(state, step, now, turn_gap_s)
    is_derived = turn == _next_turn(state)
    turns = state.turns + 1 if is_derived else state.turns
    state = replace(state, seen=now, answered=now, turn=turn, turns=turns)
    if step.kind == "miss":
        return _missed(state, step, turn)
    if step.kind == "discovery":
        searched = tuple(replace(miss, searched=True) for miss in state.misses)
        return replace(state, misses=searched), Streak()
    return _reset(state, step.kind, turn), Streak()


def _reported(
    state: SessionState, miss: Miss, now: float
) -> tuple[SessionState, Streak]:
    """Take the report of a miss that was counted before, in its own turn."""
    misses = tuple(
        replace(other, waiting=False) if other is miss else other
        for other in state.misses
    )
    state = replace(state, misses=misses, seen=now)
    return state, replace(_streak(state, miss), counted=False)


def caught_up(state: SessionState, left: str) -> SessionState:
    """Return a state after the steps that quick checks left beside it, a line each."""
    for kind, began, rest in re.findall(_LEFT, left):
        now = max(float(began), state.answered)
        if kind == "document":
            note = note_of_document(rest)  # "" for one at the disk's root
            state, _ = note_once(state, (note,) if note else (), now=now)
        elif state.misses or state.offers:  # else nothing more can change
            step = Step(kind, turn=rest, started=float(began))
            state, _ = record(state, step, now=now, turn_gap_s=TURN_GAP_S)
    return state


def streak_of(
    state: SessionState, step: Step, *, now: float, turn_gap_s: float = 0.0
) -> Streak:
    """Return the streak of a miss's aim without taking the step."""
    state = current(state, now)
    aim = _aim(step)
    alike = [miss for miss in state.misses if _likeness(aim, miss)]
    if not alike:
        return Streak()
    turn = _turn(state, step, now, turn_gap_s)
    assumed = any(miss.assumed and miss.turn != turn for miss in alike)
    return replace(_streak(state, alike[-1]), assumed=assumed)


def current(state: SessionState, now: float) -> SessionState:
    """Return the state, or a new one if the session was idle too long or is far in the
    future (because the clock was set back): it would never expire.

    Which checkout is whose does not depend on the time, nor where a folder is.
    """
    if abs(now - state.seen) <= IDLE:
        return state
    return SessionState(checkouts=state.checkouts, changes=state.changes)


def note_once(
    state: SessionState, notes: tuple[str, ...], *, now: float
) -> tuple[SessionState, bool]:
    """Record notes as given; return the state and whether any of them is new."""
    state = current(state, now)
    notes = tuple(map(_clipped, notes))
    if {*notes} <= {*state.notes}:
        return state, False
    kinds = {_kind(note) for note in notes} - {""}
    others = [
        note for note in state.notes if note not in notes and _kind(note) not in kinds
    ]
    return replace(state, notes=(*others, *notes)[-_NOTES:], seen=now), True


def _kind(note: str) -> str:
    """Return the kind of a note of which only the last is kept; "" for any other."""
    return note.partition(":")[0] if note.startswith("last-") else ""


def has_note(state: SessionState, note: str, *, now: float) -> bool:
    """Return whether a note was recorded."""
    return _clipped(note) in current(state, now).notes


def moved(
    state: SessionState, moves: Sequence[Move], *, now: float
) -> tuple[SessionState, None]:
    """Record what an allowed call moves; return the state."""
    state = current(state, now)
    short = [move for move in moves if max(len(move.old), len(move.new)) <= _LENGTH]
    return replace(state, moves=(*state.moves, *short)[-_MOVES:], seen=now), None


def changed(
    state: SessionState, changes: Sequence[str], gone: Sequence[str]
) -> tuple[SessionState, None]:
    """Record changes of folders, without those that are gone; return the state."""
    new = [change for change in changes if len(change) <= _LENGTH]
    kept = [each for each in state.changes if each not in (*gone, *new)]
    return replace(state, changes=(*kept, *new)[-_CHANGES:]), None


def place_of(state: SessionState, path: str, *, now: float) -> str:
    """Return where the session has moved a path, or a folder that it was in; "" if it
    has not.
    """
    moves = current(state, now).moves
    last = [at for at, move in enumerate(moves) if _is_below(path, move.old)][-1:]
    if not last:
        return ""
    place = path
    for move in moves[last[0] :]:
        if _is_below(place, move.old):
            place = move.new + place[len(move.old) :]
    return place


def offered(state: SessionState, *, now: float, turn_gap_s: float) -> list[str]:
    """Return the files that answers have named and no call has used, each as often as
    it was in another turn.
    """
    state = current(state, now)
    left = [note for note in state.notes if note.startswith(_PASSED_BY)]
    paths = [note[len(_PASSED_BY) + 1 :] for note in left]
    last: dict[str, Offer] = {}
    for offer in state.offers:
        before = last.get(offer.path)
        last[offer.path] = offer
        if before is None or not _is_parallel(before, offer, turn_gap_s):
            paths.append(offer.path)
    return paths


def _is_parallel(one: Offer, other: Offer, turn_gap_s: float) -> bool:
    if other.turn:
        return one.turn == other.turn
    return other.at < one.at + turn_gap_s


def notes_of_offer(path: str) -> tuple[str, str]:
    """Return the notes for a file that was named and not used: once, and again."""
    return f"{_PASSED_BY}1{path}", f"{_PASSED_BY}2{path}"


def opening(
    state: SessionState, call: OpenCall | None, offers: Sequence[Offer], *, now: float
) -> tuple[SessionState, None]:
    """Record a corrected call, and files that were named; return the state."""
    state = current(state, now)
    calls = state.open if call is None else (*state.open, call)[-OPEN:]
    named = (*state.offers, *offers)[-OFFERS:]
    return replace(state, open=calls, offers=named, seen=now), None


def _is_below(path: str, folder: str) -> bool:
    """Return whether a path is another one, or in it."""
    return f"{path}/".startswith(f"{folder}/")


def _clipped(text: str) -> str:
    return text[-_LENGTH:]


def _turn(state: SessionState, step: Step, now: float, turn_gap_s: float) -> str:
    if step.turn:
        return _clipped(step.turn)
    started = now if step.started is None else step.started
    if state.turn and started < state.answered + turn_gap_s:
        return state.turn
    return _next_turn(state)


def _next_turn(state: SessionState) -> str:
    """Return the id of the next turn that is derived."""
    return f"~{state.turns + 1}"


def _missed(state: SessionState, step: Step, turn: str) -> tuple[SessionState, Streak]:
    aim = _aim(step)
    earlier = [
        other for other in state.misses if _continues(aim, other, asks=step.asks)
    ]
    count = _count(earlier, turn)
    # Told for the number of guesses, which this is one of.
    is_told = any(_is_guessed(other) and not other.searched for other in state.misses)
    is_first = not any(other.count > 1 for other in earlier)
    miss = replace(
        aim,
        turn=turn,
        count=count,
        call_id=step.call_id,
        waiting=not step.reported,
        searched=any(other.searched for other in earlier),
        shift=count > 1 and is_first and not is_told,
        assumed=step.assumed,
    )
    misses = (*state.misses, miss)[-MISSES:]
    # Fewer turns have no such number of guesses, whatever was missed in them.
    guesses = _guesses(misses) if _turns(misses) >= _GUESSES else []
    is_guess = miss in guesses and not step.asks
    folders = {_folded(guess.path).rpartition("/")[0] for guess in guesses}
    enough = _GUESSES if len(folders) > 1 else _GUESSES_IN_ONE
    if is_guess and _turns(guesses) >= enough:
        # The second of one aim had it; it may be older than the misses that are kept.
        is_told = any(guess.shift or guess.count > 1 for guess in guesses)
        miss = replace(miss, shift=miss.shift or not is_told)
        misses = (*misses[:-1], miss)
    state = replace(state, misses=misses)
    return state, _streak(state, miss)


def _count(earlier: Sequence[Miss], turn: str) -> int:
    """Return the turns in a row of a miss in a turn, after earlier ones of its aim."""
    before = [miss.count for miss in earlier if miss.turn != turn]
    return max([1 + max(before, default=0), *(miss.count for miss in earlier)])


def _turns(misses: Sequence[Miss]) -> int:
    return len({miss.turn for miss in misses})


def _is_same(step: Step, miss: Miss) -> bool:
    """Return whether a step is a counted miss, whose refusal the host reports as a
    failure.
    """
    if step.kind != "miss" or miss.path != _clipped(step.path):
        return False
    if step.call_id and miss.call_id:
        return step.call_id == miss.call_id
    return step.reported and miss.waiting


def _aim(step: Step) -> Miss:
    return Miss(_clipped(step.path), "", missing_folder=_clipped(step.missing_folder))


def _likeness(miss: Miss, other: Miss) -> Likeness | None:
    return likeness(miss.path, other.path, (miss.missing_folder, other.missing_folder))


def _continues(miss: Miss, other: Miss, *, asks: bool) -> bool:
    """Return whether `miss` has the aim of `other`.

    For a listing, or after the agent has looked around, only the same path counts.
    """
    like = _likeness(miss, other)
    if other.searched or asks:
        return like == "path"
    return like is not None


def _guesses(misses: Sequence[Miss]) -> list[Miss]:
    """Return the guesses since the agent last looked or used a path, whatever their
    names.
    """
    guesses = (miss for miss in misses if not miss.searched and not miss.assumed)
    return [miss for miss in guesses if not re.fullmatch(_PROBED, _folded(miss.path))]


def _streak(state: SessionState, miss: Miss) -> Streak:
    guessed = _is_guessed(miss)
    if guessed:
        alike = _guesses(state.misses)
        same = False
    else:
        alike = [other for other in state.misses if _likeness(miss, other)]
        same = all(likeness(miss.path, other.path) for other in alike)
    return Streak(
        count=_turns(alike) if guessed else miss.count,
        same=same,
        level=_level(miss),
        shift=miss.shift,
        tried=tuple(dict.fromkeys(other.path for other in alike))[-_TRIED:],
    )


def _is_guessed(miss: Miss) -> bool:
    """Return whether a miss was told the shift for the number of guesses, whatever
    their names.
    """
    return miss.shift and miss.count == 1


def _level(miss: Miss) -> Level:
    if miss.count == 1:
        return 1
    if miss.count == 2 or miss.searched:
        return 2
    return 3


def _reset(state: SessionState, kind: StepKind, turn: str) -> SessionState:
    """End the streak.

    Misses in the same turn as a success remain, as the first of a new streak: the calls
    of a turn have no order.
    """
    kept = [miss for miss in state.misses if miss.turn == turn and kind != "prompt"]
    first = tuple(replace(miss, count=1, searched=False, shift=False) for miss in kept)
    return replace(state, misses=first)


_NUMBER = r"[-_ ]?\d+"
_SHORT = 4
"""Letters of a name, without its extension, from which one of them is a slip."""
_TEST = r"^(?:tests?|spec)(?=[-_ ])|(?<=[-_ ])(?:tests?|spec)$"


def likeness(
    one: str, other: str, missing_folder: tuple[str, str] = ("", "")
) -> Likeness | None:
    """Return why two missing paths have the same aim; None if they do not.

    - `path`: the same path, ignoring case and the kind of slash.
    - `name`: the same last name in another folder.
    - `stem`: the same name, ignoring extensions, separators and `test`.
    - `series`: the same path, but for numbers in the name (`0365.md`, `0397.md`;
      `zork.py`, `zork2.py`), or for one letter of it.
    - `invented`: both below the same missing folder, the outermost one of each in
      `missing_folder`.

    Files in the root never count as `stem`: asking for `.eslintrc.js` and
    `.eslintrc.json`, or for `compose.yml` and `compose.yaml`, is how an agent finds out
    which one a project has.
    """
    first = _folded(one)
    second = _folded(other)
    if first == second:
        return "path"
    folder, _, name = first.rpartition("/")
    other_folder, _, other_name = second.rpartition("/")
    if name == other_name:
        return "name"
    in_root = not folder and not other_folder
    if _stem(name) == _stem(other_name) and not in_root:
        return "stem"
    if folder == other_folder and _is_series(name, other_name, in_root=in_root):
        return "series"
    missing, other_missing = map(_folded, missing_folder)
    return "invented" if missing and missing == other_missing else None


def _is_series(name: str, other: str, *, in_root: bool) -> bool:
    """Return whether two names of a folder differ by numbers or by a letter."""
    if re.sub(_NUMBER, "", name) == re.sub(_NUMBER, "", other):
        return True
    # A short name is another one with each of its letters.
    if in_root or min(len(_stem(name)), len(_stem(other))) < _SHORT:
        return False
    at = len(commonprefix((name, other)))  # noqa: RUF071  letters are compared
    shorter, longer = sorted((name[at:], other[at:]), key=len)
    return longer[1:] in (shorter, shorter[1:])


def _folded(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").casefold()


def _stem(name: str) -> str:
    # `.eslintrc.json` keeps its leading dot; `config.test.ts` and `test_config.py` are
    # `config`.
    bare = name[:1] + name[1:].partition(".")[0]
    return re.sub(r"[-_ ]+", "", re.sub(_TEST, "", bare)) or bare
