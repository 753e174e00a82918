"""Which files differ from what was committed, compared without git: git would run their filters.

Contents are known by the ids that git computes of them.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from truepath.config.regular_file import read
from truepath.project.git import GitError, git, zsplit
from truepath.records import dataclass

try:  # hashlib itself would load OpenSSL, 7 ms of a first miss
    from _sha1 import sha1  # type: ignore[import-not-found, unused-ignore]

    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from hashlib import sha1, sha256

_LARGEST = 4 * 1024 * 1024
"""Bytes of a file that is still hashed; larger ones are seldom source."""

_ENTRY = re.compile(
    r"\d+ ([0-9a-f]+) \d\t([^\0]*)\0"
    r"  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: \d+\n"
    r"  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n"
)
"""How `ls-files -s -z --debug` prints an entry (git 2.39; the same since 1.7)."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """What git's index says of a file: its content, and how the disk showed it."""

    blob: str
    seconds: int
    nanoseconds: int
    """0 where git keeps none."""
    size: int

    def matches(self, path: str) -> bool:
        """Tell whether the file at `path` is as git last saw it, or has the same content."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return False
        seconds, nanoseconds = divmod(found.st_mtime_ns, 10**9)
        same_time = seconds == self.seconds and self.nanoseconds in (0, nanoseconds)
        if same_time and found.st_size == self.size:
            return True
        return any(_id(form, len(self.blob)) == self.blob for form in _forms(path))


def changed(root: str, paths: Sequence[str], *, timeout: float) -> set[str]:
    """Return which of `paths`, relative to `root`, differ from the last commit, or are new to git.

    Raises:
        GitError: git cannot say, or not in time.
    """
    ends = time.monotonic() + timeout

    def ask(*words: str) -> bytes:
        left = ends - time.monotonic()
        if left <= 0:
            raise GitError("out of time", timed_out=True)
        return git(root, "--literal-pathspecs", *words, "--", *paths, timeout=left)

    entries = dict(_entries(os.fsdecode(ask("ls-files", "-s", "-z", "--debug"))))
    staged = set(
        zsplit(
            ask(
                "diff-index",
                "--cached",
                "--name-only",
                "-z",
                "--relative",
                "--no-renames",
                "--no-ext-diff",
                "HEAD",
            )
        )
    )
    return {
        path
        for path in paths
        if path in staged
        or path not in entries
        or not entries[path].matches(os.path.join(root, path))
    }


def _entries(printed: str) -> Iterator[tuple[str, _Entry]]:
    for found in _ENTRY.finditer(printed):
        blob, name, seconds, nanoseconds, size = found.groups()
        yield name, _Entry(blob, int(seconds), int(nanoseconds), int(size))


def ids(path: str, sizes: Mapping[int, int]) -> list[str]:
    """Return the ids git could know a file's contents by, of those that have one of these sizes.

    Args:
        path: The file.
        sizes: How long an id is, for each size.
    """
    try:
        if not _may_hold(os.lstat(path).st_size, sizes):
            return []
    except OSError:
        return []
    return [_id(form, sizes[len(form)]) for form in _forms(path) if len(form) in sizes]


def _forms(path: str) -> set[bytes]:
    """Return what git may have stored for a regular file: its bytes, or those with plain newlines.

    A link is not followed, and a file that is too large or cannot be read has none.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return set()
        raw = read(path, _LARGEST)
    except (OSError, ValueError):
        return set()
    return {raw, raw.replace(b"\r\n", b"\n")}


def _may_hold(size: int, sizes: Iterable[int]) -> bool:
    """Return whether a file may have contents of one of these sizes.

    A checkout may write CR LF for each LF: at most twice the bytes.
    """
    return any(each <= size <= 2 * each for each in sizes)


def _id(content: bytes, length: int) -> str:
    whole = b"blob %d\0%s" % (len(content), content)
    return str((sha1 if length == 40 else sha256)(whole, usedforsecurity=False).hexdigest())
