"""The hook's side of the warm process: ask it, and have one started. Never raises OSError.

Whatever the other side does, the hook can still answer by itself, so every doubt is a None.
"""

from __future__ import annotations

import errno
import os
import sys
from stat import S_ISSOCK

from truepath.config import is_off
from truepath.config.user_dirs import state_folder
from truepath.hook.daemon_protocol import OK, PROTOCOL, question, socket_path

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT = 0.05
"""Seconds for a connection; a process that is alive takes some 0.05 ms."""

TIMEOUT_S = 1.2
"""Seconds for an answer; most take a tenth of one. The hook has two in all (`hook.deadline`): it is
to have time left to find the answer by itself."""

PRESENT = 0.3
"""Seconds for a word that it is there at all; a fork takes some milliseconds."""

_CHUNK = 65536
_MOST_CHUNKS = 100_000
"""Parts of an answer: it holds an event of at most 64 MB, and a part may be small."""


def wanted(environ: Mapping[str, str]) -> bool:
    """Return whether this user and system can have a warm process: `TRUEPATH_SERVE=0` means no."""
    return not is_off(environ, "TRUEPATH_SERVE") and hasattr(os, "fork")


def ask(host: str, data: bytes, environ: Mapping[str, str], began: float) -> bytes | None:
    """Return the answer to an event; None where there is no warm process, or none that answers.

    Args:
        host: A host of the table.
        data: The event, as the host wrote it.
        environ: The agent's environment.
        began: When the hook began, seconds since the epoch.
    """
    path = socket_path(state_folder(environ)) if wanted(environ) else None
    if path is None or not _is_ours(path):
        return None
    from truepath import __version__

    asked = question(__version__, host, began, environ, data)
    try:
        said = _exchange(path, asked, timeout_s(environ))
    except OSError:
        return None
    if not said.startswith(OK):
        return None
    answer = said.removeprefix(OK)
    return answer if not answer or _is_whole(answer) else None


def timeout_s(environ: Mapping[str, str]) -> float:
    """Return the seconds for an answer, in a hook that may have more time than usual."""
    from truepath.hook import deadline

    return TIMEOUT_S * deadline.seconds(environ) / deadline.SECONDS


def _is_whole(answer: bytes) -> bool:
    """Whether an answer came to its end; it is cut where the other side was killed."""
    from json import loads

    try:
        return isinstance(loads(answer), dict)
    except ValueError:
        return False


def start(environ: Mapping[str, str]) -> None:
    """Have a warm process started, and return at once; nothing where one is alive or unwanted.

    It is nobody's child, holds none of our streams, and ends by itself when nothing is asked.
    """
    folder = state_folder(environ)
    path = socket_path(folder) if wanted(environ) else None
    if path is None or _answers(path) or not os.path.isabs(sys.executable or ""):
        return
    from truepath.config.settings import load

    if not load(None, environ).serve:
        return
    first = os.fork()
    if first:
        os.waitpid(first, 0)
        return
    try:
        _become_server(folder)
    finally:
        os._exit(0)


def is_running(environ: Mapping[str, str]) -> bool:
    """Return whether a warm process of this user answers."""
    path = socket_path(state_folder(environ))
    return path is not None and _answers(path)


def hangs(environ: Mapping[str, str]) -> bool:
    """Return whether a warm process of this user takes questions and answers none."""
    path = socket_path(state_folder(environ))
    if path is None or not _is_ours(path):
        return False
    try:
        _exchange(path, PROTOCOL + b"?\n", TIMEOUT_S)
    except TimeoutError:
        return True
    except OSError:
        return False
    return False


def _become_server(folder: str) -> None:
    os.setsid()
    if os.fork():
        return
    os.chdir(folder)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.closerange(3, 256)
    paths = os.pathsep.join([os.path.abspath(path) for path in sys.path if path])
    command = [sys.executable, "-m", "truepath.hook.daemon"]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": paths})  # noqa: S606  our own interpreter


def _is_ours(path: str) -> bool:
    """Whether a socket is there and the user's own: whoever made another could read our event."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid()


def _answers(path: str) -> bool:
    if not _is_ours(path):
        return False
    try:
        # Asks nothing; a process that has been asked by another version takes its leave on it.
        return _exchange(path, PROTOCOL + b"?\n", PRESENT).startswith(OK)
    except OSError:
        return False


def _exchange(path: str, said: bytes, timeout_s: float) -> bytes:
    # Not `socket`: that imports 24 modules more, 4 ms.
    import _socket
    from time import monotonic

    ends = monotonic() + timeout_s
    link = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        link.settimeout(CONNECT)
        link.connect(path)
        link.settimeout(timeout_s)
        link.sendall(said)
        answer = []
        while part := link.recv(_CHUNK):
            answer.append(part)
            link.settimeout(max(0.001, ends - monotonic()))
            if len(answer) > _MOST_CHUNKS:
                raise OSError(errno.EFBIG, "an answer without an end", path)
        return b"".join(answer)
    finally:
        link.close()
