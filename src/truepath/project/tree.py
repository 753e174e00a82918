"""The two projects that resolution can see: a folder on disk, and names alone."""

from __future__ import annotations

import math
import os
import stat
import time
from _thread import allocate_lock  # `threading` is a millisecond of a first miss
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from truepath.paths import Flavour, key, native, relative_to
from truepath.project.lookup import COLD
from truepath.project.names import Names
from truepath.records import dataclass
from truepath.types import Contents, EntryKind

if TYPE_CHECKING:
    from truepath.project.history import History
    from truepath.resolve.history_evidence import Past

Stamp = tuple[int, int, int] | None

FRESH_SECONDS = 2.0
"""How long a listing is believed; a wrong answer from a stale one costs more than listing again
(about 0.4 microseconds a file)."""

_BUSY_SECONDS = 0.1
"""How long one is believed while a call runs that may make files, which it is taken to do for
`FRESH_SECONDS`: about as long as one answer takes. So is where the root's links lead."""


_SMALL_INDEX = 2_000_000
"""Bytes of a git index that holds about 20,000 files."""

_UNTRACKED = 0.5
"""Seconds. A miss that may take as long waits for a large project's untracked names; a shorter one
would only be delayed."""

_LATER = 0.2
"""Seconds after an answer in which what it did without is seen to, in a large project: the names
that git does not track yet, and the map of its history."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a search may cost."""

    limit: int
    """Names listed at most."""
    deadline: float | None
    """Seconds for a listing."""
    timeout_s: float
    """Seconds that one search waits for untracked names and history, all questions together."""


