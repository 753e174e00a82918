"""The warm process itself: one a user, one socket, a fork for each question.

A fork has the engine loaded and nothing else: no state of one call can reach another, what an
answer reads is read anew, and whatever breaks in it breaks there. So calls may come at once and
from any number of projects, and this process may be killed at any moment.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO

import truepath
from truepath.config.locks import Lock
from truepath.config.user_dirs import make_private, mend, state_folder
from truepath.hook import deadline
from truepath.hook.answer import reply
from truepath.hook.daemon_protocol import OK, PROTOCOL, socket_path
from truepath.records import dataclass

IDLE = 600.0
"""Seconds without a question after which the process ends."""

LARGEST = 64 * 1024 * 1024
"""Bytes of one part of a question: an event holds at most the content of one file."""

AT_ONCE = 32
"""Questions that are answered at one time; the next is told to do it itself."""

_CHECK = 5.0
"""Seconds between looks whether the socket is still ours and somebody still asks."""

_SLOWEST = 2.0
"""Seconds for a question to arrive; it is written in one go."""

_HANDOVER = 1.0
"""Seconds that a new process waits for an old one to let go."""

_OUTDATED = 3
"""The status of a fork that was asked by a newer version of us."""

_LINE, _DIGITS = 100, 9
"""Bytes of a question's first line, and digits of a part's length, at most."""


class OtherVersionError(ValueError):
    """A hook of another version asks.

    For a newer one this process makes way. An older one, such as a native client that was not
    updated along, is left to do the work itself, or the two would end each other in turns.
    """

    def __init__(self, version: str) -> None:
        super().__init__(f"version {version} asks")
        self.newer = _release(version) > _release(truepath.__version__)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a hook (see `wire`)."""

    host: str
    began: float
    environ: Mapping[str, str]
    data: bytes


def serve(environ: Mapping[str, str], *, idle: float = IDLE) -> bool:
    """Answer questions until nobody has asked for `idle` seconds, or an upgrade takes our place.

    Returns:
        Whether this process served: not where another does, or where there can be no socket.
    """
    folder = state_folder(environ)
    path = socket_path(folder)
    if path is None:
        return False
    try:
        make_private(folder)
        mend(environ)
        with Lock(lock_path(path), wait=_HANDOVER), _listening(path) as listener:
            _write_id(path)
            _Server(path, listener, idle).run()
    except TimeoutError:
        return False
    return True


def read_question(stream: BinaryIO) -> Question | None:
    """Return the question on `stream`, or None for one that only asks whether we are there.

    Raises:
        OtherVersionError: Another version of us asks.
        ValueError: The bytes are no question of a truepath hook.
    """
    line = stream.readline(_LINE)
    if line == PROTOCOL + b"?\n":
        return None
    if line not in (PROTOCOL + b"\n", b"%s %s\n" % (PROTOCOL, truepath.__version__.encode())):
        if line.startswith(PROTOCOL + b" "):
            raise OtherVersionError(line.split()[-1].decode("ascii", "replace"))
        raise ValueError(line)
    host, began, names, data = (_part(stream) for _ in range(4))
    pairs = (os.fsdecode(each).partition("=") for each in names.split(b"\0") if each)
    environ = {name: value for name, _, value in pairs}
    return Question(host.decode(), float(began), environ, data)


def stop(environ: Mapping[str, str]) -> bool:
    """End this user's warm process; the hooks it was answering do it themselves.

    Returns:
        Whether one was there.
    """
    path = socket_path(state_folder(environ))
    if path is None or not _is_held(lock_path(path)):
        return False
    try:
        with open(lock_path(path), encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGTERM)
    except (OSError, ValueError):  # it has just ended, or just begun
        return False
    return True


def _is_held(lock: str) -> bool:
    try:
        with Lock(lock, wait=0):
            return False
    except TimeoutError:
        return True
    except OSError:
        return False


