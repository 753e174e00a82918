"""Build what is kept of a project in a process of its own, at low priority, one at a time."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator

from truepath.config.locks import Lock
from truepath.config.user_dirs import make_private

BUILD_SECONDS = 900.0
"""What a build may take. Git lists a million files in a second, and tells what git/git's 82,000
commits renamed in 30."""

ANSWER_SECONDS = 5.0
"""How long git may take over the first question of a build, which is milliseconds of work: one that
hangs would keep the process for as long as a build may take."""

_REST_SECONDS = 60.0
"""How long after a build began no other is started: a repository that cannot be read would
otherwise start one at every miss."""

_REST_OF_FAILED = 20
"""How many times as long as it took is rested, besides, after a build that failed: one that comes
to nothing after 15 minutes is tried again after 5 hours."""

_WINDOWS_FLAGS = 0x00000200 | 0x00004000 | 0x08000000
"""CREATE_NEW_PROCESS_GROUP, BELOW_NORMAL_PRIORITY_CLASS, CREATE_NO_WINDOW (winbase.h)."""


def start(module: str, root: str, store: str, lock: str) -> bool:
    """Start `python -m MODULE ROOT STORE` and return at once.

    The process holds none of our streams and is nobody's zombie.

    Args:
        module: What builds.
        root: The project's folder.
        store: The private folder for what is built.
        lock: A file in it that is locked while one builds.

    Returns:
        Whether one was started: not while one is running or has just run, and not where that
        cannot be noted.
    """
    if _resting(lock) or not _free(lock):
        return False
    import subprocess
    import threading

    try:
        _rest(lock, _REST_SECONDS)
        make_private(store)
        # In our own folder, because `-m` would import from the folder it is started in.
        process = subprocess.Popen(
            [sys.executable, "-m", module, root, store],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=store,
            env=_environment(),
            start_new_session=sys.platform != "win32",
            creationflags=_WINDOWS_FLAGS if sys.platform == "win32" else 0,
        )
    except OSError:
        return False
    threading.Thread(target=process.wait, daemon=True).start()
    return True


def _environment() -> dict[str, str]:
    """Return the environment for the process: ours, with import paths that hold anywhere."""
    paths = [os.path.abspath(path) for path in sys.path if path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@contextlib.contextmanager
def only_one(lock: str) -> Iterator[bool]:
    """Hold a lock file while inside; yields False when another holds it, or it cannot be held."""
    held = Lock(lock, wait=0)
    try:
        make_private(os.path.dirname(lock))
        held.acquire()
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        held.release()


def attempt(lock: str, build: Callable[[], bool]) -> bool:
    """Build, and note until when none is to be started; return whether the build worked."""
    began = time.monotonic()
    worked = False
    with contextlib.suppress(OSError):
        _rest(lock, _REST_SECONDS)
    try:
        worked = build()
    finally:
        if not worked:
            took = time.monotonic() - began
            with contextlib.suppress(OSError):
                _rest(lock, _REST_SECONDS + _REST_OF_FAILED * took)
    return worked


def _rest(lock: str, seconds: float) -> None:
    """Note that no build is to be started for so long: as the lock's time, which lies ahead."""
    until = time.time() + seconds
    os.utime(lock, (until, until))


def lower_priority() -> None:
    """Make this process yield to every other."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(15)


def _free(lock: str) -> bool:
    """Return whether a lock could be taken now: nobody has it, and the store can be written."""
    with only_one(lock) as mine:
        return mine


def _resting(lock: str) -> bool:
    try:
        return time.time() < os.stat(lock).st_mtime
    except OSError:
        return False
