"""Where session states are kept: one interface, one atomic operation.

A store must not know what a state means, and never fails a call: see `Store`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from truepath.errors import ConfigError
from truepath.session.state import SessionState

if TYPE_CHECKING:
    from contextvars import ContextVar
else:
    from _contextvars import ContextVar  # `contextvars` itself is one more file of a hook's start

T = TypeVar("T")

WAIT = 5.0
"""Seconds for a lock that is held for some tenths of a millisecond: a library can wait."""


class Store(Protocol):
    """Session states under keys."""

    @property
    def problem(self) -> str:
        """The first thing that went wrong; empty while nothing has.

        A place that fails is left for this process's memory, and calls go on.
        """
        ...

    def knows(self, key: str) -> bool:
        """Return whether there may be a state under `key`, at the least possible cost.

        A session without one has never missed, so a success needs no update.
        """
        ...

    def update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        """Replace the state under `key` by what `change` makes of it, as one atomic step.

        Args:
            key: From `truepath.session.keys.key`.
            change: Gets the state (`SessionState()` when there is none) and returns the new one
                and an answer. It runs while others wait, and more than once where a store
                compares and sets: so it must be quick, and free of effects.

        Returns:
            The answer of the run that was kept.
        """
        ...

    def close(self) -> None:
        """Let go of connections; the store opens them again when used again."""
        ...


GIVEN: ContextVar[Store | None] = ContextVar("truepath_given_store", default=None)
"""The store that came with the call under way, which goes before the guard's own."""


def usable_store(url: str, state_folder: str, *, lasting: bool, wait: float = WAIT) -> Store:
    """Return the store a setting names; where that cannot be used, the default in its place.

    Args:
        url: As for `open_store`; nothing names the default.
        state_folder: Where the user's truepath state lives.
        lasting: Whether the default is files, or else this process's memory. Its `problem` says
            what is wrong with the setting.
        wait: Seconds for a file's lock; after that a session is kept in memory.
    """
    try:
        return open_store(url or ("file:" if lasting else "memory:"), state_folder, wait=wait)
    except ConfigError as error:
        problem = str(error)
    if lasting:
        from truepath.session.stores.files import FileStore

        return FileStore(os.path.join(state_folder, "sessions"), problem=problem, wait=wait)
    from truepath.session.stores.memory import MemoryStore

    return MemoryStore(problem=problem)


def open_store(url: str | None, state_folder: str | None = None, *, wait: float = WAIT) -> Store:
    """Return the store a URL names.

    Args:
        url: Nothing or `file:` (files below the state folder), `file:///FOLDER`, `memory:`,
            `sqlite:///FILE`, or `redis://`, `rediss://` or `unix://` with a Redis address.
        state_folder: Where the user's truepath state lives; by default as the environment says.
        wait: Seconds for a file's lock; after that a session is kept in memory.

    Raises:
        ConfigError: No such kind of store, or its package is not installed.
    """
    scheme, _, rest = (url or "file:").partition(":")
    if state_folder is None:
        from truepath.config.user_dirs import state_folder as where

        state_folder = where(os.environ)
    if scheme == "file":
        from truepath.session.stores.files import FileStore

        return FileStore(_local(rest) or os.path.join(state_folder, "sessions"), wait=wait)
    if scheme == "memory":
        from truepath.session.stores.memory import MemoryStore

        return MemoryStore()
    if scheme == "sqlite":
        from truepath.session.stores.sqlite import SqliteStore

        return SqliteStore(_local(rest) or os.path.join(state_folder, "sessions.sqlite"))
    if scheme in ("redis", "rediss", "unix") and url:
        from truepath.session.stores.redis import RedisStore

        return RedisStore(url)
    raise ConfigError(
        f"no session store is called {scheme!r} (TRUEPATH_STORE); "
        "use file:, memory:, sqlite:///FILE or redis://HOST:PORT/0"
    )


def _local(rest: str) -> str:
    """Return the path of `//PATH` or `PATH`; `///C:/x` is a path with a drive."""
    path = rest.removeprefix("//")
    return path[1:] if path[2:3] == ":" and path[:1] == "/" else path
