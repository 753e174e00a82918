"""What became of a path that is gone, by git's log.

One `git log` tells every departure: which commit renamed or deleted which path. What it says is
kept as one blob, newest first, in one file for each work tree, and is asked by searching in it.
With another commit checked out, what is new is put before it and what is undone is left out.

Git pairs by likeness, so a rename is what git supposes. It is `certain` only where the commit
itself leaves no other choice: see `changes`.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress

from truepath.project import behind
from truepath.project.changes import is_certain
from truepath.project.git import GitError, git
from truepath.project.git_folder import common_folder, enclosing, git_folder, head_of
from truepath.records import dataclass, replace

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["never", "renamed", "deleted", "unknown"]
    Departure = tuple[int, str, str, str, str]

_LOG = (
    # Git's own defaults, said aloud because a repository's configuration may change them; it pairs
    # any two empty files, which says nothing.
    *("log", "--diff-filter=RD", "--name-status", "-z", "-M50%", "-l1000", "--no-rename-empty"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "-O/dev/null"),
    "--format=%x01%H %cs",
)
_HEAD = re.compile(rb"\x01([0-9a-f]{40,64}) (\d{4,}-\d\d-\d\d)")

_LONGEST = 20_000
"""Bytes of a departure, at most: two paths of 4,096 characters and a commit."""

_LONGEST_WAY = 64
"""Renames that are followed; each is a search in the whole blob."""

_DEEPEST = 8
"""How often a folder is followed after its folder was."""

_BUILD_S = 900.0
"""Seconds that reading a history may take: git tells of git/git's 82,000 commits in 30."""

_FIRST_WORD_S = 5.0
"""Seconds that git may take for an answer that costs it nothing; a thousandth of that is usual."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What git records of a path."""

    kind: Kind
    """`never`: no commit took it away; `unknown`: that could not be read in time."""
    path: str = ""
    """Where it went, relative to the root, when it was renamed."""
    commit: str = ""
    """The last commit on its way."""
    date: str = ""
    """The day of that commit, YYYY-MM-DD."""
    certain: bool = False
    """Whether it kept its name, and no other file could have become what is there now."""


UNKNOWN, NEVER = Fate("unknown"), Fate("never")


@dataclass(frozen=True, slots=True)
class Departures:
    """All departures up to a commit, newest first.

    Each is `NUL NUL old NUL letter new NUL commit NUL date`, where the letter is R or D. It is told
    as where it is, the old and the new path ("" for a deleted one), the commit and its day.
    """

    blob: bytes = b""
    tip: str = ""
    whole: bool = False
    """Whether the history was read to its end; else the newest part is there."""

    def of(self, start: str, before: int | None = None) -> list[Departure]:
        """Return those of paths that begin so, newest first; only such as are newer than `before`.

        Of one path the end is a NUL, of a folder a slash.
        """
        end, found = len(self.blob) if before is None else before, []
        sought = b"\0\0" + os.fsencode(start)
        at = self.blob.find(sought, 0, end)
        while at >= 0:
            fields = os.fsdecode(self.blob[at + 2 : at + _LONGEST]).split("\0", 4)
            if len(fields) > 3:
                found.append((at, fields[0], fields[1][1:], fields[2], fields[3]))
            at = self.blob.find(sought, at + 2, end)
        return found

    def without(self, commits: list[bytes]) -> bytes:
        """Return the blob without what some commits did."""
        gone, each = {*commits}, self.blob.split(b"\0\0")[1:]
        return b"".join(b"\0\0" + x for x in each if x.split(b"\0")[2] not in gone)


class History:
    """The history of the repository around a folder."""

    def __init__(self, root: str, store: str | None = None) -> None:
        """Take a folder in a work tree, and the private folder for what is kept."""
        self.top = enclosing(root) or root
        self._place = git_folder(self.top) or ""
        inner = os.path.relpath(root, self.top).replace(os.sep, "/")
        self._prefix = "" if inner == "." else f"{inner}/"
        self._file = None if store is None else behind.file_of(store, self._place)
        self._known = Departures()

    def fate(self, path: str, ends: float) -> Fate:
        """Return what became of a file or folder, relative to the root, by `ends`."""
        known = self._departures(ends)
        if known is None or not _is_name(path):
            return UNKNOWN
        ask, asked = _Question(known, self.top, ends), self._prefix + path
        fate = ask.file(asked) or ask.folder(asked)
        if fate is None:
            shallow = os.path.lexists(os.path.join(common_folder(self._place), "shallow"))
            return NEVER if known.whole and not shallow else UNKNOWN
        if fate.kind != "renamed":
            return fate
        inside = fate.path.startswith(self._prefix)
        return replace(fate, path=fate.path[len(self._prefix) :]) if inside else UNKNOWN

    def build(self) -> bool:
        """Read the whole history and keep it; tell whether it is all there."""
        known = self._departures(time.monotonic() + _BUILD_S, build=False)
        return known is not None and known.whole

    def build_in_background(self) -> bool:
        """Have another process read the history and keep it; tell whether one was started."""
        return self._file is not None and behind.start(self.top, self._file)

    def _departures(self, ends: float, *, build: bool = True) -> Departures | None:
        """Return the departures up to what is checked out; None where that cannot be read."""
        head = self._head(ends)
        known = self._known
        if head is None or (known.tip == head and (known.whole or time.monotonic() >= ends)):
            return known if head else None
        if not known.whole and self._file is not None:
            tip, blob = behind.unpack(self._file, self._place)
            known = Departures(blob, tip, whole=bool(tip))
        if known.tip != head:
            known = _continued(self.top, known, head, ends)
            if known.whole and self._file is not None:
                behind.pack(self._file, self._place, known.tip, known.blob)
            elif build:
                self.build_in_background()
        self._known = known
        return known

    def _head(self, ends: float) -> str | None:
        try:
            ask = ("rev-parse", "-q", "--verify", "HEAD")
            return head_of(self._place) or os.fsdecode(_asked(self.top, ends, *ask)).strip()
        except GitError:
            return None


