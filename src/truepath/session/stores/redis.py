"""Session states in Redis, for many workers on many machines (`truepath[redis]`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from truepath.errors import ConfigError
from truepath.session.state import IDLE, SessionState
from truepath.session.stores.memory import PlacedStore

try:
    import redis
except ImportError as missing:
    raise ConfigError(
        "a Redis session store needs the package redis; install truepath[redis]"
    ) from missing

T = TypeVar("T")

_PREFIX = b"truepath:session:"
_TIMEOUT_S = 5.0
"""Seconds to go on trying while other workers change the same session."""
_TIMEOUT = 2.0
"""Seconds for one answer of the server: a tool call waits for it."""


class RedisStore(PlacedStore):
    """Keep the sessions at a Redis address; an update is compare-and-set under WATCH.

    The change runs again whenever another worker was faster. States expire with the session.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        super().__init__("sessions in Redis")
        try:
            self._client = redis.Redis.from_url(
                url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT
            )
        except ValueError as error:
            # What follows is quoted out of the address, which may hold a password.
            what = str(error).partition(" as ")[0]
            raise ConfigError(f"not a Redis address (TRUEPATH_STORE): {what}") from None

    def _update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        deadline = self._clock() + _TIMEOUT_S
        answers: list[T] = []

        def attempt(pipe: redis.client.Pipeline) -> None:
            before = self._read(pipe, name)
            after, answer = change(before)
            pipe.multi()
            if after != before:
                if self._clock() > deadline:
                    raise redis.TimeoutError("other workers kept changing the session")
                pipe.set(name, after.to_json(), ex=int(IDLE))
            answers[:] = [answer]

        name = _PREFIX + key.encode("utf-8", "surrogatepass")
        try:
            self._client.transaction(attempt, name)
        except redis.RedisError as error:
            return self._fallback.take(key, None, error).update(key, change)
        return answers[0]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _read(self, pipe: redis.client.Pipeline, name: bytes) -> SessionState:
        found = pipe.get(name)
        try:
            return SessionState.from_json(found) if isinstance(found, bytes) else SessionState()
        except ValueError as error:
            self._fallback.note(error)
            return SessionState()
