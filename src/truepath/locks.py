"""One exclusive lock on a file, between processes and threads, with a bounded wait.

It knows nothing of what the lock is for.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from types import TracebackType

_PAUSES = (0.0001, 0.0002, 0.0005, 0.001)
"""Seconds between tries: a holder needs some tenths of a millisecond, so the first waits are
short, and the last is repeated."""

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """Hold the file `path` locked from `acquire` to `release`, or inside a `with` block.

    The file is made if need be and never removed. The system lets go of it when the holder dies,
    whatever kills it.
    """

    __slots__ = ("_descriptor", "_path", "_wait")

    def __init__(self, path: str, *, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            TimeoutError: Another held it for `wait` seconds; it may be stopped.
            OSError: The file cannot be made, or the file system has no locks.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._path, flags, 0o600)
        try:
            self._wait_for(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Let go of the lock; closing its file does so on every system."""
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _wait_for(self, descriptor: int) -> None:
        deadline = time.monotonic() + self._wait
        tries = 0
        while not _taken(descriptor):
            if time.monotonic() >= deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds the lock", self._path)
            time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1


def _taken(descriptor: int) -> bool:
    try:
        _try(descriptor)
    except OSError as error:
        # EACCES and EDEADLK are how Windows says "held"; the others are how flock says it.
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True
