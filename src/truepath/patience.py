"""How long an answer may take, in CPU: that of its thread and of the programs that it
waits for. A busy machine gives a process a tenth of one, and must not change an answer;
a limit by the clock is for what hangs.

Nothing is interrupted: what works off a list that others made long calls `check`.
"""

from __future__ import annotations

import time
from _thread import _local  # `threading` would cost a hook 1 ms

from truepath.errors import OutOfPatienceError

CPU_S = 2.0
"""Seconds of CPU for one answer by default: ten times what a miss among 50,000 files
takes, with its two gits."""

CLOCK_S = 10.0
"""Seconds of the clock for one answer by default."""

SHARE = 0.8
"""The part of what is left that git may take, by the clock and of CPU: without names,
there is still an answer."""

_MANY = 256
"""Items of a list between two looks at the time: a look takes half a microsecond."""


class Patience:
    """Limit what its thread does in a `with` block."""

    def __init__(
        self, cpu_s: float, clock_s: float, whole_s: float | None = None
    ) -> None:
        """Take the seconds of both kinds. Of `whole_s` by the clock, some may have gone
        before.
        """
        self._clock_s = clock_s
        self._cpu_s = cpu_s
        self.of_cpu = f"no answer within {cpu_s:.2g} s of CPU"
        self.of_clock = f"no answer within {whole_s or clock_s:.2g} s"

    def __enter__(self) -> None:
        """Begin; a limit around this one is no longer asked."""
        self._outer = _of_thread()
        self._cpu_ends = time.thread_time() + self._cpu_s
        self._ends = time.monotonic() + self._clock_s
        _here.patience = self

    def __exit__(self, *_: object) -> None:
        """End."""
        _here.patience = self._outer

    def cpu_left(self) -> float:
        """Return the seconds of CPU that are left."""
        return self._cpu_ends - time.thread_time()

    def clock_left(self) -> float:
        """Return the seconds of the clock that are left."""
        return self._ends - time.monotonic()

    def spend(self, cpu_s: float) -> None:
        """Count what a program has used."""
        self._cpu_ends -= cpu_s

    def check(self) -> None:
        """Raise OutOfPatienceError if nothing is left."""
        if self.cpu_left() <= 0:
            raise OutOfPatienceError(self.of_cpu)
        if self.clock_left() <= 0:
            raise OutOfPatienceError(self.of_clock)


_here = _local()
_NONE = float("inf")


def is_limited() -> bool:
    """Return whether the answer of this thread has a limit."""
    return _of_thread() is not None


def is_endless() -> bool:
    """Return whether the answer of this thread may take any time: a person waits."""
    return is_limited() and cpu_left() == _NONE


def check(count: int = 0) -> None:
    """Raise OutOfPatienceError if the answer of this thread has taken too long. Of a
    long list, give the number of each item: only some of them are looked at.
    """
    if count % _MANY:
        return
    patience = _of_thread()
    if patience is not None:
        patience.check()


def spend(cpu_s: float) -> None:
    """Count the CPU of a program that this thread has waited for."""
    patience = _of_thread()
    if patience is not None:
        patience.spend(cpu_s)


def cpu_left() -> float:
    """Return the seconds of CPU that are left for the answer of this thread."""
    patience = _of_thread()
    return _NONE if patience is None else max(0.0, patience.cpu_left())


def clock_left() -> float:
    """Return the seconds of the clock that are left for it."""
    patience = _of_thread()
    return _NONE if patience is None else max(0.0, patience.clock_left())


def _of_thread() -> Patience | None:
    return getattr(_here, "patience", None)
