"""The one deadline of a hook: whatever hangs, it has ended by then with status 0.

First what is under way is told to give up, by an alarm; a thread ends the process where that word
is lost: in a library that swallows it, or in a call that no signal interrupts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from time import sleep, time

SECONDS = 2.0
"""Seconds that a hook has: an agent waits for it before each of its calls."""

VARIABLE = "TRUEPATH_HOOK_SECONDS"
"""What sets other seconds, for a disk on which git takes longer."""

_MOST = 9.0
"""Seconds that may be set: hosts are told to end a hook after 10."""

_WORD = 0.2
"""Seconds before the end at which what is under way is told to give up: enough to end git and to
note the event."""

_LEAST = 0.1
"""Seconds that are left in any case: the clock of the system may have been set."""


class OutOfPatienceError(BaseException):
    """The answer took too long. No Exception, so that no one on the way takes it for theirs."""


def seconds(environ: Mapping[str, str]) -> float:
    """Return how long a hook may take in all."""
    try:
        return min(_MOST, max(_WORD + _LEAST, float(environ.get(VARIABLE, "") or SECONDS)))
    except ValueError:
        return SECONDS


def started() -> float:
    """Return when this process was started, seconds since the epoch; now where nobody tells.

    In a crowd that may be a second before its first line runs.
    """
    now = time()
    try:
        from time import CLOCK_BOOTTIME, clock_gettime

        file = os.open("/proc/self/stat", os.O_RDONLY)
        try:
            # Behind the name, which may hold anything: ticks from the start of the system.
            ticks = int(os.read(file, 4096).rpartition(b")")[2].split()[19])
        finally:
            os.close(file)
        age = clock_gettime(CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (ImportError, OSError, ValueError, IndexError):
        return now
    return now - age if 0 < age < _MOST else now


def left(began: float, environ: Mapping[str, str]) -> float:
    """Return the seconds until a hook that began then (since the epoch) is told to give up."""
    timeout_s = seconds(environ) - _WORD
    return min(timeout_s, max(_LEAST, began + timeout_s - time()))


def keep(began: float, environ: Mapping[str, str]) -> None:
    """Have this process end when the time of its hook is over, whatever it does then."""
    import _thread

    _thread.start_new_thread(_end, (left(began, environ) + _WORD,))


def _end(after: float) -> None:
    sleep(after)
    end_programs()
    os._exit(0)


def end_programs() -> None:
    """End the programs that this process has started and not waited for."""
    git = sys.modules.get("truepath.project.git")
    if git is not None:
        git.end_all()


class Alarm:
    """Raise OutOfPatienceError in the block after `seconds`, where the system has such an alarm."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        """Set it."""
        import _signal as signal  # type: ignore[import-not-found]  # `signal` itself is 5 ms

        if hasattr(signal, "setitimer"):
            self.handler = signal.signal(signal.SIGALRM, self._ring)
            self.timer = signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        """Take it back, and put back what was set before."""
        import _signal as signal

        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, *self.timer)
            signal.signal(signal.SIGALRM, self.handler)

    def _ring(self, *_: object) -> None:
        raise OutOfPatienceError(f"no answer within {self.seconds:.3g} s")
