"""One change of a file on disk: whole or not at all, and undone when something after it fails."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from truepath.config.files import read
from truepath.hook.installed import Record
from truepath.install import InstallError

_MOST_BYTES = 1_000_000
"""Larger is no settings file."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds and what it is to hold; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    known: Record | None = None
    """What is recorded of it before the change."""
    record: Record | None = None
    """What is to be recorded after it; None where nothing of truepath is in the file then."""
    executable: bool = False
    """Whether the file is a program after the change."""

    @property
    def is_needed(self) -> bool:
        """Whether anything would be another afterwards."""
        if self.before != self.after:
            return True
        return self.executable and self.after is not None and not os.access(self.path, os.X_OK)


def content_of(path: str) -> bytes | None:
    """Return what a file holds, None where there is none; raises InstallError for no plain file."""
    try:
        return read(path, _MOST_BYTES)
    except FileNotFoundError:
        if os.path.islink(path):
            target = os.readlink(path)
            raise InstallError(f"{path}: is a link to {target}, which does not exist") from None
        return None
    except OSError as error:
        raise _refusal(path, "cannot be read", error) from error


def missing_folders(path: str) -> tuple[str, ...]:
    """Return the folders that a file needs and that are not there, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while folder and not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def remove_folders(folders: Sequence[str]) -> None:
    """Remove folders that are empty, innermost first; the others stay."""
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)


def put(path: str, data: bytes | None, problem: str, *, executable: bool = False) -> None:
    """Have a file hold `data`, with the folders that it needs; None for no file.

    Raises InstallError, with `problem` as what cannot be done.
    """
    try:
        if data is not None:
            os.makedirs(os.path.dirname(os.path.realpath(path)), exist_ok=True)
            _write(path, data, executable=executable)
        elif os.path.lexists(path):
            os.unlink(path)
    except OSError as error:
        raise _refusal(path, problem, error) from error


def _write(path: str, data: bytes, *, executable: bool) -> None:
    """Replace a file in one step; a link goes on leading to it, and its mode stays."""
    real = os.path.realpath(path)
    if os.path.exists(real) and not os.access(real, os.W_OK):  # its user does not want it changed
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    descriptor, new = tempfile.mkstemp(prefix=".truepath-", dir=os.path.dirname(real))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _take_over(real, new)
        if executable:
            mode = stat.S_IMODE(os.stat(new).st_mode)
            os.chmod(new, mode | (mode & 0o444) >> 2)  # run by whoever may read it
        os.replace(new, real)
    except BaseException:  # an interruption, too, must not leave this file beside the user's
        with suppress(OSError):
            os.unlink(new)
        raise


def _take_over(old: str, new: str) -> None:
    """Give a new file the mode and the owner of the one it replaces, or those of any new file."""
    if not os.path.exists(old):
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(new, 0o666 & ~mask)
        return
    shutil.copystat(old, new)
    os.utime(new)
    if hasattr(os, "chown"):
        status = os.stat(old)
        with suppress(OSError):  # only root gives a file away; for all others it is theirs already
            os.chown(new, status.st_uid, status.st_gid)


def _refusal(path: str, what: str, error: OSError) -> InstallError:
    return InstallError(f"{path}: {what} ({error.strerror or error})")
