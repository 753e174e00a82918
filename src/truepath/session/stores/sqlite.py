"""Session states in one SQLite database, for several processes of one machine."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from truepath.config.locks import ThreadLock
from truepath.config.user_dirs import make_private
from truepath.session.state import SessionState
from truepath.session.stores.memory import PlacedStore

T = TypeVar("T")

_BUSY = 5.0
"""Seconds to wait for another process's update."""
_AGE = 86_400.0
"""Seconds after which a session goes; its state expired long before."""
_LIMIT = 10_000
"""Sessions kept."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS session (key BLOB PRIMARY KEY, state TEXT NOT NULL, seen REAL NOT NULL);
CREATE INDEX IF NOT EXISTS session_seen ON session (seen);
"""
_PRUNE = """
DELETE FROM session WHERE seen < ? OR seen <=
    (SELECT seen FROM session ORDER BY seen DESC LIMIT 1 OFFSET ?)
"""


class SqliteStore(PlacedStore):
    """Keep the sessions in the database `path`; an update is one BEGIN IMMEDIATE transaction."""

    def __init__(
        self, path: str, *, clock: Callable[[], float] = time.time, limit: int = _LIMIT
    ) -> None:
        super().__init__(f"sessions in {path}")
        self._path = path
        self._clock = clock
        self._limit = limit
        self._lock = ThreadLock()
        self._connections: dict[int, sqlite3.Connection] = {}

    def _update(self, key: str, change: Callable[[SessionState], tuple[SessionState, T]]) -> T:
        with self._lock:
            try:
                database = self._connected()
                database.execute("BEGIN IMMEDIATE")
                before = self._read(database, key)
            except (sqlite3.Error, OSError) as error:
                return self._fallback.take(key, None, error).update(key, change)
            try:
                after, answer = change(before or SessionState())
                if after != (before or SessionState()):
                    self._write(database, key, after, new=before is None)
            finally:
                if database.in_transaction:
                    database.rollback()
        return answer

    def close(self) -> None:
        """Close this process's connection."""
        connection = self._connections.pop(os.getpid(), None)
        if connection is not None:
            connection.close()

    def __del__(self) -> None:
        """Close what nobody has closed; from Python 3.13 on that would be a ResourceWarning."""
        self.close()

    def _connected(self) -> sqlite3.Connection:
        # A connection must not cross a fork, and closing the parent's would drop its locks: so
        # it is left alone, and this process has its own.
        if os.getpid() not in self._connections:
            self._connections[os.getpid()] = self._connect()
        return self._connections[os.getpid()]

    def _connect(self) -> sqlite3.Connection:
        make_private(os.path.dirname(os.path.abspath(self._path)))
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        database = sqlite3.connect(
            self._path, timeout=_BUSY, isolation_level=None, check_same_thread=False
        )
        try:
            with suppress(sqlite3.OperationalError):  # another process is setting it right now
                database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            database.executescript(_SCHEMA)
        except BaseException:
            database.close()
            raise
        return database

    def _read(self, database: sqlite3.Connection, key: str) -> SessionState | None:
        row = database.execute("SELECT state FROM session WHERE key = ?", (_blob(key),)).fetchone()
        try:
            return None if row is None else SessionState.from_json(row[0])
        except (TypeError, ValueError) as error:
            self._fallback.note(error)
            return None

    def _write(
        self, database: sqlite3.Connection, key: str, state: SessionState, *, new: bool
    ) -> None:
        try:
            values = (_blob(key), state.to_json(), self._clock())
            database.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?)", values)
            if new:
                database.execute(_PRUNE, (self._clock() - _AGE, self._limit))
            database.execute("COMMIT")
        except sqlite3.Error as error:
            self._fallback.take(key, state, error)


def _blob(key: str) -> bytes:
    """Return the key as bytes: it may hold NUL, and names that are not UTF-8."""
    return key.encode("utf-8", "surrogatepass")
