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
from functools import lru_cache
from posixpath import dirname
from zlib import crc32

from truepath import TYPE_CHECKING, Late
from truepath.config.files import TOO_YOUNG, old_ns, read_own, state_of, write
from truepath.config.user_dirs import make_private
from truepath.errors import suppress
from truepath.project.faults import known_fault
from truepath.project.git import SPAWNS, GitError, command, git
from truepath.project.git_folder import common_folder, enclosing, git_folder, head_of
from truepath.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from truepath.project import changes, log
    from truepath.project.log import Log

    Kind = Literal[
        "never",
        "elsewhere",
        "renamed",
        "deleted",
        "emptied",
        "kept",
        "withheld",
        "unknown",
    ]
else:
    changes = Late("truepath.project.changes")
    log = Late("truepath.project.log")

# Git's defaults, because a repository's configuration may change them; except that
# empty files, which are all alike, are not paired.
_RENAMES = (
    "--diff-filter=RD",
    "--name-status",
    "-z",
    "-M50%",
    "-l1000",
    "--no-rename-empty",
    "--no-ext-diff",
    "--no-relative",
    "-O/dev/null",
)
_LOG = ("log", *_RENAMES, "--no-color", "--no-textconv", "--format=%x01%H %cs")
_STAGED = ("diff-index", "--cached", *_RENAMES)
_NO_COMMIT = b"\x01%040d 0000-00-00\0" % 0
_HEAD = re.compile(rb"\x01([0-9a-f]{40,64}) (\d{4,}-\d\d-\d\d)")

_LONGEST_DEPARTURE = 20_000
"""Bytes of a departure, at most: two paths of 4,096 characters and a commit."""

_MOST_RENAMES = 64
"""Renames of one path that are followed; each is a search in the whole blob."""

_DEEPEST = 8
"""Renames of one folder that are followed."""

_LARGEST_BLOB = 64 * 1024 * 1024
"""Bytes of a blob, at most; that of ansible's 55,000 commits has 4 MB."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What happened to a path."""

    kind: Kind
    """`never`: no commit renamed or deleted a path of its name; `elsewhere`: none did
    this one; `emptied`: the files of a folder did not go to one other; `kept`: git's
    index has it, and the disk has not; `withheld`: it was renamed to a path that must
    not be named, or outside the root; `unknown`: the history was not read in time."""
    path: str = ""
    """Its new path, relative to the root, if it was renamed."""
    commit: str = ""
    """The last commit that renamed or deleted it; zeros or empty without a commit."""
    certain: bool = False
    """Whether no other file can have become the one at `path`;
    for a deleted file, whether that commit gave its name to no other."""
    moved_to: tuple[str, ...] = ()
    """For an `emptied` folder, where its files went; for a `kept` file, the new one of
    its name; for a `renamed` one, the paths on its way that exist again, newest
    first."""
    state: Literal["", "sparse", "conflict"] = ""
    """For a `kept` path, `conflict` if it is in a merge that is not resolved, `sparse`
    if it is outside a sparse checkout."""
    blob: str = ""
    """For a file that was certainly renamed, git's id of its content then."""
    replaced: bool = False
    """For such a file, whether another one is at `path` now; see `Disk`."""


UNKNOWN = Fate("unknown")
WITHHELD = Fate("withheld")
NEVER = Fate("never")


class Departure:
    """What a commit did to a path that it took away. There may be many of one folder,
    and a `dataclass` of truepath takes 5 microseconds to make.
    """

    __slots__ = ("at", "commit", "new", "old")

    def __init__(self, at: int, old: str, new: str, commit: str) -> None:
        """Take its offset in the blob (of two, the smaller is the newer), the path, the
        one that it was renamed to (empty if it was deleted), and the commit.
        """
        self.at = at
        self.old = old
        self.new = new
        self.commit = commit


