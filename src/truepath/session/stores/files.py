"""Session states in files, one a session, for hooks that are a new process at every call.

A state is replaced whole under a lock, so a process that is killed leaves the old state or the
new one. Anything that goes wrong with the disk is noted once, and memory takes over.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from truepath.config.locks import Lock
from truepath.config.private_file import write
from truepath.config.regular_file import read
from truepath.config.user_dirs import make_private
from truepath.session.keys import LARGEST, known, session_file
from truepath.session.state import SessionState
from truepath.session.stores.memory import PlacedStore

T = TypeVar("T")

_LIMIT = 1000
"""Sessions kept."""
_AGE = 86_400.0
"""Seconds after which a session's file goes; its state expired long before."""


class FileStore(PlacedStore):
    """Keep each session in a file of `folder`, mode 0600, locked by one of 16 lock files.

    The lock files are shared by the sessions and never removed: a lock on a file that is replaced
    or removed would guard nothing.
    """

    def __init__(
        self, folder: str, *, limit: int = _LIMIT, wait: float = 5.0, problem: str = ""
    ) -> None:
        super().__init__(f"sessions in {folder}", problem)
        self._folder = folder
        self._limit = limit
        self._wait = wait

    def knows(self, key: str) -> bool:
        """Return whether there may be a state under `key`; costs one stat and takes no lock."""
        return self._fallback.store is not None or known(self._folder, key)

    def _update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        file = session_file(self._folder, key)
        lock = Lock(_lock_of(file), wait=self._wait)
        try:
            self._acquire(lock)
        except OSError as error:
            return self._fallback.take(key, self._read(file), error).update(key, change)
        try:
            before = self._read(file)
            after, answer = change(before or SessionState())
            if after != (before or SessionState()):
                self._keep(key, file, after)
        finally:
            lock.release()
        if before is None and after != SessionState():
            self._prune()
        return answer

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _acquire(self, lock: Lock) -> None:
        try:
            lock.acquire()
        except FileNotFoundError:
            make_private(self._folder)
            lock.acquire()

    def _read(self, file: str) -> SessionState | None:
        """Return what is stored; a state that cannot be read is noted, and as good as none."""
        try:
            return SessionState.from_json(read(file, LARGEST))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self._fallback.note(error)
            return None

    def _keep(self, key: str, file: str, state: SessionState) -> None:
        try:
            write(file, state.to_json().encode())
        except OSError as error:
            self._fallback.take(key, state, error)

    def _prune(self) -> None:
        """Remove what is old, and the oldest beyond the limit; runs when a session is new."""
        with suppress(OSError):
            files = sorted(_files(self._folder), reverse=True)
            oldest = time.time() - _AGE
            for position, (modified, path) in enumerate(files):
                if modified < oldest or position >= self._limit:
                    with suppress(OSError):
                        os.unlink(path)


def _files(folder: str) -> Iterator[tuple[float, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".json", ".tmp")):
                with suppress(OSError):
                    yield entry.stat(follow_symlinks=False).st_mtime, entry.path


def _lock_of(file: str) -> str:
    """Return the lock of a session's file, by the first digit of its name."""
    folder, name = os.path.split(file)
    return os.path.join(folder, f"lock-{name[0]}")
