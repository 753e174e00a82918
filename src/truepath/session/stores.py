"""A session's streaks and notes, and where they are stored: one interface with one
atomic operation. `loops` has the rules.

A store must not know what a state means, and never fails a call: on an error, its
`problem` is set and the process's memory takes over.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock  # `threading` would cost a hook 1 ms
from functools import partial

from truepath import TYPE_CHECKING
from truepath.config.files import Lock, read_own, write
from truepath.config.user_dirs import make_private
from truepath.config.user_dirs import state_folder as where
from truepath.errors import ConfigError, suppress
from truepath.records import dataclass, replace
from truepath.session import ledger, loops
from truepath.session.keys import LARGEST_STATE, PARTS, STEPS, key, session_file
from truepath.session.loops import IDLE, SessionState, Step, Streak, caught_up

if TYPE_CHECKING or "typing" in sys.modules:  # as in `truepath.types`
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    from truepath.session.checkouts import Facts
    from truepath.session.ledger import End, Follow, Offer, OpenCall
    from truepath.session.loops import Move, StepKind
    from truepath.types import ToolCall

    T = TypeVar("T")
    Change = Callable[[SessionState], tuple[SessionState, T]]

WAIT = 5.0
"""Seconds to wait for a lock, or to retry while other workers change the same
session."""
_ANSWER_S = 2.0
"""Seconds for one answer of a server, because a tool call waits."""
_SESSIONS = 1000
"""Session files, at most."""
_AGE = 86_400.0
"""Seconds after which a session's file is removed; its state expired long before."""


def session_of(call: ToolCall, store: Store, project: str, **known: float) -> Session:
    """Return the session of a call in a project.

    `known` are `started` (by default now) and `turn_gap_s`, as in `Session`.
    """
    name = key(call.session, call.agent, project)
    times = {"started": time.time(), **known}
    shared = key("", project=project)
    return Session(store, name, call.turn, call.call_id, project=shared, **times)


