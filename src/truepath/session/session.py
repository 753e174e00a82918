"""The room's face: what a call asks of its session, and what it tells it.

A store keeps one `SessionState` by its key, whatever it means. `Session.kept` is that
as it is now, and each method that tells it something is one update of the store.
"""

from __future__ import annotations

import time
from functools import partial

from truepath import TYPE_CHECKING
from truepath.records import dataclass, replace
from truepath.session import ledger
from truepath.session.keys import PARTS, key
from truepath.session.ledger import Offer, OpenCall
from truepath.session.loops import Miss, Streak, alike, streak
from truepath.session.state import (
    LONGEST,
    MOST,
    PASSED_BY,
    SessionState,
    When,
    clipped,
    noted,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from truepath.session.checkouts import Facts
    from truepath.session.ledger import End, Follow
    from truepath.session.state import StepKind
    from truepath.session.stores import Change, Store
    from truepath.types import ToolCall

    K = TypeVar("K")
    T = TypeVar("T")


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
        return clipped(note) in self.kept().notes

    def offered(self) -> Sequence[str]:
        """Return the files that answers have named and no call has used, each as often
        as it was in another turn.
        """
        state = self.kept()
        left = [note for note in state.notes if note.startswith(PASSED_BY)]
        paths = [note[len(PASSED_BY) + 1 :] for note in left]
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
        aim = Miss(clipped(path), turn, missing_folder=clipped(missing_folder))
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
        short = clipped(missing_folder)
        miss = Miss(clipped(path), "", 1, self.call_id, short, **seen)
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
        if not self.note_once(f"{PASSED_BY}1{path}"):
            self.note_once(f"{PASSED_BY}2{path}")

    def add(self, **lists: Sequence[Any]) -> None:
        """Append to lists of the state: `moves`, `open` or `offers`."""

        def added(state: SessionState) -> tuple[SessionState, None]:
            now = time.time()
            state = state.at(now)
            longer: dict[str, Any] = {
                name: (*getattr(state, name), *new)[-MOST[name] :]
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
    return replace(state, changes=(*kept, *short)[-MOST["changes"] :]), None
