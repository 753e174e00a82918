"""The files of one project's index in the user's cache; each is whole, or as good as none.

- `names`: the tracked files, or all where no repository is around the root, to be mapped;
- `proof`: for which state of git's index they hold, or of what lists them outside a repository, by
  the file that `names` was then;
- `folders`: what was not tracked, and the folders to look at whether there is more since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from stat import S_ISLNK

from truepath.config.private_file import write
from truepath.config.regular_file import opener, read
from truepath.config.user_dirs import make_private
from truepath.project.index.layout import HEADER_BYTES, DamagedError, Header, damaged, header_of
from truepath.project.index.mapped import MappedNames

_LARGEST = 1 << 28
"""Bytes of a list of folders; a million files have some 6 MB."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


OUTSIDE = "outside"
"""What a stamp begins with of names that no repository was asked for; none of git's index does."""


class Proof:
    """For which state of a repository the names hold, or of what lists them outside."""

    __slots__ = ("names", "stamp", "submodules")

    def __init__(self, names: str, stamp: str, submodules: tuple[str, ...]) -> None:
        """Take what the names were checked against.

        Args:
            names: The file of names, as `IndexStore.names` tells it from any other.
            stamp: Git's index, or `finder.outside_stamp`.
            submodules: Where other repositories begin, relative to the root: their names are not
                among these.
        """
        self.names, self.stamp, self.submodules = names, stamp, submodules

    @property
    def is_outside(self) -> bool:
        """Whether no repository was asked for the names."""
        return self.stamp.startswith(OUTSIDE)


class IndexStore:
    """Where the index of the project at one root is kept."""

    def __init__(self, folder: str, root: str) -> None:
        """Take a private folder, which need not exist, and a root; nothing is read yet."""
        from _blake2 import blake2b  # hashlib itself would load OpenSSL, 7 ms of a first miss

        self.folder, self.root = folder, os.path.realpath(root)
        # What tells a path in a file's name from all others; the header has it in full.
        self._name = blake2b(os.fsencode(self.root), digest_size=12).hexdigest()

    def path(self, kind: str) -> str:
        """Return where a file of this index is."""
        return os.path.join(self.folder, f"index-{self._name}.{kind}")

    def names(self) -> tuple[MappedNames, str] | None:
        """Return the names, and what tells their file from any other; None if none can be used.

        A file that is damaged, another project's or another user's is none.
        """
        try:
            return opened(self.path("names"), self.root)
        except (OSError, ValueError, DamagedError):
            return None

    def save_names(self, parts: Iterable[bytes]) -> str:
        """Put names in the place of those before; return what tells their file from any other.

        Raises:
            OSError: They cannot be written; then what was there is as it was.
        """
        make_private(self.folder)
        path = self.path("names")
        write(path, parts, lasting=True)
        return _identity(os.stat(path))

    def proof(self) -> Proof | None:
        """Return for which state the names hold; None where that is not known."""
        try:
            text = os.fsdecode(_read_own(self.path("proof"), 1 << 20))
        except OSError:
            return None
        names, stamp, *submodules = (*text.split("\0"), "")
        return Proof(names, stamp, tuple(submodules[:-1]))

    def save_proof(self, proof: Proof) -> None:
        """Note for which state the names hold.

        Raises:
            OSError: It cannot be written.
        """
        words = (proof.names, proof.stamp, *proof.submodules)
        write(self.path("proof"), os.fsencode("\0".join(words)))

    def folders(self) -> bytes:
        """Return the list of folders as it was saved; nothing where there is none."""
        try:
            return _read_own(self.path("folders"), _LARGEST)
        except OSError:
            return b""

    def save_folders(self, data: bytes) -> None:
        """Put a list of folders in the place of the one before.

        Raises:
            OSError: It cannot be written.
        """
        write(self.path("folders"), data)

    def remove(self) -> None:
        """Remove what is kept; what is not there is no error."""
        for kind in ("proof", "folders", "names"):
            with suppress(OSError):
                os.unlink(self.path(kind))


def start(root: str, store: str) -> bool:
    """Start a build in a process of its own; return whether one was started."""
    from truepath.project import background

    kept = IndexStore(store, root)
    return background.start("truepath.project.index", kept.root, store, kept.path("lock"))


def opened(path: str, root: str | None = None) -> tuple[MappedNames, str]:
    """Map a file of names.

    Args:
        path: The file.
        root: The project that it must be of; None: any.

    Raises:
        OSError: There is none, or it is not this user's own.
        ValueError: It is empty.
        DamagedError: It is another project's, of another version, cut short or damaged.
    """
    data, header, found = _mapped(path)
    if root is not None and header.root != root:
        raise DamagedError("of another project")
    return MappedNames(data, header), _identity(found)


def is_intact(path: str) -> bool:
    """Return whether all of a file of names is as it was written; this reads all of it."""
    try:
        data, header, _ = _mapped(path)
    except (OSError, ValueError, DamagedError):
        return False
    with data:
        return not damaged(data, header)


def _mapped(path: str) -> tuple[mmap, Header, os.stat_result]:
    with open(path, "rb", buffering=0, opener=lambda name, _: opener(name, _FLAGS)) as file:
        found = os.fstat(file.fileno())
        if not _is_own(found):
            raise PermissionError("others can write it")
        header = header_of(file.read(HEADER_BYTES), found.st_size)
        return mmap(file.fileno(), 0, access=ACCESS_READ), header, found


def header_at(path: str) -> Header:
    """Return the header of a file of names.

    Raises:
        OSError: It cannot be read.
        DamagedError: It is no file of names.
    """
    with open(path, "rb", buffering=0, opener=lambda name, _: opener(name, _FLAGS)) as file:
        return header_of(file.read(HEADER_BYTES), os.fstat(file.fileno()).st_size)


def _read_own(path: str, most: int) -> bytes:
    if not _is_own(os.lstat(path)):
        raise PermissionError("others can write it")
    return read(path, most)


def _is_own(found: os.stat_result) -> bool:
    """Return whether a file is this user's, no link, and nobody else's to write."""
    if not hasattr(os, "geteuid"):
        return True
    own = found.st_uid == os.geteuid() and not found.st_mode & 0o022
    return own and not S_ISLNK(found.st_mode)


def _identity(found: os.stat_result) -> str:
    return f"{found.st_ino}-{found.st_size}-{found.st_mtime_ns}"
