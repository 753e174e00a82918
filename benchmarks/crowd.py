"""Hooks that run at once, or beside busy programs: whether they answer as one alone
does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from clock import Line, Took

BUSY, AGAIN = 8, 10
"""Programs that do nothing but compute, and how often each question is asked beside
them."""


def at_once(
    command: Sequence[str],
    events: Sequence[str],
    files: int,
    environ: Mapping[str, str],
) -> Line:
    """Ask everything at the same time; `right` counts the answers that each has by
    itself.
    """
    expected = [_asked(command, [event], environ)[0] for event in events]
    line = Line(f"Misses, {len(events)} at once", files)
    for answer, alone in zip(_asked(command, events, environ), expected, strict=True):
        line.add(Took(0.0, 0.0), right=bool(answer) and answer == alone)
    return line


def beside_busy(
    command: Sequence[str],
    events: Sequence[str],
    files: int,
    environ: Mapping[str, str],
) -> Line:
    """Ask one after the other beside busy programs."""
    expected = [_asked(command, [event], environ)[0] for event in events]
    line = Line(f"Misses beside {BUSY} busy programs", files)
    with busy():
        for event, alone in AGAIN * [*zip(events, expected, strict=True)]:
            answer = _asked(command, [event], environ)[0]
            line.add(Took(0.0, 0.0), right=bool(answer) and answer == alone)
    return line


@contextmanager
def busy() -> Iterator[None]:
    """Keep the machine busy."""
    programs = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(BUSY)
    ]
    try:
        yield
    finally:
        for each in programs:
            each.kill()
            each.wait()


def _asked(
    command: Sequence[str], events: Sequence[str], environ: Mapping[str, str]
) -> list[bytes]:
    """Return what the hook prints for each event, all asked at once, in sessions of
    their own.
    """
    with ExitStack() as stack:
        running = []
        for event in events:
            given, printed = (
                stack.enter_context(tempfile.TemporaryFile()) for _ in range(2)
            )
            own = event.replace(
                '"session_id": "', f'"session_id": "{os.urandom(4).hex()}-'
            )
            given.write(own.encode())
            given.seek(0)
            streams = {"stdin": given, "stdout": printed, "stderr": subprocess.DEVNULL}
            running.append((subprocess.Popen(command, env=environ, **streams), printed))  # type: ignore[call-overload]
        answers = []
        for process, printed in running:
            process.wait()
            printed.seek(0)
            answers.append(printed.read())
        return answers
