"""The deadline of a hook, by which it ends with status 0 whatever hangs: a limit on its
CPU, which no other work on the machine uses up, and a later one by the clock.

First an alarm raises an exception; if that is lost, in a library that catches it or in
a call that no signal interrupts, a thread ends the process.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` costs 5 ms
import _thread
import os
import sys
from time import sleep, time

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truepath import errors, patience
else:
    errors = Late("truepath.errors")
    patience = Late("truepath.patience")

SECONDS = 2.0
"""Seconds of CPU that a hook has by default, with the programs that it waits for."""

VARIABLE = "TRUEPATH_HOOK_SECONDS"
"""The variable for other seconds, for a project in which git takes longer."""

MOST_SECONDS = 9.0
"""The most seconds of either kind: hosts end a hook after 10."""

_CLOCK = 5.0
"""Seconds of the clock for each of CPU: a miss takes up to 0.2 of CPU, and on two cores
with a load of 20 that is 2 by the clock."""

_CLEANUP = 0.2
"""Seconds between the alarm and the end: enough to end git and to record the event."""

_LEAST_SECONDS = 0.1
"""Seconds that are left in any case, because the system's clock may have been set."""


def seconds(environ: Mapping[str, str]) -> float:
    """Return how much CPU a hook may use."""
    try:
        wanted = float(environ.get(VARIABLE, "") or SECONDS)
    except ValueError:
        return SECONDS
    return min(MOST_SECONDS, max(_LEAST_SECONDS, wanted))


def by_clock(environ: Mapping[str, str]) -> float:
    """Return how long a hook may take in total."""
    return min(MOST_SECONDS, _CLOCK * seconds(environ))


def started() -> float:
    """Return when this process was started, in seconds since the epoch; now if that is
    unknown.

    On a busy machine, that can be a second before its first line runs.
    """
    now = time()
    try:
        from time import CLOCK_BOOTTIME, clock_gettime  # Linux alone has it

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
    timeout_s = by_clock(environ) - _CLEANUP
    return min(timeout_s, max(_LEAST_SECONDS, began + timeout_s - time()))


def keep(began: float, environ: Mapping[str, str]) -> None:
    """Start a thread that ends this process when the hook's time is over."""
    after = left(began, environ) + _CLEANUP

    def end() -> None:
        sleep(after)
        end_programs()
        os._exit(0)  # 0 even now: most programs take another status for a refusal

    _thread.start_new_thread(end, ())


def end_programs() -> None:
    """End the programs that this process has started and not waited for."""
    # Where it is not loaded, nothing was started.
    git = sys.modules.get("truepath.project.git")
    if git is not None:
        git.end_all()


class Alarm:
    """Limit a block as `truepath.patience` does; if the system has such timers, also
    where nothing is checked.
    """

    def __init__(self, began: float, environ: Mapping[str, str]) -> None:
        cpu_s = seconds(environ)
        clock_s = left(began, environ)
        self._patience = patience.Patience(cpu_s, clock_s, by_clock(environ))
        self._limits: dict[int, tuple[int, float, str]] = {}
        if hasattr(signal, "setitimer"):  # Windows has none
            self._limits = {
                signal.SIGALRM: (signal.ITIMER_REAL, clock_s, self._patience.of_clock),
                signal.SIGPROF: (signal.ITIMER_PROF, cpu_s, self._patience.of_cpu),
            }
        self._before: list[tuple[int, object, tuple[float, float]]] = []

    def __enter__(self) -> None:
        def ring(number: int, *_: object) -> None:
            raise errors.OutOfPatienceError(self._limits[number][2])

        self._patience.__enter__()
        for number, (timer, limit_s, _) in self._limits.items():
            handler = signal.signal(number, ring)
            left = signal.setitimer(timer, limit_s)
            self._before.append((number, handler, left))

    def __exit__(self, *_: object) -> None:
        for number, handler, left in self._before:
            signal.setitimer(self._limits[number][0], *left)
            signal.signal(number, handler)
        self._patience.__exit__()
