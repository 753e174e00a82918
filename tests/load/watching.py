"""Memory and open files of what runs for long, looked at while it runs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PAUSE = 1.0
"""Seconds between two looks."""
_LONG = 5
"""Looks after which a process counts as one that stays: a hook has ended by then."""


class Watch:
    """Looks at one process, and at all that have a mark in their environment."""

    def __init__(self, process: int, mark: str) -> None:
        """Begin to look."""
        self._process, self._mark = process, mark.encode()
        self._seen: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._names: dict[int, str] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(_PAUSE):
            for process, name in [(self._process, "the library"), *self.marked()]:
                with suppress(OSError, IndexError, ValueError):
                    self._seen[process].append(_sizes(process))
                    self._names[process] = name

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def lasting(self) -> dict[str, list[tuple[int, int]]]:
        """Return, by name and number, bytes of memory and open files of each that stayed."""
        return {
            f"{self._names[process]} ({process})": sizes
            for process, sizes in self._seen.items()
            if len(sizes) >= _LONG
        }

    def marked(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the command of each process with the mark."""
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self._mark in (place / "environ").read_bytes():
                    words = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                    if words:  # one that has ended, and nobody asked after yet, has none
                        yield int(place.name), words.decode("utf-8", "replace").strip()[:80]

    def left(self, seconds: float) -> list[str]:
        """Return what has the mark and still runs after so long; it is ended."""
        ends = time.monotonic() + seconds
        while (found := dict(self.marked())) and time.monotonic() < ends:
            time.sleep(0.2)
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        return [*found.values()]


def _sizes(process: int) -> tuple[int, int]:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{process}/fd"))
