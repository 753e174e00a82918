"""The output of a git that may take long, in a file: it outlives the process that asked for it."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from truepath.config.files import opener, read
from truepath.config.user_dirs import make_private
from truepath.project.git import MOST_BYTES, GitError, command, environment, spawn

_WAIT_S = 0.1
"""Seconds of git's CPU that one question waits, so that a busy machine changes no answer; seconds
of the clock if the system does not tell, as for a git that another process has started."""

_CPU_S = 900
"""Seconds of CPU that git may take: the 82,000 commits of git/git take 30."""

_PAUSE_S = 1000.0
"""Seconds without output after which git is started again: it was killed."""

_TICK_S = 0.002
_NICE = 15

_END = b"\0\0end "
"""What ends the output, before git's exit code in three digits: git prints no empty name."""

_SHELL = f"""ulimit -t {_CPU_S}; "$0" "$@"; printf '\\0\\0end %03d' $?"""


class Log:
    """The file with the output of the last question, which is its first line."""

    def __init__(self, file: str) -> None:
        self._file, self._pid = file, 0

    def printed(self, top: str, words: list[str], ends: float) -> bytes:
        """Return what `git WORDS` prints in `top`, by `ends` on the monotonic clock.

        Raises:
            GitError: It is not done yet, or it has failed, now or before.
            OSError: The file cannot be written.
        """
        began, mark = time.monotonic(), os.fsencode(" ".join(words)) + b"\n"
        self._start(top, words, mark)
        while not (tail := self._edge(-len(_END) - 3)).startswith(_END):
            if not self._waits(began, ends):
                raise GitError("git log was not done in time", timed_out=True)
            time.sleep(_TICK_S)
        self.runs()
        if not tail.endswith(b"000"):
            raise GitError("git log has failed")
        return read(self._file, MOST_BYTES)[len(mark) : -len(tail)]

    def runs(self) -> bool:
        """Return whether a git that was started here still runs."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
        return self._pid != 0

    def leave(self) -> None:
        """Let git go on behind, with less of the machine."""
        if self._pid:
            with suppress(OSError):
                os.setpriority(os.PRIO_PGRP, self._pid, _NICE)

    def drop(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            os.unlink(self._file)

    def _start(self, top: str, words: list[str], mark: bytes) -> None:
        """Start git, unless it has answered this question before or is still at it."""
        with suppress(OSError):
            asked, ended = self._edge(len(mark)) == mark, self._edge(-len(_END) - 3)
            if asked and (
                ended.startswith(_END) or os.stat(self._file).st_mtime > time.time() - _PAUSE_S
            ):
                return
        self.drop()
        make_private(os.path.dirname(self._file))
        file = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            os.write(file, mark)
            self._pid = spawn(["/bin/sh", "-c", _SHELL, *command(top, *words)], environment(), file)
        except OSError:
            self.drop()
            raise
        finally:
            os.close(file)

    def _edge(self, size: int) -> bytes:
        """Return the first bytes of the file; the last ones for a negative size."""
        with open(self._file, "rb", opener=opener) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size + size) if size < 0 else 0)
            return file.read(abs(size))

    def _waits(self, began: float, ends: float) -> bool:
        """Return whether a question that began at `began` still waits."""
        now = time.monotonic()
        used = _cpu_of_child(self._pid) if self._pid else None
        return now < ends and (now - began if used is None else used) < _WAIT_S


def _cpu_of_child(pid: int) -> float | None:
    """Return the seconds of CPU that the only child of a process has used; None if unknown."""
    try:
        child = int(read(f"/proc/{pid}/task/{pid}/children", 4096))
        ticks = read(f"/proc/{child}/stat", 4096).rpartition(b")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None
