"""Run git: the only place that starts a git process.

The repositories are not trusted: none of their programs may run, and nothing is written. A command
that compares files of the work tree, such as `status` or `diff`, would run the filters that the
repository configures, and no setting turns all filters off: such commands are not used.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from truepath.errors import Error

SAFE_CONFIG = (
    # A repository's configuration can name programs; none of them may start.
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.untrackedCache", "keep"),
    ("diff.external", ""),
    ("log.showSignature", "false"),
    # A mailmap may be a pipe, and authors are not needed.
    ("log.mailmap", "false"),
    ("log.follow", "false"),
    ("gpg.program", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
)

USERS_OWN = (
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT"),
    *("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_EXEC_PATH", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
)
"""Variables that tell where git and the user's configuration are, as containers set them."""

SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # For git before 2.45. Unlike `protocol.allow`, it also overrides a repository's own
    # `protocol.<name>.allow`.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
"""Variables that are set for every git process."""

MOST_BYTES = 1 << 28
"""Bytes of git's output, at most: 4 million names of 60 bytes."""

SPAWNS = sys.platform in ("linux", "darwin")
"""Whether `posix_spawn` can start a new session; elsewhere `subprocess` runs the program."""

_PIPE = 1 << 20
"""Bytes that are read at once, and that a pipe holds where the system allows it (Linux)."""

_AFTER_S = 1.0
"""Seconds to wait for the exit of a program that was killed or has closed its output."""

_living: set[int] = set()
"""The process groups that still run."""


class GitError(Error):
    """Git is missing, failed, or took too long."""

    def __init__(self, message: str, *, output: bytes = b"", timed_out: bool = False) -> None:
        super().__init__(message)
        self.output = output
        """What git had printed so far."""
        self.timed_out = timed_out


def environment() -> dict[str, str]:
    """Return the environment for git: the user's, without what ties it to one repository.

    An agent may run inside a git hook, where GIT_DIR and GIT_INDEX_FILE are set: every answer would
    be about that repository (pre-commit removes them for the same reason).
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(USERS_OWN)
    }
    return {**env, **SETTINGS}


def program() -> str:
    """Return the path of git, from the absolute folders of PATH.

    Windows would also search the current folder, where a repository could put its own git.

    Raises:
        GitError: git is not installed.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GitError("git is not installed")


def command(root: str, *args: str) -> list[str]:
    """Return the words of `git ARGS` in `root`, with the repository's programs turned off.

    Raises:
        GitError: git is not installed.
    """
    safe = [word for key, value in SAFE_CONFIG for word in ("-c", f"{key}={value}")]
    return [program(), "--no-pager", *safe, "-C", root, *args]


class Running:
    """A git process in the background; the caller must `end` it. Its standard error is dropped.

    It is started by `os.posix_spawn`: `subprocess` would cost a hook 7 ms.
    """

    def __init__(self, root: str, *args: str) -> None:
        """Start `git ARGS` in `root`, with the repository's programs turned off.

        Raises:
            GitError: git is not installed, or cannot be started.
        """
        self._verb = next((word for word in args if not word.startswith("-")), "")
        self._words = command(root, *args)
        self._code: int | None = None
        self._printed: list[bytes] = []
        self._pid, self._out = 0, -1
        if not SPAWNS:
            return  # `output` runs it
        self._out, out = os.pipe()
        try:
            self._pid = spawn(self._words, environment(), out)
        except (OSError, ValueError) as error:
            self.end()
            raise GitError(f"git could not start: {error}") from error
        finally:
            os.close(out)
        _living.add(self._pid)

    def output(self, ends: float, ok: tuple[int, ...] = (0,), before: bytes = b"") -> bytes:
        """Return `before` and what it prints by `ends`, on the monotonic clock, and end it.

        Raises:
            GitError: Its exit code is not in `ok`, or it was not done in time, or printed too much.
        """
        try:
            (self._read if SPAWNS else self._run)(ends)
        except (OSError, ValueError) as error:
            raise GitError(f"git {self._verb} could not be read: {error}") from error
        finally:
            code = self._code
            self.end()
        printed = b"".join((before, *self._printed))
        if code is None:
            raise GitError(f"git {self._verb} was not done in time", output=printed, timed_out=True)
        if code not in ok:
            raise GitError(f"git {self._verb} exited with {code}", output=printed)
        return printed

    def end(self) -> None:
        """Kill its process group if it still runs, and close its output."""
        if self._code is None and self._pid:
            _kill(self._pid)
            self._wait()
        _living.discard(self._pid)
        out, self._out = self._out, -1
        if out >= 0:
            os.close(out)

    def _read(self, ends: float) -> None:
        import fcntl
        import select

        with suppress(AttributeError, OSError):  # else git waits for the reader after every 64 KB
            fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, _PIPE)
        poll, size, part = select.poll(), 0, b"-"
        poll.register(self._out, select.POLLIN)
        while part and size <= MOST_BYTES and poll.poll(max(0.0, ends - time.monotonic()) * 1e3):
            part = os.read(self._out, _PIPE)
            self._printed.append(part)
            size += len(part)
        if not part:
            self._wait()

    def _run(self, ends: float) -> None:
        from subprocess import DEVNULL, PIPE, TimeoutExpired, run

        left, env = max(0.0, ends - time.monotonic()), environment()
        with suppress(TimeoutExpired):
            done = run(  # noqa: PLW1510
                self._words, env=env, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, timeout=left
            )
            self._printed, self._code = [done.stdout], done.returncode

    def _wait(self) -> None:
        pause, ends = 0.0005, time.monotonic() + _AFTER_S
        while self._code is None and time.monotonic() < ends:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # reaped by other code in this process
                pid, status = self._pid, 0
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(pause)
                pause = min(2 * pause, 0.05)


def git(root: str, *args: str, timeout: float = 5.0, ok: tuple[int, ...] = (0,)) -> bytes:
    """Run `git ARGS` in `root` and return what it prints within `timeout` seconds.

    Raises:
        GitError: git is not installed, its exit code is not in `ok`, or it was not done in time or
            printed too much.
    """
    if timeout <= 0:
        raise GitError("no time is left for git", timed_out=True)
    return Running(root, *args).output(time.monotonic() + timeout, ok)


def zsplit(data: bytes) -> list[str]:
    """Split NUL-separated output; bytes that are not UTF-8 become surrogate escapes."""
    return os.fsdecode(data).removesuffix("\0").split("\0") if data else []


def spawn(command: Sequence[str], environ: Mapping[str, str], out: int | None) -> int:
    """Start a program in a new session, with its output to the file `out` or nowhere; return its
    process id.
    """
    # Importing `signal` takes a millisecond.
    from _signal import SIGPIPE, SIGXFSZ  # type: ignore[import-not-found]

    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    printed = [] if out is None else [(os.POSIX_SPAWN_DUP2, out, 1)]
    # Python ignores both signals, and the program would inherit that.
    ignored, words = [SIGPIPE, SIGXFSZ], [*command]
    return os.posix_spawnp(
        words[0], words, environ, file_actions=null + printed, setsid=True, setsigdef=ignored
    )


def end_all() -> None:
    """Kill every process that still runs, before this process ends."""
    for pid in [*_living]:
        _kill(pid)


def _kill(pid: int) -> None:
    # It was not waited for yet, so the id is still its own.
    with suppress(OSError):
        os.killpg(pid, 9)
