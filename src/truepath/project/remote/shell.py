"""A runner for every program that runs a shell: `sh`, `docker exec`, `ssh`, `kubectl exec`."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

from truepath.errors import SandboxError


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
        pipe, own = subprocess.PIPE, os.name == "posix"
        try:
            process = subprocess.Popen(
                self._program,
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                start_new_session=own,
            )
        except (OSError, ValueError) as error:
            raise SandboxError(f"{self._program[0]} cannot be started: {error}") from error
        with process:
            try:
                return process.communicate(f"{command}\n".encode("ascii"), timeout)[0]
            except subprocess.TimeoutExpired:
                with suppress(OSError):
                    os.killpg(process.pid, 9) if own else process.kill()
                raise SandboxError(f"{self._program[0]} took over {timeout:.1f} s") from None
