"""What of a host's files is ours: what `truepath install` wrote there, compared whole.

Installing keeps a record of each file in the state folder: what the file held before, and what
truepath wrote. A hook is ours if its command is one that was recorded for that file, or one that
this installation gives. A name inside a command proves nothing: `deny.sh && truepath-hook codex` is
somebody else's. Imports next to nothing, as a hook reads it before it corrects a call.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from truepath.config.files import read
from truepath.hosts.host import Host
from truepath.records import dataclass
from truepath.types import Any

_FOLDER = "installed"

_LARGEST = 20_000_000
"""Bytes of a record, which holds a whole file of settings."""

_NAME = "truepath"
"""Stands in all that is ours, so that nothing else needs to be compared."""

_LABELS = "command bash powershell linux osx windows exec args url server tool prompt".split()
"""What tells a hook from others, in the words of any host: all that it says of these."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file that `truepath install` changed."""

    path: str
    host: str
    before: str | None
    """What it held without truepath; None for no file."""
    wrote: str
    """The digest of all that it held when truepath was put in."""
    lines: tuple[str, ...]
    """The commands that truepath put in, those of older installations too."""
    folders: tuple[str, ...] = ()
    """Folders that were made for it, outermost first."""


def digest(data: bytes) -> str:
    """Return what tells two contents of a file apart."""
    from _blake2 import blake2b  # hashlib itself would load OpenSSL, 2 ms

    return blake2b(data, digest_size=16).hexdigest()


def load(state: str, path: str) -> Record | None:
    """Return the record of a file; None where there is none, or none that can be read."""
    from json import loads

    try:
        kept = loads(read(_place(state, path), _LARGEST))
        record = Record(**{**kept, "lines": (*kept["lines"],), "folders": (*kept["folders"],)})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if record.path == known_as(path) else None


def keep(state: str, record: Record) -> None:
    """Keep a record, readable by its user alone; raises OSError where that fails."""
    from json import dumps

    from truepath.config.files import write
    from truepath.config.user_dirs import make_private

    make_private(os.path.join(state, _FOLDER))
    data = dumps({name: getattr(record, name) for name in Record.__annotations__})
    write(_place(state, record.path), data.encode())


def forget(state: str, path: str) -> None:
    """Drop the record of a file, and the folders of records where it was the last."""
    from contextlib import suppress

    with suppress(OSError):
        os.unlink(_place(state, path))
    with suppress(OSError):
        os.rmdir(os.path.join(state, _FOLDER))
        os.rmdir(state)


def owner_of_line(host: Host, state: str, path: str, line: str) -> str:
    """Return the host for which a command in a file is truepath's hook; "" for another's.

    `host` is the one that runs it, which may run what is meant for one that the line names.
    """
    if _NAME not in line:
        return ""
    record = load(state, path)
    if record is not None and line in record.lines:
        return record.host
    from truepath.hosts import HOSTS, find

    others = [find(name) for name in HOSTS if name in line and name != host.NAME]
    return next((each.NAME for each in (host, *others) if line in lines(each)), "")


def owner_of_file(host: Host, state: str, path: str, text: str) -> str:
    """Return the host for which a file, as a whole, is truepath's; "" for another's."""
    if _NAME not in text:
        return ""
    record = load(state, path)
    if record is not None and record.wrote == digest(text.encode()):
        return record.host
    return host.NAME if text in programs(host) else ""


def lines(host: Host) -> set[str]:
    """Return all commands that this installation may give a host, by whichever of its clients."""
    from truepath.hook.command import clients

    return {label(host.hook(client, 1)) for client in clients(host.NAME)}


def programs(host: Host) -> set[str]:
    """Return all files that this installation may give a host, whole."""
    from truepath.hook.command import clients

    pieces = (piece for client in clients(host.NAME) for piece in host.pieces(client))
    return {piece.content for piece in pieces if isinstance(piece.content, str)}


def handlers(entries: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each hook of an event's entries, whether they hold it or a list of hooks."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            inner = entry.get("hooks")
            yield from handlers(inner) if isinstance(inner, list) else (entry,)


def label(handler: Mapping[str, Any]) -> str:
    """Return what a hook is known by, its command as a rule; "" for what is no hook."""
    said = [handler[key] for key in _LABELS if handler.get(key)] or [handler.get("type", "")]
    return " ".join(
        " ".join(map(str, each)) if isinstance(each, list) else str(each) for each in said
    )


def known_as(path: str) -> str:
    """Return the one name of a file, by whatever links its folder is reached."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def _place(state: str, path: str) -> str:
    return os.path.join(state, _FOLDER, f"{digest(os.fsencode(known_as(path)))}.json")
