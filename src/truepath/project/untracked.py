"""The untracked names of a large repository, kept and checked by one `stat` a folder.

Git reads every folder for them. Here the list of the last time holds as long as no
folder's times have changed, nor an ignore file, nor git's configuration; of a changed
folder, only that is read again, and git is asked which of its new names it ignores.
Whatever is not understood makes git list all anew: a new ignore file in a folder, a
repository inside, tracked names that differ. For a very large repository that takes
longer than an answer waits: another process does it behind, and a later answer has the
names.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from stat import S_ISDIR
from zlib import crc32

from truepath.config import files
from truepath.config.files import State, read_own, write
from truepath.config.user_dirs import home, make_private
from truepath.errors import suppress
from truepath.project.git import GitError, environment, git
from truepath.project.git_folder import common_folder, git_folder
from truepath.project.log import Log
from truepath.records import dataclass

_MOST_FOLDERS = 200
"""Changed folders that are read one by one, at most; git lists 52,000 files as fast."""

_MOST_LISTED = 2_000
"""Names in them that git is asked about, at most: they are words of a command."""

_LARGEST_LIST = 1 << 26
"""Bytes of the file, at most."""

_MOST_LEVELS = 40
"""Levels of new folders, at most: git is asked about each, which takes it 2 ms."""

_PLAIN = re.compile(rb'[^\x00-\x1f"\\\x7f]+')
"""A name that git prints as it is."""

_BEHIND = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from truepath.project.listing import list_behind; list_behind(*sys.argv[2:4])"
)
"""What Python does behind."""

_ROOT = b"."

_MAGIC = b"truepath-untracked-3 %x " % sys.hexversion


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept. Paths are relative to the folder, but for those watched."""

    watched: dict[bytes, State]
    """The absolute path of a file -> its state. If one has another, git lists anew."""
    folders: dict[bytes, State]
    """Each folder that git reads -> its state."""
    ignored: set[bytes]
    """Folders in them that git does not read."""
    names: set[bytes]
    """The untracked names; a repository ends in a slash."""