class History:
    """The history of the repository around a folder: a blob of departures up to a
    commit.

    Each is `NUL NUL old NUL letter new NUL commit NUL date`, where the letter is R or
    D.
    """

    def __init__(self, root: str, store: str | None = None) -> None:
        """Take a folder in a work tree and a private folder to store the history in."""
        self._root = root
        self._store = store
        self.top = enclosing(root) or root
        self._place = git_folder(self.top) or ""
        inner = os.path.relpath(root, self.top).replace(os.sep, "/")
        self._prefix = "" if inner == "." else f"{inner}/"
        name = f"history-{crc32(os.fsencode(self._place)):08x}"
        self._file = None if store is None else os.path.join(store, name)
        self._staged_file = None if store is None else f"{self._file}.staged"
        self._tip = b""
        self._blob = b""
        self._log: Log | None = None
        # Read once for each answer, which has an end of its own.
        self._departures = lru_cache(maxsize=1)(self._with_staged)
        self.commit = ""
        """The commit up to which it is read; empty for what is checked out."""
        self.there = lambda path: os.path.lexists(os.path.join(self.top, path))
        """Whether a path of the repository exists then."""

    def fate(self, path: str, ends: float) -> Fate:
        """Return what happened to a file or folder, relative to the root, by `ends`."""
        blob = self._departures(ends)
        if blob is None or not _is_name(path):
            return UNKNOWN
        question = _Question(blob, self.top, ends, self.there)
        full = self._prefix + path
        fate = question.file(full) or question.folder(full)
        if fate is None:
            # No commit is known to have taken it away; a shallow clone lacks some.
            if os.path.lexists(os.path.join(common_folder(self._place), "shallow")):
                return UNKNOWN
            return Fate("elsewhere") if question.knows(full) else NEVER
        if fate.kind == "renamed" and not fate.path.startswith(self._prefix):
            return WITHHELD  # it is outside the root
        inside = [each for each in fate.moved_to if each.startswith(self._prefix)]
        return replace(
            fate,
            path=fate.path.removeprefix(self._prefix),
            moved_to=tuple(each.removeprefix(self._prefix) for each in inside),
        )

    def before(self, path: str, ends: float) -> Iterator[str]:
        """Yield the paths that renames led to a path from, relative to the repository,
        the last one first.
        """
        blob = self._departures(ends)
        if blob is None or not _is_name(path):
            return
        found = [self._prefix + path]
        for new in found:  # it grows
            sought = b"\0R%s\0" % os.fsencode(new)
            at = blob.find(sought)
            while at >= 0 and len(found) < _MOST_RENAMES:
                old = os.fsdecode(blob[blob.rfind(b"\0\0", 0, at) + 2 : at])
                if old not in found:
                    found.append(old)
                    yield old
                at = blob.find(sought, at + 1)

    def begin(self) -> None:
        """Start to read what is not stored, so that it runs beside other questions."""
        self._up_to_date(0.0)

    def _with_staged(self, ends: float) -> bytes | None:
        """Return the departures until the commit, or all with those that are staged;
        None if git does not tell. The staged ones are kept for as long as HEAD and
        git's index are unchanged.
        """
        departures = self._up_to_date(ends)
        if departures is None or self.commit:
            return departures
        state = b""  # nothing for an index that has only just changed
        old = old_ns()
        with suppress(OSError):
            of_index = state_of(os.stat(os.path.join(self._place, "index")), old)
            if of_index != TOO_YOUNG:
                state = b"-".join((self._tip, *map(b"%d".__mod__, of_index)))
        kept_state, blob = self._kept(self._staged_file)
        if state and kept_state == state:
            return blob + departures
        words = (*_STAGED, os.fsdecode(self._tip), "--")
        try:
            blob = _parsed(_NO_COMMIT + git(self.top, *words, ends=ends))
        except GitError:
            return departures
        if state:
            self._keep(self._staged_file, state, blob)
        return blob + departures

    def _up_to_date(self, ends: float) -> bytes | None:
        """Return the departures until HEAD; None if git is not done in time, or lacks
        objects.
        """
        if known_fault(self._root, self._store):
            return None
        ask = ("rev-parse", "-q", "--verify", "HEAD")
        try:
            head = os.fsencode(self.commit or head_of(self._place) or "")
            head = head or git(self.top, *ask, ends=ends).strip()
            if head == self._tip:
                return self._blob
            tip, blob = self._tip, self._blob
            if not tip:
                tip, blob = self._kept(self._file)
            if tip != head:
                blob = self._continued(tip, blob, head, ends)
                self._keep(self._file, head, blob)
        except GitError:
            return None
        self._blob = blob
        self._tip = head  # the last: other threads ask for it first
        return blob

    def _continued(self, tip: bytes, blob: bytes, head: bytes, ends: float) -> bytes:
        """Return the departures up to `head`, given those up to `tip`, which may be
        empty.
        """
        commit = os.fsdecode(head)
        before = os.fsdecode(tip)
        since = [f"^{before}"] if tip else []
        try:
            new = self._logged([*_LOG, commit, *since, "--"], ends)
            # After a reset or a rebase, some departures are of no commit that counts.
            ask = ("rev-list", before, f"^{commit}")
            undone = {*git(self.top, *ask, ends=ends).split()} if tip else set[bytes]()
        except GitError as error:
            if error.timed_out or not tip:
                raise
            self._keep(self._file, b"", b"")  # that commit no longer exists
            return self._continued(b"", b"", head, ends)
        # Of a departure's fields, the third is the commit.
        departures = blob.split(b"\0\0")[1:]
        kept = [
            departure
            for departure in departures
            if departure.split(b"\0")[2] not in undone
        ]
        return _parsed(new) + b"".join(b"\0\0" + each for each in kept)

    def _logged(self, words: list[str], ends: float) -> bytes:
        """Return what git prints; raise GitError if it is not done, or has failed."""
        if self._file is not None and SPAWNS:
            try:
                if self._log is None:
                    self._log = log.Log(f"{self._file}.log", self.top)
                return self._log.printed(command(self.top, *words), ends)
            except OSError:
                self._file = None  # it cannot be stored
        return git(self.top, *words, ends=ends)

    def _kept(self, file: str | None) -> tuple[bytes, bytes]:
        """Return what a file keeps: a word that tells up to when it holds, and
        departures; empty ones if there are none.
        """
        with suppress(OSError, ValueError):
            if file is not None:
                header, _, blob = read_own(file, _LARGEST_BLOB).partition(b"\n")
                word = header.rpartition(b" ")[2]
                if header == self._header(word, blob):
                    return word, blob
        return b"", b""

    def _keep(self, file: str | None, word: bytes, blob: bytes) -> None:
        with suppress(OSError):
            if file is not None:
                make_private(os.path.dirname(file))
                write(file, [self._header(word, blob), b"\n", blob])

    def _header(self, word: bytes, blob: bytes) -> bytes:
        check = crc32(blob, crc32(os.fsencode(self._place) + b"\0" + word))
        return b"truepath-history-4 %08x %s" % (check, word)


