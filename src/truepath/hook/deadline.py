"""The deadline of a hook, by which it ends with status 0 whatever hangs.

First an alarm raises an exception; if that is lost, in a library that catches it or in
a call that no signal interrupts, a thread ends the process.
"""

from __future__ import annotations

import os
import sys
from time import sleep, time

TYPE_CHECKING = False  # `collections` would cost every call 1.5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 2.0
"""Seconds that a hook has by default, because the agent waits."""

VARIABLE = "TRUEPATH_HOOK_SECONDS"
"""The variable for other seconds, for a disk on which git takes longer."""

MOST_SECONDS = 9.0
"""The most seconds that may be set: hosts end a hook after 10."""

_CLEANUP = 0.2
"""Seconds between the alarm and the end: enough to end git and to record the event."""

_LEAST_SECONDS = 0.1
"""Seconds that are left in any case, because the system's clock may have been set."""


class OutOfPatienceError(BaseException):
    """The answer took too long. Not an Exception, so that no other code catches it."""


def seconds(environ: Mapping[str, str]) -> float:
    """Return how long a hook may take in total."""
    try:
        wanted = float(environ.get(VARIABLE, "") or SECONDS)
    except ValueError:
        return SECONDS
    return min(MOST_SECONDS, max(_CLEANUP + _LEAST_SECONDS, wanted))


def started() -> float:
    """Return when this process was started, in seconds since the epoch; now if that is
    unknown.

    On a busy machine, that can be a second before its first line runs.
    """
    now = time()
    try:
        from time import CLOCK_BOOTTIME, clock_gettime

        file = os.open("/proc/self/stat", os.O_RDONLY)
        try:
            status = os.read(file, 4096)
        finally:
            os.close(file)
        # After the name, which may contain anything: ticks since the start of the
        # system.
        ticks = int(status.rpartition(b")")[2].split()[19])
        age = clock_gettime(CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (ImportError, OSError, ValueError, IndexError):  # not Linux, or no /proc
        return now
    # No hook is as old as that: the clock of a container may differ from its host's.
    if not 0 < age < MOST_SECONDS:
        return now
    return now - age


def left(began: float, environ: Mapping[str, str]) -> float:
    """Return the seconds until the alarm of a hook that began at `began`, since the
    epoch.
    """
    timeout_s = seconds(environ) - _CLEANUP
    return min(timeout_s, max(_LEAST_SECONDS, began + timeout_s - time()))


def keep(began: float, environ: Mapping[str, str]) -> None:
    """Start a thread that ends this process when the hook's time is over."""
    import _thread

    _thread.start_new_thread(_end, (left(began, environ) + _CLEANUP,))


def _end(after: float) -> None:
    sleep(after)
    end_programs()
    os._exit(0)  # 0 even now: most programs take another status for a refusal


def end_programs() -> None:
    """End the programs that this process has started and not waited for."""
    # Where it is not loaded, nothing was started.
    git = sys.modules.get("truepath.project.git")
    if git is not None:
        git.end_all()


class Alarm:
    """Raise OutOfPatienceError in the block after `seconds`, if the system has such a
    timer.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        # `signal` itself would cost 5 ms.
        import _signal as signal  # type: ignore[import-not-found]

        if hasattr(signal, "setitimer"):  # Windows has none: the thread is left
            self.handler = signal.signal(signal.SIGALRM, self._ring)
            self.timer = signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        import _signal as signal

        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, *self.timer)
            signal.signal(signal.SIGALRM, self.handler)

    def _ring(self, *_: object) -> None:
        raise OutOfPatienceError(f"no answer within {self.seconds:.3g} s")
