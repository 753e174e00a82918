"""The names of a project on disk as they are now: out of its index where that holds, else listed.

The order of work, each step within the time that is left:

1. names listed a moment ago are believed;
2. the index's tracked names hold while git's index is the same; what is not tracked, and every name
   outside a repository, is known where no folder has changed since, or from a look into those that
   have;
3. git is asked for what is not tracked, or for all where there is no index;
4. what was late is said to be missing (`untracked`, `cut_short`), and is finished behind: the list
   in this process, the index in one of its own.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from _thread import allocate_lock  # `threading` is a millisecond of a first miss
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from truepath.project.names import Names

if TYPE_CHECKING:
    from truepath.project.history.repository import Tracks
    from truepath.project.index.kept_names import KeptNames
    from truepath.project.layered_names import ProjectNames
    from truepath.project.listing import Begun

FRESH_SECONDS = 2.0
"""How long names are believed; a wrong answer from old ones costs more than to look again."""

_BUSY_SECONDS = 0.1
"""How long they are believed while a call runs that may make files, which it is taken to do for
`FRESH_SECONDS`: about as long as one answer takes."""

_SMALL_INDEX = 2_000_000
"""Bytes of a git index that holds about 20,000 files."""

_WORTH = 250_000
"""Bytes of a git index, of about 2,500 files, from which an index is kept unasked: git lists fewer
in less time than a process takes to start."""

_WORTH_FILES = 2_500
"""The same of a project outside, in files: to list them takes git about as long."""

_UNTRACKED = 0.5
"""Seconds. A miss that may take as long waits for a large project's untracked names; a shorter one
would only be delayed."""

_LATER = 0.2
"""Seconds after an answer in which what it did without is seen to, in a large project: the names
that git does not track yet, and the map of its history."""

_BEHIND_S = 30.0
"""Seconds for a look at all folders behind; a miss has half of its own, or, outside a repository,
half of what it has for a listing and these at most."""

_COMPARED = 200_000
"""Names that are compared with the index's when git's index is another file; it takes 10 ms."""

_NEAR_S = 0.1
"""Seconds for a look into one folder, and for git to say what of it is ignored."""


class Limits:
    """How much a search may cost."""

    __slots__ = ("deadline", "limit", "timeout_s")

    def __init__(self, limit: int, deadline: float | None, timeout_s: float) -> None:
        """Take the limits.

        Args:
            limit: Names listed at most.
            deadline: Seconds for a listing.
            timeout_s: Seconds that one search waits for untracked names and history, all questions
                together.
        """
        self.limit, self.deadline, self.timeout_s = limit, deadline, timeout_s


class CurrentNames:
    """The names of one project on disk."""

    def __init__(
        self, root: str, limits: Limits, store: str | None, prepare: Callable[[], None]
    ) -> None:
        """Take a folder; nothing is read yet.

        Args:
            root: The folder, absolute.
            limits: How much a search may cost.
            store: A private folder for the index; None: there is none.
            prepare: Loads what judges many names, while git lists them.
        """
        self._root, self._limits, self._store, self._prepare = root, limits, store, prepare
        self._names: ProjectNames | None = None
        self._listed_at, self._changed_at = 0.0, -math.inf
        self._stamp = ""
        self._top = ""
        self._listing = allocate_lock()
        self._index: KeptNames | None = None
        """The index that the names are out of, if they are."""
        self.git_index, self.is_small = "", False
        self.tracks: Tracks | None = None
        """Whether git's index has a file at a path or below it, where the index here knows that."""

    def changed(self) -> None:
        """Take note that files may come or go just now."""
        self._changed_at = time.monotonic()

    def listed(
        self, near: str | None = None, meanwhile: Callable[[], None] = lambda: None
    ) -> ProjectNames:
        """Return the names.

        Args:
            near: A missing path. Where not all names are known, the nearest folder to it that is
                there is looked into.
            meanwhile: What is to happen at the same time; it begins once git is at work.
        """
        if self._is_fresh():
            meanwhile()
        else:
            self._look()
            self._list(self._untracked_s, meanwhile)
            if self._names is not None and not self._names.untracked:
                # What is not tracked yet takes several times as long: it is there next time.
                afterwards(self._list_whole)
        names = Names(()) if self._names is None else self._names
        return names if names.untracked or not near else self._with_nearest(names, near)

    def _with_nearest(self, names: ProjectNames, path: str) -> ProjectNames:
        """Return the names, and those in the nearest folder to a missing path."""
        folder = path.rpartition("/")[0]
        while folder and not os.path.isdir(f"{self._root}/{folder}"):
            folder = folder.rpartition("/")[0]
        if not self._top or not _is_plain(self._root, folder):
            return names
        if self._index is not None and self._index.knows_all_in(folder):
            return names
        from truepath.project.index.explore import MOST_NEW, explore
        from truepath.project.index.finder import Finder

        ends = time.monotonic() + _NEAR_S
        finder = Finder(self._root, self._top, "repository")
        found = explore(finder, [folder], names.children, None, most=MOST_NEW, ends=ends)
        if found is None or not found.files:
            return names
        from truepath.project.layered_names import LayeredNames

        layers = (names, Names(found.files))
        return LayeredNames(
            layers, cut_short=names.cut_short, untracked=names.untracked, anew=lambda: names
        )

    def _is_fresh(self) -> bool:
        """Whether the names are still believed: a commit or another branch changes git's index."""
        now = time.monotonic()
        # A large project is listed once: that takes long, and leaves out what is not tracked.
        busy = self.is_small and now - self._changed_at <= FRESH_SECONDS
        old = now - self._listed_at > (_BUSY_SECONDS if busy else FRESH_SECONDS)
        if self._names is None or old or self._listed_at < self._changed_at:
            return False
        return self._stamp == self._git_stamp()

    def _look(self) -> None:
        """See what the root is: it may have become a repository since, or another one."""
        from truepath.project.git_folder import index_of

        found = index_of(self._root)
        self._top, self.git_index = ("", "") if found is None else found
        self.is_small = found is not None and _size(self.git_index) < _SMALL_INDEX

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
        stamp, kept = self._git_stamp(), self._kept()
        if kept is not None and kept.is_outside:
            names = self._from_looks(kept, untracked_s, meanwhile)
        elif stamp and kept is not None and kept.proof.stamp == stamp:
            names = self._from_index(kept, untracked_s, meanwhile)
        else:
            names = self._anew(kept if stamp else None, stamp, untracked_s, meanwhile)
        self._names, self._listed_at, self._stamp = names, time.monotonic(), stamp

    def _kept(self) -> KeptNames | None:
        if self._store is None:
            return None
        from truepath.project.index.kept_names import KeptNames

        return KeptNames.find(self._store, self._root)

    def _from_looks(
        self, kept: KeptNames, untracked_s: float | None, meanwhile: Callable[[], None]
    ) -> ProjectNames:
        """Return the names of a project outside: out of the index where all of them are known."""
        from truepath.project.index.finder import outside_stamp

        found, began = None, time.monotonic()
        if kept.proof.stamp == outside_stamp(self._top, self.git_index):
            deadline = self._limits.deadline
            # Half of the time is for a listing, where the looks come to nothing.
            seconds = _BEHIND_S if deadline is None else min(_BEHIND_S, deadline / 2)
            found = kept.others(self._top, began + seconds)
        if found is None or not found[1]:
            spent = time.monotonic() - began
            return self._anew(None, "", untracked_s, meanwhile, spent=spent)
        self.tracks = None
        meanwhile()
        if kept.is_outdated:
            self._renew(len(kept.names))
        return self._layered(kept, found[0], cut_short=False, untracked=True)

    def _from_index(
        self, kept: KeptNames, untracked_s: float | None, meanwhile: Callable[[], None]
    ) -> ProjectNames:
        """Return the names out of the index, which holds for all that is tracked."""
        self._index, self.tracks = kept, kept.tracks
        meanwhile()
        seconds, began = _BEHIND_S, time.monotonic()
        if untracked_s is not None:
            seconds = self._limits.timeout_s / 2
        found = kept.others(self._top, began + seconds)
        if kept.is_outdated:
            self._renew()
        if found is not None:
            paths, whole = found
            return self._layered(kept, paths, cut_short=False, untracked=whole)
        spent = time.monotonic() - began
        if untracked_s is not None:
            untracked_s = max(0.0, untracked_s - spent)
        with self._begun(untracked_s, known=kept.proof.submodules, spent=spent) as begun:
            listing = begun.finished()
        cut_short, untracked = listing.cut_short, listing.untracked
        return self._layered(kept, listing.paths, cut_short=cut_short, untracked=untracked)

    def _anew(
        self,
        kept: KeptNames | None,
        stamp: str,
        untracked_s: float | None,
        meanwhile: Callable[[], None],
        *,
        spent: float = 0.0,
    ) -> ProjectNames:
        """Return the names as they are listed anew."""
        self._index = None
        with self._begun(untracked_s, spent=spent) as begun:
            self.tracks = begun.tracks
            meanwhile()
            if not self.is_small:
                self._prepare()
            listing = begun.finished()
        tracked = begun.tracked
        few = tracked is not None and len(tracked) <= _COMPARED
        if kept is None or tracked is None or not few or not kept.holds(tracked, stamp):
            self._renew(len(listing.paths) if begun.outside else 0)
        names = Names(
            listing.paths,
            source=listing.source,
            cut_short=listing.cut_short,
            untracked=listing.untracked,
            in_order=True,
        )
        if kept is None or not listing.cut_short:
            return names
        # Of a tree too large to be listed in time the old index knows more, and proves nothing.
        return self._layered(kept, listing.paths, cut_short=True, untracked=False)

    def _layered(
        self, kept: KeptNames, paths: Sequence[str], *, cut_short: bool, untracked: bool
    ) -> ProjectNames:
        from truepath.project.layered_names import LayeredNames

        def anew() -> ProjectNames:
            kept.store.remove()
            return self._anew(None, "", self._untracked_s, lambda: None)

        layers = (kept.names, Names(paths, in_order=True))
        return LayeredNames(layers, cut_short=cut_short, untracked=untracked, anew=anew)

    def _begun(
        self, untracked_s: float | None, known: Sequence[str] | None = None, *, spent: float = 0.0
    ) -> contextlib.closing[Begun]:
        from truepath.project.listing import begin

        limits = self._limits
        return begin(
            self._root,
            limit=limits.limit,
            deadline=None if limits.deadline is None else max(0.0, limits.deadline - spent),
            untracked_s=untracked_s,
            known=known,
        )

    def _renew(self, files: int = 0) -> None:
        """Have the index built anew behind, where it is worth it.

        Args:
            files: How many there are, where no repository was asked for them.
        """
        by_git = bool(self.git_index) and _size(self.git_index) >= _WORTH
        if self._store is None or not (by_git or files >= _WORTH_FILES):
            return
        from truepath.project.index.store import start

        start(self._root, self._store)

    def _git_stamp(self) -> str:
        from truepath.project.git_folder import stamp_of

        return stamp_of(self.git_index) if self.git_index else ""

    @property
    def _untracked_s(self) -> float:
        """Seconds for untracked names; none where even asking would delay the answer."""
        timeout_s = self._limits.timeout_s
        return timeout_s if self.is_small or timeout_s >= _UNTRACKED else 0.0


def _is_plain(root: str, folder: str) -> bool:
    """Return whether a folder is reached without a link, and in no other repository."""
    while folder:
        place = f"{root}/{folder}"
        if os.path.islink(place) or os.path.lexists(f"{place}/.git"):
            return False
        folder = folder.rpartition("/")[0]
    return True


def afterwards(task: Callable[[], object]) -> None:
    """Do something once this answer is given."""
    import threading

    later = threading.Timer(_LATER, task)
    later.daemon = True
    later.start()


def _size(index: str) -> float:
    """Return the bytes of a git index."""
    try:
        return os.stat(index).st_size
    except FileNotFoundError:
        return 0  # before the first `git add` there is no index: nothing is tracked
    except OSError:
        return math.inf
