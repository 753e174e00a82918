"""The output of a program that may take long, in a file: it outlives the process that
asked for it.
"""

from __future__ import annotations

import os
import time

from truepath.config.files import Lock, read, read_own
from truepath.config.user_dirs import make_private
from truepath.errors import suppress
from truepath.patience import is_endless
from truepath.project.faults import AGAIN_S
from truepath.project.git import (
    MOST_BYTES,
    GitError,
    cpu_of,
    environment,
    is_asleep,
    kill_group,
    spawn,
)

_QUESTION_CPU_S = 0.1
"""Seconds of git's CPU that one question waits, so that a busy machine changes no
answer."""

_WAIT_S = 0.3
"""Seconds of the clock that one question waits where the CPU is not known: for a git
that another process has started, or on a system that does not tell."""

_SILENCE_S = 1000.0
"""Seconds without output after which git is started again: it was killed. It may take
900 seconds of CPU; for the 82,000 commits of git/git it takes 30."""

_LOCK_S = 0.3
"""Seconds that one question waits for others to start git, which takes milliseconds;
then it asks git itself."""

_END = b"\0\0end "
"""What ends the output, before git's exit code in three digits: git prints no empty
name."""

_DONE = b"000"

_SHELL = """ulimit -t 900; ulimit -f {blocks}; "$0" "$@"; printf '\\0\\0end %03d' $?"""
_BLOCK = 512
"""Bytes of what `ulimit -f` counts: a program that prints without end fills no disk."""


class Log:
    """A file with the output of the last question, which is its first line."""

    def __init__(self, file: str, root: str) -> None:
        """Take the file, and the root of the project that is asked about."""
        self._file = file
        self._root = root
        self._shell = 0
        """The process that runs git, if this one has started it and not ended it."""

    def printed(self, words: list[str], ends: float) -> bytes:
        """Return what a command prints by `ends` on the monotonic clock.

        Raises:
            GitError: It is not done yet, or it has failed, now or before.
            OSError: The file cannot be written.
        """
        # The program may be in another place for another process.
        mark = os.fsencode(" ".join(words[1:])) + b"\n"
        began = time.monotonic()
        pause = 0.002
        self._begin(words, mark)
        while True:
            # Another process's git may go on; asked first, so that the output is whole.
            shell = self._shell
            has_ended = bool(shell)
            with suppress(ChildProcessError):  # another thread has, or the system
                has_ended = has_ended and os.waitpid(shell, os.WNOHANG)[0] == shell
            if has_ended and self._shell == shell:  # no other thread has begun anew
                self._shell = 0
            output = self._output()
            if _is_whole(output, mark):
                break
            if has_ended or self._is_over(began, ends):
                # A git that sleeps waits for what may never come, such as a pipe in the
                # place of its settings, and no limit of its CPU would end it behind.
                with suppress(OSError):
                    if self._shell and any(map(is_asleep, _children(self._shell))):
                        kill_group(self._shell)
                raise GitError("git log was not done in time", timed_out=True)
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        if not output.endswith(_DONE):
            raise GitError("git log has failed")
        return output[len(mark) : -len(_END) - 3]

    def _is_over(self, began: float, ends: float) -> bool:
        """Return whether git has had its time for a question."""
        now = time.monotonic()
        if now > ends or is_endless():
            return now > ends
        try:
            used = [cpu_of(pid) or 0.0 for pid in _children(self._shell)]
        except OSError:  # another process's, or the system does not tell
            return now > began + _WAIT_S
        return sum(used) > _QUESTION_CPU_S

    def _begin(self, words: list[str], mark: bytes) -> None:
        """Start git, with its output to a new file that replaces the old one, unless it
        was asked the same before.
        """
        if self._is_asked(mark):
            return
        make_private(os.path.dirname(self._file))
        with Lock(f"{self._file}.lock", wait=_LOCK_S):
            # Another question may have started it meanwhile, and its file is not to be
            # taken for the old one.
            if self._is_asked(mark):
                return
            with suppress(FileNotFoundError):
                os.unlink(self._file)
            new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            file = os.open(self._file, new, 0o600)
            os.write(file, mark)
            script = _SHELL.format(blocks=MOST_BYTES // _BLOCK)
            shell = ["/bin/sh", "-c", script, *words]
            self._shell = spawn(shell, environment(self._root), file)
            os.close(file)

    def _is_asked(self, mark: bytes) -> bool:
        """Return whether git has answered a question, or still may."""
        output = self._output()
        is_whole = _is_whole(output, mark)
        if is_whole and output.endswith(_DONE):
            return True
        try:
            silent_s = time.time() - os.stat(self._file).st_mtime
        except FileNotFoundError:
            return False
        patience_s = AGAIN_S if is_whole else _SILENCE_S
        return output.startswith(mark) and silent_s < patience_s

    def _output(self) -> bytes:
        try:
            return read_own(self._file, MOST_BYTES)
        except FileNotFoundError:  # another process is about to start git anew
            return b""


def _children(shell: int) -> list[int]:
    """Return git, the only child of a shell, if it is there yet, and still."""
    return [*map(int, read(f"/proc/{shell}/task/{shell}/children", 4096).split())]


def _is_whole(output: bytes, mark: bytes) -> bool:
    return output.startswith(mark) and output[-len(_END) - 3 : -3] == _END
