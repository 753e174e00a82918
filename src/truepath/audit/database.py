"""Read the SQLite databases in which agent programs keep sessions.

The program may be writing to one meanwhile: it is never locked, and nothing in its
folder is made or changed. SQLite itself does both, even for a reader: it leaves a
`-shm` file beside a database with a write-ahead log, and a log that someone reads is
not taken in when the program ends. So the file is opened as one that cannot change; if
it has a log or a journal, a private copy of both is read instead.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import quote

from truepath.audit.transcript import opened

_LOGS = ("-wal", "-journal")
"""What the names of files end in that hold changes which the database lacks."""

_ATTEMPTS = 5
"""Copies that are begun of a database that changes meanwhile."""

_LOG_HEAD = 32
"""Bytes at the beginning of a write-ahead log: they differ once it begins anew."""


@contextmanager
def connected(path: str, *, keep: bool = False) -> Iterator[sqlite3.Connection]:
    """Connect to a database as it is now; no more than a few MB of it are in memory.

    `keep` the copy, if one is needed, for the next time that this thread asks to keep
    it: what was only added to the log since then is not in it.

    Raises:
        OSError: It cannot be read, is no database, or changes all the time.
    """
    try:
        if not _logs(path):
            before = _state(path)
            address = f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"
            with closing(_connection(address)) as database:
                yield database
            if _state(path) != before:
                raise OSError(f"{path}: it was changed while it was read")
        elif keep:
            yield _kept.of(path).database
        else:
            _kept.forget()
            with closing(_Copy(path)) as copy:
                yield copy.database
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error


def _state(path: str) -> tuple[object, ...]:
    """Return what tells that a database has not changed; of its log, that it is only
    longer than before.
    """
    heads = []
    with opened(path) as file:
        at = os.fstat(file.fileno())
    for log in _logs(path):
        with opened(log) as file:
            heads.append(file.read(_LOG_HEAD))
    return (at.st_size, at.st_mtime_ns, *heads)


class _Copy:
    """A private copy of a database and its log, which is gone with the process."""

    def __init__(self, path: str) -> None:
        # On a disk: `/tmp` may be in memory.
        disk = "/var/tmp"  # noqa: S108  the folder that is made in it is private
        is_chosen = "TMPDIR" in os.environ or not os.path.isdir(disk)
        place = None if is_chosen else disk
        self._folder = tempfile.mkdtemp(prefix="truepath-", dir=place)
        self.path = path
        try:
            self.state = self._copied(path)
            place = os.path.join(self._folder, _name(path))
            self.database = _connection(f"file:{quote(place)}")
            # From here on its files are open, and need no names.
            self.database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            self._forget()

    def close(self) -> None:
        self.database.close()
        self._forget()

    def _copied(self, path: str) -> tuple[object, ...]:
        """Copy the files, and return their state; raise OSError if it changes."""
        for _ in range(_ATTEMPTS):
            before = _state(path)
            for source in (path, *_logs(path)):
                with (
                    opened(source) as file,
                    open(os.path.join(self._folder, _name(source)), "wb") as copy,
                ):
                    shutil.copyfileobj(file, copy, 1 << 20)
            if _state(path) == before:
                return before
            shutil.rmtree(self._folder)
            os.mkdir(self._folder, 0o700)
        raise OSError(f"{path}: it changes all the time")

    def _forget(self) -> None:
        """Remove the copy's names: on Windows only those of files that are closed."""
        shutil.rmtree(self._folder, ignore_errors=True)


class _Kept(threading.local):
    """The last copy of each thread: the sessions of a database are read one by one."""

    copy: _Copy | None = None
    process = 0

    def of(self, path: str) -> _Copy:
        """Return the copy of a database; a new one if it is too old."""
        kept = self.copy if self.process == os.getpid() else None
        if kept and kept.path == path and kept.state == _state(path):
            return kept
        copy = _Copy(path)
        self.forget()
        self.copy = copy
        self.process = os.getpid()
        return copy

    def forget(self) -> None:
        # A connection of the process that this one was forked from is not its own.
        if self.copy is not None and self.process == os.getpid():
            self.copy.close()
        self.copy = None


_kept = _Kept()


class _Connection(sqlite3.Connection):
    """A connection that may be left to the end of its thread."""

    def __del__(self) -> None:
        self.close()


def _connection(address: str) -> sqlite3.Connection:
    # Its thread alone uses it, but another one may find that nobody does any more.
    database = sqlite3.connect(
        address, uri=True, factory=_Connection, check_same_thread=False
    )
    # Half a sign in a text must not cost the session.
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    return database


def _logs(path: str) -> list[str]:
    """Return the files beside a database that hold changes which it lacks."""
    logs = []
    for end in _LOGS:
        name = f"{os.path.realpath(path)}{end}"
        with suppress(OSError):  # it may be gone at any moment
            if os.stat(name).st_size:
                logs.append(name)
    return logs


def _name(path: str) -> str:
    """Return the name that a database or a log has in a copy."""
    end = next((end for end in _LOGS if path.endswith(end)), "")
    return f"copy{end}"
