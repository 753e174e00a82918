"""A program that was started, and pipes from its output and its errors.

By `os.posix_spawn` where that can do it: `subprocess` is 7 ms of a hook that answers a miss.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

_PAUSE, _LONGEST_PAUSE = 0.0005, 0.05
"""Seconds between two looks whether a program has ended: the first, and the longest."""


def start(
    command: Sequence[str], environ: Mapping[str, str], stdin: int | None, *, errors: bool
) -> Spawned | Opened:
    """Start a program in a session of its own.

    Args:
        command: The program, absolute or in PATH, and its arguments.
        environ: Its whole environment.
        stdin: An open file that it reads; nothing by default.
        errors: Whether it has a pipe for its errors.

    Raises:
        OSError: It cannot be started.
        ValueError: A word of the command has a NUL byte.
    """
    # Not every system can give a program a session of its own this way.
    way = Spawned if sys.platform in ("linux", "darwin") else Opened
    return way(command, environ, stdin, errors=errors)


class Spawned:
    """A program that `os.posix_spawn` started."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], stdin: int | None, *, errors: bool
    ) -> None:
        self.returncode: int | None = None
        self.stdout: int
        self.stderr: int | None
        self.stdout, out = _pipe()
        self.stderr, err = _pipe() if errors else (None, None)
        try:
            self.pid = _spawn(command, environ, (stdin, out, err))
        except BaseException:
            self.close()
            raise
        finally:
            os.close(out)
            if err is not None:
                os.close(err)

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, negative for a signal; None where it still runs after `seconds`."""
        ends, pause = time.monotonic() + seconds, _PAUSE
        while self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # the program around this one has children waited for
                pid, status = self.pid, 0
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif (left := ends - time.monotonic()) <= 0:
                break
            else:
                time.sleep(min(pause, left))
                pause = min(2 * pause, _LONGEST_PAUSE)
        return self.returncode

    def close(self) -> None:
        """Close the pipes, once: another file may have their numbers later."""
        pipes, self.stdout, self.stderr = (self.stdout, self.stderr), -1, None
        for pipe in pipes:
            if pipe not in (None, -1):
                os.close(pipe)


class Opened:
    """The same by `subprocess`."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], stdin: int | None, *, errors: bool
    ) -> None:
        import subprocess

        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if errors else subprocess.DEVNULL,
            env=environ,
            start_new_session=os.name == "posix",
        )
        self.pid = self._process.pid
        out, err = self._process.stdout, self._process.stderr
        self.stdout = -1 if out is None else out.fileno()
        self.stderr = None if err is None else err.fileno()

    @property
    def returncode(self) -> int | None:
        """The exit code; None for a program that was not waited for to its end."""
        return self._process.returncode

    def wait(self, seconds: float) -> int | None:
        """Return the exit code; None where it still runs after `seconds`."""
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self._process.wait(seconds)
        return self.returncode

    def close(self) -> None:
        """Close the pipes."""
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe; what is written to is none of the three standard streams.

    Those may be closed here, and the program's are put in their place one after the other.
    """
    out, into = os.pipe()
    if into > 2:
        return out, into
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    higher = fcntl(into, F_DUPFD_CLOEXEC, 3)
    os.close(into)
    return out, higher


def _spawn(
    command: Sequence[str],
    environ: Mapping[str, str],
    streams: tuple[int | None, int, int | None],
) -> int:
    # `signal` itself is a millisecond of a first miss.
    from _signal import SIGPIPE, SIGXFSZ  # type: ignore[import-not-found]

    stdin, out, err = streams
    nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    unheard = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
    return os.posix_spawnp(
        command[0],
        [*command],
        environ,
        file_actions=[
            nothing if stdin is None else (os.POSIX_SPAWN_DUP2, stdin, 0),
            (os.POSIX_SPAWN_DUP2, out, 1),
            unheard if err is None else (os.POSIX_SPAWN_DUP2, err, 2),
        ],
        setsid=True,
        # Python ignores both, and a program would inherit that.
        setsigdef=[SIGPIPE, SIGXFSZ],
    )
