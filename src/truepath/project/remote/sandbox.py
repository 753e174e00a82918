"""Run a script in a sandbox and return its whole output, or raise an error.

The output is compressed and base64-encoded between two random marks. So a runner may
return text or bytes and add a login banner or error messages; a truncated answer is
detected.
"""

from __future__ import annotations

import binascii
import os
import re
import secrets
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from truepath.errors import SandboxError

Printed: TypeAlias = "bytes | str"

Runner: TypeAlias = "Callable[[str, float], Printed]"
"""Runs a command in a sandbox and returns its standard output.

Its arguments are the command, ASCII text for a POSIX shell, and the seconds after which
to end it. Any exception counts as no answer. """

_GRACE_S = 1.0
"""Seconds that a runner has, after its time, to end the command."""

_PAUSE_S = 30.0
"""Seconds for which a sandbox that gave no answer is not asked again, because tool
calls wait."""

_LARGEST_OUTPUT = 1 << 28
"""Bytes of a script's output, at most, as for git on disk."""

_FRAME = """{{
set --
{arguments}
pack() {{ cat; }}
if command -v gzip >/dev/null 2>&1; then pack() {{ gzip -c; }}; fi
export LC_ALL=C
packed=$({{
{script}
}} 2>/dev/null | pack | base64)
printf '\\n%s:%s:' {mark} "$(printf %s "$packed" | tr -d '\\n' | wc -c | tr -d ' ')"
printf %s "$packed"
printf ':%s\\n' {mark}
}} </dev/null"""
"""The command for a shell that runs a script and packs its output."""

_WHOLE = rb"%s:(\d{1,12}):([A-Za-z0-9+/=\s]*)"


class Sandbox:
    """A runner that runs one command at a time. Thread-safe."""

    def __init__(self, runner: Runner, timeout_s: float) -> None:
        """Take a runner and the seconds that one command may take."""
        self._runner = runner
        self.timeout_s = timeout_s
        self._lock = threading.Lock()
        self._rests_until = 0.0

    def output(self, script: str, *arguments: str) -> bytes:
        """Return what a script prints to standard output.

        Args:
            script: POSIX shell, in ASCII.
            arguments: Its `$1`, `$2` and so on: text without NUL, with surrogate
                escapes for bytes that are not UTF-8.

        Raises:
            SandboxError: There is no answer in time, or it is incomplete.
        """
        if not self._lock.acquire(timeout=self.timeout_s):
            raise SandboxError("the sandbox is busy with another command")
        try:
            if time.monotonic() < self._rests_until:
                raise SandboxError(
                    "the sandbox did not answer just now, so it is not asked again"
                )
            self._rests_until = time.monotonic() + _PAUSE_S
            text = self._text(script, arguments)
            self._rests_until = 0.0
            return _unpacked(text)
        finally:
            self._lock.release()

    def _text(self, script: str, arguments: Sequence[str]) -> bytes:
        """Return the base64 text between the marks."""
        mark = secrets.token_hex(8)
        words = "\n".join(map(_argument, arguments))
        printed = self._run(_FRAME.format(arguments=words, script=script, mark=mark))
        found = re.search(_WHOLE % mark.encode(), printed)
        if found is None:
            raise SandboxError(
                "the sandbox's answer cannot be read; is there sh and base64?"
            )
        text = b"".join(found[2].split())
        if len(text) != int(found[1]):
            raise SandboxError("the sandbox's answer is cut off")
        return text

    def _run(self, command: str) -> bytes:
        """Run a command in a thread, because a runner may exceed its time."""
        seconds = self.timeout_s
        answers: list[Printed | Exception] = []

        def run() -> None:
            try:
                answers.append(self._runner(command, seconds))
            except Exception as error:  # noqa: BLE001  the runner is the caller's code
                answers.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds + _GRACE_S)
        answer = (
            answers[0] if answers else TimeoutError(f"no answer in {seconds:.1f} s")
        )
        if isinstance(answer, Exception):
            line = " ".join(str(answer).split()) or type(answer).__name__
            raise SandboxError(f"the runner failed: {line[:200]}") from answer
        if isinstance(answer, str):
            return answer.encode("ascii", "replace")
        if not isinstance(answer, bytes):
            raise SandboxError(
                f"the runner returned {type(answer).__name__}, not bytes or text"
            )
        return answer


class ShellRunner:
    """Runs commands with a program that reads them from standard input, as `sh` does.

    `ShellRunner("docker", "exec", "-i", "box", "sh")`, `ShellRunner("ssh", "box",
    "sh")`, or `ShellRunner("sh")` for this machine. No other shell reads the command.
    """

    def __init__(self, *program: str) -> None:
        """Take a program, found on PATH, and its arguments."""
        self._program = program

    def __call__(self, command: str, timeout: float) -> bytes:
        """Return a command's output; raise SandboxError if that fails or takes too
        long.
        """
        is_posix = os.name == "posix"
        try:
            process = subprocess.Popen(
                self._program,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=is_posix,
            )
        except (OSError, ValueError) as error:
            raise SandboxError(
                f"{self._program[0]} cannot be started: {error}"
            ) from error
        with process:
            try:
                return process.communicate(f"{command}\n".encode("ascii"), timeout)[0]
            except subprocess.TimeoutExpired:
                with suppress(OSError):
                    # With what it has started, where that is in its session.
                    os.killpg(process.pid, 9) if is_posix else process.kill()
                raise SandboxError(
                    f"{self._program[0]} took over {timeout:.1f} s"
                ) from None


def _unpacked(text: bytes) -> bytes:
    try:
        packed = binascii.a2b_base64(text)
        if packed[:2] != b"\x1f\x8b":
            return packed
        reader = zlib.decompressobj(wbits=31)
        whole = reader.decompress(packed, _LARGEST_OUTPUT)
    except (ValueError, zlib.error) as error:
        raise SandboxError(f"the sandbox's answer cannot be read: {error}") from None
    if not reader.eof:
        most = f"{_LARGEST_OUTPUT:,} bytes"
        raise SandboxError(f"the sandbox's answer is incomplete or larger than {most}")
    return whole


def _argument(text: str) -> str:
    """Return the line that adds an argument, in octal: no character is special."""
    data = text.encode("utf-8", "surrogateescape")
    octal = "".join(f"\\0{byte:03o}" for byte in data)
    # A substitution strips line breaks at the end, hence the `x`.
    return f'one=$(printf %bx \'{octal}\'); set -- "$@" "${{one%x}}"'