def _is_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _parsed(printed: bytes) -> bytes:
    """Return the output of `git log` as departures."""
    words = iter(printed.split(b"\0"))
    commit = b""
    departures: list[bytes] = []
    for word in words:
        status = word.lstrip(b"\n")
        head = _HEAD.fullmatch(status)
        if head:
            commit = head[1] + b"\0" + head[2]
        elif commit and status[:1] in (b"R", b"D"):
            old = next(words, b"")
            # A rename has a number behind its letter, and a second path.
            new = b"R" + next(words, b"") if status[:1] == b"R" else b"D"
            departures.append(b"\0\0%s\0%s\0%s" % (old, new, commit))
    return b"".join(departures)


class _Question:
    """Follows one path to where it is now. Paths are relative to the repository."""

    def __init__(
        self, blob: bytes, top: str, ends: float, there: Callable[[str], bool]
    ) -> None:
        self._blob = blob
        self._top = top
        self._ends = ends
        self._there = there

    def _departed(self, start: str, before: int | None = None) -> list[Departure]:
        """Return the departures of paths that begin with `start`, newest first; only
        those newer than the one at the offset `before`.
        """
        end = len(self._blob) if before is None else before
        sought = b"\0\0" + os.fsencode(start)
        departures: list[Departure] = []
        at = self._blob.find(sought, 0, end)
        while at >= 0:
            departure = self._blob[at + 2 : at + _LONGEST_DEPARTURE]
            fields = os.fsdecode(departure).split("\0", 4)
            if len(fields) > 3:
                old, new, commit = fields[:3]
                departures.append(Departure(at, old, new[1:], commit))
            at = self._blob.find(sought, at + 2, end)
        return departures

    def knows(self, path: str) -> bool:
        """Return whether a path of that name was renamed or deleted."""
        end = os.fsencode(path.rpartition("/")[2]) + b"\0"
        if len(end) == 1:
            return False
        # Before a name is a slash, the field before, or the letter of a rename.
        return any(before + end in self._blob for before in (b"/", b"\0", b"R"))

    def file(self, path: str) -> Fate | None:
        """Follow a file from its newest departure to a path that exists, or to its
        deletion.
        """
        departures = self._departed(f"{path}\0")
        if not departures:
            return None
        steps = departures[:1]
        # It is one file, if all that left its path before was deleted.
        is_one = all(not earlier.new for earlier in departures[1:])
        stops: list[Departure] = []  # those to a path that exists, maybe made again
        while steps[-1].new:
            step = steps[-1]
            is_there = self._there(step.new)
            if is_there:
                stops.append(step)
            onward = self._departed(f"{step.new}\0", step.at)
            is_one = is_one and len(onward) == (0 if is_there else 1)
            if not onward or len(steps) == _MOST_RENAMES:
                break
            # Each step is newer than the one before, so this ends.
            steps.append(onward[-1])
        if stops:
            return self._renamed(steps, stops, is_one=is_one)
        last = steps[-1]
        if last.new:
            return Fate("renamed", last.new, last.commit)
        # It is certain if that commit gave its name to no other.
        renamed_to = os.fsencode(f"{last.old.rpartition('/')[2]}\0{last.commit}")
        is_alone = renamed_to not in self._blob
        return Fate("deleted", "", last.commit, certain=is_alone)

    def _renamed(
        self, steps: list[Departure], stops: list[Departure], *, is_one: bool
    ) -> Fate:
        """Return the fate of a file that went by `steps` to the last of `stops`."""
        *before, last = stops
        again = tuple(stop.new for stop in reversed(before))
        blob = ""
        for step in steps if is_one else ():
            blob = changes.renamed_blob(
                self._top, step.commit, step.old, step.new, self._ends
            )
            if not blob:
                break
        return Fate(
            "renamed",
            last.new,
            last.commit,
            certain=bool(blob),
            moved_to=again,
            blob=blob,
        )

    def folder(
        self, folder: str, before: int | None = None, depth: int = 0
    ) -> Fate | None:
        """Follow a folder to where the last commit that moved files out of it put most
        of them.
        """
        departed = self._departed(f"{folder}/", before)
        if not departed:
            return None
        last = departed[0]
        moves = [each for each in departed if each.commit == last.commit]
        targets = [_target(folder, move) for move in moves]
        target = max({*targets}, key=targets.count)
        most = targets.count(target)
        # One file that moved says nothing of its folder.
        if not target or target == folder or most < 2 or 2 * most <= len(targets):
            return _emptied(folder, moves)
        fate = Fate("renamed", target, last.commit, certain=True)
        if not self._there(target) and depth < _DEEPEST:
            fate = self.folder(target, last.at, depth + 1) or fate

        # The files of the commit are compared, whatever pairs git reports.
        step = (last.commit, folder, target)
        certain = fate.certain and changes.has_moved(self._top, *step, self._ends)
        return replace(fate, certain=certain)


def _emptied(folder: str, moves: list[Departure]) -> Fate:
    """Return the fate of a folder whose files did not go to one other."""
    # Folder by folder, each once and in this order.
    moved_to = dict.fromkeys(
        _target(folder, move) or dirname(move.new) for move in moves if move.new
    )
    kind: Kind = "emptied" if moved_to else "deleted"
    return Fate(kind, "", moves[0].commit, certain=True, moved_to=tuple(moved_to))


def _target(folder: str, departure: Departure) -> str:
    """Return the folder that replaced `folder` in the new path of a departure; "" if
    none did.
    """
    rest = departure.old[len(folder) :]
    if not departure.new.endswith(rest):
        return ""
    return departure.new[: -len(rest)]
