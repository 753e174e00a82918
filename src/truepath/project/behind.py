"""Keep the history of a work tree in a file, and have another process make it.

One file: a header with a check sum and the commit that it ends at, and the blob as it is searched.
What is damaged is made anew. A lock beside it says that a process reads the history; the time of
that lock, where it lies ahead, that none is to be started before.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from zlib import crc32

from truepath.config.locks import Lock
from truepath.config.private_file import write
from truepath.config.regular_file import read
from truepath.config.user_dirs import make_private
from truepath.project.git import spawn

_FORMAT = b"truepath-history-4"

_LARGEST = 64 * 1024 * 1024
"""Bytes a blob may have; that of ansible's 55,000 commits has 4 MB."""

_REST_S = 60.0
"""Seconds after a build began in which no other is started, and 20 times what one took that failed:
a repository that cannot be read would otherwise start one at every miss."""

_MAIN = """
import os, sys
sys.path[:0] = sys.argv[1].split(os.pathsep)
from truepath.project.history import build
build(*sys.argv[2:])
"""
"""What the process runs. Unlike `-m`, it imports nothing from the folder it is started in."""


def file_of(store: str, place: str) -> str:
    """Return the file for the history of a git folder."""
    return os.path.join(store, f"history-{crc32(os.fsencode(place)):08x}")


def unpack(file: str, place: str) -> tuple[str, bytes]:
    """Return the commit that a file ends at, and its blob; "" where there is none of use."""
    try:
        header, _, blob = read(file, _LARGEST).partition(b"\n")
        name, check, tip = header.split(b" ")
        if name == _FORMAT and int(check, 16) == _sum(place, tip, blob):
            return tip.decode("ascii"), blob
    except (OSError, ValueError):
        pass
    return "", b""


def pack(file: str, place: str, tip: str, blob: bytes) -> None:
    """Write a file; where that cannot be, there is none."""
    code = tip.encode("ascii")
    header = b"%s %08x %s\n" % (_FORMAT, _sum(place, code, blob), code)
    with suppress(OSError):
        make_private(os.path.dirname(file))
        write(file, [header, blob])


def _sum(place: str, tip: bytes, blob: bytes) -> int:
    return crc32(blob, crc32(os.fsencode(place) + b"\0" + tip))


def start(top: str, file: str) -> bool:
    """Start a process that reads the history of a work tree; tell whether one was started.

    Not while one is running or has just run, and not on Windows.
    """
    paths = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
    try:
        if os.path.exists(f"{file}.lock") and time.time() < os.stat(f"{file}.lock").st_mtime:
            return False
        make_private(os.path.dirname(file))
        with lock(file):
            rest(file)
        if sys.platform not in ("linux", "darwin"):
            return False
        words = [sys.executable, "-I", "-c", _MAIN, paths, top, file]
        # The shell ends at once, so that nobody has to wait for what it started.
        os.waitpid(spawn(["/bin/sh", "-c", '"$0" "$@" &', *words], os.environ, None), 0)
    except OSError:
        return False
    return True


def lock(file: str) -> Lock:
    """Return what one process at a time holds while it reads the history for a file."""
    return Lock(f"{file}.lock", wait=0)


def rest(file: str, taken: float = 0.0) -> None:
    """Note that no build is to be started for a while, after one that took so many seconds."""
    until = time.time() + _REST_S + 20 * taken
    os.utime(f"{file}.lock", (until, until))
