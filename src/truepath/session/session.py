"""What is kept of a session, and the questions that a call asks of it.

A `SessionState` is all of it, and a store keeps one by its key, whatever it means. A
`Session` is the room's face: `kept` is the state as it is now, and each method that
tells it something is one update of the store. What is counted and found in it are pure
functions of its parts: `loops` of misses, `ledger` of open calls and offers, `led` of
folders, `checkouts`.

A miss counts once in a model turn. If the host names no turn, it is derived: a call
that began before the last answer cannot be a reaction to it, so it belongs to the same
turn; any other call begins a new one (`When.is_beside`).
"""

from __future__ import annotations

import re
import time
from functools import partial

from truepath import TYPE_CHECKING
from truepath.fields import dumps, loads
from truepath.records import as_kind, dataclass, replace, values
from truepath.session import ledger, loops
from truepath.session.keys import PARTS, key
from truepath.session.led import Move, note_of_document
from truepath.session.ledger import Offer, OpenCall
from truepath.session.loops import (
    MISSES,
    Miss,
    Streak,
    alike,
    counted,
    counted_before,
    streak,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Literal, TypeVar

    from truepath.session.checkouts import Facts
    from truepath.session.ledger import End, Follow
    from truepath.session.stores import Change, Store
    from truepath.types import ToolCall

    K = TypeVar("K")
    T = TypeVar("T")
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
_MOST = {"notes": 64, "moves": 64, "changes": 50, "open": 32, "offers": 16}
"""What is stored of each list, the last ones. Of corrected calls before those, the end
is unknown."""
_PASSED_BY = "passed-by:"
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
            return _clipped(self.turn)
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
        left = [note for note in state.notes if not note.startswith(_PASSED_BY)]
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
    notes = [*map(_clipped, notes)]
    if {*notes} <= {*state.notes}:
        return state, False
    kinds = {note.partition(":")[0] for note in notes if note.startswith("last-")}
    others = [
        note
        for note in state.notes
        if note not in notes and note.partition(":")[0] not in kinds
    ]
    return replace(state, notes=(*others, *notes)[-_MOST["notes"] :], seen=now), True


def _clipped(text: str) -> str:
    return text[-LONGEST:]


def session_of(call: ToolCall, store: Store, project: str, **known: float) -> Session:
    """Return the session of a call in a project.

    `known` are `started` (by default now) and `gap_s`, as in `When`.
    """
    name = key(call.session, call.agent, project)
    when = When(call.turn, **{"started": time.time(), **known})
    return Session(store, name, when, call.call_id, key("", project=project))


@dataclass(frozen=True, slots=True)
class Session:
    """A session as seen by one of its calls. Threads may share the store."""

    store: Store
    key: str
    when: When
    call_id: str
    project: str
    """The key of what all sessions of the project share, that of calls which name
    none."""

    def kept(self) -> SessionState:
        """Return what is kept; an empty state if there is nothing."""
        known = self._if_known(lambda state: (state, state), SessionState())
        return known.at(time.time())

    def noted(self, note: str) -> bool:
        """Return whether a note was recorded in this session."""
        return _clipped(note) in self.kept().notes

    def offered(self) -> Sequence[str]:
        """Return the files that answers have named and no call has used, each as often
        as it was in another turn.
        """
        state = self.kept()
        left = [note for note in state.notes if note.startswith(_PASSED_BY)]
        paths = [note[len(_PASSED_BY) + 1 :] for note in left]
        last: dict[str, Offer] = {}
        for offer in state.offers:
            before = last.get(offer.path)
            last[offer.path] = offer
            when = When(offer.turn, offer.at, self.when.gap_s)
            if before is None or not when.is_beside(before.turn, before.at):
                paths.append(offer.path)
        return paths

    def streak_of(self, path: str, missing_folder: str = "") -> Streak:
        """Return the streak of a path's aim without taking a step."""
        state = self.kept()
        turn = self.when.turn_after(state)
        aim = Miss(_clipped(path), turn, missing_folder=_clipped(missing_folder))
        like = [miss for miss in state.misses if alike(aim, miss)]
        if not like:
            return Streak()
        assumed = any(miss.assumed and miss.turn != turn for miss in like)
        return replace(streak(state.misses, like[-1]), assumed=assumed)

    def changes(self) -> Sequence[str]:
        """Return the changes of folders that this session has seen, after those of the
        project's others.
        """
        shared = dict.fromkeys((self.project, self.key))
        kept = [replace(self, key=name).kept() for name in shared]
        return [change for state in kept for change in state.changes]

    def user(self) -> Session:
        """Return the session that a sub-agent's is a part of."""
        return replace(self, key=key(self.key.partition(PARTS)[0]))

    def missed(
        self, path: str, *, missing_folder: str = "", asks: bool = False, **seen: bool
    ) -> Streak:
        """Count a missing path and return the streak.

        Args:
            path: Relative to the root with `/`, else absolute.
            missing_folder: The outermost folder of it that does not exist.
            asks: Whether the call only lists.
            seen: `waiting` and `assumed`, as in `Miss`.
        """
        short = _clipped(missing_folder)
        miss = Miss(_clipped(path), "", 1, self.call_id, short, **seen)
        return self.store.update(self.key, self._step("miss", miss=miss, asks=asks))

    def record_step(self, kind: StepKind) -> None:
        """Record that the call ran, or what else a step is but a miss."""
        self._if_known(self._step(kind), Streak())

    def _step(self, kind: StepKind, **more: Any) -> Change[Streak]:
        when = self.when
        return lambda state: record(state, kind, when, now=time.time(), **more)

    def note_once(self, *notes: str) -> bool:
        """Record notes as given; return whether any of them is new in this session."""
        return self.store.update(
            self.key, lambda state: noted(state, notes, now=time.time())
        )

    def passed_by(self, path: str) -> None:
        """Record that a call has not used the file that an answer had named."""
        if not self.note_once(f"{_PASSED_BY}1{path}"):
            self.note_once(f"{_PASSED_BY}2{path}")

    def add(self, **lists: Sequence[Any]) -> None:
        """Append to lists of the state: `moves`, `open` or `offers`."""

        def added(state: SessionState) -> tuple[SessionState, None]:
            now = time.time()
            state = state.at(now)
            longer: dict[str, Any] = {
                name: (*getattr(state, name), *new)[-_MOST[name] :]
                for name, new in lists.items()
            }
            return replace(state, seen=now, **longer), None

        self.store.update(self.key, added)

    def changed(self, changes: Mapping[str, bool], gone: Sequence[str]) -> None:
        """Record changes of folders, for the project those that are sure, and forget
        those that are gone.
        """
        sure = [change for change in changes if changes[change]]
        for name, new in {self.project: sure, self.key: [*changes]}.items():
            if new:
                self.store.update(name, partial(_changed, new=new, gone=gone))

    def learn_checkouts(self, learn: Callable[[Facts], Facts]) -> None:
        """Change what the session knows of the repository's checkouts."""
        self.store.update(
            self.key,
            lambda state: (replace(state, checkouts=learn(state.checkouts)), None),
        )

    def closed(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[OpenCall, End]:
        """Take out the entry of this call, which is over; return it with what it ran
        on, or nothing. Of two processes that ask, one gets it.
        """
        call = (self.call_id, tool, arguments)
        # However long it ran.
        return self._take("open", lambda state: ledger.closing(state.open, *call))

    def left_open(self, is_over: Callable[[OpenCall], bool]) -> Iterable[OpenCall]:
        """Take out the calls that are over without an event, and return them."""
        return self._take(
            "open",
            lambda state: dict.fromkeys(
                filter(is_over, state.at(time.time()).open), "unknown"
            ),
        )

    def followed(self, used: Mapping[str, bool]) -> Mapping[Offer, Follow]:
        """Take out the offers that a call is about; return them, and what it did with
        each. `used` are the paths of the call -> whether they are there.
        """

        def follows(state: SessionState) -> Mapping[Offer, Follow]:
            # A call of the turn that was answered had been made before the answer.
            return {
                offer: follow
                for offer in state.at(time.time()).offers
                if not self.when.is_beside(offer.turn, offer.at)
                and (follow := offer.follow(used))
            }

        return self._take("offers", follows) if used else {}

    def _take(
        self, name: str, find: Callable[[SessionState], Mapping[K, T]]
    ) -> Mapping[K, T]:
        """Take what is found out of a list of the state, and return it."""

        def taken(state: SessionState) -> tuple[SessionState, Mapping[K, T]]:
            found = find(state)
            left: Any = tuple(
                each for each in getattr(state, name) if each not in found
            )
            return replace(state, **{name: left}), found

        return self._if_known(taken, {})

    def _if_known(self, change: Change[T], otherwise: T) -> T:
        """Change the state, if there is one; else return `otherwise`."""
        if not self.store.knows(self.key):
            return otherwise
        return self.store.update(self.key, change)


def _changed(
    state: SessionState, *, new: Sequence[str], gone: Sequence[str]
) -> tuple[SessionState, None]:
    kept = [change for change in state.changes if change not in (*gone, *new)]
    short = [change for change in new if len(change) <= LONGEST]
    return replace(state, changes=(*kept, *short)[-_MOST["changes"] :]), None
