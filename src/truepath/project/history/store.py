"""Keep a repository's departures on disk between processes.

One file a repository: a header line with a CRC of the rest, and the events, sorted by path, so that
a look-up is one search in bytes and nothing is parsed that was not asked for. It is not compressed:
every miss would have to unpack all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from zlib import crc32

from truepath.config.private_file import write
from truepath.config.regular_file import read
from truepath.config.user_dirs import make_private
from truepath.project.history.log import Event, clean, is_id

_FORMAT = "truepath-history-3"

_LARGEST = 64 * 1024 * 1024
"""Bytes a map may have; git/git's has 0.4 MB, ansible's 3.7 MB."""


class Map:
    """The departures of all commits that `tip` can reach."""

    def __init__(self, identity: str, tip: str, events: Iterable[Event]) -> None:
        self.identity = identity
        self.tip = tip
        kept = sorted({_line(event) for event in events if clean(event.old + event.new)})
        self._body = b"\n" + b"".join(kept)

    def departures(self, path: str) -> list[Event]:
        """Return the events of exactly this path, youngest first."""
        found = self._starting(os.fsencode(path) + b"\0")
        return sorted(found, key=lambda event: -event.order)

    def under(self, folder: str, limit: int = 5000) -> list[Event]:
        """Return the events of what lay in this folder, at any depth."""
        found = self._starting(os.fsencode(folder) + b"/")
        return list(islice(found, limit))

    def paths(self) -> set[str]:
        """Return every path that left."""
        lines = os.fsdecode(self._body).split("\n")
        return {line.partition("\0")[0] for line in lines if line}

    def events(self) -> Iterator[Event]:
        """Return all events, by path."""
        return filter(None, map(_event, self._body.split(b"\n")))

    def _starting(self, key: bytes) -> Iterator[Event]:
        at = self._body.find(b"\n" + key) + 1
        while at and self._body.startswith(key, at):
            end = self._body.find(b"\n", at)
            event = _event(self._body[at:end]) if end > 0 else None
            if event:
                yield event
            at = end + 1

    def pack(self) -> bytes:
        """Return the map as the bytes of a file."""
        told = f"{self.identity}\0{self.tip}".encode("utf-8", "surrogateescape") + self._body
        return f"{_FORMAT}\0{crc32(told):08x}\0".encode() + told


def unpack(data: bytes, identity: str) -> Map | None:
    """Return the map in `data`; None when it is damaged or another repository's."""
    try:
        whose, tip, body = _parts(data)
    except ValueError:
        return None
    if whose != identity:
        return None
    found = Map(identity, tip, ())
    found._body = body  # noqa: SLF001  the packed form is the map's own
    return found


def identity_of(data: bytes) -> str:
    """Return which repository a stored map is of.

    Raises:
        ValueError: The data is damaged, or no map of this version.
    """
    return _parts(data)[0]


def _parts(data: bytes) -> tuple[str, str, bytes]:
    """Return a map's repository, its tip and its body; ValueError for anything else."""
    begin = data.index(b"\n")
    form, check, whose, tip = data[:begin].decode("utf-8", "surrogateescape").split("\0")
    told = len(form) + len(check) + 2  # both are ASCII where they are right
    with memoryview(data) as whole:
        if form != _FORMAT or check != f"{crc32(whole[told:]):08x}":
            raise ValueError("damaged, or no map of this version")
    return whose, tip, data[begin:]


def load(path: str, identity: str) -> Map | None:
    """Return the stored map; None when there is none that can be used."""
    try:
        data = read(path, _LARGEST)
    except OSError:
        return None
    return unpack(data, identity)


def save(path: str, stored: Map) -> bool:
    """Put a map in the place of the one before, whole or not at all; return whether it worked.

    One that is too large to be read again is not written.
    """
    packed = stored.pack()
    if len(packed) > _LARGEST:
        return False
    try:
        make_private(os.path.dirname(path))
        write(path, packed)
    except OSError:
        return False
    return True


def _line(event: Event) -> bytes:
    fields = (event.old, event.new, event.score, event.commit, event.date, event.order)
    return os.fsencode("\0".join(map(str, fields)) + "\n")


def _event(line: bytes) -> Event | None:
    """Return the event of a line; None where it has another form."""
    try:
        old, new, score, commit, date, order = os.fsdecode(line).split("\0")
        return Event(old, new, int(score), commit, date, int(order)) if is_id(commit) else None
    except ValueError:
        return None