@dataclass(frozen=True, slots=True)
class Untracked:
    """The untracked names below a folder, in the work tree that begins at `top`.

    Git tracks the names `tracked` there, sorted, each between NULs, and leaves out
    folders of `generated` names, because no ignore file does it. The list is kept in
    `file`, in a private folder; the answer is due at `ends`, on the monotonic clock.
    """

    root: str
    top: str
    tracked: bytes
    generated: Sequence[str]
    file: str
    ends: float

    def names(self, listed: Callable[[], bytes] | None) -> bytes:
        """Return the names, each ended by a NUL; `listed` lists them with git, None if
        that takes too long.

        Raises:
            GitError: They are being listed behind.
        """
        old = files.old_ns()
        kept = self._read()
        if kept is not None and not _changed(kept.watched, self.root, follow=True):
            changed = _changed(kept.folders, self.root)
            with suppress(GitError):
                if changed:
                    self._write(_Look(self, kept, old).explored(changed))
                return b"".join(name + b"\0" for name in sorted(kept.names))
        if listed is None:
            self.list_behind()
            raise GitError("the names are listed behind", timed_out=True)
        others = listed()
        self.keep(others, old)
        return others

    def keep(self, others: bytes, old: int) -> None:
        """Keep what git has listed; folders that changed since `old` are unknown."""
        with suppress(GitError):
            kept = Kept({}, {}, set(), {*others.split(b"\0")} - {b""})
            self._write(_Look(self, kept, old).recorded(self._settings()))

    def list_behind(self) -> None:
        """Have a process of its own list and keep the names, unless one has tried since
        those that are kept were written.
        """
        if "python" not in os.path.basename(sys.executable):
            return  # it is inside another program
        state = f"{self._begins().decode()}{_state(_entry(self.file))}"
        package = __file__.rpartition("/truepath/")[0]
        python = [sys.executable, "-I", "-S", "-c", _BEHIND, package, self.root]
        store = os.path.dirname(self.file)
        with suppress(OSError, GitError):
            log = Log(f"{self.file}.log", self.root)
            log.printed([*python, store, state], self.ends)

    def _settings(self) -> Iterator[str]:
        """Yield the files, existing or not, that say what git ignores."""
        repository = git_folder(self.top) or self.top
        common = common_folder(repository)
        yield from (f"{common}/info/exclude", f"{common}/config", "/etc/gitconfig")
        yield f"{repository}/config.worktree"
        for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            if os.environ.get(name):
                yield os.path.join(self.root, os.environ[name])
        there = home(os.environ)
        own = environment(self.root).get("XDG_CONFIG_HOME") or f"{there}/.config"
        yield from (f"{own}/git/ignore", f"{own}/git/config", f"{there}/.gitconfig")
        yield f"{self.root}/.gitmodules"
        folder = self.root
        while len(folder) > len(self.top):  # an ignore file above the root counts too
            folder = os.path.dirname(folder)
            yield f"{folder}/.gitignore"
        yield from self._configured()

    def _configured(self) -> Iterator[str]:
        """Yield the files that git's configuration is in, or names.

        Raises:
            GitError: It says something that is not read here.
        """
        ask = ("config", "--list", "--show-origin", "-z")
        fields = iter(os.fsdecode(git(self.root, *ask, ends=self.ends)).split("\0"))
        for origin in fields:
            file = os.path.join(self.root, origin.removeprefix("file:"))
            key, _, value = next(fields, "").partition("\n")
            if re.match(r"includeif\.(?:onbranch|hasconfig)", key):
                raise GitError(f"{key} is not read")
            if key == "core.ignorecase" and value != "false":
                raise GitError("a name in another case is the same")
            if origin.startswith("file:"):
                yield file
            if value.startswith("~/"):
                value = home(os.environ) + value[1:]
            place = os.path.expanduser(value)
            if re.match(r"include(if)?\..*path", key):
                yield os.path.join(os.path.dirname(file), place)
            # Git has gone to the top of the work tree.
            if key == "core.excludesfile" and value:
                yield os.path.join(self.top, place)

    def _begins(self) -> bytes:
        """Return what the file begins with if it is about these names."""
        variables = sorted(
            f"{name}={value}"
            for name, value in environment(self.root).items()
            if name.startswith(("GIT_CONFIG", "XDG_CONFIG_HOME", "HOME"))
        )
        text = "\0".join((self.root, self.top, *self.generated, *variables))
        digest = crc32(os.fsencode(text))
        return _MAGIC + b"%08x " % crc32(self.tracked, digest)

    def _read(self) -> Kept | None:
        with suppress(OSError):
            header, _, body = read_own(self.file, _LARGEST_LIST).partition(b"\n")
            if header == self._begins() + b"%08x" % crc32(body):
                # It is its own file, and whole.
                watched, folders, ignored, names = marshal.loads(body)  # noqa: S302
                return Kept(watched, folders, {*ignored}, {*names})
        return None

    def _write(self, kept: Kept) -> None:
        # Of a set, `marshal` would sort what it writes of each name.
        lists = [*kept.ignored], [*kept.names]
        body = marshal.dumps((kept.watched, kept.folders, *lists))
        with suppress(OSError):
            make_private(os.path.dirname(self.file))
            write(self.file, [self._begins() + b"%08x\n" % crc32(body), body])


