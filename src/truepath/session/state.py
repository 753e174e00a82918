"""What is kept of a session, all of it, and how a step changes it.

What is counted and found in it are pure functions of its parts: `loops` of misses,
`ledger` of open calls and offers, `led` of folders, `checkouts`.

A miss counts once in a model turn. If the host names no turn, it is derived: a call
that began before the last answer cannot be a reaction to it, so it belongs to the same
turn; any other call begins a new one (`When.is_beside`).
"""

from __future__ import annotations

import re

from truepath import TYPE_CHECKING
from truepath.fields import dumps, loads
from truepath.records import as_kind, dataclass, replace, values
from truepath.session import loops
from truepath.session.led import Move, note_of_document
from truepath.session.ledger import Offer, OpenCall
from truepath.session.loops import (
    MISSES,
    Miss,
    Streak,
    counted,
    counted_before,
    streak,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    StepKind = Literal["miss", "success", "discovery", "prompt"]
else:
    StepKind = str
"""A path was missing; it existed, or was corrected; the agent listed or searched; the
user typed something, or another agent goes on."""

IDLE = 3600.0
"""Seconds without a step after which a session starts anew."""
TURN_GAP_S = 0.3
"""Seconds between one call's answer and the start of the next in which both belong to
one model turn, if a program with hooks does not tell: parallel calls follow in tens of
milliseconds, and a model's next answer usually takes a second."""
LONGEST = 1024
"""Characters of a path that are stored, from its end."""
MOST = {"notes": 64, "moves": 64, "changes": 50, "open": 32, "offers": 16}
"""What is stored of each list, the last ones. Of corrected calls before those, the end
is unknown."""
PASSED_BY = "passed-by:"
"""The beginning of a note on a file that an answer named and the next call left: then
`1` or `2`, for the first time and for later ones, and the file."""
_VERSION = 7
_LEFT = r"(success|discovery|prompt|document) (\d{1,12}\.\d{1,6}) (.*)"
"""A step that a quick check left beside the state: its kind, its time, and its turn or
the document that was read."""


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
        lists = {
            name: [*map(values, getattr(self, name))]
            for name, kind in type(self).__annotations__.items()
            if kind in _PARTS
        }
        return dumps({"version": _VERSION, **values(self), **lists})

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

    def at(self, now: float) -> SessionState:
        """Return the state, or a new one if the session was idle too long or is far in
        the future (because the clock was set back): it would never expire.

        Which checkout is whose does not depend on the time, nor where a folder is.
        """
        if abs(now - self.seen) <= IDLE:
            return self
        return SessionState(checkouts=self.checkouts, changes=self.changes)


_PARTS = {
    f"tuple[{part.__name__}, ...]": part for part in (Miss, Move, OpenCall, Offer)
}
"""The records in a state, by the annotations of its lists of them."""


def _fields(cls: Any, data: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, kind in cls.__annotations__.items():
        part: Any = _PARTS.get(kind)
        if part:
            found[name] = tuple(part(**_fields(part, each)) for each in data[name])
        else:
            found[name] = as_kind(kind, data[name])
    return found


@dataclass(frozen=True, slots=True)
class When:
    """When a call was made."""

    turn: str = ""
    """The model's turn; empty if the host names none. An identifier of a whole user
    prompt must not be given here."""
    started: float = 0.0
    """When it arrived, in seconds since the epoch. A hook gives the start of its
    process, so that the calls of one turn overlap."""
    gap_s: float = 0.0
    """Seconds after an answer in which a call still belongs to its turn: a host takes
    that long to start the hooks of parallel calls."""

    def is_beside(self, turn: str, answered: float) -> bool:
        """Return whether the call was made before the answer to one of a turn could be
        read.
        """
        if self.turn:
            return self.turn == turn
        return self.started < answered + self.gap_s

    def turn_after(self, state: SessionState) -> str:
        """Return its turn, of the host or derived."""
        if self.turn:
            return clipped(self.turn)
        is_of_last = state.turn and self.is_beside("", state.answered)
        return state.turn if is_of_last else f"~{state.turns + 1}"


def record(
    state: SessionState,
    kind: StepKind,
    when: When,
    *,
    now: float,
    miss: Miss | None = None,
    asks: bool = False,
) -> tuple[SessionState, Streak]:
    """Take one step at `now`, in seconds since the epoch; return the new state and the
    streak. `miss` is one without its turn, and `asks` as in `loops.counted`.
    """
    state = state.at(now)
    misses = state.misses
    if kind == "prompt":  # what was offered is another matter now
        left = [note for note in state.notes if not note.startswith(PASSED_BY)]
        state = replace(state, offers=(), notes=tuple(left))
    if not miss and not misses:
        return state, Streak()  # the common case, in which a store writes nothing
    same = counted_before(misses, miss) if miss else None
    if same:  # it counts in its own turn
        told = replace(same, waiting=False)
        misses = tuple(told if each is same else each for each in misses)
        state = replace(state, misses=misses, seen=now)
        return state, replace(streak(misses, told), counted=False)
    turn = when.turn_after(state)
    turns = state.turns + (turn == f"~{state.turns + 1}")
    state = replace(state, seen=now, answered=now, turn=turn, turns=turns)
    if miss is None:
        return replace(state, misses=loops.after(misses, kind, turn)), Streak()
    miss = counted(misses, replace(miss, turn=turn), asks=asks)
    misses = (*misses, miss)[-MISSES:]
    return replace(state, misses=misses), streak(misses, miss)


def caught_up(state: SessionState, left: str) -> SessionState:
    """Return a state after the steps that quick checks left beside it, a line each."""
    for kind, began, rest in re.findall(_LEFT, left):
        now = max(float(began), state.answered)
        if kind == "document":
            note = note_of_document(rest)  # "" for one at the disk's root
            state, _ = noted(state, (note,) if note else (), now=now)
        elif state.misses or state.offers:  # else nothing more can change
            when = When(rest, float(began), TURN_GAP_S)
            state, _ = record(state, kind, when, now=now)
    return state


def noted(
    state: SessionState, notes: Sequence[str], *, now: float
) -> tuple[SessionState, bool]:
    """Record notes as given; return the state and whether any of them is new.

    Of a kind that begins with `last-`, up to a colon, only the last one is kept.
    """
    state = state.at(now)
    notes = [*map(clipped, notes)]
    if {*notes} <= {*state.notes}:
        return state, False
    kinds = {note.partition(":")[0] for note in notes if note.startswith("last-")}
    others = [
        note
        for note in state.notes
        if note not in notes and note.partition(":")[0] not in kinds
    ]
    return replace(state, notes=(*others, *notes)[-MOST["notes"] :], seen=now), True


def clipped(text: str) -> str:
    return text[-LONGEST:]
