"""What git says of the names in one repository (tracked, and not yet tracked) or outside any.

One folder only; repositories nested in it are named, not entered.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from truepath.config.regular_file import opener
from truepath.paths import native
from truepath.project.git import GitError, Running, git
from truepath.project.git_folder import common_folder, git_folder, is_sparse
from truepath.project.walk import GENERATED, has_rules, too_high
from truepath.records import dataclass, replace

_LINK_MODE = rb"\xe0\0(?<=\0\0\xe0\0)"
"""How an index spells the mode 160000: a commit of another repository, not a file.

The search goes by what is rare: an index is full of zeros."""

_AT_ONCE = 1 << 17
"""Bytes of an index that are looked at together; about what the processor keeps at hand."""


_SOME = 20
"""Names of which one must be there; the first is, but for work that removed it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The names in one folder of a repository, relative to it, in no certain order."""

    files: list[str]
    repositories: list[str]
    """Folders where git says another repository begins; it may be broken or not there."""
    cut_short: bool
    """Whether tracked names may be missing."""
    untracked: bool
    """Whether names that are not tracked yet are among the files."""
    tracked: int = 0
    """How many of the files are tracked; they come first."""


class Question:
    """Two git processes, started together because tracked names come 4 to 7 times sooner.

    Whoever starts them must `end` them.
    """

    def __init__(
        self, folder: str, top: str, *, tracked: bool = True, untracked: bool = True
    ) -> None:
        """Ask for the names below `folder` of the work tree that begins at `top`.

        Without `untracked`, only the tracked ones are asked for, and without `tracked` only those
        that are not.

        Raises:
            GitError: git is not installed, or the folder is gone.
        """
        self._folder, self._top = folder, top
        place = git_folder(top)
        self.repository = "" if place is None else common_folder(place)
        self.is_detailed, self._tracked = self._ask_for_tracked(place) if tracked else (False, None)
        """Whether git's index may have entries that are left out of the tracked files."""
        self._untracked: Running | None = None
        if untracked and not too_high(folder):
            self._untracked = self._ask_for_untracked()

    def _ask_for_tracked(self, place: str | None) -> tuple[bool, Running | None]:
        if place is None or os.path.exists(os.path.join(self._top, ".gitmodules")):
            detailed = place is None or _needs_detail(place)
            return detailed, self._ask("-s", "-t") if detailed else self._ask("-c")
        # Without that file links are a rare mistake: git is at work while they are looked for.
        running = self._ask("-c")
        if not _needs_detail(place):
            return False, running
        running.end()
        return True, self._ask("-s", "-t")

    def _ask(self, *how: str) -> Running:
        # Repositories can say that their files lie elsewhere; names are wanted of those here.
        return Running(self._folder, f"--work-tree={self._top}", "ls-files", "-z", *how)

    def _ask_for_untracked(self) -> Running:
        try:
            return self._ask(*_others(self._top))
        except GitError:
            self.end()
            raise

    def answer(self, ends: float | None, untracked_s: float | None = None) -> Answer | None:
        """Wait until `ends` (on the monotonic clock); None if git does not know the repository.

        Untracked names are waited for at most `untracked_s` seconds more than the tracked ones.
        """
        tracked = Answer([], [], cut_short=False, untracked=False)
        if self._tracked is not None:
            found = self._answer(self._tracked, left(ends))
            if found is None:
                return None
            tracked = found
        patient = None if untracked_s is None else time.monotonic() + untracked_s
        others = None
        if self._untracked is not None:
            others = self._untracked.printed(_sooner(left(ends), left(patient)))
        if others is None or others.code is None:
            return tracked
        if others.code or not _are_names(others.names):
            return None
        new = _untracked(others.names)
        files, repositories = tracked.files + new.files, tracked.repositories + new.repositories
        return replace(tracked, files=files, repositories=repositories, untracked=True)

    def _answer(self, running: Running, seconds: float | None) -> Answer | None:
        """Return the tracked names; None if git does not know the repository."""
        # Half of the time is for a walk, where git says nothing at all.
        printed = running.printed(seconds, first=None if seconds is None else seconds / 2)
        files = printed.names
        if printed.code or (printed.code is None and not files) or not _are_names(files):
            return None
        repositories: list[str] = []
        if self.is_detailed:
            parts = _staged(files, self._folder)
            if parts is None:
                return None
            files, repositories = parts
        if not _are_names(files) or not _is_listing_of(files, self._folder):
            return None
        cut_short = printed.code is None
        return Answer(files, repositories, cut_short, untracked=False, tracked=len(files))

    def end(self) -> None:
        """Stop what still runs."""
        if self._tracked is not None:
            self._tracked.end()
        if self._untracked is not None:
            self._untracked.end()


def left(ends: float | None) -> float | None:
    """Return the seconds until `ends`, at least 0; None is without end."""
    return None if ends is None else max(0.0, ends - time.monotonic())


