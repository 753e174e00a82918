"""Follow a path through its departures to where it lives today.

Knows events and a test for life; no git, no disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from truepath.project.history.log import Event
from truepath.project.history.sources import Source
from truepath.records import dataclass

_DEEPEST = 4
"""How often a folder is followed after its folder was."""

_MOST_ASKED = 500
"""Files of one commit that git is asked for at once: their names are arguments of a command."""


@dataclass(frozen=True, slots=True)
class RenameChain:
    """What became of one path."""

    path: str | None
    """Where it lives; None when it is gone, or nothing is known of it."""
    events: tuple[Event, ...] = ()
    """The departures on the way, oldest first; the last is a deletion when it is gone."""
    marks: tuple[str, ...] = ()
    """What makes the trail less than plain, for example `recreated`."""


class Tracker:
    """Follows paths and folders in one repository as of one moment."""

    def __init__(
        self,
        source: Source,
        exists_now: Callable[[str], bool],
        remains: Callable[[str], bool],
        had: Callable[[str, Sequence[str]], Collection[str]],
    ) -> None:
        """Take the departures, and what tells life.

        Args:
            source: The departures.
            lives: Whether a path exists today.
            remains: Whether commits left a folder where it was.
            had: Which of some paths a revision has.
        """
        self.source = source
        self.exists_now = exists_now
        self.remains = remains
        self.had = had
        self._followed: dict[Event, Sequence[Event]] = {}
        self._dead_ends: set[Event] = set()

    def file(self, path: str) -> RenameChain:
        """Follow one path that is not there; the youngest departure that leads somewhere wins.

        A path that came back after it was renamed, and was deleted then, counts as renamed:
        it was most often a stand-in left behind for old callers.
        """
        events = self.source.departures(path)
        for event in events:
            trail = self.onward(event)
            if trail.path is not None:
                newer = event is not events[0]
                return RenameChain(trail.path, trail.events, trail.marks + ("recreated",) * newer)
        return self.onward(events[0]) if events else RenameChain(None)

    def onward(self, event: Event) -> RenameChain:
        """Follow one departure to where it leads today."""
        way = self._path_to_end(event)
        if not way:
            return RenameChain(None, self._newest_path(event))
        again = self.source.cheap and bool(self._following(way[-1]))
        return RenameChain(way[-1].new, way, ("recreated",) * again)

    def _path_to_end(self, event: Event) -> tuple[Event, ...]:
        """Return the departures from one to a name that lives, the oldest tried first; or none.

        Each is looked at once: two names swapped n times lead on in as many ways as 2 to the n.
        """
        before: dict[Event, Event | None] = {}
        waiting: list[tuple[Event, Event | None]] = [(event, None)]
        while waiting:
            at, came_by = waiting.pop()
            if not at.new or at in before or at in self._dead_ends:
                continue
            before[at] = came_by
            if self.exists_now(at.new):
                return _back(at, before)
            self.source.check()
            waiting += ((following, at) for following in self._following(at))
        self._dead_ends.update(before)
        return ()

    def _newest_path(self, event: Event) -> tuple[Event, ...]:
        """Return the departures from one to the end, by the youngest of each name."""
        way = {event: None}
        while event.new and (following := self._following(event)) and following[0] not in way:
            event = following[0]
            way[event] = None
        return tuple(way)

    def _following(self, event: Event) -> Sequence[Event]:
        """Return the departures of what an event gave its name to, youngest first."""
        if event not in self._followed:
            self._followed[event] = self.source.departures(event.new, event)
        return self._followed[event]

    def through_folder(self, path: str) -> RenameChain:
        """Follow the folders around a path: what is new since they moved is where they went.

        What was at the new place before its folder came there is another file, of that place.
        """
        return self._through_folder(path, None, _DEEPEST)

    def _through_folder(self, path: str, after: Event | None, depth: int) -> RenameChain:
        folder = path
        while depth and "/" in folder:
            folder = folder.rpartition("/")[0]
            went = self._went(folder, after)
            # What left a folder that is still there says nothing of its other files.
            if not went or went.partly or self.remains(folder):
                continue
            moved = (went.target + path[len(folder) :]).lstrip("/")
            if self.had(f"{went.first.commit}^", [moved]):
                continue
            marks = ("partly",) * went.doubtful
            if self.exists_now(moved):
                return RenameChain(moved, (went.last,), marks)
            further = self._through_folder(moved, went.last, depth - 1)
            if further.path is not None:
                return RenameChain(
                    further.path, (went.last, *further.events), marks or further.marks
                )
        return RenameChain(None)

    def folder(self, path: str) -> RenameChain:
        """Follow a folder itself: to where most of what was renamed out of it went."""
        trail = self._folder(path, None, _DEEPEST)
        if trail.path is None:
            departed = self.source.under(path)
            last = max(departed, key=lambda event: event.order, default=None)
            return RenameChain(None, (last,) if last else ())
        return trail

    def _folder(self, path: str, after: Event | None, depth: int) -> RenameChain:
        went = self._went(path, after) if depth else None
        if not went:
            return RenameChain(None)
        marks = ("partly",) * (went.partly or went.doubtful)
        if self.exists_now(went.target):
            return RenameChain(went.target, (went.last,), marks)
        further = self._folder(went.target, went.last, depth - 1)
        return RenameChain(further.path, (went.last, *further.events), marks or further.marks)

    def _went(self, folder: str, after: Event | None) -> _Went | None:
        """Return where most of a folder's renamed files went, of those that it held to the end.

        The rule is git's own for renamed folders, a majority of the renames, but files of one
        sub-folder do not speak for the others, nor do those that left before the first that went
        there. Whether the folder itself moved is `_Went.partly`.
        """
        departed = self.source.under(folder, after)
        votes: dict[str, list[Event]] = {}
        for event in departed:
            target = destination(event, folder) if event.new else None
            if target is not None and target != folder:
                votes.setdefault(target, []).append(event)
        for target, events in sorted(votes.items(), key=lambda vote: -len(vote[1])):
            first = min(events, key=lambda event: event.order)
            held = [e for e in departed if e.commit == first.commit or e.order >= first.order]
            renamed = sum(bool(event.new) for event in held)
            if 2 * len(events) <= renamed or _one_sided(folder, events, held):
                continue
            return _Went(
                target,
                first,
                max(events, key=lambda event: event.order),
                partly=not self._is_whole(folder, target, events, held),
                doubtful=self.source.doubts(folder, {event.old for event in held}),
            )
        return None

    def _is_whole(
        self, folder: str, target: str, events: Sequence[Event], held: Sequence[Event]
    ) -> bool:
        """Return whether a folder went with these renames, given all that left it since the first.

        Most of its files went, and one file alone moves no folder into one that was there before.
        """
        files, went = {event.old for event in held}, {event.old for event in events}
        if 2 * len(went) <= len(files):
            went |= self._rewritten(folder, target, events, held)
        if 2 * len(went) <= len(files):
            return False
        alone = len(went) == 1
        return not alone or bool(target and not self.had(f"{events[0].commit}^", [target]))

    def _rewritten(
        self, folder: str, target: str, events: Sequence[Event], held: Sequence[Event]
    ) -> set[str]:
        """Return what was deleted and made anew at the target where others were renamed to it.

        Git pairs no empty files, and none that changed much as they moved.
        """
        commits = list(dict.fromkeys(event.commit for event in events))[:_DEEPEST]
        found: set[str] = set()
        for commit in commits:
            gone = [event.old for event in held if event.commit == commit and not event.new]
            there = {(target + old[len(folder) :]).lstrip("/"): old for old in gone[:_MOST_ASKED]}
            names = self.had(commit, list(there)) if there else ()
            before = self.had(f"{commit}^", list(names)) if names else ()
            found.update(there[name] for name in names if name not in before)
        return found


@dataclass(frozen=True, slots=True)
class _Went:
    target: str
    """The folder that took another's place; empty for the top."""
    first: Event
    last: Event
    partly: bool
    """Whether the folder itself did not go there, but some of its files."""
    doubtful: bool
    """Whether that is not known: more may have left the folder than was looked at."""


