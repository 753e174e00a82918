"""Session states in a mapping that an agent framework keeps with a session.

Such a mapping goes where the framework's own state goes: to its database, its checkpoints, to
whichever worker has the session next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from truepath.config.locks import ThreadLock
from truepath.session.keys import LARGEST
from truepath.session.state import SessionState
from truepath.session.stores import GIVEN

T = TypeVar("T")

_lock = ThreadLock()
"""Held for one update: the calls of one turn may be threads. Across processes the framework
sees to it that one works on a session."""


class MappingStore:
    """Keeps each state as JSON text under a name that begins with `truepath`."""

    problem = ""

    def __init__(self, mapping: MutableMapping[str, Any]) -> None:
        """Take the mapping; only `get` and `[]` are used."""
        self._mapping = mapping

    def knows(self, key: str) -> bool:
        """Return whether there is a state under `key`."""
        return self._mapping.get(_name(key)) is not None

    def update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        """Replace the state under `key`; see `Store.update`. An equal state is not written."""
        with _lock:
            before = self._read(key)
            after, answer = change(before)
            if after != before:
                self._mapping[_name(key)] = after.to_json()
        return answer

    def close(self) -> None:
        """Do nothing: the mapping is not ours."""

    def _read(self, key: str) -> SessionState:
        """Return what is kept; a state that cannot be read is as good as none."""
        kept = self._mapping.get(_name(key))
        if isinstance(kept, str) and len(kept) <= LARGEST:
            with suppress(ValueError):
                return SessionState.from_json(kept)
        return SessionState()


@contextmanager
def given(mapping: MutableMapping[str, Any] | None) -> Iterator[None]:
    """Keep what is remembered meanwhile, in this task or thread, in a mapping; None: as ever."""
    if mapping is None:
        yield
        return
    before = GIVEN.set(MappingStore(mapping))
    try:
        yield
    finally:
        GIVEN.reset(before)


def _name(key: str) -> str:
    return " ".join(("truepath", *filter(None, key.split("\0"))))
