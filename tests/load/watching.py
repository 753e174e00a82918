"""What a process needs while it runs, and what runs on after it has ended."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PAUSE = 1.0
"""Seconds between two looks."""


class Watch:
    """Looks at the memory and the open files of one process."""

    def __init__(self, process: int) -> None:
        """Begin to look."""
        self._process, self._over = process, threading.Event()
        self.sizes: list[tuple[int, int]] = []
        """Bytes of memory and open files, at each look."""
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(_PAUSE):
            with suppress(OSError, IndexError, ValueError):
                pages = int(Path(f"/proc/{self._process}/statm").read_text().split()[1])
                files = len(os.listdir(f"/proc/{self._process}/fd"))
                self.sizes.append((pages * os.sysconf("SC_PAGE_SIZE"), files))

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()


def marked(mark: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the command of each process that has a mark in its
    environment.
    """
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (place / "environ").read_bytes():
                words = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                if words:  # one that has ended, and nobody asked after yet, has none
                    yield int(place.name), words.decode("utf-8", "replace").strip()[:80]


def left(mark: str, seconds: float) -> list[str]:
    """Return what has the mark and still runs after so long; it is ended."""
    ends = time.monotonic() + seconds
    while (found := dict(marked(mark))) and time.monotonic() < ends:
        time.sleep(0.1)
    for process in found:
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
    return [*found.values()]
