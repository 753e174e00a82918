"""Time and CPU of one thing done in this process, or of one program from its start to
its end.
"""

from __future__ import annotations

import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Took:
    """What one run took."""

    seconds: float
    cpu: float
    """Seconds of user and system time, of the programs too that it waited for."""


@dataclass
class Line:
    """How long one thing took, in one project, again and again."""

    what: str
    files: int
    """Files of the project."""
    took: list[Took] = field(default_factory=list)
    right: int | None = None
    """Runs that gave the right answer; None where there is none to give."""

    def add(self, took: Took, *, right: bool | None = None) -> None:
        self.took.append(took)
        if right is not None:
            self.right = (self.right or 0) + right

    @property
    def cpu(self) -> float:
        """Seconds of CPU in the median."""
        return statistics.median(each.cpu for each in self.took)

    def within(self, part: float) -> float:
        """Return the seconds that a part of the runs stayed within, by nearest rank."""
        times = sorted(each.seconds for each in self.took)
        return times[min(len(times) - 1, int(part * len(times)))]


def timed(run: Callable[[], T]) -> tuple[T, Took]:
    """Do something in this process."""
    began, used = time.perf_counter(), cpu_used()
    result = run()
    return result, Took(time.perf_counter() - began, cpu_used() - used)


def cpu_used() -> float:
    """Return the seconds of CPU of this process and of those it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def program(
    command: Sequence[str],
    *,
    given: str = os.devnull,
    environ: Mapping[str, str] | None = None,
    fine: Container[int] = (0,),
) -> tuple[bytes, Took]:
    """Run a program with a file as its input; return what it printed.

    Args:
        command: The program's absolute path, and its arguments.
        given: The file.
        environ: Its environment; by default this process's.
        fine: The statuses with which it may end; any other ends the run, for nothing
            was measured.
    """
    with tempfile.TemporaryFile() as output:
        streams = [
            (os.POSIX_SPAWN_OPEN, 0, given, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output.fileno(), 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        began = time.perf_counter()
        child = os.posix_spawn(
            command[0], [*command], environ or os.environ, file_actions=streams
        )
        _, status, used = os.wait4(child, 0)
        seconds = time.perf_counter() - began
        if (code := os.waitstatus_to_exitcode(status)) not in fine:
            raise SystemExit(f"{' '.join(command)[:300]}: ended with {code}")
        output.seek(0)
        return output.read(), Took(seconds, used.ru_utime + used.ru_stime)
