"""A project on disk: the disk tells what exists, git the names and the history."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from truepath import TYPE_CHECKING, Late
from truepath.config.files import entry_kind
from truepath.errors import suppress
from truepath.paths import fold, native, relative_to
from truepath.patience import SHARE, check, clock_left
from truepath.project.faults import OWNERSHIP, fault
from truepath.project.git import GitError, git, zsplit
from truepath.project.git_folder import enclosing, other_checkout
from truepath.project.history import WITHHELD, History
from truepath.project.listing import Listing, entries, is_empty, kinds, listed
from truepath.project.names import Names
from truepath.project.root import main_checkout
from truepath.project.secrets import is_secret
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.types import EntryKind

if TYPE_CHECKING:
    from truepath.project import contents, likeness, roots, uncommitted
    from truepath.project.history import Fate, History
else:
    contents = Late("truepath.project.contents")
    likeness = Late("truepath.project.likeness")
    roots = Late("truepath.project.roots")
    uncommitted = Late("truepath.project.uncommitted")

_FRESH_S = 0.05
"""Seconds for which a listing is used by later answers: as long as parallel calls take
to begin, and no longer than it takes to list a project."""

_LATE_S = 0.5
"""Seconds after its end from which a question is one of another answer."""

_NOTE_SHARE = 0.2
"""The part of an answer's time in which git is to say whether it ever had a path."""

_GRAIN_S = 0.02
"""Seconds by which a file system's time is behind the clock's, at most."""

_UP = re.compile(r"[/\\]\.\.(?=[/\\]|\Z)" if os.sep == "\\" else r"/\.\.(?=/|\Z)")


