"""What a repository's history says about a path that is not there.

Reads the repository with git and writes nothing into it; knows no confidence and no policy.
"""

from __future__ import annotations

import os
import time

from truepath.project.git import GitError
from truepath.project.git_folder import common_folder, enclosing, git_folder
from truepath.project.history.log import Event, clean, left, read_events
from truepath.project.history.outcome import NONE, UNKNOWN, PathHistory, mapped
from truepath.project.history.query import HistoryQuery
from truepath.project.history.repository import GitQuery, Place, Tracks, locate, located_by_git
from truepath.project.history.sources import GitSource, Source, bring_up, difference
from truepath.project.history.store import Map, load, save
from truepath.project.names import Names
from truepath.records import replace

__all__ = ["History", "PathHistory"]

LOOK_UP_SECONDS = 0.15
"""What a look-up may take by default. Without a map, what git answers sooner on a repository of
80,000 commits are most renames; with one, nearly all is answered in a tenth of it."""

_DROPPED_WORDS = 1_000_000
"""What git may print, in words, of what merges dropped. git/git's 21,000 merges take 720,000; as
many of spring-boot join release branches of years ago: 1 GB and more, and no end in 100 seconds."""

_MOMENT = 1.0
"""Seconds in which the rest of a look-up takes the repository for what its beginning found."""

_CHEAP_SECONDS = 0.03
"""A stored map whose new commits take longer than this to read should be built anew."""


class History:
    """One repository's history, asked about paths below one root."""

    def __init__(self, root: str, *, store: str | None = None) -> None:
        """Take a folder in a work tree; nothing is read yet.

        Args:
            root: The folder that asked paths are relative to.
            store: A private folder for the map; without one it is kept in memory alone.
        """
        self._root = os.path.abspath(root)
        self._store = os.path.abspath(store) if store else None
        self._map: Map | None = None
        self._stamp: tuple[str, int, int] | None = None
        self._fresh = False
        self._located: tuple[str, Place | None, float] | None = None
        self._departed: tuple[tuple[str, ...], Names] | None = None

    def fate(
        self, path: str, *, deadline: float | None = None, tracks: Tracks | None = None
    ) -> PathHistory:
        """Say what became of a path that is not there; never raises.

        Args:
            path: The missing file or folder, relative to the root, with `/`.
            deadline: Seconds it may take; 0.15 by default.
            tracks: Knows git's index without git, which reads all of it for one path.

        Returns:
            What was found; `complete` is False when time ended first.
        """
        end = time.monotonic() + (LOOK_UP_SECONDS if deadline is None else deadline)
        asked = path.strip("/")
        if not _askable(asked):
            return UNKNOWN
        inner = _inner_root(self._root, asked)
        try:
            place = self._locate(inner, timeout=left(end))
            if place is None:
                return NONE
            known = None if inner else tracks
            found = self._ask(place, asked[len(inner) :].lstrip("/"), end, known)
        except GitError:
            return UNKNOWN
        return _prefixed(_below(found, place.prefix), inner)

    def told(
        self, path: str, other: str | None, *, deadline: float, tracks: Tracks | None = None
    ) -> tuple[str, PathHistory]:
        """Return the fate of a path, or of another reading of it where it never was; with which.

        Args:
            path: The missing path, relative to the root.
            other: What else it may say; None where nothing.
            deadline: Seconds that both may take.
            tracks: As for `fate`.
        """
        end = time.monotonic() + deadline
        fate = self.fate(path, deadline=deadline, tracks=tracks)
        if other is not None and fate.kind == "never":
            second = self.fate(other, deadline=end - time.monotonic(), tracks=tracks)
            if second.kind not in ("never", "none", "unknown"):
                return other, second
        return path, fate

    def departed(self, path: str, *, deadline: float | None = None) -> Names | None:
        """Return the paths that the repository around `path` had and lost; never raises.

        Some of them may be there again. Without a map the whole history is read for it.

        Args:
            path: A file or folder, relative to the root, with `/`.
            deadline: Seconds it may take; 0.15 by default.

        Returns:
            Names relative to the root; None where they are not known in time.
        """
        end = time.monotonic() + (LOOK_UP_SECONDS if deadline is None else deadline)
        inner = _inner_root(self._root, path)
        try:
            place = self._known(inner, timeout=left(end))
            if place is None or place.doubtful:
                return None
            asked = (place.common, place.head, inner)
            known = self._departed
            if known is None or known[0] != asked:
                gone = self._gone(GitQuery(place, end))
                above, inside = f"{inner}/" if inner else "", len(place.prefix)
                mine = (name[inside:] for name in gone if name.startswith(place.prefix))
                # Another thread may put its own there before we return.
                known = self._departed = asked, Names(above + name for name in mine)
        except GitError:
            return None
        return known[1]

    def has_map(self) -> bool:
        """Return whether there is a map to look into; no process is started to know."""
        if self._store is None:
            return self._map is not None
        top = enclosing(self._root)
        folder = None if top is None else git_folder(top)
        return folder is not None and os.path.exists(self._file(common_folder(folder), "map"))

    def build(self) -> bool:
        """Build the map, or bring it up to HEAD; return whether there is one now.

        Takes seconds on a long history. Only one process builds at a time.
        """
        from truepath.project import background

        try:
            place = located_by_git(self._root, timeout=background.ANSWER_SECONDS)
            if place is None:
                return False
            if self._store is None:
                return self._build(place)
            lock = self._file(place.common, "lock")
            with background.only_one(lock) as mine:
                return mine and background.attempt(lock, lambda: self._build(place))
        except GitError:
            return False

    def build_in_background(self) -> bool:
        """Start a build in a process of its own if one is needed; return whether it was started."""
        if self._store is None or self._fresh:
            return False
        try:
            place = self._known("", timeout=1.0)
        except GitError:
            return False
        if place is None:
            return False
        from truepath.project import background

        return background.start(__name__, self._root, self._store, self._file(place.common, "lock"))

    def _locate(self, inner: str, *, timeout: float) -> Place | None:
        """Return the repository around a folder of the root."""
        place = locate(os.path.join(self._root, inner), timeout=timeout)
        self._located = inner, place, time.monotonic()
        return place

    def _known(self, inner: str, *, timeout: float) -> Place | None:
        """Return the same as it was a moment ago, where that was found then."""
        known = self._located
        if known is not None and known[0] == inner and time.monotonic() - known[2] < _MOMENT:
            return known[1]
        return self._locate(inner, timeout=timeout)

    def _ask(self, place: Place, path: str, end: float, tracks: Tracks | None) -> PathHistory:
        look = GitQuery(place, end, tracks)
        return HistoryQuery(look, self._source(look)).fate(place.prefix + path)

    def _source(self, look: GitQuery) -> Source:
        """Return the map where there is one that reaches HEAD in time, else git itself."""
        self._fresh = False
        stored = self._stored(look.place)
        if stored is None:
            return GitSource(look)
        began = time.monotonic()
        try:
            source = bring_up(stored, look)
        except GitError:
            return GitSource(look)
        self._fresh = time.monotonic() - began < _CHEAP_SECONDS
        return source

    def _gone(self, look: GitQuery) -> set[str]:
        """Return every path that left, relative to the repository.

        Raises:
            GitError: it is not known in time.
        """
        stored = self._stored(look.place)
        since = _since(stored, look) if stored else None
        if stored is None or since is None:
            events = read_events(look.place.top, look.place.head, timeout=look.left() or 0.001)
            return {event.old for event in events}
        # What only a dropped commit took away counts too: then it was there.
        return stored.paths() | {event.old for event in since[0]}

    def _stored(self, place: Place) -> Map | None:
        """Return the map in memory while its file has not changed, else the file's."""
        if self._store is None:
            same = self._map is not None and self._map.identity == place.common
            return self._map if same else None
        path = self._file(place.common, "map")
        try:
            found = os.stat(path)
        except OSError:
            return None
        stamp = (path, found.st_mtime_ns, found.st_size)
        if stamp != self._stamp:
            self._map, self._stamp = load(path, place.common), stamp
        return self._map

    def _build(self, place: Place) -> bool:
        from truepath.project.background import BUILD_SECONDS

        look = GitQuery(place, time.monotonic() + BUILD_SECONDS)
        old = self._stored(place)
        events = _renewed(old, look) if old else None
        if events is None:
            events = read_events(
                place.top, place.head, timeout=BUILD_SECONDS, dropped=_DROPPED_WORDS
            )
        self._map = Map(place.common, place.head, events)
        self._fresh = True
        if self._store is None:
            return True
        return save(self._file(place.common, "map"), self._map)

    def _file(self, common: str, kind: str) -> str:
        """Return the path of a repository's file in the store."""
        from _blake2 import blake2b  # hashlib itself would load OpenSSL, 7 ms of a first miss

        name = blake2b(os.fsencode(common), digest_size=12).hexdigest()
        return os.path.join(self._store or "", f"history-{name}.{kind}")


