"""What happened to a path that no longer exists, according to git's log.

One `git log` lists every departure: the rename or deletion of a path by a commit. They
are stored as one blob, newest first, in one file for each work tree, and searched as
bytes. When another commit is checked out, new departures are prepended and undone ones
removed. Git writes its log into a file, which outlives the process: if that takes
longer than an answer waits, a later answer has it, and a log that fails is not asked
for again until another commit is checked out.

Git detects renames by similarity. One is `certain` only if its commit allows no other:
see `changes`.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import lru_cache
from posixpath import dirname
from zlib import crc32

from truepath.config.files import read, write
from truepath.config.user_dirs import make_private
from truepath.project.changes import is_certain
from truepath.project.git import SPAWNS, GitError, git
from truepath.project.git_folder import common_folder, enclosing, git_folder, head_of
from truepath.records import TYPE_CHECKING, dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from truepath.project.log import Log

    Kind = Literal[
        "never", "elsewhere", "renamed", "deleted", "emptied", "kept", "unknown"
    ]
    Departure = tuple[int, str, str, str, str]

_LOG = (
    # Git's defaults, because a repository's configuration may change them; except that
    # empty files, which are all alike, are not paired.
    *(
        "log",
        "--diff-filter=RD",
        "--name-status",
        "-z",
        "-M50%",
        "-l1000",
        "--no-rename-empty",
    ),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "-O/dev/null"),
    "--format=%x01%H %cs",
)
_STAGED = (
    *(
        "diff-index",
        "--cached",
        "--diff-filter=RD",
        "--name-status",
        "-z",
        "-M50%",
        "-l1000",
    ),
    *(
        "--no-rename-empty",
        "--no-ext-diff",
        "--no-relative",
        "-O/dev/null",
        "HEAD",
        "--",
    ),
)
_NO_COMMIT = b"\x01%040d 0000-00-00\0" % 0
_HEAD = re.compile(rb"\x01([0-9a-f]{40,64}) (\d{4,}-\d\d-\d\d)")

_LONGEST = 20_000
"""Bytes of a departure, at most: two paths of 4,096 characters and a commit."""

_MOST_RENAMES = 64
"""Renames of one path that are followed; each is a search in the whole blob."""

_DEEPEST = 8
"""Renames of one folder that are followed."""

_LARGEST = 64 * 1024 * 1024
"""Bytes of a blob, at most; that of ansible's 55,000 commits has 4 MB."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What happened to a path."""

    kind: Kind
    """`never`: no commit renamed or deleted a path of its name; `elsewhere`: none did
    this one; `emptied`: the files of a folder did not go to one other; `kept`: git's
    index has it, and the disk has not; `unknown`: the history was not read in time."""
    path: str = ""
    """Its new path, relative to the root, if it was renamed."""
    commit: str = ""
    """The last commit that renamed or deleted it; zeros or empty without a commit."""
    date: str = ""
    """The date of that commit, YYYY-MM-DD."""
    certain: bool = False
    """Whether it kept its name, and no other file can have become the one at `path`;
    for a deleted file, whether that commit gave its name to no other."""
    went: tuple[str, ...] = ()
    """For an `emptied` folder, where its files went; for a `kept` file, the new one of
    its name."""


UNKNOWN, NEVER = Fate("unknown"), Fate("never")


