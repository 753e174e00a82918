"""Run a program with bounds on its seconds and bytes, and end it with all that it started.

Knows nothing of git. Each program is the leader of a process group of its own.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock  # `threading` is a millisecond of a first miss
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from truepath.project.started import start

_AT_ONCE = 1 << 16
"""Bytes that are read at once; a pipe holds as many on Linux."""

_FIRST = 4096
"""Bytes kept of what a program complains of: its first line is shown."""

_AFTER = 1.0
"""Seconds for a program that has closed its output, or was killed, to be gone."""

_living: set[int] = set()
"""The process groups that were started and not ended yet."""

_starting = allocate_lock()
"""Held while a program is started: `end_all` misses none."""

_over: list[bool] = []
"""Not empty once nothing may be started any more."""


class Process:
    """A program that runs; the caller must `end` it."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        given: bytes | None = None,
        complaints: bool = False,
    ) -> None:
        """Start it; it reads what is `given`, or nothing.

        Raises:
            OSError: It cannot be started.
            ValueError: A word of the command has a NUL byte.
        """
        self.complaint = b""
        with _file_of(given) as file, _starting:
            if _over:
                raise OSError("this process is about to end")
            self._process = start(command, environ, file, errors=complaints)
            _living.add(self._process.pid)

    def read(
        self,
        heard: Callable[[bytes], bool],
        ends: float | None,
        *,
        first: float | None = None,
    ) -> bool:
        """Hand on what it prints, as it comes; tell whether that was all.

        Args:
            heard: Takes each part, and tells whether more is wanted.
            ends: When to stop, on the monotonic clock; None: when it has ended.
            first: When to stop if nothing was printed until then.
        """
        if os.name == "nt":
            return self.read_beside(heard, ends)
        import select

        out, errors = self._pipes()
        poll = select.poll()
        for pipe in filter(None, (out, errors)):
            poll.register(pipe, select.POLLIN)
        until = ends if first is None or (ends is not None and ends < first) else first
        while True:
            rest = None if until is None else until - time.monotonic()
            ready = poll.poll(None if rest is None else max(0.0, rest) * 1e3)
            if not ready:
                return False
            for pipe, _ in ready:
                part = os.read(pipe, _AT_ONCE)
                if pipe == errors:
                    self._complained(part)
                    if not part:
                        poll.unregister(pipe)
                elif not part:
                    return True
                else:
                    until = ends
                    if not heard(part) or (ends is not None and time.monotonic() >= ends):
                        return False

    def _pipes(self) -> tuple[int, int | None]:
        return self._process.stdout, self._process.stderr

    def _complained(self, part: bytes) -> None:
        self.complaint = (self.complaint + part)[:_FIRST]

    def read_beside(self, heard: Callable[[bytes], bool], ends: float | None) -> bool:
        """Read as `read` does, in threads: Windows cannot wait for a pipe for a while."""
        import threading

        whole: list[bool] = []

        def listen() -> None:
            out, _ = self._pipes()
            while part := os.read(out, _AT_ONCE):
                if not heard(part):
                    return
            whole.append(True)

        def listen_to_complaints() -> None:
            _, errors = self._pipes()
            while errors is not None and (part := os.read(errors, _AT_ONCE)):
                self._complained(part)

        threads = [threading.Thread(target=listen, daemon=True)]
        threads.append(threading.Thread(target=listen_to_complaints, daemon=True))
        for thread in threads:
            thread.start()
        threads[0].join(None if ends is None else max(0.0, ends - time.monotonic()))
        threads[1].join(_AFTER if whole else 0)
        return bool(whole)

    def code(self, ends: float | None) -> int | None:
        """Return the exit code of a program that has closed its output; None if it stays."""
        self._process.wait(_AFTER if ends is None else max(0.001, ends - time.monotonic()))
        self._take_rest()
        return self._process.returncode

    def _take_rest(self) -> None:
        """Take in what the program complained of last."""
        _, errors = self._pipes()
        if errors is None or os.name == "nt":
            return
        import select

        poll = select.poll()
        poll.register(errors, select.POLLIN)
        if len(self.complaint) < _FIRST and poll.poll(0):
            self._complained(os.read(errors, _AT_ONCE))

    def end(self) -> None:
        """Kill it with its group if it still runs, read nothing more, and leave nothing open."""
        process = self._process
        if process.returncode is None:  # not waited for: a wrapper may have left programs behind
            _kill(process.pid)
            process.wait(_AFTER)
        _living.discard(process.pid)
        process.close()


def end_all() -> None:
    """Kill whatever still runs, and start nothing more: this process is about to end."""
    _over.append(True)
    if _starting.acquire(timeout=_AFTER / 10):
        _starting.release()
    for pid in [*_living]:
        _kill(pid)


def _kill(pid: int) -> None:
    """Kill a process that was not waited for yet, so that the number is still its own."""
    import signal

    with suppress(OSError):
        if os.name == "posix":
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)


@contextmanager
def _file_of(given: bytes | None) -> Iterator[int | None]:
    """Yield an open file that holds `given`: a program that reads nothing cannot hold us up."""
    if given is None:
        yield None
        return
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("given")
    else:
        import tempfile

        file, path = tempfile.mkstemp(prefix="truepath-")
        if os.name == "posix":
            os.unlink(path)
    try:
        rest = memoryview(given)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)
