"""Session states in Redis, for many workers on many machines (`truepath[redis]`)."""

from __future__ import annotations

import time

from truepath.errors import ConfigError
from truepath.session.state import IDLE, SessionState
from truepath.session.stores import Store

try:
    import redis
except ImportError as missing:
    raise ConfigError(
        "a Redis session store needs the package redis; install truepath[redis]"
    ) from missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from truepath.session.stores import Change, T

_TIMEOUT_S = 5.0
"""Seconds to go on trying while other workers change the same session."""
_ANSWER_S = 2.0
"""Seconds for one answer of the server: a tool call waits for it."""


class RedisStore(Store):
    """Keep the sessions at a Redis address; an update is compare-and-set under WATCH.

    The change runs again whenever another worker was faster. States expire with the session.
    """

    _place = "sessions in Redis"
    _errors = (redis.RedisError,)

    def __init__(self, url: str) -> None:
        try:
            self._client = redis.Redis.from_url(
                url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S
            )
        except ValueError as error:
            # What follows is quoted out of the address, which may hold a password.
            what = str(error).partition(" as ")[0]
            raise ConfigError(f"not a Redis address (TRUEPATH_STORE): {what}") from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _has(self, key: str) -> bool:  # noqa: ARG002
        return True  # asking would cost what an update costs

    def _read(self, key: str) -> SessionState:  # noqa: ARG002
        return SessionState()  # of a server that has failed nothing can be read

    def _change(self, key: str, change: Change[T]) -> T:
        deadline = time.monotonic() + _TIMEOUT_S
        name = b"truepath:session:" + key.encode("utf-8", "surrogatepass")
        answers: list[T] = []

        def attempt(pipe: redis.client.Pipeline) -> None:
            before = self._state(pipe.get(name))
            after, answer = change(before)
            pipe.multi()
            if after != before:
                if time.monotonic() > deadline:
                    raise redis.TimeoutError("other workers kept changing the session")
                pipe.set(name, after.to_json(), ex=int(IDLE))
            answers[:] = [answer]

        self._client.transaction(attempt, name)
        return answers[0]

    def _state(self, found: object) -> SessionState:
        try:
            return SessionState.from_json(found) if isinstance(found, bytes) else SessionState()
        except ValueError as error:
            self._note(error)
            return SessionState()
