"""Write and read events: JSON lines in two files of a bounded size, and beside them the
number of events that could not be written.

Writing must never fail a call, even if the disk is full or a callback raises.
"""

from __future__ import annotations

import errno
import os

from truepath import TYPE_CHECKING, Late
from truepath.config.files import Lock, own_opener, read_own, write
from truepath.config.user_dirs import make_private, state_folder
from truepath.errors import suppress
from truepath.journal.event import Event, event_of, failure_of
from truepath.records import dataclass

if TYPE_CHECKING:
    import contextlib
    import logging
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack
    from typing import IO, Any

    from truepath.config.settings import Settings
    from truepath.types import ToolCall

    Sink = Callable[[Event], None]
else:
    contextlib = Late("contextlib")
    logging = Late("logging")

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

    def record(self, kind: str, call: ToolCall, **fields: Any) -> Event:
        """Record one event of a call and return it; `fields` are its other ones."""
        event = event_of(kind, call, **self._of_all, **fields)
        self._journal(event)
        try:
            if self._callback is not None:
                self._callback(event)
        except Exception as error:  # noqa: BLE001  the caller's code
            what = failure_of(error)
            if self._is_first("on_event", what):
                logging.getLogger("truepath").exception("on_event raised; calls go on")
                self._journal(
                    event_of("guard.failed", call, **self._of_all, error=what)
                )
        return event

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
    one before. An event that cannot be written is lost, and counted.
    """

    def __init__(self, path: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._wait = _WAIT

    def __call__(self, event: Event) -> None:
        """Write one event, or count it as lost."""
        try:
            self.write(event)
        except OSError:
            with suppress(OSError):
                _count_loss(self._path, event.time)

    def write(self, event: Event) -> None:
        """Write one event.

        Raises:
            OSError: It could not be written.
        """
        self._locked_append(event.to_json().encode() + b"\n")
        _prepare_losses(self._path)

    def _locked_append(self, line: bytes) -> None:
        folder = os.path.dirname(os.path.abspath(self._path))
        if not os.path.isdir(folder):
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
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        file = own_opener(self._path, flags | getattr(os, "O_BINARY", 0))
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
                # What is lost is of the time that the journal is about.
                write(_losses_file(self._path), _NO_LOSSES)


_LOSSES = b"%012d %017.6f %017.6f\n"
"""How many events are lost, and when the first and the last one was."""

_NO_LOSSES = _LOSSES % (0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Losses:
    """The events that could not be written."""

    count: int
    first: float
    """When the first of them was, in seconds since the epoch."""
    last: float


def losses(path: str) -> Losses | None:
    """Return the losses of a journal; None if there are none."""
    try:
        count, first, last = read_own(_losses_file(path), 4096).split()
        lost = Losses(int(count), float(first), float(last))
    except (OSError, ValueError):
        return None
    return lost if lost.count else None


def _losses_file(path: str) -> str:
    return f"{path}.lost"


def _prepare_losses(path: str) -> None:
    """Make the file for losses while the disk has room: later it keeps its size."""
    file = _losses_file(path)
    with suppress(OSError):
        # An empty one was made when there was no room for more.
        if not os.path.exists(file) or not os.path.getsize(file):
            write(file, _NO_LOSSES)


def _count_loss(path: str, moment: float) -> None:
    """Count an event that is lost.

    Raises:
        OSError: That cannot be written either.
    """
    before = losses(path) or Losses(0, moment, moment)
    line = _LOSSES % (before.count + 1, before.first, moment)
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    file = own_opener(_losses_file(path), flags | getattr(os, "O_BINARY", 0))
    try:
        # In its place: a file of its own name would need room.
        os.write(file, line)
    finally:
        os.close(file)


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
        with contextlib.ExitStack() as stack:
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
                file = open(name, "rb", opener=own_opener)  # noqa: SIM115
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
