"""Run git, and nothing else: the one place where a git process is started.

It reads repositories it does not trust, so nothing of theirs runs and nothing is written. A command
that looks into a file of the work tree would run the filter that the repository names for it, and
no setting turns all filters off: such commands are not run at all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from truepath.errors import Error
from truepath.project.process import Process
from truepath.records import dataclass

_MOST_BYTES = 1 << 28
"""Bytes that git may print: 4 million names of 60 bytes, twice the files that are listed."""

_MOST_NAMES = 4_000_000
"""Names that are taken from git, for a git that prints nothing but their ends."""

_LONGEST = 1 << 20
"""Bytes of one name, for a git that prints no end of it; Linux allows a path 4,096."""

SAFE_CONFIG = (
    # A repository's own configuration can name programs; reading must start none of them.
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.untrackedCache", "keep"),
    ("diff.external", ""),
    ("log.showSignature", "false"),
    # A mailmap may be a pipe, and no author is asked for.
    ("log.mailmap", "false"),
    # With --follow, a log of one path names the last merge as the commit that deleted it.
    ("log.follow", "false"),
    ("gpg.program", "false"),
    ("protocol.allow", "never"),
)

_READS_NO_FILE = frozenset(
    (
        *("cat-file", "check-ignore", "config", "diff-index", "diff-tree", "for-each-ref"),
        *("hash-object", "log", "ls-files", "ls-tree", "merge-base", "read-tree"),
        *("rev-list", "rev-parse"),
    )
)
"""The commands that are run in a project. As they are called, none looks into a file of the work
tree, as `status` and `diff` do."""

USERS_OWN = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
    "GIT_EXEC_PATH",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)


SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Git before 2.45 knows no such word; this list, unlike `protocol.allow`, also outranks a
    # repository's own `protocol.<name>.allow`.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
"""What the environment of every git process says."""


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
        if not name.startswith("GIT_") or name.startswith(USERS_OWN)
    }
    return {**env, **SETTINGS}


def command(root: str, *args: str, ours: bool = False) -> list[str]:
    """Return the argument list that runs git in `root` with the repository's programs off.

    Raises:
        GitError: git is not installed.
        ValueError: The command may look into files, and the repository is not `ours`.
    """
    if not ours:
        only_reads(args)
    safe = [word for key, value in SAFE_CONFIG for word in ("-c", f"{key}={value}")]
    return [program(), "--no-pager", *safe, "-C", root, *args]


def only_reads(args: Sequence[str]) -> None:
    """Raise ValueError where the arguments of git may make it look into files."""
    if _verb(args) not in _READS_NO_FILE:
        raise ValueError(f"git {' '.join(args)} is none of the commands that are run")


def _verb(args: Sequence[str]) -> str:
    """Return the command among the arguments of git."""
    words = iter(args)
    for word in words:
        if word in ("-C", "-c"):
            next(words, "")
        elif not word.startswith("-"):
            return word
    return ""


def program() -> str:
    """Return where git is. Only absolute folders of PATH count.

    Windows would also look into the current folder: a repository could bring its own git.

    Raises:
        GitError: git is not installed.
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
    ours: bool = False,
) -> bytes:
    """Run `git ARGS` in `root` and return its output.

    Args:
        root: The folder to run in.
        args: The git command and its arguments.
        timeout: Seconds until it is ended.
        stdin: What it reads; nothing by default.
        ok: Exit codes that count as success.
        ours: Whether we made the repository: then any command may run.

    Raises:
        GitError: git is not installed, exited otherwise, ran out of time, or printed without end.
    """
    out = _Output()
    process = _started(command(root, *args, ours=ours), stdin or b"", complaints=True)
    ends = time.monotonic() + timeout
    try:
        whole = process.read(out.take, ends)
        code = process.code(ends) if whole else None
    except (OSError, ValueError) as error:
        raise GitError(f"git {args[0]} could not be read: {error}") from error
    finally:
        process.end()
    if out.room <= 0:
        raise GitError(f"git {args[0]} printed over {_MOST_BYTES:,} bytes")
    if code is None:
        raise GitError(f"git {args[0]} took over {timeout:g} s", timed_out=True)
    if code not in ok:
        first = process.complaint.decode("utf-8", "replace").strip().partition("\n")[0]
        raise GitError(first or f"git {args[0]} exited with {code}", output=b"".join(out.parts))
    return b"".join(out.parts)


class _Output:
    """What a process prints, up to a limit."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.room = _MOST_BYTES

    def take(self, part: bytes) -> bool:
        """Take in a part; tell whether more is wanted."""
        self.parts.append(part)
        self.room -= len(part)
        return self.room > 0


def _started(words: list[str], given: bytes | None = None, *, complaints: bool = False) -> Process:
    try:
        return Process(words, environment(), given=given, complaints=complaints)
    except FileNotFoundError:
        raise GitError("git is not installed, or the folder is gone") from None
    except (OSError, ValueError) as error:
        raise GitError(f"git could not start: {error}") from error


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

    def __init__(self, most: int) -> None:
        self.found: list[str] = []
        self._most = most
        self._room = _MOST_BYTES
        self._rest = b""

    def take(self, read: bytes) -> bool:
        """Take in a part; tell whether more is wanted."""
        self._room -= len(read)
        whole, _, rest = read.rpartition(b"\0")
        if len(rest) < len(read):
            self.found += os.fsdecode(self._rest + whole).split("\0")
            self._rest = rest
        else:
            self._rest += rest
        return self._room > 0 and len(self.found) <= self._most and len(self._rest) < _LONGEST


class Running:
    """A git process that runs beside others; the caller must `end` it."""

    def __init__(self, root: str, *args: str) -> None:
        """Start `git ARGS` in `root`.

        Raises:
            GitError: git is not installed, or the folder is gone.
        """
        self._process = _started(command(root, *args))

    def printed(
        self, timeout: float | None, *, first: float | None = None, most: int = _MOST_NAMES
    ) -> Printed:
        """Wait until it is done and return its names; one that is not is ended.

        Args:
            timeout: Seconds after which it is ended; None: as long as it takes.
            first: Seconds after which it is ended if it has printed nothing.
            most: Names after which it is ended, but for what is under way.
        """
        names, now = _Names(most), time.monotonic()
        ends = None if timeout is None else now + timeout
        try:
            whole = self._process.read(
                names.take, ends, first=None if first is None else now + first
            )
            code = self._process.code(ends) if whole else None
        except OSError:
            code = None
        if code is None:
            self.end()
        return Printed(names.found, code)

    def end(self) -> None:
        """Stop it if it still runs, and leave nothing open behind."""
        self._process.end()


def zsplit(data: bytes) -> list[str]:
    """Split NUL-separated output; bytes that are not UTF-8 survive as surrogate escapes."""
    parts = os.fsdecode(data).split("\0")
    if parts and not parts[-1]:
        parts.pop()
    return parts