class History:
    """The history of the repository around a folder: a blob of departures up to a
    commit.

    Each is `NUL NUL old NUL letter new NUL commit NUL date`, where the letter is R or
    D.
    """

    def __init__(self, root: str, store: str | None = None) -> None:
        """Take a folder in a work tree and a private folder to store the history in."""
        self.top = enclosing(root) or root
        self._store, self._place = store, git_folder(self.top) or ""
        inner = os.path.relpath(root, self.top).replace(os.sep, "/")
        self._prefix = "" if inner == "." else f"{inner}/"
        name = f"history-{crc32(os.fsencode(self._place)):08x}"
        self._file = None if store is None else os.path.join(store, name)
        self._tip, self._blob = b"", b""
        self._log: Log | None = None
        # Read once for each answer, which has an end of its own.
        self._departures = lru_cache(maxsize=1)(self._up_to_date)
        self._staged = lru_cache(maxsize=1)(self._in_index)
        # Up to which commit it is read, what is checked out if empty; and what exists
        # then.
        self.commit, self.there = "", self._is_on_disk

    def fate(self, path: str, ends: float) -> Fate:
        """Return what happened to a file or folder, relative to the root, by `ends`."""
        blob = self._departures(ends)
        if blob is None or not _is_name(path):
            return UNKNOWN
        blob = blob if self.commit else self._staged(ends) + blob
        ask, full = _Question(blob, self.top, ends, self.there), self._prefix + path
        fate = ask.file(full) or ask.folder(full)
        if fate is None:
            shallow = os.path.lexists(
                os.path.join(common_folder(self._place), "shallow")
            )
            return (
                UNKNOWN if shallow else Fate("elsewhere") if ask.knows(full) else NEVER
            )
        if fate.kind == "renamed" and not fate.path.startswith(self._prefix):
            return UNKNOWN
        went = tuple(
            x.removeprefix(self._prefix)
            for x in fate.went
            if x.startswith(self._prefix)
        )
        return replace(fate, path=fate.path.removeprefix(self._prefix), went=went)

    def begin(self) -> None:
        """Start to read what is not stored, so that it runs beside other questions."""
        self._up_to_date(0.0)

    def _is_on_disk(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self.top, path))

    def _in_index(self, ends: float) -> bytes:
        """Return the departures that are staged."""
        try:
            return _parsed(_NO_COMMIT + git(self.top, *_STAGED, ends=ends))
        except GitError:
            return b""

    def _up_to_date(self, ends: float) -> bytes | None:
        """Return the departures until HEAD; None if git is not done in time, or lacks
        objects.
        """
        try:
            ask = (self.top, "rev-parse", "-q", "--verify", "HEAD")
            head = os.fsencode(
                self.commit or head_of(self._place) or git(*ask, ends=ends).strip()
            )
            if head != self._tip:
                tip, blob = self._kept()
                if tip != head:
                    blob = self._continued(tip, blob, head, ends)
                    self._keep(head, blob)
                self._blob, self._tip = blob, head
        except GitError:
            return None
        return self._blob

    def _continued(self, tip: bytes, blob: bytes, head: bytes, ends: float) -> bytes:
        """Return the departures up to `head`, given those up to `tip`, which may be
        empty.
        """
        commit, before = os.fsdecode(head), os.fsdecode(tip)
        try:
            new = self._logged(
                [*_LOG, commit, *([f"^{before}"] if tip else []), "--"], ends
            )
            ask = ("rev-list", before, f"^{commit}")
            undone = {*git(self.top, *ask, ends=ends).split()} if tip else {}
        except GitError as error:
            if error.timed_out or not tip:
                raise
            self._keep(b"", b"")  # that commit no longer exists
            return self._continued(b"", b"", head, ends)
        kept = [x for x in blob.split(b"\0\0")[1:] if x.split(b"\0")[2] not in undone]
        return _parsed(new) + b"".join(b"\0\0" + each for each in kept)

    def _logged(self, words: list[str], ends: float) -> bytes:
        """Return what git prints; raise GitError if it is not done, or has failed."""
        if (file := self._file) and SPAWNS:
            from truepath.project.log import Log

            try:
                log = self._log = self._log or Log(f"{file}.log")
                return log.printed(self.top, words, ends)
            except OSError:
                self._file = None  # it cannot be stored
        return git(self.top, *words, ends=ends)

    def _kept(self) -> tuple[bytes, bytes]:
        """Return the commit and the blob that were stored; empty ones if there are
        none.
        """
        with suppress(OSError, ValueError):
            if self._file is not None and not self._tip:
                header, _, blob = read(self._file, _LARGEST).partition(b"\n")
                tip = header.rpartition(b" ")[2]
                if header == self._header(tip, blob):
                    return tip, blob
        return self._tip, self._blob

    def _keep(self, tip: bytes, blob: bytes) -> None:
        file = self._file
        with suppress(OSError):
            if file is not None:
                make_private(os.path.dirname(file))
                write(file, [self._header(tip, blob), b"\n", blob])

    def _header(self, tip: bytes, blob: bytes) -> bytes:
        check = crc32(blob, crc32(os.fsencode(self._place) + b"\0" + tip))
        return b"truepath-history-4 %08x %s" % (check, tip)