class Disk(Tree):
    """A project's folder. Thread-safe: each thread has a listing that never changes."""

    def __init__(
        self,
        root: str,
        *,
        deny: Sequence[str] = (),
        limit: int,
        timeout_s: float,
        store: str | None = None,
        roots: Mapping[str, str] | None = None,
    ) -> None:
        """Take a folder; nothing is read yet.

        Args:
            root: The folder, absolute.
            deny: Globs of paths that are never named.
            limit: Names to list, at most; of more, none is used.
            timeout_s: Seconds for all questions of one answer, which only a program
                that hangs, or a disk, takes.
            store: As `Tree.store`; without one, the history is read each time.
            roots: Folders of containers, and those of the project that they are.
        """
        super().__init__(Names(b""), root, native(), deny)
        self._limit = limit
        self._timeout_s = timeout_s
        self.store = store
        self._roots = roots or {}
        self._ends: float | None = None
        self._listing: Listing | None = None
        self.home = os.path.expanduser("~")

    def begin(self) -> None:
        self._ends = None
        listing = self._listing
        if listing is not None and time.monotonic() - listing.taken > _FRESH_S:
            self._listing = None

    def changed(self) -> None:
        self._listing = None

    def entry_kind_at(self, absolute: str) -> EntryKind:
        try:
            return entry_kind(absolute)
        except OSError:
            return None

    def is_hidden(self, absolute: str) -> bool:
        try:
            entry_kind(absolute)
        except OSError:
            return True
        return False

    def inside(self, absolute: str) -> str | None:
        if ".." in absolute.replace(os.sep, "/").split("/"):
            # After a symbolic link, `..` leads elsewhere than the text suggests; after
            # what is no folder, or is one in another case, nowhere.
            try:
                for up in _UP.finditer(absolute):
                    place = absolute[: up.start()]
                    if os.path.isdir(place):
                        continue
                    folder, name = os.path.split(place)
                    if fold(name) in map(fold, entries(folder)):
                        return None
                real = os.path.realpath(absolute)
            except ValueError:
                return None
            return relative_to(real, self._real_root, self.flavour)
        inside = relative_to(absolute, self.root, self.flavour)
        return self._behind_link(absolute) if inside is None else inside

    def _behind_link(self, absolute: str) -> str | None:
        """Return where a path outside leads in the root: it, or the root, may be named
        through a link.
        """
        folder = absolute
        while (
            folder and not os.path.isdir(folder) and os.path.dirname(folder) != folder
        ):
            folder = os.path.dirname(folder)
        real = os.path.realpath(folder)
        if real == folder and self._real_root == self.root:
            return None  # there is no link
        rest = absolute[len(folder) :].strip("/")
        return relative_to(os.path.join(real, rest), self._real_root, self.flavour)

    def kind(self, path: str) -> EntryKind:
        check()
        return self.entry_kind_at(self._absolute(path))

    def broken_link_target(self, path: str) -> str | None:
        link = path
        while link and not os.path.islink(self._absolute(link)):
            link = link.rpartition("/")[0]
        if not link or self.kind(link) is not None:
            return None
        return self._real(path) or ""

    def mapped(self, absolute: str) -> Sequence[tuple[str, str]]:
        # A rooted path of Windows is on the drive of its folder.
        rooted = absolute[2:] if self.flavour == "windows" else absolute
        if not rooted.startswith("/"):
            return ()

        return roots.mapped(self.root, rooted, self._roots)

    def names(self) -> Names:
        return self._listed().names

    def missing_modules(self) -> Sequence[str]:
        return self._listed().missing_modules

    def children(self, folder: str) -> Sequence[str]:
        known = self._listed().children
        if folder not in known:
            known[folder] = self._children(folder)
        return known[folder]

    def _children(self, folder: str) -> Sequence[str]:
        real = self._real(folder)
        if real is None:
            return []
        listed = {name.rstrip("/") for name in self.names().children(folder)}
        children: list[str] = []
        for name, kind in kinds(self._absolute(folder)).items():
            path = f"{folder}/{name}".lstrip("/")
            # A listed one behind no link needs no further look; git lists no empty
            # folder.
            if name in listed and kind != "link" and real == folder:
                may_name = super().may_name(path)
            elif name in listed or is_empty(self._absolute(path)):
                may_name = self.may_name(path)
            else:
                may_name = False
            if not may_name:
                continue
            meant = self.kind(path) if kind == "link" else kind
            children.append(f"{name}/" if meant == "folder" else name)
        return sorted(children)

    def entries(self, folder: str) -> Sequence[str]:
        return entries(self._absolute(folder))

    def fate(self, path: str) -> Fate | None:
        if self._history is None:
            return None
        fate = self._history.fate(path, self._time())
        # A renamed path may be in the index again, or may have gone on from its new
        # place.
        is_followed = fate.kind == "renamed" and not self.names().kind(path)
        there = fate.path if is_followed else path
        if self.names().kind(there) and not os.path.lexists(self._absolute(there)):
            now = uncommitted.moved(self.root, there, self.names(), self._time())
            fate = now or fate
        # What a secret became is one too, under whatever name.
        if is_secret(path) and fate.kind == "kept":
            return replace(fate, moved_to=())
        is_moved = fate.kind in ("renamed", "emptied")
        if is_moved and (is_secret(path) or self.was_secret(fate.path)):
            return WITHHELD
        if fate.path and not self.may_name(fate.path):
            return WITHHELD
        if fate.blob:
            asked = (self.root, fate.path, fate.blob, self._time())
            fate = replace(fate, replaced=likeness.is_replaced(*asked))
        return fate

    def was_secret(self, path: str) -> bool:
        if self._history is None:
            return False
        return any(map(is_secret, self._history.before(path, self._time())))

    def ignores(self, paths: Iterable[str]) -> bool | None:
        if self._history is None:
            return False
        asked: dict[str, list[str]] = {}  # by repository: of another, git tells nothing
        listing = self._listed()
        for path in paths:
            real = self._real(path)
            if real is None:
                return None
            top = listing.repository_of(real)
            asked.setdefault(top, []).append(f"./{real.removeprefix(top)}/")
        known: bool | None = False
        for top, inner in asked.items():
            ask = ("--no-literal-pathspecs", "check-ignore", "--", *inner)
            try:
                if git(self._absolute(top), *ask, ends=self._time(), ok=(0, 1)):
                    return True
            except GitError:
                known = None
        return known

    def fault(self) -> str:
        said = fault(self.root, self.store, self._time())
        # What git says may quote a file.
        why = f"git refuses it, {OWNERSHIP}" if OWNERSHIP in said else "git fails on it"
        return why if said else ""

    def is_revision(self, word: str, cwd: str) -> bool:
        ask = ("rev-parse", "-q", "--verify", word)
        with suppress(GitError):
            return bool(git(cwd, *ask, ends=self._time(), ok=(0, 1)))
        return True

    def ever_had(self, path: str) -> bool:
        folder = self._absolute(path)
        while not os.path.isdir(folder):  # it may be in a repository below this one
            folder = os.path.dirname(folder)
        missing = os.path.relpath(self._absolute(path), folder)
        # Of a large history that takes a minute, and nobody waits for a note.
        left = self._time() - time.monotonic()
        ends = time.monotonic() + _NOTE_SHARE * left
        # Without `--full-history`, what came and went on a merged branch is left out.
        commits = ("rev-list", "-1", "--all", "--full-history")
        shallow = ("rev-parse", "--is-shallow-repository")
        with suppress(GitError):
            if git(folder, *shallow, ends=ends) != b"false\n":
                return True
            if git(folder, "ls-files", "-z", "--", missing, ends=ends):
                return True
            return bool(git(folder, *commits, "--", missing, ends=ends))
        return True

    def written_since(self, time_s: float) -> bool:
        ends = self._time()
        changed = ("ls-files", "-m", "-o", "--exclude-standard", "-z")
        try:
            index = git(self.root, "rev-parse", "--git-path", "index", ends=ends)
            paths = zsplit(git(self.root, *changed, ends=ends))
        except GitError:
            return True
        for path in (*paths, os.fsdecode(index.rstrip(b"\n"))):
            place = os.path.join(self.root, path)
            while not os.path.lexists(place):  # what removed it changed the folder
                place = os.path.dirname(place)
            if os.lstat(place).st_ctime > time_s - _GRAIN_S:
                return True
        return False

    def may_name(self, path: str) -> bool:
        if not super().may_name(path):
            return False
        real = self._real(path)
        if real is None or not super().may_name(real):
            return False
        place = self._absolute(real)
        # What is not there tells nothing that was not known.
        if not real or not os.path.lexists(place):
            return True
        listing = self._listed()
        if listing.names.has(real, self.flavour):
            return True
        if not is_empty(place):
            return False
        above = real.rpartition("/")[0]
        return real in listing.empty_folders(self.root, above, self._time())

    def holders(
        self, texts: Sequence[str], among: Sequence[str] | None = None
    ) -> list[str] | None:
        # Names alone rule out most files, before they are opened.
        ends = self._time()
        is_open = super().may_name if among is None else self.may_name
        paths = contents.holders(self.root, texts, is_open, ends, among)
        return paths and [path for path in paths if self.may_name(path)]

    def in_main_checkout(self, path: str) -> str:
        top = enclosing(self.root)
        main = os.path.realpath(main_checkout(top)) if top else top
        if not top or not main or main == os.path.realpath(top):
            return ""
        inner = os.path.relpath(self._absolute(path), top)
        place = os.path.join(main, inner)
        # A link there may lead anywhere.
        if not os.path.exists(place) or os.path.realpath(place) != place:
            return ""
        may_be_named = super().may_name(path) and self.ignores([path]) is False
        return place if may_be_named else ""

    def checkout(self, absolute: str) -> tuple[str, str] | None:
        return other_checkout(absolute, self.root)

    @property
    def _real_root(self) -> str:
        return os.path.realpath(self.root)

    def _real(self, path: str) -> str | None:
        """Return where a path's links lead, relative to the root; None if outside, or
        in a loop.
        """
        place = self._absolute(path)
        try:
            target = os.path.realpath(place, strict=True)
        except (FileNotFoundError, NotADirectoryError):
            target = os.path.realpath(place)
        except (OSError, ValueError):
            return None
        return relative_to(target, self._real_root, self.flavour)

    def _time(self) -> float:
        """Return when the answer is due; a question long after that begins another
        answer.
        """
        check()
        now = time.monotonic()
        if self._ends is not None and now > self._ends + _LATE_S:
            self.begin()
        if self._ends is None:
            self._ends = now + min(self._timeout_s, SHARE * clock_left())
        return self._ends

    @cached_property
    def _history(self) -> History | None:
        return History(self.root, self.store) if enclosing(self.root) else None

    def _listed(self) -> Listing:
        """Return the listing of this answer; two threads may both make one."""
        ends = self._time()
        listing = self._listing
        if listing is None:
            if self._history is not None:
                self._history.begin()
            listing = listed(self.root, limit=self._limit, ends=ends, store=self.store)
            self._listing = listing  # also if that took long
        return listing
