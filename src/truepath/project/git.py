"""Run git: the only place that starts a git process.

The repositories are not trusted: none of their programs may run, and nothing is
written. That goes for git itself, and what it starts: `search_path` says where they may
be. A command that compares files of the work tree, such as `status` or `diff`,
would run the filters that the repository configures, and no setting turns all filters
off: such commands are not used.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from truepath import patience
from truepath.config.files import read, read_own, write
from truepath.config.user_dirs import home, make_private, state_folder
from truepath.errors import Error, suppress
from truepath.project.search_path import allows, folders, found

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
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
    "GIT_EXEC_PATH",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)
"""Variables that tell where git and the user's configuration are, as containers set
them."""

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
"""Whether `posix_spawn` can start a new session; elsewhere `subprocess` runs the
program."""

_NAME = "git.exe" if os.name == "nt" else "git"

_LONGEST_NOTE = 4096
"""Bytes of the file that says where git is: PATH_MAX of Linux."""

_PIPE = 1 << 20
"""Bytes that a pipe holds where the system allows it (Linux)."""

_PART = 1 << 16
"""Bytes that are read at once; memory for more would be cleared for each part."""

_PAUSE_S = 0.001
"""Seconds to let a long output gather in the pipe: git prints 4 KB at a time, and to be
woken for each costs a quarter of what git takes for 50,000 names."""

_AFTER_S = 1.0
"""Seconds to wait for the exit of a program that was killed or has closed its
output."""

_REAPED = 1000
"""In place of an exit code that nobody knows: other code in this process has waited for
the program, or the system has, because this process ignores SIGCHLD."""

_living: set[int] = set()
"""The process groups that still run."""


class GitError(Error):
    """Git is missing, failed, or took too long."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