def _since(
    stored: Map, look: GitQuery, dropped: int = 0
) -> tuple[list[Event], frozenset[str]] | None:
    """Return what `difference` says of a map; None when its tip has left the repository."""
    try:
        return difference(stored.tip, look, dropped)
    except GitError as error:
        if error.timed_out:
            raise
        return None


def _renewed(old: Map, look: GitQuery) -> list[Event] | None:
    """Return a map's events as of HEAD; None when its tip has left the repository."""
    since = _since(old, look, _DROPPED_WORDS)
    if since is None:
        return None
    fresh, gone = since
    kept = [event for event in old.events() if event.commit not in gone]
    ordered = sorted([*kept, *fresh], key=lambda event: event.order)
    return [replace(event, order=n) for n, event in enumerate(ordered, start=1)]


def _askable(path: str) -> bool:
    """Return whether a text can name something below a root on any disk, and in a map."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return bool(path) and clean(path) and ".." not in path.split("/")


def _inner_root(root: str, path: str) -> str:
    """Return the innermost repository below the root that holds a path, or nothing."""
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        place = os.path.join(root, folder)
        if os.path.lexists(os.path.join(place, ".git")):
            inside = os.path.realpath(place).startswith(os.path.realpath(root) + os.sep)
            return folder if inside else ""
    return ""


def _below(found: PathHistory, prefix: str) -> PathHistory:
    """Return a fate with its paths relative to the root instead of to the repository."""
    root = prefix.rstrip("/")

    def inside(path: str) -> str | None:
        return path[len(prefix) :] if path == root or path.startswith(prefix) else None

    return mapped(found, inside) if prefix else found


def _prefixed(found: PathHistory, inner: str) -> PathHistory:
    """Return a fate with its paths relative to the root instead of to a repository inside it."""
    return mapped(found, lambda path: f"{inner}/{path}".rstrip("/")) if inner else found
