"""Read a file that may be anything: a pipe, a device, a folder, or far too large.

Every hook uses this module, so it imports next to nothing.
"""

from __future__ import annotations

import errno
import os
from stat import S_ISREG

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe that nobody fills waits for ever without it."""


def read(path: str, most: int) -> bytes:
    """Return what a regular file holds.

    Args:
        path: The file; links are followed.
        most: Bytes that it may have.

    Raises:
        OSError: There is none, it is no regular file, or it is larger.
    """
    file = opener(path, _FLAGS)
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
    """Open a file as `open` wants it of its `opener`.

    Raises:
        OSError: It cannot be opened, or is no regular file.
    """
    file = os.open(path, flags | _NO_WAIT)
    if S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise OSError(errno.EINVAL, "it is no regular file", path)


def is_regular_or_absent(path: str) -> bool:
    """Tell whether a path is a regular file, or nothing at all."""
    try:
        return S_ISREG(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
