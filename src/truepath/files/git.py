"""Run git, and nothing else: the one place where a git process is started.

It reads repositories it does not trust, so nothing of theirs runs and nothing is written.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from truepath.errors import Error

_SAFE_CONFIG = (
    # A repository's own configuration can name programs; reading must start none of them.
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.untrackedCache", "keep"),
    ("diff.external", ""),
    ("log.showSignature", "false"),
    # With --follow, a log of one path names the last merge as the commit that deleted it.
    ("log.follow", "false"),
    ("gpg.program", "false"),
    ("protocol.allow", "never"),
)

_USERS_OWN = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
    "GIT_EXEC_PATH",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)


class GitError(Error):
    """Git is missing, failed, or took too long; the message is its first line."""

    def __init__(self, message: str, *, output: bytes = b"", timed_out: bool = False) -> None:
        super().__init__(message)
        self.output = output
        """What it had printed before it failed: a log may die in the middle."""
        self.timed_out = timed_out


def environment() -> dict[str, str]:
    """Return the environment for git: the user's without what ties it to a repository.

    Hosts run hooks from inside git hooks, which export GIT_DIR and GIT_INDEX_FILE; with those
    every answer would be about another repository (pre-commit strips them for the same reason).
    Where the user's settings are and where git itself is stay: containers say so this way.
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_USERS_OWN)
    }
    env["GIT_OPTIONAL_LOCKS"] = "0"
    env["GIT_NO_LAZY_FETCH"] = "1"
    # Git before 2.45 knows no such word; this list, unlike `protocol.allow`, also outranks a
    # repository's own `protocol.<name>.allow`.
    env["GIT_ALLOW_PROTOCOL"] = "none"
    env["GIT_TERMINAL_PROMPT"] = "0"
    env["GIT_NO_REPLACE_OBJECTS"] = "1"
    env["LC_ALL"] = "C"
    return env


def command(root: str, *args: str) -> list[str]:
    """Return the argument list that runs git in `root` with the repository's programs off.

    Raises:
        GitError: git is not installed.
    """
    safe = [word for key, value in _SAFE_CONFIG for word in ("-c", f"{key}={value}")]
    return [_program(), "--no-pager", *safe, "-C", root, *args]


def _program() -> str:
    """Return where git is. Only absolute folders of PATH count.

    Windows would also look into the current folder: a repository could bring its own git.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GitError("git is not installed")


def git(
    root: str,
    *args: str,
    timeout: float = 5.0,
    stdin: bytes | None = None,
    ok: tuple[int, ...] = (0,),
) -> bytes:
    """Run `git ARGS` in `root` and return its output.

    Args:
        root: The folder to run in.
        args: The git command and its arguments.
        timeout: Seconds until it is ended.
        stdin: What it reads; nothing by default.
        ok: Exit codes that count as success.

    Raises:
        GitError: git is not installed, exited otherwise, or ran out of time.
    """
    import subprocess

    try:
        done = subprocess.run(
            command(root, *args),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            timeout=timeout,
            env=environment(),
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed, or the folder is gone") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git {args[0]} took over {timeout:g} s", timed_out=True) from None
    except (OSError, ValueError) as error:
        raise GitError(f"git {args[0]} could not start: {error}") from error
    if done.returncode not in ok:
        first = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise GitError(first or f"git {args[0]} exited with {done.returncode}", output=done.stdout)
    return done.stdout


@dataclass(frozen=True, slots=True)
class Printed:
    """The names that a git process printed."""

    names: list[str]
    """Those that it ended with a NUL, in its order."""
    code: int | None
    """Its exit code; None when it was ended before it was done, and names may be missing."""


class _Names:
    """NUL-separated names, split as they arrive: while git still works, and in small pieces.

    One text of all of them would be 4 MB for 60,000 files, and each copy of it takes as long as
    a search through it.
    """

    def __init__(self) -> None:
        self.found: list[str] = []
        self._rest = b""

    def take(self, read: bytes) -> None:
        whole, _, rest = read.rpartition(b"\0")
        if len(rest) < len(read):
            self.found += os.fsdecode(self._rest + whole).split("\0")
            self._rest = rest
        else:
            self._rest += rest


_AT_ONCE = 1 << 16
"""Bytes that are read at once; a pipe holds as many on Linux."""


class Running:
    """A git process that runs beside others; whoever starts it must `end` it."""

    def __init__(self, root: str, *args: str) -> None:
        """Start `git ARGS` in `root`.

        Raises:
            GitError: git is not installed, or the folder is gone.
        """
        import subprocess

        try:
            self._process = subprocess.Popen(
                command(root, *args),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git {args[0]} could not start: {error}") from error

    def printed(self, timeout: float | None, *, most: int | None = None) -> Printed:
        """Wait until it is done and return its names.

        Args:
            timeout: Seconds after which it is ended; None: as long as it takes.
            most: Names after which it is ended, but for what is under way; None: all of them.
        """
        names = _Names()
        done = self._read(names, timeout, most)
        if not done:
            self._process.kill()
            self._read(names, None)
        code = self._process.wait()
        return Printed(names.found, code if done else None)

    def _read(self, names: _Names, timeout: float | None, most: int | None = None) -> bool:
        """Take in what it prints, as it comes; tell whether that was all within the limits."""
        pipe = self._process.stdout
        if pipe is None:  # it always has one
            return True
        if os.name == "nt":
            return self._read_beside(names, timeout, most)
        import select

        ends = None if timeout is None else time.monotonic() + timeout
        poll = select.poll()
        poll.register(pipe.fileno(), select.POLLIN)
        while True:
            rest = None if ends is None else ends - time.monotonic()
            if rest is not None and (rest <= 0 or not poll.poll(rest * 1e3)):
                return False
            read = os.read(pipe.fileno(), _AT_ONCE)
            if not read:
                return True
            names.take(read)
            if most is not None and len(names.found) > most:
                return False

    def _read_beside(self, names: _Names, timeout: float | None, most: int | None) -> bool:
        """Read as `_read` does, in a thread: Windows cannot wait for a pipe for a while."""
        import threading

        reader = threading.Thread(target=self._take_in, args=(names, most), daemon=True)
        reader.start()
        reader.join(timeout)
        late = reader.is_alive()
        if late:
            self._process.kill()
            reader.join()
        return not late and (most is None or len(names.found) <= most)

    def _take_in(self, names: _Names, most: int | None) -> None:
        """Read until there is no more, or more names than wanted."""
        pipe = self._process.stdout
        while pipe is not None and (read := os.read(pipe.fileno(), _AT_ONCE)):
            names.take(read)
            if most is not None and len(names.found) > most:
                return

    def end(self) -> None:
        """Stop it if it still runs, and leave nothing open behind."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()
        elif self._process.stdout is not None:
            self._process.stdout.close()


def zsplit(data: bytes) -> list[str]:
    """Split NUL-separated output; bytes that are not UTF-8 survive as surrogate escapes."""
    parts = os.fsdecode(data).split("\0")
    if parts and not parts[-1]:
        parts.pop()
    return parts
