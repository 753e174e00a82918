"""One question to a project's history about a missing path, asked in a thread with a timeout."""

from __future__ import annotations

import time
from _thread import allocate_lock, start_new_thread  # `threading` is a millisecond of a first miss
from typing import TYPE_CHECKING, Protocol

from truepath.records import dataclass

if TYPE_CHECKING:
    from truepath.project.history import History
    from truepath.project.history.outcome import PathHistory
    from truepath.project.history.repository import Tracks
    from truepath.project.names import Names

COLD = 0.3
"""Seconds that a large project's history needs without a map. Who has less is not kept waiting:
git would be asked three times for nothing, 20 to 30 ms of CPU of a first miss."""

_OVER = 0.1
"""Seconds beyond its time that a thread is waited for: git's last process is ended in it."""


class Histories(Protocol):
    """A project's history, on disk or in a sandbox."""

    def fate(self, path: str, *, deadline: float | None = None) -> PathHistory:
        """Return what became of a path that is not there."""

    def departed(self, path: str, *, deadline: float | None = None) -> Names | None:
        """Return the paths that the project had and lost; None where they are not known in time."""

    def has_map(self) -> bool:
        """Return whether there is a map to look into."""


@dataclass(frozen=True, slots=True)
class HistoryView:
    """What a repository says of one path, and what else it can be asked."""

    fate: PathHistory
    path: str
    history: Histories
    ends: float
    """When an answer is no longer waited for, on the monotonic clock."""
    small: bool
    """Whether to look through all that left costs next to nothing."""

    def departed(self, *, vital: bool) -> Names | None:
        """Return the paths that the repository around the missing one had and lost."""
        if not vital and not (self.small and self.history.has_map()):
            return None
        return self.history.departed(self.path, deadline=_left(self.ends))

    def follow(self, path: str) -> PathHistory:
        """Return what became of another path that left."""
        return self.history.fate(path, deadline=_left(self.ends))


class Asking:
    """One question to a history, asked in a thread of its own."""

    def __init__(
        self,
        history: History,
        paths: tuple[str, str | None],
        ends: float,
        tracks: Tracks | None,
    ) -> None:
        """Ask what became of a path, and of another reading of it if there is one."""
        _load_what_history_needs(history)
        self._history, self._paths, self._ends, self._tracks = history, paths, ends, tracks
        self._heard = allocate_lock()
        self._heard.acquire()
        self._told: tuple[str, PathHistory] | None = None
        start_new_thread(self._listen, ())

    def _listen(self) -> None:
        try:
            deadline = _left(self._ends)
            self._told = self._history.told(*self._paths, deadline=deadline, tracks=self._tracks)
            # Before anybody hears of it: a hook may end as soon as it has its answer.
            self._history.build_in_background()
        finally:
            self._heard.release()

    def answer(self) -> tuple[str, PathHistory]:
        """Return what was heard and of which path, once it is there or its time is over."""
        from truepath.project.history.outcome import UNKNOWN

        if self._heard.acquire(timeout=_left(self._ends) + _OVER):
            self._heard.release()
        return self._told or (self._paths[0], UNKNOWN)


def _left(ends: float) -> float:
    return max(0.0, ends - time.monotonic())


def _load_what_history_needs(history: History) -> None:
    """Import what a look-up imports in its functions, and others too.

    A thread that waits for the lock of an import would keep whoever waits for the thread.
    """
    import _blake2
    import select

    _ = _blake2, select
    if not history.has_map():
        import subprocess  # the process that makes one

        _ = subprocess