def _is_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _parsed(printed: bytes) -> bytes:
    """Return the output of `git log` as departures."""
    words = iter(printed.split(b"\0"))
    commit, found = b"", []
    for word in words:
        status = word.lstrip(b"\n")
        if head := _HEAD.fullmatch(status):
            commit = head[1] + b"\0" + head[2]
        elif commit and status[:1] in (b"R", b"D"):
            old = next(words, b"")
            new = b"R" + next(words, b"") if status[:1] == b"R" else b"D"
            found.append(b"\0\0%s\0%s\0%s" % (old, new, commit))
    return b"".join(found)


class _Question:
    """Follows one path to where it is now. Paths are relative to the repository."""

    def __init__(
        self, blob: bytes, top: str, ends: float, there: Callable[[str], bool]
    ) -> None:
        self._blob, self._top, self._ends, self._there = blob, top, ends, there

    def _departed(self, start: str, before: int | None = None) -> list[Departure]:
        """Return the departures of paths that begin with `start`, newest first.

        Only those newer than the one at the offset `before`. Each has its offset in the
        blob, the old path, the new one ("" if deleted), the commit and its date.
        """
        end, found = len(self._blob) if before is None else before, []
        sought = b"\0\0" + os.fsencode(start)
        at = self._blob.find(sought, 0, end)
        while at >= 0:
            fields = os.fsdecode(self._blob[at + 2 : at + _LONGEST]).split("\0", 4)
            if len(fields) > 3:
                found.append((at, fields[0], fields[1][1:], fields[2], fields[3]))
            at = self._blob.find(sought, at + 2, end)
        return found

    def knows(self, path: str) -> bool:
        """Return whether a path of that name was renamed or deleted."""
        end = os.fsencode(path.rpartition("/")[2]) + b"\0"
        found = (before + end in self._blob for before in (b"/", b"\0", b"R"))
        return len(end) > 1 and any(found)

    def file(self, path: str) -> Fate | None:
        """Follow a file from its newest departure to a path that exists, or to its
        deletion.
        """
        onward, there = self._departed(f"{path}\0"), False
        steps: list[Departure] = []
        only = not any(new for _, _, new, _, _ in onward[1:])
        while onward and len(steps) < _MOST_RENAMES:
            # Each step is newer than the one before, so this ends.
            steps.append(onward[-1 if steps else 0])
            at, _, new, commit, date = steps[-1]
            if not new:
                named = "\0".join((steps[-1][1].rpartition("/")[2], commit))
                alone = os.fsencode(named) not in self._blob
                return Fate("deleted", "", commit, date, certain=alone)
            there, onward = self._is_there(new), self._departed(f"{new}\0", at)
            only = only and len(onward) == (0 if there else 1)
            if there:
                break
        if not steps:
            return None
        renames = ((each[3], each[1], each[2]) for each in steps)
        certain = (
            there
            and only
            and all(is_certain(self._top, *it, self._ends) for it in renames)
        )
        return Fate("renamed", new, commit, date, certain)

    def folder(
        self, folder: str, before: int | None = None, depth: int = 0
    ) -> Fate | None:
        """Follow a folder to where the last commit that moved files out of it put most
        of them.
        """
        departed = self._departed(f"{folder}/", before)
        if not departed:
            return None
        at, _, _, commit, date = departed[0]
        moves = [each for each in departed if each[3] == commit]
        targets = [_target(folder, each) for each in moves]
        target = max({*targets}, key=targets.count)
        most = targets.count(target)
        if not target or target == folder or most < 2 or 2 * most <= len(targets):
            went = {
                _target(folder, each) or dirname(each[2]): ""
                for each in moves
                if each[2]
            }
            kind: Kind = "emptied" if went else "deleted"
            return Fate(kind, "", commit, date, certain=True, went=(*went,))
        fate = Fate("renamed", target, commit, date, certain=True)
        if not self._is_there(target) and depth < _DEEPEST:
            fate = self.folder(target, at, depth + 1) or fate
        # The files of the commit are compared, whatever pairs git reports.
        step = (commit, folder, target)
        sure = fate.certain and is_certain(self._top, *step, self._ends, folder=True)
        return replace(fate, certain=sure)

    def _is_there(self, path: str) -> bool:
        return bool(path) and self._there(path)


def _target(folder: str, departure: Departure) -> str:
    """Return the folder that replaced `folder` in the new path of a departure; "" if
    none did.
    """
    _, old, new, _, _ = departure
    rest = old[len(folder) :]
    return new[: -len(rest)] if new.endswith(rest) else ""