def unversioned(folder: str, timeout: float | None) -> Answer | None:
    """Return what git lists below a folder by the ignore files in it, whatever lies around it.

    git wants a repository all the same: it gets one without content, outside the project and
    for as long as it runs. None if git is not there, or is not done after `timeout` seconds:
    it prints nothing before it has seen all.
    """
    if too_high(folder):
        return None
    try:
        with empty_repository(folder) as where:
            running = Running(folder, *where, "ls-files", "-z", *_others(folder))
            try:
                printed = running.printed(timeout)
            finally:
                running.end()
    except (GitError, OSError):
        return None
    told = printed.code == 0 and _are_names(printed.names)
    return _untracked(printed.names) if told else None


@contextmanager
def empty_repository(folder: str) -> Iterator[tuple[str, ...]]:
    """Make a repository without content; yield what has git read a folder as its work tree.

    Raises:
        OSError: It cannot be written.
    """
    from tempfile import TemporaryDirectory

    # `git init` would ask the disk.
    case = "false" if native() == "posix" else "true"
    # `.git`, because a folder of this name is never listed, even if the project is `/tmp`.
    with TemporaryDirectory(prefix="truepath-") as place:
        empty = _make_repository(os.path.join(place, ".git"))
        yield f"--git-dir={empty}", f"--work-tree={folder}", "-c", f"core.ignoreCase={case}"


def is_ignored(folder: str, top: str, timeout: float) -> bool:
    """Tell whether git says that the work tree that begins at `top` ignores a folder in it."""
    where = f"--work-tree={top}"
    path = os.path.relpath(folder, top)
    try:
        return bool(git(top, where, "check-ignore", "--", path, timeout=timeout, ok=(0, 1)))
    except GitError:
        return False


def _others(top: str) -> list[str]:
    """Return how names that git does not track are asked for in the project at `top`."""
    generated = () if has_rules(top) else GENERATED
    return ["-o", "--exclude-standard", *(f"--exclude={name}/" for name in generated)]


def _are_names(printed: Sequence[str]) -> bool:
    """Tell whether all that was printed may be names: none is empty."""
    return "" not in printed


def _is_listing_of(files: Sequence[str], folder: str) -> bool:
    """Tell whether one of some names is there; where none is, git has printed anything but names.

    Where they are all removed and not committed, a walk knows as much.
    """
    some = files[:: len(files) // _SOME + 1]
    return not files or any(os.path.lexists(f"{folder}/{name}") for name in some)


def _untracked(names: list[str]) -> Answer:
    files = [name for name in names if name and name[-1] != "/"]
    repositories = [name[:-1] for name in names if name.endswith("/")]
    return Answer(files, repositories, cut_short=False, untracked=True)


def _make_repository(place: str) -> str:
    """Make the least that git takes for a repository, and return where it is."""
    for name in ("", "objects", "refs"):
        os.mkdir(os.path.join(place, name))
    with open(os.path.join(place, "HEAD"), "w", encoding="ascii") as head:
        head.write("ref: refs/heads/none\n")
    return place


def _sooner(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)


def _needs_detail(place: str) -> bool:
    """Tell whether the index in a git folder may have entries that are no files on disk.

    Modes and tags cost half as much again as the names, and few repositories need them. A
    mode's bytes found elsewhere in the index only mean that they are asked for in vain.
    """
    if is_sparse(place):
        return True
    try:
        with os.scandir(place) as entries:
            parts = [entry.path for entry in entries if entry.name.startswith("sharedindex.")]
        return any(map(_has_link, [os.path.join(place, "index"), *parts]))
    except OSError:
        return True


def _has_link(index: str) -> bool:
    import re

    search = re.compile(_LINK_MODE).search
    overlap = 3
    buffer = bytearray(overlap + _AT_ONCE)
    view = memoryview(buffer)
    with open(index, "rb", buffering=0, opener=opener) as opened:
        # Not mapped: touching each page for the first time takes longer than copying it.
        while read := opened.readinto(view[overlap:]):
            if search(buffer, 0, overlap + read):
                return True
            buffer[:overlap] = buffer[read : read + overlap]
    return False


def _staged(records: list[str], folder: str) -> tuple[list[str], list[str]] | None:
    """Split `ls-files -s -t` into names of files and of linked repositories; None if it is none.

    Files outside a sparse checkout are left out; such a mark on a file that is there (people
    use it to keep local changes) does not count.
    """
    if not records:
        return [], []
    # "H 100644 OBJECT-ID STAGE\tname": as wide in every line, whatever the kind of id.
    start = records[0].find("\t") + 1
    if not start or any(record[start - 1 : start] != "\t" for record in records):
        return None
    links = [record for record in records if record[2:8] == "160000"]
    files = [record for record in records if record[2:8] != "160000"] if links else records
    marked = {record[start:] for record in files if record[0] == "S"}
    gone = marked - _on_disk(marked, folder)
    names = [name for record in files if (name := record[start:]) not in gone]
    return names, [link[start:].removesuffix("/") for link in links]


def _on_disk(names: Iterable[str], folder: str) -> set[str]:
    found: set[str] = set()
    folders: dict[str, bool] = {}
    for name in names:
        path = os.path.join(folder, name)
        above = os.path.dirname(path)
        if above not in folders:
            folders[above] = os.path.isdir(above)
        if folders[above] and os.path.lexists(path):
            found.add(name)
    return found