def environment(root: str) -> dict[str, str]:
    """Return the environment for git in `root`: the user's, without what ties it to one
    repository, and without the project's programs and settings.

    An agent may run inside a git hook, where GIT_DIR and GIT_INDEX_FILE are set: every
    answer would be about that repository (pre-commit removes them for the same reason).
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(USERS_OWN)
    }
    for name in ("HOME", "XDG_CONFIG_HOME"):
        if not os.path.isabs(env.get(name, os.devnull)):  # a folder of the project
            del env[name]
    env.setdefault("HOME", home(os.environ))
    # A git may be a script, whose programs are looked for there.
    env["PATH"] = os.pathsep.join(folders(root)) or os.defpath
    return {**env, **SETTINGS}


def program(root: str) -> str:
    """Return the path of the git that is run in `root`: the one noted by `truepath
    install`, else the first on the search path.

    Raises:
        GitError: There is none that is not the project's.
    """
    noted = ""  # where git was when truepath was installed, if that is known
    with suppress(OSError, ValueError):
        note = note_of_program(state_folder(os.environ))
        noted = os.fsdecode(read_own(note, _LONGEST_NOTE))
    if noted and allows(noted, root):
        return noted
    path = found(_NAME, root)
    if path is None:
        raise GitError("git is not installed outside the project")
    return path


def note_program(state: str, root: str) -> None:
    """Note in the state folder where git is, for hooks: their PATH may be another one.

    Raises:
        OSError: It cannot be written.
    """
    path = found(_NAME, root)
    if path is not None:
        make_private(os.path.dirname(note_of_program(state)))
        write(note_of_program(state), os.fsencode(path))


def note_of_program(state: str) -> str:
    """Return the file in a state folder that says where git is."""
    return os.path.join(state, "installed", "git")


def command(root: str, *args: str) -> list[str]:
    """Return the words of `git ARGS` in `root`, with the repository's programs turned
    off.

    Raises:
        GitError: git is not installed.
    """
    safe = [word for key, value in SAFE_CONFIG for word in ("-c", f"{key}={value}")]
    return [program(root), "--no-pager", *safe, "-C", root, *args]


def git(
    root: str, *args: str, ends: float, ok: tuple[int, ...] = (0,), before: bytes = b""
) -> bytes:
    """Run `git ARGS` in `root`, with the repository's programs turned off, and return
    `before` and what it prints by `ends`, on the monotonic clock. Its standard error is
    dropped.

    Raises:
        GitError: git is not installed, cannot be started, was not done in time, printed
            too much, or its exit code is not in `ok`.
    """
    verb = next((word for word in args if not word.startswith("-")), "")
    if time.monotonic() >= ends:
        raise GitError(f"no time is left for git {verb}", timed_out=True)
    words = command(root, *args)
    run = _run if SPAWNS else _run_elsewhere
    environ = environment(root)
    try:
        printed, code = run(words, environ, ends)
        if code == _REAPED:
            # A shell tells it behind the output.
            script = """"$0" "$@"; printf '\\0%03d' $?"""
            printed, code = _run(["/bin/sh", "-c", script, *words], environ, ends)
            if code is not None:
                output, _, digits = b"".join(printed).rpartition(b"\0")
                printed = [output]
                code = int(digits)
    except (OSError, ValueError) as error:
        raise GitError(f"git {verb} could not be run: {error}") from error
    if code is None:
        raise GitError(f"git {verb} was not done in time", timed_out=True)
    if code not in ok:
        raise GitError(f"git {verb} exited with {code}")
    return b"".join((before, *printed))  # a large listing is copied once


def complaint(root: str, ends: float) -> str:
    """Return what git says if it does not work in a folder; "" if it does.

    Raises:
        GitError: As for `git`.
    """
    if not SPAWNS:
        return ""
    ask = command(root, "rev-parse", "--git-dir")
    words = ["/bin/sh", "-c", """exec "$0" "$@" 2>&1""", *ask]
    printed, code = _run(words, environment(root), ends)
    if not code or code == _REAPED:
        return ""
    return os.fsdecode(b"".join(printed)).strip()


def _run(
    words: list[str], environ: Mapping[str, str], ends: float
) -> tuple[list[bytes], int | None]:
    """Return the parts of what a program prints by `ends`, and its exit code; None if
    it is not done by then, or prints too much.
    """
    pid = 0
    printed: list[bytes] | None = None
    code: int | None = None
    end, start = os.pipe()
    with open(end, "rb", 0):
        try:
            with open(start, "wb", 0):
                pid = spawn(words, environ, start)
                _living.add(pid)
            printed = _read(end, pid, ends)
            code = None if printed is None else _exit_code(pid)
        finally:  # an alarm may raise an exception anywhere
            if pid and code is None:
                kill_group(pid)
                _exit_code(pid)
            _living.discard(pid)
    return printed or [], code


def _read(pipe: int, pid: int, ends: float) -> list[bytes] | None:
    """Return all that a program prints into a pipe; None if it is not done by `ends`,
    or with its share of the answer's CPU.
    """
    import fcntl  # not of Windows
    import select  # the same

    # Else git waits for the reader after every 64 KB.
    with suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    parts: list[bytes] = []
    size = 0
    began = now = time.monotonic()
    share_s = patience.SHARE * patience.cpu_left()
    due = began + share_s  # it cannot have used that before
    while size <= MOST_BYTES:
        left_s = max(0.0, min(ends, due) - now)
        is_ready = poll.poll(left_s * 1000)
        now = time.monotonic()
        if now >= due:
            used_s = cpu_of(pid)
            due = now + share_s - (now - began if used_s is None else used_s)
        if now >= due or (now >= ends and not is_ready):
            return None
        if not is_ready:
            continue
        part = os.read(pipe, _PART)
        if not part:
            return parts
        parts.append(part)
        size += len(part)
        is_drained = len(part) < _PART
        if is_drained and size > _PART:
            time.sleep(_PAUSE_S)
    return None


def _run_elsewhere(
    words: list[str], environ: Mapping[str, str], ends: float
) -> tuple[list[bytes], int | None]:
    """Do the same with `subprocess`."""
    # It would cost a hook 7 ms.
    from subprocess import DEVNULL, PIPE, TimeoutExpired, run

    left_s = max(0.0, ends - time.monotonic())
    try:
        done = run(
            words,
            check=False,
            env=environ,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=DEVNULL,
            timeout=left_s,
        )
    except TimeoutExpired:
        return [], None
    return [done.stdout], done.returncode


def _exit_code(pid: int) -> int | None:
    """Return the exit code of a program that was killed or has closed its output; None
    if it still runs, `_REAPED` if that is not known.
    """
    pause = 0.0005
    ends = time.monotonic() + _AFTER_S
    while time.monotonic() < ends:
        try:
            ended, status, used = os.wait4(pid, os.WNOHANG)
        except ChildProcessError:
            return _REAPED
        if ended:
            patience.spend(used.ru_utime + used.ru_stime)
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    return None


def cpu_of(pid: int) -> float | None:
    """Return the seconds of CPU that a program has used; None if the system does not
    tell.
    """
    try:
        user, system = _stat(pid)[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None


def is_asleep(pid: int) -> bool:
    """Return whether a program waits for something else than the CPU or a disk."""
    with suppress(OSError):
        return _stat(pid)[:1] == [b"S"]
    return False


def _stat(pid: int) -> list[bytes]:
    # After the name, which may contain anything.
    return read(f"/proc/{pid}/stat", 4096).rpartition(b")")[2].split()


def zsplit(data: bytes) -> list[str]:
    """Split NUL-separated output; bytes that are not UTF-8 become surrogate escapes."""
    return os.fsdecode(data).removesuffix("\0").split("\0") if data else []


def spawn(words: list[str], environ: Mapping[str, str], out: int) -> int:
    """Start a program in a new session, with its output to the file `out`; return its
    process id.

    Raises:
        OSError, ValueError: It cannot be started.
    """
    # Importing `signal` takes a millisecond.
    from _signal import SIGCHLD, SIGPIPE, SIGXFSZ  # type: ignore[import-not-found]

    null = [
        (os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)
    ]
    files = [*null, (os.POSIX_SPAWN_DUP2, out, 1)]
    # Python ignores two of the signals, and the program would inherit that; one that
    # ignores SIGCHLD does not learn how its own children ended.
    ignored = [SIGPIPE, SIGXFSZ, SIGCHLD]
    return os.posix_spawnp(
        words[0], words, environ, file_actions=files, setsid=True, setsigdef=ignored
    )


def end_all() -> None:
    """Kill every process that still runs, before this process ends."""
    for pid in [*_living]:
        kill_group(pid)


def kill_group(pid: int) -> None:
    """Kill a program of this process that was started in a session of its own, and all
    that it has started.
    """
    # It was not waited for yet, so the id is still its own.
    with suppress(OSError):
        os.killpg(pid, 9)