def build(top: str, file: str) -> None:
    """Read the history of a work tree and keep it, unless another process does.

    Git is asked for a word first, so that one that hangs keeps no process for long.
    """
    os.nice(15)
    began = time.monotonic()
    with suppress(OSError), behind.lock(file):
        try:
            git(top, "rev-parse", "--git-dir", timeout=_FIRST_WORD_S)
            read = History(top, os.path.dirname(file)).build()
        except GitError:
            read = False
        if not read:
            behind.rest(file, time.monotonic() - began)


def _is_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _asked(top: str, ends: float, *words: str) -> bytes:
    return git(top, *words, timeout=ends - time.monotonic())


def _continued(top: str, known: Departures, head: str, ends: float) -> Departures:
    """Return the departures up to `head`, given those up to another commit, or none."""
    if known.whole:
        try:
            undone = _asked(top, ends, "rev-list", known.tip, f"^{head}").split()
            new = _logged(top, head, ends, f"^{known.tip}")
        except GitError:  # that commit is no more
            new, undone = Departures(), []
        if new.whole:
            before = known.without(undone) if undone else known.blob
            return replace(new, blob=new.blob + before)
    return _logged(top, head, ends)


def _logged(top: str, head: str, ends: float, *without: str) -> Departures:
    """Return the departures that git logs by `ends`: all, or the newest as far as it got.

    In a clone that lacks contents git ends where it needs one.
    """
    try:
        printed = _asked(top, ends, *_LOG, head, *without, "--")
        return Departures(_parsed(printed), head, whole=True)
    except GitError as error:
        return Departures(_parsed(error.output[: max(0, error.output.rfind(b"\x01"))]), head)


def _parsed(printed: bytes) -> bytes:
    """Return what git logged as departures."""
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
    """One path followed to where it is now. Paths are relative to the repository."""

    def __init__(self, known: Departures, top: str, ends: float) -> None:
        self._known, self._top, self._ends = known, top, ends

    def file(self, path: str) -> Fate | None:
        """Follow a file from its newest departure to a name that is there, or to the end."""
        onward, there = self._known.of(f"{path}\0"), False
        way: list[Departure] = []
        only = not any(new for _, _, new, _, _ in onward[1:])
        while onward and len(way) < _LONGEST_WAY:
            # Each is newer than the one before it, so that no way is without end.
            way.append(onward[-1 if way else 0])
            at, _, new, commit, date = way[-1]
            if not new:
                return Fate("deleted", "", commit, date)
            there, onward = self._is_there(new), self._known.of(f"{new}\0", at)
            only = only and len(onward) == (0 if there else 1)
            if there:
                break
        if not way:
            return None
        steps = ((each[3], each[1], each[2]) for each in way)
        certain = there and only and all(is_certain(self._top, *it, self._ends) for it in steps)
        return Fate("renamed", new, commit, date, certain)

    def folder(self, folder: str, before: int | None = None, depth: int = 0) -> Fate | None:
        """Follow a folder: to where the last commit that took files of it took most of them."""
        departed = self._known.of(f"{folder}/", before)
        if not departed:
            return None
        at, _, _, commit, date = departed[0]
        targets = [_target(folder, each) for each in departed if each[3] == commit]
        target = max({*targets}, key=targets.count)
        if not target or target == folder or 2 * targets.count(target) <= len(targets):
            return Fate("deleted", "", commit, date)
        fate = Fate("renamed", target, commit, date, certain=True)
        if not self._is_there(target) and depth < _DEEPEST:
            fate = self.folder(target, at, depth + 1) or fate
        # What git pairs in it need not count: the files of the commit are compared.
        step = (commit, folder, target)
        sure = fate.certain and is_certain(self._top, *step, self._ends, folder=True)
        return replace(fate, certain=sure)

    def _is_there(self, path: str) -> bool:
        return bool(path) and os.path.lexists(os.path.join(self._top, path))


def _target(folder: str, departure: Departure) -> str:
    """Return the folder that took a folder's place for one renamed file; "" if none did."""
    _, old, new, _, _ = departure
    rest = old[len(folder) :]
    return new[: -len(rest)] if new.endswith(rest) else ""
