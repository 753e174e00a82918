"""Where departures come from: a stored map brought up to HEAD, or git asked path by path."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from truepath.project.git import GitError, zsplit
from truepath.project.history.log import PLAIN, Event, ids, left, read_commit, read_events
from truepath.project.history.repository import GitQuery
from truepath.project.history.store import Map


class Source(Protocol):
    """Answers which commits took a path away."""

    cheap: bool
    """Whether a question costs no more than a look at a table."""
    stopped: bool
    """Whether time ran out on a question: no answer means nothing then."""

    def departures(self, path: str, after: Event | None = None) -> Sequence[Event]:
        """Return the events of a path, younger than `after`, youngest first."""
        ...

    def under(self, folder: str, after: Event | None = None) -> Sequence[Event]:
        """Return the events of what lay in a folder, younger than `after`."""
        ...

    def doubts(self, folder: str, known: Collection[str]) -> bool:
        """Return whether more may have left a folder than these, which `under` told."""
        ...

    def check(self) -> None:
        """Raise a GitError when time is over and no question would tell."""
        ...


class IndexSource:
    """A stored map, corrected by the commits in which its tip and HEAD differ."""

    cheap = True

    def __init__(
        self, stored: Map, added: Sequence[Event], dropped: frozenset[str], end: float
    ) -> None:
        self._stored = stored
        self._added = added
        self._dropped = dropped
        self._end = end
        self.stopped = False

    def departures(self, path: str, after: Event | None = None) -> Sequence[Event]:
        added = [event for event in self._added if event.old == path]
        return self._valid([*added, *self._stored.departures(path)], after)

    def under(self, folder: str, after: Event | None = None) -> Sequence[Event]:
        start = folder + "/"
        added = [event for event in self._added if event.old.startswith(start)]
        return self._valid([*added, *self._stored.under(folder)], after)

    def doubts(self, folder: str, known: Collection[str]) -> bool:  # noqa: ARG002
        return False

    def check(self) -> None:
        left(self._end)

    def _valid(self, events: Sequence[Event], after: Event | None) -> Sequence[Event]:
        order = after.order if after else 0
        return [e for e in events if e.order > order and e.commit not in self._dropped]


def bring_up(stored: Map, look: GitQuery) -> IndexSource:
    """Return a map's answers as of HEAD, by reading only the commits that differ.

    Raises:
        GitError: the map's tip is no longer in the repository, or time ran out.
    """
    added, dropped = difference(stored.tip, look)
    return IndexSource(stored, added, dropped, look.end)


def difference(tip: str, look: GitQuery, dropped: int = 0) -> tuple[list[Event], frozenset[str]]:
    """Return the events HEAD has beyond `tip`, and the commits it has not.

    `dropped` is what `read_events` takes by that name.
    """
    head = look.place.head
    if tip == head:
        return [], frozenset()
    gone = ids(look.ask("rev-list", f"{head}..{tip}", "--"))
    seconds = look.left() or 0.001
    fresh = read_events(look.place.top, f"{tip}..{head}", timeout=seconds, dropped=dropped)
    # Stored events are numbered from 1; later ones have higher numbers.
    above = 1 << 40
    raised = [Event(e.old, e.new, e.score, e.commit, e.date, e.order + above) for e in fresh]
    return raised, frozenset(gone)


class GitSource:
    """Git, asked for the one commit that took a path away; slow, and right at once."""

    cheap = False

    def __init__(self, look: GitQuery) -> None:
        self._look = look
        self._commits: dict[str, list[Event]] = {}
        self.stopped = False

    def departures(self, path: str, after: Event | None = None) -> Sequence[Event]:
        return [event for event in self._departed(path, after) if event.old == path]

    def under(self, folder: str, after: Event | None = None) -> Sequence[Event]:
        """Return what the last deletion in a folder took; a living folder's says too little."""
        if self._look.head_kind(folder):
            return []
        start = folder + "/"
        return [event for event in self._departed(folder, after) if event.old.startswith(start)]

    def doubts(self, folder: str, known: Collection[str]) -> bool:
        """Return whether as much had left the folder before as the last deletion took."""
        ask = ("log", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=")
        span = (self._look.place.head, "--", folder)
        try:
            # Half of the time: where it took all of it, even what is known could not be told.
            found = self._look.ask(*ask, *PLAIN, *span, share=0.5)
        except GitError:
            return True
        return len({*zsplit(found)} - {*known}) >= len(known)

    def check(self) -> None:
        """Do nothing: each question looks at the clock, and notes when it is `stopped`."""

    def _departed(self, path: str, after: Event | None) -> Sequence[Event]:
        if self.stopped:
            return []
        try:
            commit = self._last_without(path, after)
            return self._events(commit) if commit else []
        except GitError as error:
            if not error.timed_out:
                raise
            self.stopped = True
            return []

    def _last_without(self, path: str, after: Event | None) -> str:
        """Return the youngest commit that deleted something at a path."""
        head = self._look.place.head
        span = f"{after.commit}..{head}" if after else head
        # Simplified history follows one parent where several agree, which is fast and misses
        # what lived and died on a merged branch; only a miss pays for the full walk.
        for full in ((), ("--full-history",)):
            ask = ("log", "-1", "-c", "--no-renames", "--diff-filter=D", "--format=%H", "-s")
            out = self._look.ask(*ask, *PLAIN, *full, span, "--", path)
            if found := ids(out):
                return found[0]
        return ""

    def _events(self, commit: str) -> list[Event]:
        if commit not in self._commits:
            seconds = self._look.left() or 0.001
            self._commits[commit] = read_commit(self._look.place.top, commit, timeout=seconds)
        return self._commits[commit]
