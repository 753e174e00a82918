"""A runner for every program that runs a shell: `sh`, `docker exec`, `ssh`, `kubectl exec`."""

from __future__ import annotations

import os
import time

from truepath.errors import SandboxError
from truepath.project.process import Process

_LARGEST = 1 << 28
"""Bytes that are read of an answer."""


class ShellRunner:
    """Runs commands with a program that reads them from its standard input, as `sh` does.

    `ShellRunner("docker", "exec", "-i", "box", "sh")`, `ShellRunner("ssh", "box", "sh")`,
    `ShellRunner("sh")` for this machine. No shell of this machine sees the command.
    """

    def __init__(self, *program: str) -> None:
        """Take a program and its arguments; it is found on PATH."""
        self._program = program

    def __call__(self, command: str, timeout: float) -> bytes:
        """Run a command and return what it printed.

        Raises:
            SandboxError: The program cannot be started, or took too long.
        """
        try:
            process = Process(self._program, os.environ, given=f"{command}\n".encode("ascii"))
        except (OSError, ValueError) as error:
            raise SandboxError(f"{self._program[0]} cannot be started: {error}") from error
        parts: list[bytes] = []
        room = [_LARGEST]

        def heard(part: bytes) -> bool:
            parts.append(part)
            room[0] -= len(part)
            return room[0] > 0

        try:
            if not process.read(heard, time.monotonic() + timeout):
                raise SandboxError(f"{self._program[0]} took over {timeout:.1f} s")
        finally:
            process.end()
        return b"".join(parts)
