"""Run a script in a sandbox and return every byte that it printed, or raise one error.

What a script prints is compressed and encoded in letters, between two marks that nobody can guess.
So a runner may return text or bytes, add what a login prints, mix in error messages, or cut long
answers: what is cut is asked for again in pages.
"""

from __future__ import annotations

import binascii
import re
import secrets
import threading
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from truepath.errors import SandboxError

Printed: TypeAlias = "bytes | str"

Runner: TypeAlias = "Callable[[str, float], Printed | Awaitable[Printed]]"
"""Runs a command in a sandbox, and returns what it printed to standard output.

It takes the command, a line for a POSIX shell in ASCII, and the seconds after which it is ended.
The answer may be text or bytes, and may come from a coroutine. Anything it raises counts as no
answer.
"""

_GRACE = 1.0
"""Seconds beyond its time that a runner is waited for: it ends the command itself in them."""

_PAUSE = 30.0
"""Seconds for which a sandbox that gave no answer is not asked again: each question would keep a
tool call waiting."""

_LARGEST = 1 << 28
"""Bytes that a script may print, as for git on disk."""

_SMALLEST_PAGE = 1_000
"""Characters: a runner that cuts answers shorter than that is of no use."""

_MOST_PAGES = 100
"""Commands for one answer; a third of them list 200,000 names where answers are cut at 100,000
characters (`tests/resolve/test_remote.py`)."""

_FRAME = """{{
set --
{arguments}
if command -v gzip >/dev/null 2>&1; then pack() {{ gzip -c; }}; else pack() {{ cat; }}; fi
export LC_ALL=C
packed=$({{
{script}
}} 2>/dev/null | pack | base64)
printf '\\n%s:%s:' {mark} "$(printf %s "$packed" | tr -d '\\n' | wc -c | tr -d ' ')"
printf %s "$packed"{page}
printf ':%s\\n' {mark}
}} </dev/null"""
"""A script in a shell's words: what it prints goes through `packed`."""

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-=:,+@^{}")
"""Characters of an argument that are written as they are; all others as octal numbers."""


