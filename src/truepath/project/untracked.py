"""The untracked names of a large repository, kept and checked by one `stat` a folder.

Git reads every folder for them. Here the list of the last time holds as long as no
folder's times have changed, nor an ignore file, nor git's configuration; of a changed
folder, only that is read again, and git is asked which of its new names it ignores.
Whatever is not understood makes git list all anew: a new ignore file in a folder, a
repository inside, tracked names that differ.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from stat import S_ISDIR
from zlib import crc32

from truepath.config.files import read, write
from truepath.config.user_dirs import make_private
from truepath.project.git import GitError, git
from truepath.project.git_folder import common_folder, git_folder
from truepath.records import dataclass

_YOUNG_NS = 2_500_000_000
"""Nanoseconds within which a folder may change twice at one time: FAT counts two
seconds, and Linux in steps of up to 10 ms. Such a time is not kept."""

_MOST_FOLDERS = 200
"""Changed folders that are read one by one, at most; git lists 52,000 files as fast."""

_MOST_LISTED = 2_000
"""Names in them that git is asked about, at most: they are words of a command."""

_LARGEST_LIST = 1 << 26
"""Bytes of the file, at most."""

_PLAIN = re.compile(rb'[^\x00-\x1f"\\\x7f]+')
"""A name that git prints as it is."""

_ROOT = b"."
_MAGIC = b"truepath-untracked-1 %x " % sys.hexversion


class _ListAnewError(Exception):
    """The list is not understood well enough to be kept."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept. Paths are relative to the folder, but for those watched."""

    watched: dict[bytes, bytes]
    """The absolute path of a file -> its state. If one has another, git lists anew."""
    folders: dict[bytes, bytes]
    """Each folder that git reads -> its state."""
    ignored: set[bytes]
    """Folders in them that git does not read."""
    names: set[bytes]
    """The untracked names; a repository ends in a slash."""

    def blob(self) -> bytes:
        """Return the names, sorted, each ended by a NUL."""
        return b"".join(name + b"\0" for name in sorted(self.names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Untracked:
    """The untracked names below a folder, in the work tree that begins at `top`.

    Git tracks the names `tracked` there, sorted, each between NULs, and leaves out
    folders of `generated` names, because no ignore file does it. The list is kept in
    the private folder `store`; the answer is due at `ends`, on the monotonic clock.
    """

    root: str
    top: str
    tracked: bytes
    generated: Sequence[str]
    store: str
    ends: float

    def names(self, listed: Callable[[], bytes]) -> bytes:
        """Return the names, each ended by a NUL; `listed` lists them with git."""
        look = _Look(self, time.time_ns() - _YOUNG_NS)
        kept = self._read()
        if kept is not None and not _changed(kept.watched):
            changed = _changed(kept.folders, look.start)
            if not changed:
                return kept.blob()
            with suppress(_ListAnewError, GitError):
                return self._write(look.explored(kept, changed)).blob()
        others = listed()
        with suppress(_ListAnewError, GitError):
            self._write(look.recorded(others, self._settings()))
        return others

    def _settings(self) -> Iterator[str]:
        """Yield the files, existing or not, that say what git ignores."""
        common = common_folder(git_folder(self.top) or self.top)
        yield from (f"{common}/info/exclude", f"{common}/config", "/etc/gitconfig")
        yield f"{self.root}/.gitmodules"
        home = os.path.expanduser("~")
        own = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
        yield from (f"{own}/git/ignore", f"{own}/git/config", f"{home}/.gitconfig")
        folder = self.root
        while len(folder) > len(self.top):  # an ignore file above the root counts too
            folder = os.path.dirname(folder)
            yield f"{folder}/.gitignore"
        printed = git(
            self.root, "config", "--list", "--show-origin", "-z", ends=self.ends
        )
        fields = iter(os.fsdecode(printed).split("\0"))
        for origin in fields:
            file = os.path.join(self.root, origin.removeprefix("file:"))
            key, _, value = next(fields, "").partition("\n")
            if re.match(r"includeif\.(?:onbranch|hasconfig)", key):
                raise _ListAnewError
            if origin.startswith("file:"):
                yield file
            if key == "core.excludesfile" or re.match(r"include(if)?\..*path", key):
                yield os.path.join(os.path.dirname(file), os.path.expanduser(value))

    def _file(self) -> tuple[str, bytes]:
        """Return the file, and what it begins with if it is about these names."""
        variables = sorted(
            f"{name}={value}"
            for name, value in os.environ.items()
            if name.startswith(("GIT_CONFIG", "XDG_CONFIG_HOME", "HOME"))
        )
        text = "\0".join((self.root, self.top, *self.generated, *variables))
        digest = crc32(self.tracked, crc32(os.fsencode(text)))
        name = f"untracked-{crc32(os.fsencode(self.root)):08x}"
        return os.path.join(self.store, name), _MAGIC + b"%08x " % digest

    def _read(self) -> Kept | None:
        file, begins = self._file()
        with suppress(OSError):
            header, _, body = read(file, _LARGEST_LIST).partition(b"\n")
            if header == begins + b"%08x" % crc32(body):
                return Kept(*marshal.loads(body))  # noqa: S302  its own, and whole
        return None

    def _write(self, kept: Kept) -> Kept:
        file, begins = self._file()
        body = marshal.dumps((kept.watched, kept.folders, kept.ignored, kept.names))
        with suppress(OSError):
            make_private(self.store)
            write(file, [begins + b"%08x\n" % crc32(body), body])
        return kept


class _Look:
    """One look at the folders below a root."""

    def __init__(self, what: Untracked, young: int) -> None:
        self.start = os.fsencode(what.root) + b"/"
        self._what = what
        self._young = young
        self._generated = {*map(os.fsencode, what.generated)}
        self._before: defaultdict[bytes, set[bytes]] = defaultdict(set)
        """Folder -> the untracked names that were in it."""

    def recorded(self, others: bytes, settings: Iterable[str]) -> Kept:
        """Return what is to be kept of a list that git has just made."""
        kept = Kept({}, {}, set(), {*others.split(b"\0")} - {b""})
        links: dict[bytes, int] = {}
        for folder in self._folders_of(kept.names):
            entry = _entry(self.start + folder)
            if entry is not None and S_ISDIR(entry.st_mode):  # else its files are gone
                kept.folders[folder] = _state(entry, self._young)
                links[folder] = entry.st_nlink
                self._watch(kept, folder)
        repositories = [name for name in kept.names if name.endswith(b"/")]
        inside = (self.start + name + b".git" for name in repositories)
        for path in (*map(os.fsencode, settings), *inside):
            kept.watched[path] = _state(_entry(path), self._young)
        # Where a folder counts those in it, it has none that git did not name.
        inner = Counter(map(_parent, links.keys() - {_ROOT}))
        unsure = [path for path, count in links.items() if count != 2 + inner[path]]
        return self._with(kept, unsure, files=False)

    def explored(self, kept: Kept, changed: Sequence[bytes]) -> Kept:
        """Return a list with changed folders read again."""
        if len(changed) > _MOST_FOLDERS:
            raise _ListAnewError
        for name in kept.names:
            self._before[_parent(name)].add(name)
        return self._with(kept, changed, files=True)

    def _folders_of(self, names: set[bytes]) -> set[bytes]:
        """Return the folders that git reads, as far as names are in them."""
        tracked = self._what.tracked.split(b"\0")
        innermost = {name.rpartition(b"/")[0] for name in tracked} - {b""}
        folders = {_ROOT}
        for folder in innermost | {*map(_parent, names)}:
            above = folder
            while above not in folders:
                folders.add(above)
                above = _parent(above)
        left_out = self._generated
        return {path for path in folders if left_out.isdisjoint(path.split(b"/"))}

    def _with(self, kept: Kept, folders: Sequence[bytes], *, files: bool) -> Kept:
        """Return a list with some folders read, and the new ones in them."""
        queue = [*folders]
        while queue:  # a level of new folders each time
            found = (pair for folder in queue for pair in self._read(kept, folder))
            unknown = {
                path: is_folder for path, is_folder in found if files or is_folder
            }
            ignored = self._ignored([*unknown])
            is_folder = {path for path, is_folder in unknown.items() if is_folder}
            kept.ignored.update(is_folder & ignored)
            kept.names.update(unknown.keys() - is_folder - ignored)
            queue = [*is_folder - ignored]
        return kept

    def _read(self, kept: Kept, folder: bytes) -> Iterator[tuple[bytes, bool]]:
        """Read a folder; yield each path in it that is not known, and whether it is a
        folder. Names that are gone are taken out.
        """
        gone = self._before.pop(folder, set())
        is_new = kept.folders.pop(folder, None) is None
        status = _entry(self.start + folder)
        if status is not None and S_ISDIR(status.st_mode):
            kept.folders[folder] = _state(status, self._young)
            if is_new:
                self._watch(kept, folder)
            known = self._tracked_in(folder) | gone
            for path, is_folder in self._entries(kept, folder):
                gone.discard(path + b"/" if is_folder else path)
                if not (self._knows(kept, path) if is_folder else path in known):
                    yield path, is_folder
        kept.names.difference_update(gone)

    def _entries(self, kept: Kept, folder: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield the paths in a folder that git would list, and whether each is a
        folder.
        """
        place = self.start + folder
        start = b"" if folder == _ROOT else folder + b"/"
        try:
            entries = [*os.scandir(place)]
        except OSError as error:
            raise _ListAnewError from error
        for entry in entries:
            is_rules = entry.name == b".gitignore"
            is_repository = entry.name == b".git" and folder != _ROOT
            if is_repository or (is_rules and entry.path not in kept.watched):
                raise _ListAnewError
            is_folder = entry.is_dir(follow_symlinks=False)
            is_file = entry.is_file(follow_symlinks=False) or entry.is_symlink()
            # No pipe, no socket, no device.
            if (is_folder or is_file) and entry.name != b".git":
                yield start + entry.name, is_folder

    def _knows(self, kept: Kept, folder: bytes) -> bool:
        """Return whether a folder is one that is read, or that git does not read."""
        is_repository = folder + b"/" in kept.names
        is_generated = folder.rpartition(b"/")[2] in self._generated
        is_left_out = is_repository or is_generated or folder in kept.ignored
        return is_left_out or folder in kept.folders

    def _watch(self, kept: Kept, folder: bytes) -> None:
        """Watch a folder's ignore file, if it has one."""
        path = self.start + folder + b"/.gitignore"
        entry = _entry(path)
        if entry is not None:
            kept.watched[path] = _state(entry, self._young)

    def _tracked_in(self, folder: bytes) -> set[bytes]:
        """Return the tracked paths directly in a folder."""
        start = b"" if folder == _ROOT else folder + b"/"
        first = bisect_left(self._names, start)
        # `0` comes after `/`.
        last = bisect_left(self._names, folder + b"0") if start else len(self._names)
        names = self._names[first:last]
        return {name for name in names if name.find(b"/", len(start)) < 0}

    @cached_property
    def _names(self) -> list[bytes]:
        return self._what.tracked.split(b"\0")[:-1]

    def _ignored(self, paths: Sequence[bytes]) -> set[bytes]:
        """Return those of some new paths that git ignores."""
        if len(paths) > _MOST_LISTED or not all(map(_PLAIN.fullmatch, paths)):
            raise _ListAnewError
        if not paths:
            return set()
        ask = ("-c", "core.quotePath=false", "--no-literal-pathspecs", "check-ignore")
        words = (
            *ask,
            "--no-index",
            "--",
            *(f"./{os.fsdecode(path)}" for path in paths),
        )
        printed = git(self._what.root, *words, ends=self._what.ends, ok=(0, 1))
        return {path.removeprefix(b"./") for path in printed.split(b"\n")}


def _changed(states: dict[bytes, bytes], start: bytes = b"") -> list[bytes]:
    """Return the paths, behind `start`, that are not in these states."""
    return [path for path in states if states[path] != _state(_entry(start + path))]


def _entry(path: bytes) -> os.stat_result | None:
    with suppress(OSError):
        return os.lstat(path)
    return None


def _state(entry: os.stat_result | None, young: int | None = None) -> bytes:
    """Return what tells that an entry is unchanged: its times and its number; `?` if it
    is too young to tell, `-` for none.
    """
    if entry is None:
        return b"-"
    changed = entry.st_ctime_ns
    if young is not None and max(changed, entry.st_mtime_ns) >= young:
        return b"?"
    return b"%d %d %d" % (changed, entry.st_mtime_ns, entry.st_ino)


def _parent(path: bytes) -> bytes:
    return path.rstrip(b"/").rpartition(b"/")[0] or _ROOT
