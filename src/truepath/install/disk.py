"""Change a file on disk atomically."""

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


@dataclass(frozen=True, slots=True)
class Change:
    """The contents of a file before and after; None for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    old_record: Record | None = None
    """Its record before the change."""
    record: Record | None = None
    """Its record after the change; None if nothing of truepath is left in the file."""
    executable: bool = False
    """Whether the file must be executable after the change."""

    @property
    def is_needed(self) -> bool:
        """Whether anything changes."""
        if self.before != self.after:
            return True
        if not self.executable or self.after is None:
            return False
        return not os.access(self.path, os.X_OK)


def content_of(path: str) -> bytes | None:
    """Return a file's contents, None if it is missing; raise InstallError if it cannot
    be read.
    """
    try:
        return read(path)
    except FileNotFoundError:
        # Dotfiles are linked from elsewhere: a file made here would shadow those.
        if os.path.islink(path):
            target = os.readlink(path)
            raise InstallError(
                f"{path}: is a link to {target}, which does not exist"
            ) from None
        return None
    except OSError as error:
        raise _refusal(path, "cannot be read", error) from error


def missing_folders(path: str) -> tuple[str, ...]:
    """Return the missing folders above a file, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while folder and not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(missing)


def remove_folders(folders: Sequence[str]) -> None:
    """Remove the folders that are empty, innermost first."""
    for folder in reversed(folders):
        with suppress(OSError):  # somebody has put something into it
            os.rmdir(folder)


def put(
    path: str, data: bytes | None, problem: str, *, executable: bool = False
) -> None:
    """Write `data` to a file and create its folders, or remove the file (None).

    Raises InstallError with the text `problem`.
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
    """Replace a file atomically; links to it and its mode stay."""
    real = os.path.realpath(path)
    # Replacing a file needs no permission to write it, but it is meant to be read-only.
    if os.path.exists(real) and not os.access(real, os.W_OK):
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
            readable = mode & 0o444
            os.chmod(new, mode | readable >> 2)  # for all who can read it
        os.replace(new, real)
    # Whatever ends this, Ctrl-C too, no half-written file stays beside the user's.
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise


def _take_over(old: str, new: str) -> None:
    """Give a new file the mode and owner of the one it replaces, or the default."""
    if not os.path.exists(old):
        # `mkstemp` makes a file for its owner only. The mask can only be read by
        # setting it.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(new, 0o666 & ~mask)
        return
    shutil.copystat(old, new)
    os.utime(new)  # a program may look whether its settings have changed
    if hasattr(os, "chown"):
        status = os.stat(old)
        with suppress(OSError):  # only root can change the owner
            os.chown(new, status.st_uid, status.st_gid)


def _refusal(path: str, what: str, error: OSError) -> InstallError:
    return InstallError(f"{path}: {what} ({error.strerror or error})")