def lock_path(path: str) -> str:
    """Return the file that whoever serves the socket `path` holds locked; its text is their id."""
    return f"{path}.lock"


def _write_id(path: str) -> None:
    with open(lock_path(path), "w", encoding="ascii") as file:
        file.write(str(os.getpid()))


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _part(stream: BinaryIO) -> bytes:
    digits = b""
    while (one := stream.read(1)) != b":":
        digits += one
        if not one.isdigit() or len(digits) > _DIGITS:
            raise ValueError("not a netstring")
    if int(digits) > LARGEST:
        raise ValueError("a part too large")
    part = stream.read(int(digits) + 1)
    if len(part) != int(digits) + 1 or not part.endswith(b","):
        raise ValueError("a netstring that was cut")
    return part[:-1]


def _listening(path: str) -> socket.socket:
    """Return a socket at `path` that nobody but the user can reach; the lock is held."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(old)
    listener.listen(AT_ONCE)
    listener.settimeout(_CHECK)
    return listener


class _Server:
    def __init__(self, path: str, listener: socket.socket, idle: float) -> None:
        self.path = path
        self.listener = listener
        self.idle = idle
        self.socket = _identity(path)
        self.program = _identity(truepath.__file__ or "")
        self.children = 0
        self.outdated = False

    def run(self) -> None:
        _warm()
        asked = time.monotonic()
        while time.monotonic() - asked < self.idle and self._is_current():
            try:
                link, _ = self.listener.accept()
            except TimeoutError:
                self._reap()
                continue
            asked = time.monotonic()
            with link:
                self._reap()
                if self._is_current() and self.children < AT_ONCE:
                    self._fork(link)
        if _identity(self.path) == self.socket:
            with suppress(FileNotFoundError):
                os.unlink(self.path)

    def _is_current(self) -> bool:
        """Whether the socket is still ours and the program on disk still the one that runs."""
        found = (_identity(self.path), _identity(truepath.__file__ or ""))
        return found == (self.socket, self.program) and not self.outdated

    def _fork(self, link: socket.socket) -> None:
        try:
            child = os.fork()
        except OSError:  # no room for a process: the hook does it itself
            return
        if child:
            self.children += 1
            return
        status = 0
        try:
            self.listener.close()
            status = _answer(link)
        finally:
            os._exit(status)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while self.children:
                child, status = os.waitpid(-1, os.WNOHANG)
                if not child:
                    return
                self.children -= 1
                self.outdated |= os.waitstatus_to_exitcode(status) == _OUTDATED


def _answer(link: socket.socket) -> int:
    """Answer one question, in a process of its own, and return that process's status.

    A question that fails is left unanswered: the hook then asks itself, and reports what fails.
    """
    link.settimeout(_SLOWEST)
    with link.makefile("rb") as stream:
        try:
            question = read_question(stream)
        except OtherVersionError as other:
            return _OUTDATED if other.newer else 0
        except (ValueError, OSError):
            return 0
    if question is not None:
        deadline.keep(question.began, question.environ)
        os.environ.clear()
        os.environ.update(question.environ)
        asked = (question.host, question.data, os.environ, question.began)
        try:
            reply(*asked, lambda said: link.sendall(OK + said))
        finally:
            deadline.end_programs()
    else:
        link.sendall(OK)
    return 0


def _warm() -> None:
    """Load what answers need, by answering a question or two of our own."""
    from truepath.calls.shell.command_line import operands

    workspace = truepath.Workspace.from_names(["src/app/main.py", "docs/a.md"], root="/nowhere")
    workspace.resolve("src/main.py")
    workspace.resolve("src/app/mian.py")
    operands("cat src/main.py")
    gc.collect()
    gc.freeze()  # what is shared with a fork stays shared


def _identity(path: str) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_dev, found.st_ino, found.st_mtime_ns)


def main() -> int:
    """Serve this user; the status says whether this process did."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return 0 if serve(os.environ) else 1


if __name__ == "__main__":
    sys.exit(main())