class Sandbox:
    """A runner, asked one thing at a time; safe to ask from several threads."""

    def __init__(self, runner: Runner, timeout_s: float) -> None:
        """Take a runner, and the seconds that one command may take."""
        self._runner, self.timeout_s = runner, timeout_s
        self._lock = threading.Lock()
        self._rests_until = 0.0

    def output(self, script: str, *arguments: str, vital: bool = True) -> bytes:
        """Return what a script prints.

        Args:
            script: POSIX shell, in ASCII. Its standard error is dropped.
            arguments: What it finds in `$1`, `$2` and so on: any text without NUL, with surrogate
                escapes for bytes that are not UTF-8.
            vital: Whether a sandbox that does not answer this is not asked anything for a while.

        Raises:
            SandboxError: No answer in time, or one that is not whole.
        """
        if not self._lock.acquire(timeout=self.timeout_s):
            raise SandboxError("the sandbox is busy with another command")
        try:
            if time.monotonic() < self._rests_until:
                raise SandboxError("the sandbox gave no answer lately, so it is left alone")
            try:
                return self._whole(script, arguments)
            except SandboxError:
                if vital:
                    self._rests_until = time.monotonic() + _PAUSE
                raise
        finally:
            self._lock.release()

    def _whole(self, script: str, arguments: Sequence[str]) -> bytes:
        ends = time.monotonic() + self.timeout_s
        answer, length = self._part(script, arguments, "", ends)
        if len(answer.text) != answer.size:
            answer = self._paged(script, arguments, length, ends)
        return _unpacked(answer.text)

    def _paged(self, script: str, arguments: Sequence[str], length: int, ends: float) -> _Answer:
        """Return an answer in pages as long as what came through of it, its frame taken off."""
        size = max(_SMALLEST_PAGE, (length - 2 * _SMALLEST_PAGE) * 9 // 10)
        text, total = b"", None
        for page in range(_MOST_PAGES):
            cut = f" | tail -c +{page * size + 1} | head -c {size}"
            answer, _ = self._part(script, arguments, cut, ends)
            if total not in (None, answer.size):
                raise SandboxError("what the sandbox says changes while it is read")
            # A change that keeps the size is found by the check sum that gzip puts at the end.
            total, text = answer.size, text + answer.text
            if len(text) >= total:
                return _Answer(text, total)
            if not answer.text:
                break
        raise SandboxError("the sandbox cuts off what it prints")

    def _part(
        self, script: str, arguments: Sequence[str], page: str, ends: float
    ) -> tuple[_Answer, int]:
        mark = secrets.token_hex(8)
        words = "\n".join(map(_argument, arguments))
        command = _FRAME.format(arguments=words, script=script, mark=mark, page=page)
        seconds = ends - time.monotonic()
        if seconds <= 0:
            raise SandboxError(f"the sandbox took over {self.timeout_s:g} s")
        printed = self._run(command, seconds)
        return _framed(printed, mark.encode()), len(printed)

    def _run(self, command: str, seconds: float) -> bytes:
        """Run a command in a thread: a runner may not keep to its time."""
        answers: list[Printed] = []
        faults: list[Exception] = []

        def run() -> None:
            try:
                answers.append(_awaited(self._runner(command, seconds)))
            except Exception as error:  # noqa: BLE001  the runner is the caller's code
                faults.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds + _GRACE)
        if faults:
            raise SandboxError(f"the runner failed: {_line(faults[0])}") from faults[0]
        if not answers:
            self._rests_until = time.monotonic() + _PAUSE
            raise SandboxError(f"the runner gave no answer in {seconds:.1f} s")
        answer = answers[0]
        if isinstance(answer, str):
            return answer.encode("ascii", "replace")
        if not isinstance(answer, bytes):
            raise SandboxError(f"the runner returned {type(answer).__name__}, not bytes or text")
        return answer


class _Answer:
    """What came between the marks."""

    def __init__(self, text: bytes, size: int) -> None:
        self.text, self.size = text, size
        """The letters, and how many there are in all."""


_WHOLE = rb"%s:(\d{1,12}):([A-Za-z0-9+/=\s]*)"


def _framed(printed: bytes, mark: bytes) -> _Answer:
    found = re.search(_WHOLE % mark, printed)
    if found is None:
        raise SandboxError("the sandbox's answer cannot be read; is there sh and base64?")
    # Without its end, or with a gap, it is shorter than it says.
    return _Answer(b"".join(found[2].split()), int(found[1]))


def _unpacked(text: bytes) -> bytes:
    try:
        packed = binascii.a2b_base64(text)
        if packed[:2] != b"\x1f\x8b":
            return packed
        reader = zlib.decompressobj(wbits=31)
        whole = reader.decompress(packed, _LARGEST)
    except (ValueError, zlib.error) as error:
        raise SandboxError(f"the sandbox's answer cannot be read: {error}") from None
    if not reader.eof:
        raise SandboxError(f"the sandbox's answer is no whole one below {_LARGEST:,} bytes")
    return whole


def _argument(text: str) -> str:
    """Return the line that adds an argument; no character of it has a meaning for the shell."""
    data = text.encode("utf-8", "surrogateescape")
    octal = "".join(chr(byte) if byte in _PLAIN else f"\\0{byte:03o}" for byte in data)
    # The substitution would take line breaks off the end of what is printed.
    return f'one=$(printf %bx \'{octal}\'); set -- "$@" "${{one%x}}"'


def _awaited(answer: Printed | Awaitable[Printed]) -> Printed:
    import inspect

    if not inspect.isawaitable(answer):
        return answer

    async def finish() -> Printed:
        return await answer

    import asyncio

    return asyncio.run(finish())


def _line(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:200]