def _back(event: Event | None, before: Mapping[Event, Event | None]) -> tuple[Event, ...]:
    """Return the way to an event, given which one led to each."""
    way = []
    while event is not None:
        way.append(event)
        event = before[event]
    return tuple(reversed(way))


def _one_sided(folder: str, events: Sequence[Event], departed: Sequence[Event]) -> bool:
    """Return whether all events are of one sub-folder, and others departed too."""
    start = len(folder) + 1
    sides = {event.old[start:].partition("/")[0] for event in events if "/" in event.old[start:]}
    plain = any("/" not in event.old[start:] for event in events)
    others = {event.old[start:].partition("/")[0] for event in departed} - sides
    return not plain and len(sides) == 1 and bool(others)


def destination(event: Event, folder: str) -> str | None:
    """Return the folder that took `folder`'s place for one renamed file, if one did."""
    rest = event.old[len(folder) :]
    if ("/" + event.new).endswith(rest):
        return event.new[: len(event.new) - len(rest) + 1].rstrip("/")
    return None


def common_folder(
    pairs: Sequence[tuple[str, str]], folder: str, *, held: int, new: Callable[[str], bool]
) -> str | None:
    """Return where most files of `folder` went, given where each went.

    Args:
        pairs: Files of it, each with where it is now.
        folder: The folder.
        held: How many files it had.
        new: Whether a folder was not there before; one file alone moves into no other.
    """
    votes: Counter[str] = Counter()
    for old, moved in pairs:
        target = destination(Event(old, moved, 100, "", ""), folder)
        if target is not None:
            votes[target] += 1
    if not votes:
        return None
    target, count = votes.most_common(1)[0]
    whole = 2 * count > held and (count > 1 or new(target))
    return target if whole else None