@dataclass(frozen=True, slots=True)
class Session:
    """A session as seen by one of its calls. Threads may share the store."""

    store: Store
    key: str
    turn: str
    call_id: str
    started: float
    """When the call arrived, in seconds since the epoch: parallel calls overlap, and so
    count as one turn."""
    turn_gap_s: float = 0.0
    """Seconds after an answer in which a call belongs to the same turn."""
    project: str = ""
    """The key of what all sessions of the project share, that of calls which name
    none."""

    def missed(self, path: str, **seen: Any) -> Streak:
        """Count a missing path and return the streak; `seen` are fields of
        `loops.Step`.
        """
        return self._take(self._step("miss", path, **seen))

    def record_step(self, kind: StepKind) -> None:
        """Record that the call ran, or what else a step is but a miss."""
        if self.store.knows(self.key):
            self._take(self._step(kind))

    def streak_of(self, path: str, missing_folder: str = "") -> Streak:
        """Return the streak of a path's aim without taking a step."""
        step = self._step("miss", path, missing_folder=missing_folder)
        gap = self.turn_gap_s
        return self._look(
            lambda state, now: loops.streak_of(state, step, now=now, turn_gap_s=gap),
            Streak(),
        )

    def noted(self, note: str) -> bool:
        """Return whether a note was recorded in this session."""
        return self._look(
            lambda state, now: loops.has_note(state, note, now=now), False
        )

    def place_of(self, path: str) -> str:
        """Return where the session has moved a path; "" if it has not."""
        return self._look(lambda state, now: loops.place_of(state, path, now=now), "")

    def notes(self) -> tuple[str, ...]:
        """Return the notes of this session, the last one at the end."""
        return self._look(lambda state, now: loops.current(state, now).notes, ())

    def changes(self) -> Sequence[str]:
        """Return the changes of folders that this session has seen, after those of the
        project's others.
        """
        found: list[str] = []
        for name in dict.fromkeys((self.project, self.key)):
            if self.store.knows(name):
                found += self.store.update(name, lambda state: (state, state.changes))
        return found

    def changed(self, changes: Mapping[str, bool], gone: Sequence[str]) -> None:
        """Record changes of folders, for the project those that are sure, and forget
        those that are gone.
        """
        sure = [change for change in changes if changes[change]]
        for name, new in {self.project: sure, self.key: [*changes]}.items():
            if new:
                self.store.update(name, partial(loops.changed, changes=new, gone=gone))

    def note_once(self, *notes: str) -> bool:
        """Record notes as given; return whether any of them is new in this session."""
        return self.store.update(
            self.key, lambda state: loops.note_once(state, notes, now=time.time())
        )

    def moved(self, moves: Sequence[Move]) -> None:
        """Record what an allowed call moves or copies."""
        self.store.update(
            self.key, lambda state: loops.moved(state, moves, now=time.time())
        )

    def opened(self, call: OpenCall | None, offers: Sequence[Offer] = ()) -> None:
        """Record a call that is corrected, and the files that an answer named."""
        self.store.update(
            self.key,
            lambda state: loops.opening(state, call, offers, now=time.time()),
        )

    def offered(self) -> Sequence[str]:
        """Return the files that answers have named and no call has used, each as often
        as it was in another turn.
        """
        gap = self.turn_gap_s
        return self._look(
            lambda state, now: loops.offered(state, now=now, turn_gap_s=gap), ()
        )

    def passed_by(self, path: str) -> None:
        """Record that a call has not used the file that an answer had named."""
        once, again = loops.notes_of_offer(path)
        if not self.note_once(once):
            self.note_once(again)

    def closed(
        self, tool: str, arguments: Mapping[str, Any]
    ) -> tuple[OpenCall | None, End]:
        """Take out the entry of this call, which is over; return it, and what it ran
        on. Of two processes that ask, one gets it.
        """

        def taken(
            state: SessionState,
        ) -> tuple[SessionState, tuple[OpenCall | None, End]]:
            found = ledger.closing(state.open, self.call_id, tool, arguments)
            left = tuple(each for each in state.open if each is not found[0])
            return replace(state, open=left), found

        nothing: tuple[OpenCall | None, End] = (None, "unknown")
        return self._take_out(taken, nothing)

    def left_open(self, over: Callable[[OpenCall], bool]) -> Sequence[OpenCall]:
        """Take out the calls that are over without an event, and return them."""

        def taken(state: SessionState) -> tuple[SessionState, Sequence[OpenCall]]:
            ended = tuple(filter(over, loops.current(state, time.time()).open))
            left = tuple(each for each in state.open if each not in ended)
            return replace(state, open=left), ended

        return self._take_out(taken, ())

    def followed(self, used: Mapping[str, bool]) -> Mapping[Offer, Follow]:
        """Take out the offers that a call is about; return them, and what it did with
        each. `used` is as in `ledger.followed`.
        """

        def taken(state: SessionState) -> tuple[SessionState, Mapping[Offer, Follow]]:
            offers = loops.current(state, time.time()).offers
            found = ledger.followed(
                offers,
                used,
                turn=self.turn,
                started=self.started,
                gap_s=self.turn_gap_s,
            )
            left = tuple(each for each in offers if each not in found)
            return replace(state, offers=left) if found else state, found

        return self._take_out(taken, {}) if used else {}

    def _take_out(self, change: Change[T], otherwise: T) -> T:
        """Change the state, if there is one; else return `otherwise`."""
        if not self.store.knows(self.key):
            return otherwise
        return self.store.update(self.key, change)

    def checkouts(self) -> Facts:
        """Return what the session knows of the repository's checkouts."""
        return self._look(lambda state, _: state.checkouts, ())

    def checkouts_of_user(self) -> Facts:
        """Return the same of the session that a sub-agent's is a part of."""
        return replace(self, key=key(self.key.partition(PARTS)[0])).checkouts()

    def learn_checkouts(self, change: Callable[[Facts], Facts]) -> None:
        """Change what the session knows of the repository's checkouts."""
        self.store.update(
            self.key,
            lambda state: (replace(state, checkouts=change(state.checkouts)), None),
        )

    def _look(self, look: Callable[[SessionState, float], T], otherwise: T) -> T:
        """Return what is read in the state; `otherwise` if there is none."""
        if not self.store.knows(self.key):
            return otherwise
        return self.store.update(
            self.key, lambda state: (state, look(state, time.time()))
        )

    def _step(self, kind: StepKind, path: str = "", **more: Any) -> Step:
        return Step(kind, path, self.turn, self.call_id, self.started, **more)

    def _take(self, step: Step) -> Streak:
        gap = self.turn_gap_s
        return self.store.update(
            self.key,
            lambda state: loops.record(state, step, now=time.time(), turn_gap_s=gap),
        )


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

    def _has(self, key: str) -> bool:
        raise NotImplementedError

    def _locked(self, key: str) -> AbstractContextManager[None]:
        raise NotImplementedError

    def _read(self, key: str) -> SessionState:
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

    A file is replaced atomically, under one of 16 locks that the sessions share. The
    lock files are
    never removed: a lock on a removed file has no effect.
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
        digit = os.path.basename(session_file(self._folder, key))[0]
        if not os.path.isdir(self._folder):
            make_private(self._folder)
        return Lock(os.path.join(self._folder, f"lock-{digit}"), wait=self._wait)

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

    def _has(self, key: str) -> bool:  # noqa: ARG002
        return True  # a query would cost as much as an update

    def _read(self, key: str) -> SessionState:  # noqa: ARG002
        return SessionState()  # the server has failed

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
