"""Where the states of sessions are: one interface with one atomic operation.

A store must not know what a state means, and never fails a call: on an error, its
`problem` is set and the process's memory takes over.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock  # `threading` would cost a hook 1 ms
from zlib import crc32

from truepath import TYPE_CHECKING
from truepath.config.files import Lock, read_own, write
from truepath.config.user_dirs import make_private
from truepath.config.user_dirs import state_folder as where
from truepath.errors import ConfigError, suppress
from truepath.session.keys import LARGEST_STATE, STEPS, session_file
from truepath.session.state import IDLE, SessionState, caught_up

if TYPE_CHECKING or "typing" in sys.modules:  # as in `truepath.types`
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    T = TypeVar("T")
    Change = Callable[[SessionState], tuple[SessionState, T]]

WAIT = 5.0
"""Seconds to wait for a lock, or to retry while other workers change the same
session."""
_ANSWER_S = 2.0
"""Seconds for one answer of a server, because a tool call waits."""
_SESSIONS = 1000
"""Session files, at most."""
_LOCKS = 256
"""Lock files: of 64 agents on two busy cores, one in ten that shared 16 did not get its
own within a hook's 0.2 s."""
_AGE = 86_400.0
"""Seconds after which a session's file is removed; its state expired long before."""


def usable_store(
    url: str, state_folder: str, *, lasting: bool, wait: float = WAIT
) -> Store:
    """Return the store that a setting names; if it cannot be used, the default with a
    `problem`.

    The default is files if `lasting`, else this process's memory; the rest is as for
    `open_store`.
    """
    default = "file:" if lasting else "memory:"
    try:
        return open_store(url or default, state_folder, wait=wait)
    except ConfigError as error:
        store = open_store(default, state_folder, wait=wait)
        store.problem = str(error)
        return store


def open_store(
    url: str | None, state_folder: str | None = None, *, wait: float = WAIT
) -> Store:
    """Return the store that a URL names.

    Args:
        url: Nothing or `file:` (files in the state folder), `file:///FOLDER`,
            `memory:`, or `redis://`, `rediss://` or `unix://` with a Redis address.
        state_folder: The folder of truepath's state; by default from the environment.
        wait: Seconds to wait for a file's lock, before memory takes over.

    Raises:
        ConfigError: There is no such kind of store, or its package is not installed.
    """
    scheme, _, rest = (url or "file:").partition(":")
    if scheme == "file":
        if state_folder is None:
            state_folder = where(os.environ)
        path = rest.removeprefix("//")
        path = (
            path[1:] if path[2:3] == ":" and path[:1] == "/" else path
        )  # `///C:/x` has a drive
        return FileStore(path or os.path.join(state_folder, "sessions"), wait=wait)
    if scheme == "memory":
        return MemoryStore()
    if scheme in ("redis", "rediss", "unix") and url:
        return RedisStore(url)
    raise ConfigError(
        f"no session store is called {scheme!r} (TRUEPATH_STORE); "
        "use file:, memory: or redis://HOST:PORT/0"
    )


class Store:
    """Session states by key. Subclasses lock, read and write them."""

    problem = ""
    """The first error, in one line."""
    _place = ""
    """The subject of `problem`, such as `sessions in /tmp`."""
    _errors: tuple[type[Exception], ...] = (OSError,)
    """The exceptions of a failed store."""
    _memory: Store | None = None
    """What has taken over for good: a store that works again has older states."""

    def knows(self, key: str) -> bool:
        """Return whether there may be a state for `key`, at little cost.

        A session without one has never missed, so a success needs no update.
        """
        return self._memory is not None or self._has(key)

    def update(self, key: str, change: Change[T]) -> T:
        """Change the state of `key` atomically.

        Args:
            key: From `truepath.session.keys.key`.
            change: Takes the state (`SessionState()` if there is none) and returns the
                new one and an answer. Others wait for it and it may run again, so it
                must be quick and without side effects. An equal state is not written.

        Returns:
            The answer of the last run.
        """
        if self._memory is None:
            try:
                return self._change(key, change)
            except self._errors as error:
                self._note(error)
                last = self._read(key)
                self._memory = MemoryStore()
                self._memory.update(key, lambda _: (last, None))
        return self._memory.update(key, change)

    def close(self) -> None:
        """Close connections; the next use opens them again."""

    def _change(self, key: str, change: Change[T]) -> T:
        with self._locked(key):
            before = self._read(key)
            after, answer = change(before)
            if after != before:
                self._write(key, after)
        return answer

    def _parsed(self, kept: Any) -> SessionState:
        """Return the stored state; an invalid one sets `problem` and counts as none."""
        try:
            return SessionState.from_json(kept) if kept else SessionState()
        except ValueError as error:
            self._note(error)
            return SessionState()

    def _note(self, error: Exception) -> None:
        reason = " ".join(str(error).split()) or type(error).__name__
        self.problem = self.problem or f"{self._place}: {reason}"

    def _has(self, key: str) -> bool:  # noqa: ARG002
        return True  # to ask a server would cost as much as an update

    def _read(self, key: str) -> SessionState:  # noqa: ARG002
        return SessionState()  # of a server that has failed

    def _locked(self, key: str) -> AbstractContextManager[Any]:
        raise NotImplementedError

    def _write(self, key: str, state: SessionState) -> None:
        raise NotImplementedError


