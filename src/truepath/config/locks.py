"""Locks: on a file, between processes, with a bounded wait; and between the threads of one.

A lock does not know what it protects.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from _thread import allocate_lock  # `threading` is a millisecond that a hook can do without
from contextlib import suppress

_PAUSE = 0.0005
"""Seconds between tries: a holder needs some tenths of a millisecond."""

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""How a system says that another has the lock; the last two are those of Windows."""

if sys.platform == "win32":
    import msvcrt

    def _try(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _free(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _free(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class Lock:
    """Hold the file `path` locked from `acquire` to `release`, or inside a `with` block.

    The file is made if need be and never removed. The system lets go of it when the holder dies,
    whatever kills it.
    """

    __slots__ = ("_file", "_path", "_wait")

    def __init__(self, path: str, *, wait: float) -> None:
        self._path, self._wait, self._file = path, wait, -1

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            TimeoutError: Another held it for `wait` seconds; it may be stopped.
            OSError: The file cannot be made, or the file system has no locks.
        """
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            ends = time.monotonic() + self._wait
            while not _taken(file):
                if time.monotonic() >= ends:
                    raise TimeoutError(
                        errno.ETIMEDOUT, "another process holds the lock", self._path
                    )
                time.sleep(_PAUSE)
            self._file = file
        finally:  # an alarm may ring meanwhile, too
            if self._file != file:
                os.close(file)

    def release(self) -> None:
        """Let go of the lock, also where a process forked off meanwhile has its file open."""
        with suppress(OSError):  # closing alone lets go of it too, where there is no copy
            _free(self._file)
        os.close(self._file)
        self._file = -1

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def _taken(file: int) -> bool:
    try:
        _try(file)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


class ThreadLock:
    """A lock between the threads of one process, for a `with` block.

    A process that is forked off while another thread holds it has a free one of its own: nobody
    there would ever let go of it.
    """

    __slots__ = ("_locks",)

    def __init__(self) -> None:
        self._locks = {os.getpid(): allocate_lock()}

    def __enter__(self) -> None:
        own = os.getpid()
        lock = self._locks.get(own) or self._locks.setdefault(own, allocate_lock())
        lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._locks[os.getpid()].release()
