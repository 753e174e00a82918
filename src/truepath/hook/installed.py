"""Which entries in a host's files are truepath's, by the whole text of their commands.

`truepath install` keeps a record of each file in the state folder: its contents before,
and what truepath wrote. A hook is truepath's if its command was recorded for that file,
or is one that this installation writes. A name in a command proves nothing: `deny.sh &&
truepath-hook codex` is another hook. It imports next to nothing, because a hook uses it
before it corrects a call.
"""

from __future__ import annotations

import os
from _blake2 import blake2b
from collections.abc import Iterator, Mapping
from contextlib import suppress

from truepath import TYPE_CHECKING, Late
from truepath.config.files import read_own, write
from truepath.config.user_dirs import make_private
from truepath.hosts import HOSTS, find
from truepath.hosts.host import Host
from truepath.records import dataclass, values
from truepath.types import Any

if TYPE_CHECKING:
    import json

    from truepath.hook import command
    from truepath.project import git
else:
    json = Late("json")
    command = Late("truepath.hook.command")
    git = Late("truepath.project.git")

_FOLDER = "installed"

_LARGEST_RECORD = 20_000_000
"""Bytes of a record, which contains a whole settings file."""

_NAME = "truepath"
"""What every hook of truepath contains, so that others need no comparison."""

_LABELS = (
    "command bash powershell linux osx windows exec args url server tool prompt".split()
)
"""The fields of a hook that identify it, in the settings of any host."""


@dataclass(frozen=True, slots=True)
class Record:
    """A file that `truepath install` changed."""

    path: str
    host: str
    before: str | None
    """Its contents without truepath; None for no file."""
    wrote: str
    """The digest of its contents after the installation."""
    lines: tuple[str, ...]
    """The commands that truepath wrote, including those of older installations."""
    folders: tuple[str, ...] = ()
    """Folders that were created for it, outermost first."""


def digest(data: bytes) -> str:
    """Return the digest of a file's contents."""
    return blake2b(data, digest_size=16).hexdigest()


def load(state: str, path: str) -> Record | None:
    """Return the record of a file; None if there is none that can be read."""
    try:
        fields = json.loads(read_own(_place(state, path), _LARGEST_RECORD))
        fields["lines"] = tuple(fields["lines"])
        fields["folders"] = tuple(fields["folders"])
        record = Record(**fields)
    # A record that is broken, or of a newer version, is none.
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if record.path == known_as(path) else None


def keep(state: str, record: Record) -> None:
    """Write a record with mode 0600; raise OSError if that fails."""
    make_private(os.path.join(state, _FOLDER))
    write(_place(state, record.path), json.dumps(values(record)).encode())


def forget(state: str, path: str) -> None:
    """Remove the record of a file, and the folders of records after the last one."""
    folder = os.path.join(state, _FOLDER)
    with suppress(OSError):  # there was none
        os.unlink(_place(state, path))
    with suppress(OSError):  # they have other records, or anything else
        note = git.note_of_program(state)
        if os.listdir(folder) == [os.path.basename(note)]:
            os.unlink(note)
        os.rmdir(folder)
        os.rmdir(state)


def owner_of_line(host: Host, state: str, path: str, line: str) -> str:
    """Return the host that a command in a file is truepath's hook for; "" for another
    hook.

    `host` runs it, but it may be meant for another host that the line names.
    """
    if _NAME not in line:
        return ""
    record = load(state, path)
    if record is not None and line in record.lines:
        return record.host

    # Several programs run the hooks of `.claude/settings.json`.
    others = [find(name) for name in HOSTS if name in line and name != host.NAME]
    for owner in (host, *others):
        if line in lines(owner):
            return owner.NAME
    return ""


def owner_of_file(host: Host, state: str, path: str, text: str) -> str:
    """Return the host that a whole file is truepath's program for; "" for another
    program.
    """
    if _NAME not in text:
        return ""
    record = load(state, path)
    if record is not None and record.wrote == digest(text.encode()):
        return record.host
    for program in programs(host):
        # In TOML, truepath's hooks are the end of the user's settings.
        is_part = path.endswith(".toml") and program in text
        if is_part or program == text:
            return host.NAME
    return ""


def lines(host: Host) -> set[str]:
    """Return all commands that this installation may write for a host."""
    return {label(host.hook(client, 1)) for client in command.clients(host.NAME)}


def programs(host: Host) -> set[str]:
    """Return the contents of all whole files that this installation may write for a
    host.
    """
    contents = set()
    for client in command.clients(host.NAME):
        for piece in host.pieces(client):
            if isinstance(piece.content, str):
                contents.add(piece.content)
    return contents


def handlers(entries: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each hook of an event's entries: hooks, or lists of them."""
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        inner = entry.get("hooks")
        if isinstance(inner, list):
            yield from handlers(inner)
        else:
            yield entry


def label(handler: Mapping[str, Any]) -> str:
    """Return what identifies a hook, usually its command; "" if it is not a hook."""
    values = [handler[key] for key in _LABELS if handler.get(key)]
    if not values:
        values = [handler.get("type", "")]
    words: list[str] = []
    for value in values:
        items = value if isinstance(value, list) else [value]
        words.extend(map(str, items))
    return " ".join(words)


def known_as(path: str) -> str:
    """Return the name of a file with the links in its folder resolved."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def _place(state: str, path: str) -> str:
    return os.path.join(state, _FOLDER, f"{digest(os.fsencode(known_as(path)))}.json")