class MemoryStore(Store):
    """Stores at most `limit` sessions in memory; the least recently changed ones are
    dropped.
    """

    _lock = allocate_lock()
    """For one update at a time, because the calls of one turn may be threads."""

    def __init__(self, *, limit: int = 10_000) -> None:
        self._states: dict[str, SessionState] = {}
        self._limit = limit

    def _has(self, key: str) -> bool:
        return key in self._states

    def _locked(self, key: str) -> AbstractContextManager[Any]:  # noqa: ARG002
        return self._lock

    def _read(self, key: str) -> SessionState:
        return self._states.get(key, SessionState())

    def _write(self, key: str, state: SessionState) -> None:
        self._states.pop(key, None)  # so that it becomes the latest
        self._states[key] = state
        if len(self._states) > self._limit:
            del self._states[next(iter(self._states))]


def _renew_lock() -> None:
    MemoryStore._lock = allocate_lock()  # noqa: SLF001  its own module


if hasattr(
    os, "register_at_fork"
):  # in a new process, nobody would release a copied lock
    os.register_at_fork(after_in_child=_renew_lock)


class FileStore(Store):
    """Stores each session in a file in `folder`, for hooks, which are a new process for
    each call.

    A file is replaced atomically, under one of `_LOCKS` that the sessions share. The
    lock files are never removed: a lock on a removed file has no effect.
    """

    def __init__(
        self, folder: str, *, limit: int = _SESSIONS, wait: float = WAIT
    ) -> None:
        self._place = f"sessions in {folder}"
        self._folder = folder
        self._limit = limit
        self._wait = wait

    def _has(self, key: str) -> bool:
        file = session_file(self._folder, key)
        return os.path.exists(file) or os.path.exists(file + STEPS)

    def _locked(self, key: str) -> Lock:
        file = session_file(self._folder, key)
        if not os.path.isdir(self._folder):
            make_private(self._folder)
        # Not by the first digits: those of a UUID of version 7 are its time.
        name = f"lock-{crc32(os.fsencode(os.path.basename(file))) % _LOCKS:02x}"
        return Lock(os.path.join(self._folder, name), wait=self._wait)

    def _read(self, key: str) -> SessionState:
        file = session_file(self._folder, key)
        state = SessionState()
        try:
            if os.path.exists(file):
                state = self._parsed(read_own(file, LARGEST_STATE) or b" ")
            if os.path.exists(file + STEPS):
                steps = read_own(file + STEPS, LARGEST_STATE)
                state = caught_up(state, steps.decode("utf-8", "replace"))
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._note(error)
            return SessionState()
        return state

    def _write(self, key: str, state: SessionState) -> None:
        file = session_file(self._folder, key)
        is_new = not os.path.exists(file)
        write(file, state.to_json().encode())
        with suppress(FileNotFoundError):  # they are in the state now
            os.unlink(file + STEPS)
        if is_new:
            self._prune()

    def _prune(self) -> None:
        """Remove old files, the oldest beyond the limit, and temporary files of killed
        writers.
        """
        paths = [os.path.join(self._folder, name) for name in os.listdir(self._folder)]
        files: list[tuple[float, str]] = []
        for path in paths:
            if path.endswith((".json", STEPS, ".tmp")):
                with suppress(OSError):
                    files.append((os.lstat(path).st_mtime, path))
        oldest = time.time() - _AGE
        for position, (modified, path) in enumerate(sorted(files, reverse=True)):
            if modified < oldest or position >= self._limit:
                with suppress(OSError):
                    os.unlink(path)


class RedisStore(Store):
    """Stores sessions in Redis, for workers on several machines (the extra `redis`).

    An update is compare-and-set under WATCH: the change runs again if another worker
    was faster. States expire with the session.
    """

    _place = "sessions in Redis"

    def __init__(self, url: str) -> None:
        try:
            import redis  # an extra
        except ImportError:
            raise ConfigError(
                "Redis needs redis-py: pip install '.[redis]' in a clone"
            ) from None
        self._errors = (redis.RedisError, TimeoutError)
        try:
            self._client = redis.Redis.from_url(
                url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S
            )
        except ValueError as error:
            # The rest quotes the address, which may contain a password.
            what = str(error).partition(" as ")[0]
            raise ConfigError(f"not a Redis address (TRUEPATH_STORE): {what}") from None

    def close(self) -> None:
        self._client.close()

    def _change(self, key: str, change: Change[T]) -> T:
        deadline = time.monotonic() + WAIT
        name = b"truepath:session:" + key.encode("utf-8", "surrogatepass")
        answers: list[T] = []

        def attempt(pipe: Any) -> None:
            before = self._parsed(pipe.get(name) or "")
            after, answer = change(before)
            pipe.multi()
            if after != before:
                if time.monotonic() > deadline:
                    raise TimeoutError("other workers kept changing the session")
                pipe.set(name, after.to_json(), ex=int(IDLE))
            answers[:] = [answer]

        self._client.transaction(attempt, name)
        return answers[0]
