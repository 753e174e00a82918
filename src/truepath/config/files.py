"""Read any file safely; replace and lock the user's private files.

Every hook uses this module, so it imports next to nothing.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from _thread import get_ident  # `threading` would cost a hook 1 ms
from collections.abc import Iterable
from stat import S_ISDIR, S_ISLNK, S_ISREG

from truepath import TYPE_CHECKING, Late
from truepath.errors import suppress

if TYPE_CHECKING:
    import glob

    from truepath.types import EntryKind
else:
    glob = Late("glob")

_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Without it, opening a pipe that nobody writes to blocks forever."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_TO_READ = os.O_RDONLY | _BINARY | getattr(os, "O_NOCTTY", 0)

LARGEST_SETTINGS = 1_000_000
"""Bytes of a settings file, truepath's or a host's: a larger one would delay a tool
call."""

_PAUSE = 0.0005
"""Seconds between attempts to lock: a lock is held for some tenths of a millisecond."""
_LOCKED = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""The errors for a lock that another process has; the last two on Windows."""

YOUNG_NS = 2_500_000_000
"""Nanoseconds within which an entry may change twice at one time: FAT counts two
seconds, and Linux in steps of up to 10 ms. Such a time tells nothing."""

State = tuple[int, ...]
"""What tells that an entry is unchanged: the nanoseconds of its two times of change,
and its number."""

TOO_YOUNG: State = (0,)
"""In place of the state of an entry that has only just changed: no entry has it."""

_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL)
"""The errors for a path that no entry has; the last is Windows's for a name that it
does not allow."""


def entry_kind(path: str) -> EntryKind:
    """Return the kind of entry at a path, links followed; None for nothing.

    Raises:
        OSError: The disk does not tell: a folder on the way may not be searched, links
            lead in a circle, or a device fails.
    """
    # The quick looks answer the same by themselves (`truepath.hook.presence`, where an
    # import costs; `native/src/presence.rs`; `hosts/templates/shim.js`): a test holds
    # all four to one table.
    try:
        return "folder" if S_ISDIR(os.stat(path).st_mode) else "file"
    except ValueError:  # a NUL, or half a surrogate pair: no name has that
        return None
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise


def state_of(entry: os.stat_result, old_ns: int) -> State:
    """Return the state of an entry, to be compared with that of a later time, if it has
    not changed since `old_ns`.
    """
    changed_ns = max(entry.st_ctime_ns, entry.st_mtime_ns)
    if changed_ns >= old_ns:
        return TOO_YOUNG
    return entry.st_ctime_ns, entry.st_mtime_ns, entry.st_ino


def old_ns() -> int:
    """Return the time, in nanoseconds since the epoch, before which an entry's times
    tell whether it is unchanged.
    """
    return time.time_ns() - YOUNG_NS


def read(path: str, most: int = LARGEST_SETTINGS) -> bytes:
    """Return the contents of a regular file of at most `most` bytes; links are
    followed.

    Raises:
        OSError: There is no such file, it is not a regular file, or it is larger.
    """
    return _contents(opener(path, _TO_READ), path, most)


def read_own(path: str, most: int) -> bytes:
    """Do as `read` for a file of the state, which must be as `own_opener` says."""
    return _contents(own_opener(path, _TO_READ), path, most)


def _contents(file: int, path: str, most: int) -> bytes:
    try:
        if os.fstat(file).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes", path)
        parts = []
        while most > 0 and (part := os.read(file, most)):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)
    finally:
        os.close(file)


def opener(path: str, flags: int) -> int:
    """Open a regular file, as an `opener` for `open`; a new one is created with mode
    0600.

    Raises:
        OSError: It cannot be opened, or is not a regular file.
    """
    file = os.open(path, flags | _NO_WAIT, 0o600)
    if S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise OSError(errno.EINVAL, "it is not a regular file", path)