class Disk:
    """A project on disk: the disk says what exists, and names are listed on a miss."""

    def __init__(
        self,
        root: str,
        *,
        deny: Sequence[str],
        limits: Limits,
        store: str | None,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Take a folder; nothing is read yet.

        Args:
            root: The folder, absolute.
            deny: Globs of what is never named.
            limits: How much a search may cost.
            store: A private folder for the map of renames.
            prepare: Loads what judges many names, while git lists them.
        """
        self.root = root
        self._patterns = deny
        self._limits, self._store, self._prepare = limits, store, prepare
        self._names: Names | None = None
        self._listed_at, self._changed_at = 0.0, -math.inf
        self._index: Stamp = None
        self._git_index, self._is_small = "", False
        self._listing = allocate_lock()
        self._root_seen_at, self._seen_root = -math.inf, root

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, following links."""
        try:
            mode = os.stat(absolute).st_mode
        except (OSError, ValueError):
            return None
        return "folder" if stat.S_ISDIR(mode) else "file"

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""
        if ".." in absolute.replace(os.sep, "/").split("/"):
            # Behind a link `..` leads elsewhere than the text says.
            return relative_to(os.path.realpath(absolute), self._real_root, native())
        return relative_to(absolute, self.root, native())

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path, following links."""
        return self.entry_kind_at(f"{self.root}/{path}")

    def search(self, path: str | None, other: str | None = None) -> tuple[Names, Past | None]:
        """Return the names, and what history says of `path`; the two are read side by side."""
        from truepath.project.history.outcome import UNKNOWN
        from truepath.project.lookup import Asking, HistoryView

        asking: list[Asking] = []
        ends = time.monotonic() + self._limits.timeout_s

        def ask() -> None:
            if not path or not self._git_index:
                return
            if self._has_time_for_history():
                asking.append(Asking(self._history, (path, other), ends))
            elif self._store is not None:
                _afterwards(self._history.build_in_background)

        names = self._listed(ask)
        if not path or not self._git_index:
            return names, None
        read, fate = asking[0].answer() if asking else (path, UNKNOWN)
        if fate.kind == "none":
            return names, None
        return names, HistoryView(fate, read, self._history, ends, self._is_small)

    def dangles(self, path: str) -> bool:
        """Return whether a link is at a root-relative path, and leads nowhere."""
        return os.path.islink(f"{self.root}/{path}") and self.kind(path) is None

    def changed(self) -> None:
        """Take note that files may come or go just now."""
        self._changed_at = time.monotonic()

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: neither secret, denied, nor reached outside."""
        from truepath.project.secrets import has_link, is_secret, leads_out

        if is_secret(path) or self._denied(path):
            return False
        if native() == "posix" and not has_link(self._real_root, path):
            return True
        if leads_out(self.root, path):
            return False
        real = relative_to(os.path.realpath(f"{self.root}/{path}"), self._real_root, native())
        if real is None or real == path:
            return real is not None
        # Behind a link, or spelled in another case: what is really there must be nameable too.
        nameable = not is_secret(real) and not self._denied(real)
        return nameable and self._listed().kind(real) is not None

    def protects(self, path: str) -> bool:
        """Return whether a root-relative path is denied, whatever is there."""
        return self._denied(path)

    def holding(self, paths: Sequence[str], said: Contents) -> Mapping[str, bool]:
        """Return, for each of these nameable files that could be looked into, whether it holds what
        is said of the one that is meant.
        """
        from truepath.project.contents import SECONDS, holding

        return holding(self.root, paths, said, ends=time.monotonic() + SECONDS)

    def holders(self, paths: Sequence[str], said: Contents) -> Sequence[str] | None:
        """Return which of these files hold what is said; None where that is not known of all.

        Of secret and denied files, and of links, nothing is known, and nothing is told.
        """
        from truepath.project.contents import SECONDS, holders
        from truepath.project.secrets import is_secret

        def is_closed(path: str) -> bool:
            return is_secret(path) or self._denied(path)

        ends = time.monotonic() + SECONDS
        found = holders(self.root, paths, said, is_closed=is_closed, ends=ends)
        return None if found is None else [path for path in found if self.may_name(path)]

    def entries(self, path: str) -> Sequence[str]:
        """Return all names directly in a root-relative folder, as the disk has them."""
        try:
            return os.listdir(f"{self.root}/{path}")
        except OSError:
            return ()

    def folders(self, path: str) -> Sequence[str]:
        """Return the names of the folders directly in a root-relative folder."""
        try:
            with os.scandir(f"{self.root}/{path}" if path else self.root) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir())
        except OSError:
            return ()

    def in_other_checkout(self, absolute: str) -> str | None:
        """Return a path relative to the other checkout of this repository that it lies in."""
        from truepath.project.worktrees import path_in_other

        return path_in_other(absolute, self.root)

    def _listed(self, meanwhile: Callable[[], None] = lambda: None) -> Names:
        """Return the names; what is to happen at the same time begins once git is at work."""
        if self._is_fresh():
            meanwhile()
        else:
            self._look()
            self._list(self._untracked_s, meanwhile)
            if self._names is not None and not self._names.untracked:
                # What is not tracked yet takes several times as long: it is there next time.
                _afterwards(self._list_whole)
        return Names(()) if self._names is None else self._names

    def _is_fresh(self) -> bool:
        """Whether the names are still believed: a commit or another branch changes git's index."""
        now = time.monotonic()
        # A large project is listed once: that takes long, and leaves out what is not tracked.
        busy = self._is_small and now - self._changed_at <= FRESH_SECONDS
        old = now - self._listed_at > (_BUSY_SECONDS if busy else FRESH_SECONDS)
        if self._names is None or old or self._listed_at < self._changed_at:
            return False
        return self._index == _stamp(self._git_index)

    def _look(self) -> None:
        """See what the root is: it may have become a repository since, or another one."""
        from truepath.project.git_folder import enclosing, git_folder

        top = enclosing(self.root)
        # A linked work tree has an index of its own beside the others.
        self._git_index = "" if top is None else f"{git_folder(top)}/index"
        self._is_small = top is not None and _is_small(self._git_index)

    def _list_whole(self) -> None:
        """List all names, unless that is under way: it may take longer than the names are fresh."""
        if self._listing.acquire(blocking=False):
            try:
                self._list(None)
            finally:
                self._listing.release()

    def _list(
        self, untracked_s: float | None, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        from truepath.project.listing import begin

        limits, index = self._limits, _stamp(self._git_index)
        with begin(
            self.root,
            limit=limits.limit,
            deadline=limits.deadline,
            untracked_s=untracked_s,
        ) as begun:
            meanwhile()
            if not self._is_small:
                self._prepare()
            listing = begun.finished()
        self._names = Names(
            listing.paths,
            source=listing.source,
            cut_short=listing.cut_short,
            untracked=listing.untracked,
            in_order=True,
        )
        self._listed_at, self._index = time.monotonic(), index

    def _has_time_for_history(self) -> bool:
        if self._is_small or self._limits.timeout_s >= COLD:
            return True
        return self._store is not None and self._history.has_map()

    @property
    def _untracked_s(self) -> float:
        """Seconds for untracked names; none where even asking would delay the answer."""
        timeout_s = self._limits.timeout_s
        return timeout_s if self._is_small or timeout_s >= _UNTRACKED else 0.0

    @cached_property
    def _history(self) -> History:
        from truepath.project.history import History

        return History(self.root, store=self._store)

    @property
    def _real_root(self) -> str:
        """The root, links followed; a link to it may be turned to another folder."""
        now = time.monotonic()
        if now - self._root_seen_at > _BUSY_SECONDS:
            self._root_seen_at, self._seen_root = now, os.path.realpath(self.root)
        return self._seen_root

    @cached_property
    def _denied(self) -> Callable[[str], bool]:
        return _deny(self._patterns)


def _afterwards(task: Callable[[], object]) -> None:
    """Do something once this answer is given."""
    import threading

    later = threading.Timer(_LATER, task)
    later.daemon = True
    later.start()


def _is_small(index: str) -> bool:
    try:
        return os.stat(index).st_size < _SMALL_INDEX
    except FileNotFoundError:
        return True  # before the first `git add` there is no index: nothing is tracked
    except OSError:
        return False


def _stamp(path: str) -> Stamp:
    """Return what tells a file from what stood there before; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_ctime_ns)


class NameListTree:
    """A project made of names alone."""

    def __init__(self, names: Names, root: str, flavour: Flavour, deny: Sequence[str]) -> None:
        """Take names that hang below `root` on a machine of that flavour."""
        self._index, self._root, self._flavour = names, root, flavour
        self._denied = _deny(deny)

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, by name."""
        inside = relative_to(absolute, self._root, self._flavour)
        if inside is None:
            return None
        kind = self.kind(inside)
        return None if kind == "file" and absolute.endswith("/") else kind

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""
        return relative_to(absolute, self._root, self._flavour)

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path, by name."""
        found = self._index.kind(path)
        if found is None and self._flavour != "posix":
            return self._by_key.get(key(path, self._flavour))
        return found

    @cached_property
    def _by_key(self) -> dict[str, EntryKind]:
        """The entries by folded path, for file systems on which two spellings are one path."""
        table: dict[str, EntryKind] = {
            key(path, self._flavour): "file" for path in self._index.files
        }
        table.update({key(path, self._flavour): "folder" for path in self._index.folders})
        return table

    def search(self, *_: str | None) -> tuple[Names, Past | None]:
        """Return the names; they have no history."""
        return self._index, None

    def dangles(self, path: str) -> bool:  # noqa: ARG002
        """Return False: names know no links."""
        return False

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: neither secret nor denied."""
        from truepath.project.secrets import is_secret

        return not is_secret(path) and not self._denied(path)

    def protects(self, path: str) -> bool:
        """Return whether a root-relative path is denied."""
        return self._denied(path)

    def holding(self, paths: Sequence[str], said: Contents) -> Mapping[str, bool]:  # noqa: ARG002
        """Return nothing: names know no contents."""
        return {}

    def holders(self, paths: Sequence[str], said: Contents) -> None:
        """Return None: names know no contents."""

    def folders(self, path: str) -> Sequence[str]:
        """Return the names of the folders directly in a root-relative folder."""
        return [name[:-1] for name in self._index.children(path) if name.endswith("/")]

    def in_other_checkout(self, absolute: str) -> str | None:  # noqa: ARG002
        """Return None: names know no other checkout."""
        return None


def _deny(patterns: Sequence[str]) -> Callable[[str], bool]:
    if not patterns:
        return lambda _: False
    from truepath.project.secrets import Deny

    return Deny(patterns)
