"""Session states in this process: a store of its own, and the fallback of the others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from truepath.config.locks import ThreadLock
from truepath.session.state import SessionState

T = TypeVar("T")


class MemoryStore:
    """Keep at most `limit` sessions, the least recently used forgotten first; threads may share."""

    def __init__(self, *, limit: int = 10_000, problem: str = "") -> None:
        self.problem = problem
        self._limit = limit
        self._states: OrderedDict[str, SessionState] = OrderedDict()
        self._lock = ThreadLock()

    def knows(self, key: str) -> bool:
        """Return whether there is a state under `key`."""
        return key in self._states

    def update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        """Replace the state under `key`; see `Store.update`."""
        with self._lock:
            before = self._states.get(key)
            state, answer = change(before or SessionState())
            if before is not None or state != SessionState():
                self._put(key, state)
        return answer

    def adopt(self, key: str, state: SessionState) -> None:
        """Take over a state from elsewhere, unless the session is known here already."""
        with self._lock:
            if key not in self._states:
                self._put(key, state)

    def close(self) -> None:
        """Do nothing: the states last as long as the process."""

    def _put(self, key: str, state: SessionState) -> None:
        self._states[key] = state
        self._states.move_to_end(key)
        if len(self._states) > self._limit:
            self._states.popitem(last=False)


class PlacedStore:
    """A store with a place of its own: a folder, a database. Memory takes over once that fails."""

    def __init__(self, place: str, problem: str = "") -> None:
        """Keep states at a place, named as in `sessions in /tmp`."""
        self._fallback = FallbackStore(place, problem)

    @property
    def problem(self) -> str:
        """The first problem; see `Store.problem`."""
        return self._fallback.problem

    def knows(self, key: str) -> bool:  # noqa: ARG002
        """Return True: asking would cost what an update costs."""
        return True

    def update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        """Replace the state under `key`; see `Store.update`. An equal state is not written."""
        if self._fallback.store is not None:
            return self._fallback.store.update(key, change)
        return self._update(key, change)

    def _update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        """Replace the state under `key` at the place, or hand it to `_fallback`."""
        raise NotImplementedError


class FallbackStore:
    """Where the sessions of a store go once its own place fails.

    There they stay for the life of the process: a place that comes back holds older states.
    """

    def __init__(self, place: str, problem: str = "") -> None:
        self.problem = problem
        self.store: MemoryStore | None = None
        self._place = place

    def note(self, error: Exception) -> None:
        """Keep the first problem, in one line."""
        reason = " ".join(str(error).split()) or type(error).__name__
        self.problem = self.problem or f"{self._place}: {reason}"

    def take(self, key: str, state: SessionState | None, error: Exception) -> MemoryStore:
        """Note the problem, take over the state, and return the memory that holds it."""
        self.note(error)
        if self.store is None:
            self.store = MemoryStore()
        if state is not None:
            self.store.adopt(key, state)
        return self.store
