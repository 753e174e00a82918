"""What is remembered of each file that was changed: how it was before, and what was made for it.

Kept in the state folder, not beside the file: settings can hold keys, and a copy of them must not
end up in a project's repository.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from json import dumps, loads
from typing import Any

from truepath.config.private_file import write
from truepath.install import InstallError

_FOLDER = "installed"


@dataclass(frozen=True, slots=True)
class Record:
    """How a file was before it was changed the first time."""

    path: str
    backup: str = ""
    """The copy of it, absolute; "" where there was no file."""
    folders: tuple[str, ...] = ()
    """Folders that were made for it, outermost first."""
    wrote: str = ""
    """The digest of what was last written into it."""

    def original(self) -> bytes | None:
        """Return what the file held, None for no file; raises OSError where the copy is gone."""
        if not self.backup:
            return None
        with open(self.backup, "rb") as file:
            return file.read()


def digest(data: bytes) -> str:
    """Return what tells two contents of a file apart."""
    return sha256(data).hexdigest()


def load(state: str, path: str) -> Record | None:
    """Return the record of a file; None for none that can be read."""
    record = _read(_name(state, path))
    return record if record and record.path == path else None


def _read(name: str) -> Record | None:
    try:
        with open(name, "rb") as file:
            return _record(loads(file.read()))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def keep(state: str, record: Record, original: bytes | None = None) -> Record:
    """Keep a record, with a copy of what the file held where that is given.

    Raises:
        InstallError: The state folder cannot be written.
    """
    try:
        os.makedirs(os.path.join(state, _FOLDER), mode=0o700, exist_ok=True)
        if original is not None:
            backup = _free(f"{_name(state, record.path)[:-5]}-{os.path.basename(record.path)}")
            write(backup, original, lasting=True)
            record = Record(record.path, backup, record.folders, record.wrote)
        write(_name(state, record.path), dumps(asdict(record)).encode(), lasting=True)
    except OSError as error:
        why = error.strerror or error
        raise InstallError(
            f"{state}: no copy of {record.path} can be kept there ({why})"
        ) from error
    return record


def forget(state: str, record: Record, *, backup: bool) -> None:
    """Drop a record, with the copy if `backup`."""
    with suppress(OSError):
        os.unlink(_name(state, record.path))
    if backup and record.backup:
        with suppress(OSError):
            os.unlink(record.backup)
    for folder in (os.path.join(state, _FOLDER), state):
        with suppress(OSError):
            os.rmdir(folder)


def pass_on(state: str, folders: Sequence[str]) -> None:
    """Leave folders that were made for a file to another of truepath's files in them."""
    with suppress(OSError):
        for name in os.listdir(os.path.join(state, _FOLDER)) if folders else ():
            record = _read(os.path.join(state, _FOLDER, name))
            if record and record.path.startswith(os.path.join(folders[-1], "")):
                keep(state, replace(record, folders=(*folders, *record.folders)))
                return


def _record(kept: Mapping[str, Any]) -> Record:
    return Record(
        str(kept["path"]), str(kept["backup"]), tuple(kept["folders"]), str(kept["wrote"])
    )


def _name(state: str, path: str) -> str:
    return os.path.join(state, _FOLDER, f"{digest(os.fsencode(path))[:16]}.json")


def _free(path: str) -> str:
    """Return a name that is not taken: a copy that was left to the user stays."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = f"{path}.{number}"
    return free