class _Look:
    """One look at the folders below a root, of which what is kept becomes true."""

    def __init__(self, what: Untracked, kept: Kept, old: int) -> None:
        self.start = os.fsencode(what.root) + b"/"
        self._what = what
        self._kept = kept
        self._old = old
        self._generated = {*map(os.fsencode, what.generated)}
        self._tracked = what.tracked.split(b"\0")[1:-1]
        self._before: Sequence[bytes] = ()
        """The untracked names as they were, sorted."""

    def recorded(self, settings: Iterable[str]) -> Kept:
        """Return what is to be kept of the names that git has just listed."""
        kept = self._kept
        links: dict[bytes, int] = {}
        for folder in self._folders_of(kept.names):
            entry = _entry(self.start + folder)
            is_reached = folder == _ROOT or _parent(folder) in kept.folders
            # Else its files are gone, or it is behind a link.
            if is_reached and entry is not None and S_ISDIR(entry.st_mode):
                kept.folders[folder] = _state(entry, self._old)
                links[folder] = entry.st_nlink
                self._watch(folder)
        inside = (
            self.start + name + b".git" for name in kept.names if name.endswith(b"/")
        )
        for path in (*map(os.fsencode, settings), *inside):
            kept.watched[path] = _state(_entry(path, follow=True), self._old)
        return self._with(_unsure(links), files=False)

    def explored(self, changed: Sequence[bytes]) -> Kept:
        """Return the list with changed folders read again."""
        if len(changed) > _MOST_FOLDERS:
            raise GitError("too many folders have changed")
        self._before = sorted(self._kept.names)
        return self._with(sorted(changed), files=True)

    def _folders_of(self, names: set[bytes]) -> Sequence[bytes]:
        """Return the folders that git reads, as far as names are in them, each after
        that around it.
        """
        innermost = {name.rpartition(b"/")[0] for name in self._tracked} - {b""}
        folders = {_ROOT}
        for folder in innermost | {*map(_parent, names)}:
            above = folder
            while above not in folders:
                folders.add(above)
                above = _parent(above)
        inner = sorted(folders - {_ROOT})
        generated = self._generated
        return [
            path for path in (_ROOT, *inner) if generated.isdisjoint(path.split(b"/"))
        ]

    def _with(self, folders: Sequence[bytes], *, files: bool) -> Kept:
        """Return the list with some folders read, and the new ones in them."""
        kept = self._kept
        queue = [*folders]
        levels = iter(range(_MOST_LEVELS))
        while queue:  # a level of new folders each time
            if next(levels, None) is None:
                raise GitError("the new folders are too deep")
            found = (pair for folder in queue for pair in self._read(folder))
            unknown = {
                path: is_folder for path, is_folder in found if files or is_folder
            }
            ignored = self._ignored([*unknown])
            is_folder = {path for path, is_folder in unknown.items() if is_folder}
            ignored |= self._modules(is_folder)
            kept.ignored.update(is_folder & ignored)
            kept.names.update(unknown.keys() - is_folder - ignored)
            queue = [*is_folder - ignored]
        return kept

    def _read(self, folder: bytes) -> Iterator[tuple[bytes, bool]]:
        """Read a folder; yield each path in it that is not known, and whether it is a
        folder. Names that are gone are taken out.
        """
        kept = self._kept
        files, folders = self._entries_of(folder)
        start = 0 if folder == _ROOT else len(folder) + 1
        # A repository ends in a slash.
        inside = _inside(self._before, folder)
        before = {name for name in inside if name.find(b"/", start, -1) < 0}
        there = files | {path + b"/" for path in folders}
        kept.names.difference_update(before - there)
        for path in files - before:
            if not _has(self._tracked, path):
                yield path, False
        for path in folders - kept.folders.keys() - kept.ignored:
            is_repository = path + b"/" in kept.names
            if not (is_repository or path.rpartition(b"/")[2] in self._generated):
                yield path, True

    def _entries_of(self, folder: bytes) -> tuple[set[bytes], set[bytes]]:
        """Keep the state of a folder, and return the files and folders in it that git
        would list; if it is gone, drop it.
        """
        kept = self._kept
        is_reached = _parent(folder) in kept.folders
        is_new = kept.folders.pop(folder, None) is None
        status = _entry(self.start + folder)
        files: set[bytes] = set()
        folders: set[bytes] = set()
        if status is None or not is_reached or not S_ISDIR(status.st_mode):
            self._forget(folder)
            return files, folders
        kept.folders[folder] = _state(status, self._old)
        if is_new:
            self._watch(folder)
        try:
            entries = {entry.name: entry for entry in os.scandir(self.start + folder)}
        except OSError as error:
            raise GitError("a folder is not readable") from error
        rules = self.start + folder + b"/.gitignore"
        has_new_rules = b".gitignore" in entries and rules not in kept.watched
        is_repository = entries.pop(b".git", None) is not None and folder != _ROOT
        if is_repository or has_new_rules:
            raise GitError("a folder has rules of its own")
        start = b"" if folder == _ROOT else folder + b"/"
        for name, entry in entries.items():
            if entry.is_dir(follow_symlinks=False):
                folders.add(start + name)
            # No pipe, no socket, no device.
            elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                files.add(start + name)
        kept.ignored.difference_update(files)  # a folder of that name would be another
        return files, folders

    def _forget(self, folder: bytes) -> None:
        """Take out what was in a folder: it is gone, or behind a link in its place,
        where it looks the same, and git does not read it.
        """
        self._kept.names.difference_update(_inside(self._before, folder))
        start = folder + b"/"
        folders = self._kept.folders
        for path in [path for path in folders if path.startswith(start)]:
            del folders[path]

    def _watch(self, folder: bytes) -> None:
        """Watch a folder's ignore file, if it has one."""
        path = self.start + folder + b"/.gitignore"
        entry = _entry(path, follow=True)
        if entry is not None:
            self._kept.watched[path] = _state(entry, self._old)

    def _modules(self, folders: Iterable[bytes]) -> set[bytes]:
        """Return those of some new folders that git tracks as submodules: in them it
        reads nothing, whatever is there.
        """
        named = [os.fsdecode(path) for path in folders if _has(self._tracked, path)]
        if not named:
            return set()
        words = (f"--work-tree={self._what.top}", "ls-files", "-s", "-z", "--", *named)
        printed = git(self._what.root, *words, ends=self._what.ends)
        entries = [entry.partition(b"\t") for entry in printed.split(b"\0")]
        return {path for kind, _, path in entries if kind.startswith(b"160000 ")}

    def _ignored(self, paths: Sequence[bytes]) -> set[bytes]:
        """Return those of some new paths that git ignores."""
        if len(paths) > _MOST_LISTED or not all(map(_PLAIN.fullmatch, paths)):
            raise GitError("the names are too many, or too odd")
        if not paths:
            return set()
        tree = f"--work-tree={self._what.top}"
        ask = (tree, "-c", "core.quotePath=false", "--no-literal-pathspecs")
        named = [f"./{os.fsdecode(path)}" for path in paths]
        words = ("check-ignore", "--no-index", "--", *named)
        printed = git(self._what.root, *ask, *words, ends=self._what.ends, ok=(0, 1))
        return {path.removeprefix(b"./") for path in printed.split(b"\n")}


