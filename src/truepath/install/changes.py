"""One change of a file on disk: whole or not at all, and undone when something after it fails."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass

from truepath.install import InstallError

_MOST_BYTES = 10_000_000
"""Larger is no settings file."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds and what it is to hold; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
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
        status = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            target = os.readlink(path)
            raise InstallError(f"{path}: is a link to {target}, which does not exist") from None
        return None
    except OSError as error:
        raise _refusal(path, "cannot be read", error) from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no file"
        raise InstallError(f"{path}: is {kind}")
    if status.st_size > _MOST_BYTES:
        raise InstallError(f"{path}: is larger than {_MOST_BYTES:,} bytes")
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise _refusal(path, "cannot be read", error) from error


def make(change: Change) -> tuple[str, ...]:
    """Make a change and return the folders that were made for it, outermost first.

    Raises:
        InstallError: It cannot be made, or the file is not what it was; it is as it was then.
    """
    if content_of(change.path) != change.before:
        raise InstallError(f"{change.path}: was changed by somebody else just now; try again")
    try:
        folders = _make_folders(os.path.dirname(os.path.realpath(change.path)))
        if change.after is None:
            os.unlink(change.path)
        else:
            _write(change.path, change.after, executable=change.executable)
    except OSError as error:
        raise _refusal(change.path, "cannot be written", error) from error
    return folders


def unmake(change: Change, folders: tuple[str, ...]) -> None:
    """Put back what a file held before a change, and remove the folders made for it."""
    try:
        if change.before is not None:
            _write(change.path, change.before, executable=False)
        elif os.path.lexists(change.path):
            os.unlink(change.path)
    except OSError as error:
        raise _refusal(change.path, "cannot be put back", error) from error
    remove_folders(folders)


def remove_folders(folders: tuple[str, ...]) -> None:
    """Remove folders that are empty, innermost first; the others stay."""
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)


def _make_folders(folder: str) -> tuple[str, ...]:
    missing = []
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    missing.reverse()
    for each in missing:
        os.mkdir(each)
    return tuple(missing)


def _write(path: str, data: bytes, *, executable: bool) -> None:
    """Replace a file in one step; a link goes on leading to it, and its mode stays."""
    real = os.path.realpath(path)
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
    except BaseException:
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