def own_opener(path: str, flags: int) -> int:
    """Do as `opener` for a file of the state: no link, and the user's alone.

    Raises:
        OSError: It is a link, or another user owns it or may write it.
    """
    file = opener(path, flags | _NO_LINK)
    why = _why_unsafe(os.fstat(file))
    if not why:
        return file
    os.close(file)
    raise OSError(errno.EPERM, f"it {why}", path)


def unsafe(folder: str, *, follow: bool = True) -> str:
    """Return why a folder is not the user's alone; "" if it is, or is missing."""
    try:
        status = os.stat(folder, follow_symlinks=follow)
    except (OSError, ValueError):
        return ""
    why = "is a link" if S_ISLNK(status.st_mode) else _why_unsafe(status)
    return why and f"{folder} {why}"


def _why_unsafe(status: os.stat_result) -> str:
    if os.name == "nt":  # which has neither such owners nor modes
        return ""
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return "may be written by other users" if status.st_mode & 0o022 else ""


def is_regular_or_absent(path: str) -> bool:
    """Return whether there is a regular file at a path, or nothing."""
    try:
        return entry_kind(path) is None or S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def matching(folder: str, pattern: str) -> list[str]:
    """Return the paths below a folder that match a pattern, sorted.

    A `*` matches any text in a name, except a dot at its beginning.
    """
    plain, star, _ = pattern.partition("*")
    if not star:
        path = os.path.join(folder, pattern)
        return [path] if os.path.exists(path) else []
    # Most folders of hosts' files do not exist, and `glob` would cost a hook 1 ms.
    if not os.path.isdir(os.path.join(folder, os.path.dirname(plain))):
        return []

    return sorted(
        os.path.join(folder, path) for path in glob.glob(pattern, root_dir=folder)
    )


def write(path: str, data: bytes | Iterable[bytes]) -> None:
    """Replace the file at `path` atomically, with mode 0600.

    Raises:
        OSError: It cannot be written; then the file is unchanged.
    """
    new = f"{path}.{os.getpid()}.{get_ident()}.tmp"  # two threads may write at once
    # There may already be a link or a pipe under that name.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY | _NO_LINK | _NO_WAIT
    try:
        with open(os.open(new, flags, 0o600), "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
        os.replace(new, path)
    except OSError:
        with suppress(OSError):
            os.unlink(new)
        raise


class Lock:
    """Lock the file `path` from `acquire` to `release`, or inside a `with` block.

    The file is created if missing and never removed. The system releases the lock when
    the process ends, however it ends.
    """

    __slots__ = ("_file", "_path", "_wait")

    def __init__(self, path: str, *, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._file = -1

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            TimeoutError: Another process kept it for `wait` seconds; it may be
                suspended.
            OSError: The file cannot be created, or the file system has no locks.
        """
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)
        try:
            ends = time.monotonic() + self._wait
            while not _taken(file):
                if time.monotonic() >= ends:
                    why = "another process holds the lock"
                    raise TimeoutError(errno.ETIMEDOUT, why, self._path)
                time.sleep(_PAUSE)
            self._file = file
        finally:  # also when a signal handler raises meanwhile
            if self._file != file:
                os.close(file)

    def release(self) -> None:
        """Release the lock, even if a process forked meanwhile has the file open."""
        # Closing releases it too, if no other process has a copy.
        with suppress(OSError):
            _lock(self._file, take=False)
        os.close(self._file)
        self._file = -1

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def _taken(file: int) -> bool:
    try:
        _lock(file, take=True)
    except OSError as error:
        if error.errno in _LOCKED:
            return False
        raise
    return True


def _lock(file: int, *, take: bool) -> None:
    if sys.platform == "win32":
        import msvcrt  # of Windows alone

        msvcrt.locking(file, msvcrt.LK_NBLCK if take else msvcrt.LK_UNLCK, 1)
    else:
        import fcntl  # not of Windows

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if take else fcntl.LOCK_UN)
