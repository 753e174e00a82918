"""Run an MCP server as a process behind a relay."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import BufferedReader, FileIO
from threading import Lock, Thread
from typing import TypeVar, cast

from truepath.errors import Error
from truepath.mcp.relay import Passed, Relay

_PART = 1 << 16
"""Bytes that are read at once: the capacity of a pipe on Linux."""

Line = TypeVar("Line", bytes, Passed)


class ServerError(Error):
    """The server's program cannot be started."""


def serve(command: Sequence[str], relay: Relay) -> int:
    """Run a server until it ends, with the relay between it and the client.

    The client is at standard input and output; the server's standard error is passed
    through. When the client closes its input, the server's is closed.

    Args:
        command: The server's program and arguments.
        relay: Handles each line.

    Returns:
        The server's exit code; 128 plus the signal's number if a signal ended it.

    Raises:
        ServerError: There is no such program, or it cannot be started.
    """
    program = shutil.which(command[0])
    if program is None:
        raise ServerError(
            f"cannot start the MCP server: there is no program {command[0]!r}"
        )
    try:
        server = subprocess.Popen(
            [program, *command[1:]], stdin=-1, stdout=-1, bufsize=0
        )
    except OSError as error:
        raise ServerError(f"cannot start the MCP server: {error}") from error
    # A client ends the relay; the server must not outlive it.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), lambda *_: server.terminate())
    # A terminal sends Ctrl-C to the server too, which then ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Without a buffer, both are raw files.
    from_server = cast("FileIO", server.stdout)
    to_server = _Output(cast("FileIO", server.stdin))
    to_client = _Output(FileIO(1, "w", closefd=False))
    # A daemon, because it waits for the client's next line when the server has ended.
    Thread(target=_from_client, args=(relay, to_server, to_client), daemon=True).start()
    for line in _lines(from_server):
        to_client.send(_safely(relay.from_server, line, line))
    code = server.wait()
    return code if code >= 0 else 128 - code


class _Output:
    """A stream that several threads write whole lines to; if it is closed, lines are
    dropped.
    """

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self._lock = Lock()
        self._open = True

    def send(self, data: bytes) -> None:
        with self._lock:
            rest = memoryview(data)
            with suppress(OSError):  # its reader is gone
                while rest and self._open:
                    # A raw file may take a part, or nothing if it does not block.
                    written = self._file.write(rest) or 0
                    rest = rest[written:]

    def close(self) -> None:
        with self._lock:
            self._open = False
            self._file.close()


def _from_client(relay: Relay, to_server: _Output, to_client: _Output) -> None:
    # Not `sys.stdin`, whose lock the interpreter takes when it exits.
    for line in _lines(FileIO(0, closefd=False)):
        passed = _safely(relay.from_client, line, Passed(line))
        to_server.send(passed.to_server)
        to_client.send(passed.to_client)
    to_server.close()


def _lines(file: FileIO) -> Iterator[bytes]:
    """Yield each line of a stream with its end, until it ends or breaks."""
    with suppress(OSError):
        yield from BufferedReader(file, _PART)


def _safely(work: Callable[[bytes], Line], line: bytes, otherwise: Line) -> Line:
    """Return the result for a line; the line unchanged if truepath fails."""
    try:
        return work(line)
    except Exception as error:  # noqa: BLE001  a fault here must not cost a message
        sys.stderr.write(f"truepath relay: {type(error).__name__}: {error}\n")
        return otherwise
