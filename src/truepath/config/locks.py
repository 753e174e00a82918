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
from types import TracebackType

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from _thread import LockType

_PAUSES = (0.0001, 0.0002, 0.0005, 0.001)
"""Seconds between tries: a holder needs some tenths of a millisecond, so the first waits are
short, and the last is repeated."""

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _free(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _free(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


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
        """Let go of the lock, also where a process forked off meanwhile has its file open."""
        with suppress(OSError):  # closing alone lets go of it too, where there is no copy
            _free(self._descriptor)
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


class ThreadLock:
    """A lock between the threads of one process, for a `with` block.

    A process that is forked off while another thread holds it has a free one of its own: nobody
    there would ever let go of it.
    """

    __slots__ = ("_locks",)

    def __init__(self) -> None:
        """Begin with no process."""
        self._locks = {os.getpid(): allocate_lock()}

    def __enter__(self) -> None:
        """Take the lock."""
        self._mine().acquire()

    def __exit__(self, *_: object) -> None:
        """Let go of it."""
        self._mine().release()

    def _mine(self) -> LockType:
        own = self._locks.get(os.getpid())
        return self._locks.setdefault(os.getpid(), allocate_lock()) if own is None else own
