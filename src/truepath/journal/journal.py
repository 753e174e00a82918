"""Write and read events: JSON lines in two files of a bounded size.

Writing must never fail a call, even if the disk is full or a callback raises.
"""

from __future__ import annotations

import errno
import os

from truepath.config.files import Lock, opener
from truepath.errors import suppress
from truepath.journal.event import Event, event_of, failure_of

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack
    from typing import IO, Any

    from truepath.config.settings import Settings
    from truepath.types import ToolCall

    Sink = Callable[[Event], None]

MAX_BYTES = 12_500_000
"""Size at which a file is rotated, about 25,000 events; with the rotated file at most
25 MB."""
_WAIT = 0.2
"""Seconds to wait for a file's lock."""
_START = b'{"schema":'
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ETIMEDOUT)


def journal_path(state_folder: str) -> str:
    return os.path.join(state_folder, "journal", "events.jsonl")


def sink_of(settings: Settings) -> Sink:
    """Return what writes events to the user's journal; it does nothing if the journal
    is off.
    """
    from truepath.config.user_dirs import state_folder

    path = journal_path(state_folder(os.environ))
    return JsonlSink(path) if settings.journal else lambda _: None


class Recorder:
    """Writes the events of one guard; threads may share it."""

    def __init__(
        self, project: str, policy: str, journal: Sink | None, callback: Sink | None
    ) -> None:
        """Send events, with the project's root and the policy's name, to `journal` and
        `callback`.

        If the callback raises, that is logged and recorded once.
        """
        self._of_all = {"project": project, "policy": policy}
        self._journal = journal or (lambda _: None)
        self._callback = callback
        self._recorded: dict[tuple[str, str], object] = {}

    def record(self, kind: str, call: ToolCall, **fields: Any) -> None:
        """Record one event of a call; `fields` are its other ones."""
        event = event_of(kind, call, **self._of_all, **fields)
        self._journal(event)
        try:
            if self._callback is not None:
                self._callback(event)
        except Exception as error:  # the caller's code
            what = failure_of(error)
            if self._is_first("on_event", what):
                import logging

                logging.getLogger("truepath").exception("on_event raised; calls go on")
                self._journal(
                    event_of("guard.failed", call, **self._of_all, error=what)
                )

    def failed(self, kind: str, what: str, call: ToolCall) -> None:
        """Record a failure, the same one only once."""
        if self._is_first(kind, what):
            self.record(kind, call, error=what)

    def _is_first(self, kind: str, what: str) -> bool:
        mine = object()
        # One operation, so no lock is needed.
        return self._recorded.setdefault((kind, what), mine) is mine


class JsonlSink:
    """Append each event as one line to `path`, mode 0600.

    A line is one write to a file opened for appending, under a lock, so lines of
    several processes never mix. A full file becomes `events.1.jsonl`, in place of the
    one before. An event that cannot be written is lost.
    """

    def __init__(self, path: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._wait = _WAIT

    def __call__(self, event: Event) -> None:
        """Write one event."""
        with suppress(OSError):
            self._locked_append(event.to_json().encode() + b"\n")

    def _locked_append(self, line: bytes) -> None:
        folder = os.path.dirname(os.path.abspath(self._path))
        if not os.path.isdir(folder):
            from truepath.config.user_dirs import make_private

            make_private(folder)
        lock = Lock(f"{self._path}.lock", wait=self._wait)
        try:
            lock.acquire()
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            self._wait = 0.0  # the other process may be suspended, so wait only once
            # On a local disk, appending keeps lines whole; only rotation has to wait.
            self._append(line)
            return
        try:
            self._rotate(len(line))
            self._append(line)
        finally:
            lock.release()

    def _append(self, line: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = opener(self._path, flags | getattr(os, "O_BINARY", 0))
        try:
            size = os.fstat(file).st_size
            if size > 2 * self._max_bytes:
                raise OSError(errno.EFBIG, "the journal is full and cannot be rotated")
            if os.write(file, line) != len(line):
                # A part of a line would spoil the next one.
                os.ftruncate(file, size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(file)

    def _rotate(self, more: int) -> None:
        """Rotate a full file, if possible."""
        with suppress(OSError):
            size = os.stat(self._path).st_size
            if size and size + more > self._max_bytes:
                os.replace(self._path, _rotated(self._path))


def _rotated(path: str) -> str:
    """Return the path of the full file: `events.1.jsonl` for `events.jsonl`."""
    stem, extension = os.path.splitext(path)
    return f"{stem}.1{extension}"


class EventReader:
    """Read a journal, oldest event first.

    A journal that rotates meanwhile is read whole; an invalid line is counted, never
    fatal.
    """

    def __init__(self, path: str, *, since: float | None = None) -> None:
        """Read `path` and its rotated file; only events from `since` (epoch seconds)
        on.
        """
        self.bad = 0
        """Invalid lines so far, including partial lines before valid ones."""
        self._path = path
        self._since = since

    def read(self, *, backwards: bool = False) -> Iterator[Event]:
        """Yield the events; backwards, the newest first."""
        from contextlib import ExitStack

        with ExitStack() as stack:
            files = self._opened(stack)
            for file in files if backwards else reversed(files):
                # A whole file in memory has 12.5 MB; forwards, it is one line.
                lines = reversed(file.readlines()) if backwards else file
                for line in lines:
                    event = self._event(line)
                    if event is not None and self._is_recent(event.time):
                        yield event

    def _opened(self, stack: ExitStack) -> list[IO[bytes]]:
        """Return the files, the newest first: if it rotates meanwhile, it is met again,
        never missed.
        """
        files: dict[tuple[int, int], IO[bytes]] = {}
        for name in (self._path, _rotated(self._path)):
            with suppress(FileNotFoundError):
                file = open(name, "rb", opener=opener)  # noqa: SIM115
                stack.enter_context(file)
                status = os.fstat(file.fileno())
                if self._is_recent(status.st_mtime):
                    files.setdefault((status.st_dev, status.st_ino), file)
        return [*files.values()]

    def _is_recent(self, moment: float) -> bool:
        return self._since is None or moment >= self._since

    def _event(self, line: bytes) -> Event | None:
        if not line.endswith(b"\n"):
            return None  # still being written
        event = _parsed(line)
        if event is None:
            self.bad += 1
            # A partial line of a writer that was killed may be followed by a whole one.
            begin = line.rfind(_START)
            event = _parsed(line[begin:]) if begin > 0 else None
        return event


def _parsed(line: bytes) -> Event | None:
    try:
        return Event.from_json(line)
    except ValueError:
        return None
