"""The output of a git that may take long, in a file: it outlives the process that asked
for it.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from truepath.config.files import read
from truepath.config.user_dirs import make_private
from truepath.project.git import MOST_BYTES, GitError, command, environment, spawn

_WAIT_S = 0.1
"""Seconds of git's CPU that one question waits, so that a busy machine changes no
answer; seconds of the clock if the system does not tell, as for a git that another
process has started."""

_PAUSE_S = 1000.0
"""Seconds without output after which git is started again: it was killed. It may take
900 seconds of CPU; for the 82,000 commits of git/git it takes 30."""

_END = b"\0\0end "
"""What ends the output, before git's exit code in three digits: git prints no empty
name."""

_SHELL = """ulimit -t 900; "$0" "$@"; printf '\\0\\0end %03d' $?"""


class Log:
    """A file with the output of the last question, which is its first line."""

    def __init__(self, file: str) -> None:
        self._file, self._pid = file, 0

    def printed(self, top: str, words: list[str], ends: float) -> bytes:
        """Return what `git WORDS` prints in `top`, by `ends` on the monotonic clock.

        Raises:
            GitError: It is not done yet, or it has failed, now or before.
            OSError: The file cannot be written.
        """
        began, pause, mark = (
            time.monotonic(),
            0.002,
            os.fsencode(" ".join(words)) + b"\n",
        )
        self._begin(top, words, mark)
        while not _is_whole(output := self._output(), mark):
            now, used = time.monotonic(), _cpu_of_child(self._pid)
            if now > ends or (now - began if used is None else used) > _WAIT_S:
                raise GitError("git log was not done in time", timed_out=True)
            time.sleep(pause := min(2 * pause, 0.02))
        with suppress(ChildProcessError):  # another thread was faster
            if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
                self._pid = 0
        if not output.endswith(b"000"):
            raise GitError("git log has failed")
        return output[len(mark) : -len(_END) - 3]

    def _begin(self, top: str, words: list[str], mark: bytes) -> None:
        """Start git, unless it was asked the same before."""
        make_private(os.path.dirname(self._file))
        output = self._output()
        with suppress(FileNotFoundError):
            goes_on = time.time() - os.stat(self._file).st_mtime < _PAUSE_S
            if _is_whole(output, mark) or (output.startswith(mark) and goes_on):
                return
            os.unlink(self._file)
        with suppress(FileExistsError):  # another process was faster
            file = os.open(
                self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600
            )
            os.write(file, mark)
            shell = ["/bin/sh", "-c", _SHELL, *command(top, *words)]
            self._pid = spawn(shell, environment(), file)
            os.close(file)

    def _output(self) -> bytes:
        try:
            return read(self._file, MOST_BYTES)
        except FileNotFoundError:  # another process is about to start git anew
            return b""


def _is_whole(output: bytes, mark: bytes) -> bool:
    return output.startswith(mark) and output[-len(_END) - 3 : -3] == _END


def _cpu_of_child(pid: int) -> float | None:
    """Return the seconds of CPU that the only child of a process has used; None if
    unknown.
    """
    try:
        child = int(read(f"/proc/{pid}/task/{pid}/children", 4096))
        ticks = read(f"/proc/{child}/stat", 4096).rpartition(b")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None