def _unsure(links: dict[bytes, int]) -> Sequence[bytes]:
    """Return the folders that may have others in them than these; each has its number
    of links.
    """
    inner = Counter(map(_parent, links.keys() - {_ROOT}))
    # Where a folder counts those in it, it has none that git did not name.
    unsure = [path for path, count in links.items() if count != 2 + inner[path]]
    # Some file systems count nothing (CIFS: 2 for each folder).
    is_counted = all(links[path] > 2 + inner[path] for path in unsure)
    return unsure if is_counted else [*links]


def _has(names: Sequence[bytes], path: bytes) -> bool:
    """Return whether a path is among sorted ones."""
    place = bisect_left(names, path)
    return names[place : place + 1] == [path]


def _inside(paths: Sequence[bytes], folder: bytes) -> Sequence[bytes]:
    """Return those of some sorted paths that are in a folder, however deep."""
    if folder == _ROOT:
        return paths
    first = bisect_left(paths, folder + b"/")
    last = bisect_left(paths, folder + b"0")  # which comes after `/`
    return paths[first:last]


def _changed(
    states: dict[bytes, State], root: str, *, follow: bool = False
) -> list[bytes]:
    """Return the paths, absolute or relative to a folder, that are not in these
    states; `follow` links for the states of what they lead to.
    """
    changed: list[bytes] = []
    try:
        folder = os.open(root, os.O_RDONLY)
    except OSError:
        return [*states]
    try:  # from the folder, the kernel has fewer names to follow
        for path, state in states.items():
            now: State = ()
            try:  # faster than `suppress`
                entry = os.stat(path, dir_fd=folder, follow_symlinks=follow)
                now = (entry.st_ctime_ns, entry.st_mtime_ns, entry.st_ino)
            except OSError:
                pass
            if now != state:
                changed.append(path)
    finally:
        os.close(folder)
    return changed


def _entry(path: bytes | str, *, follow: bool = False) -> os.stat_result | None:
    """Return the entry at a path, or of a file of rules, which git reads through links:
    what it leads to.
    """
    try:  # faster than `suppress`, and it is done for each folder
        return os.stat(path, follow_symlinks=follow)
    except OSError:
        return None


def _state(entry: os.stat_result | None, old: int = sys.maxsize) -> State:
    """Return the state of an entry, `()` for none; see `files.state_of`."""
    return () if entry is None else files.state_of(entry, old)


def _parent(path: bytes) -> bytes:
    return path.rstrip(b"/").rpartition(b"/")[0] or _ROOT
