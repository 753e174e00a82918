"""Read departures out of git's log: who renamed or deleted which path, when.

Knows git's output and nothing of what the events are used for.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence

from truepath.project.git import GitError, Running, git, zsplit
from truepath.records import dataclass, replace

RENAMES = ("-M50%", "-l1000", "--no-rename-empty")
"""Git's own defaults, said aloud because a repository's configuration may change them. Empty
files are left out: git pairs any two of them, which says nothing."""

EXACT = ("-M100%", "--no-rename-empty")
"""Renames without a change: needs names and ids only, so absent contents do no harm."""

PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "-O/dev/null")
"""Takes back what a repository's configuration could do to the output."""

HEADER = "--format=%x01%H %cs"

_MOST_DEATHS = 30
"""Commits stepped over before the rest is read by exact renames alone. A repository that lacks some
contents has a few such commits; a clone without any has thousands."""

DOUBTFUL = -1
"""The score of what a commit took away while it added other files, where contents are absent."""


@dataclass(frozen=True, slots=True)
class Event:
    """One path that went away in one commit; paths are relative to the repository."""

    old: str
    new: str
    """Where it went; empty when it was deleted."""
    score: int
    """How much stayed the same, 0 to 100; 0 when it was deleted, and `DOUBTFUL` when that cannot be
    told from a rename with changes, for the contents are absent."""
    commit: str
    date: str
    """The day of the commit, YYYY-MM-DD."""
    order: int = 0
    """Grows from old to young; comparable among the events of one reading."""


@dataclass(frozen=True, slots=True)
class _Commit:
    id: str
    date: str
    events: tuple[Event, ...] = ()


def read_events(top: str, *revisions: str, timeout: float, dropped: int = 0) -> list[Event]:
    """Return every departure in `revisions`, youngest first, numbered from 1.

    Args:
        top: The repository's work tree.
        revisions: What to walk, as `git log` takes it.
        timeout: Seconds it may take.
        dropped: How many words git may print to find what merges dropped of one parent alone; with
            more to tell, or no end in half of the time that remains, none of it is told. 0: it is
            not looked for, as that takes as long again, and twice as long with very many merges.

    Raises:
        GitError: git failed, or ran out of time.
    """
    end = time.monotonic() + timeout
    plain = _walk(top, revisions, end)
    merges = _merges(top, revisions, end)
    if dropped:
        merges += _dropped_in_time(top, revisions, [*plain, *merges], dropped, end)
    commits = _in_order(top, revisions, [*plain, *merges], end) if merges else plain
    events = [event for commit in commits for event in commit.events]
    return [replace(event, order=len(events) - n) for n, event in enumerate(events)]


def read_commit(top: str, commit: str, *, timeout: float, any_parent: bool = False) -> list[Event]:
    """Return the departures of one commit; of a merge, those its first parent still had, or any."""
    end = time.monotonic() + timeout
    mainline = () if any_parent else ("--first-parent",)
    ask = ("log", "-1", "-m", *mainline, "--root", "--diff-filter=ARD", "--name-status")
    for renames in (RENAMES, EXACT):
        try:
            out = git(top, *ask, "-z", *PLAIN, *renames, HEADER, commit, "--", timeout=left(end))
        except GitError as error:
            if error.timed_out or renames is EXACT:
                raise
            continue
        found = parse(zsplit(out), exact=renames is EXACT)
        return [event for commit in found for event in commit.events]
    raise AssertionError  # pragma: no cover  the loop always returns or raises


def left(end: float) -> float:
    """Return the seconds until `end`.

    Raises:
        GitError: there are none.
    """
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise GitError("out of time", timed_out=True)
    return seconds


def _walk(top: str, revisions: Sequence[str], end: float) -> list[_Commit]:
    ask = ("log", "--date-order", "--diff-filter=RD", "--name-status", "-z", *PLAIN, *RENAMES)
    try:
        out = git(top, *ask, HEADER, *revisions, "--", timeout=left(end))
    except GitError as error:
        if error.timed_out:
            raise
        return list(_walk_stepping(top, revisions, end))
    return list(parse(zsplit(out)))


def _walk_stepping(top: str, revisions: Sequence[str], end: float) -> Iterator[_Commit]:
    """Walk where contents are absent: git dies at such a commit, so step over it."""
    ask = ("rev-list", "--date-order", "--no-merges", *revisions, "--")
    listed = git(top, *ask, timeout=left(end))
    waiting = ids(listed)
    renames: Sequence[str] = RENAMES
    for death in range(_MOST_DEATHS + 1):
        if death == _MOST_DEATHS:
            renames = EXACT
        found, whole = _diff_trees(top, waiting, renames, end)
        yield from found
        if whole or len(found) == len(waiting):
            return
        stuck = waiting[len(found)]
        yield from _diff_trees(top, [stuck], EXACT, end)[0]
        waiting = waiting[len(found) + 1 :]


def _diff_trees(
    top: str, commits: Sequence[str], renames: Sequence[str], end: float
) -> tuple[list[_Commit], bool]:
    """Return the commits git got through, in order, and whether those are all."""
    ask = ("diff-tree", "--stdin", "--always", "-r", "--root", "--diff-filter=ARD", "--name-status")
    names = "".join(f"{commit}\n" for commit in commits).encode("ascii")
    try:
        out = git(top, *ask, "-z", *PLAIN, *renames, HEADER, timeout=left(end), stdin=names)
    except GitError as error:
        if error.timed_out:
            raise
        return list(parse(zsplit(error.output), exact=renames is EXACT)), False
    return list(parse(zsplit(out), exact=renames is EXACT)), True


def _merges(top: str, revisions: Sequence[str], end: float) -> list[_Commit]:
    """Return the merges that took a path away which every parent had."""
    ask = ("log", "--min-parents=2", "--date-order", "-c", "--no-renames", "--name-status", "-z")
    out = git(top, *ask, *PLAIN, HEADER, *revisions, "--", timeout=left(end))
    found = []
    for commit in parse(zsplit(out)):
        gone = {event.old for event in commit.events}
        if gone:
            events = read_commit(top, commit.id, timeout=left(end))
            kept = tuple(event for event in events if event.old in gone)
            found.append(replace(commit, events=kept))
    return found


def _dropped_in_time(
    top: str, revisions: Sequence[str], found: Sequence[_Commit], most: int, end: float
) -> list[_Commit]:
    """Return what `_dropped` finds in half of the time that remains; nothing, if it fails.

    It is an addition: what else was read must not be lost with it.
    """
    try:
        return _dropped(top, revisions, found, most, time.monotonic() + left(end) / 2)
    except GitError:
        return []


def _dropped(
    top: str, revisions: Sequence[str], found: Sequence[_Commit], most: int, end: float
) -> list[_Commit]:
    """Return the merges that took away a path which one parent alone had, and no commit did.

    A merge into a branch that moved a folder moves what was added to that folder meanwhile. Only
    what no other commit took is told: of the rest, a merge repeats what its branches did.
    """
    lost = _lost(top, revisions, found, end)
    if not lost:
        return []
    ask = ("log", "--min-parents=2", "--date-order", "-m", "--no-renames", "--diff-filter=D")
    how = ("--name-status", "-z", *PLAIN, HEADER)
    # Not asked by these names: git takes eight times as long to find a hundred of them.
    running = Running(top, *ask, *how, *revisions, "--")
    try:
        printed = running.printed(left(end), most=most)
    finally:
        running.end()
    if printed.code != 0:
        return []
    # The oldest: later merges of the same branch drop it again, and less alike.
    oldest = {e.old: each for each in parse(printed.names) for e in each.events if e.old in lost}
    told = []
    for commit in {each.id: each for each in oldest.values()}.values():
        events = read_commit(top, commit.id, timeout=left(end), any_parent=True)
        mine = (one for one in events if one.old in oldest and oldest[one.old].id == commit.id)
        told.append(replace(commit, events=tuple(mine)))
    return told


def _lost(top: str, revisions: Sequence[str], found: Sequence[_Commit], end: float) -> set[str]:
    """Return the paths that were there or were added, and left without a commit's word."""
    ask = ("log", "--diff-filter=A", "--no-renames", "--name-only", "-z", "--format=")
    added = zsplit(git(top, *ask, *PLAIN, *revisions, "--", timeout=left(end)))
    since, _, tip = revisions[-1].rpartition("..")
    before = _paths(top, since, end) if since else ()
    told = {event.old for each in found for event in each.events}
    return {*added, *before} - told - {*_paths(top, tip, end)}


def _paths(top: str, commit: str, end: float) -> list[str]:
    return zsplit(git(top, "ls-tree", "-r", "-z", "--name-only", commit, timeout=left(end)))


def _in_order(
    top: str, revisions: Sequence[str], found: Sequence[_Commit], end: float
) -> list[_Commit]:
    """Put commits of several walks, youngest first, into the order of one."""
    ask = ("rev-list", "--date-order", *revisions, "--")
    listed = ids(git(top, *ask, timeout=left(end)))
    places = {commit: place for place, commit in enumerate(listed)}
    return sorted(found, key=lambda commit: places.get(commit.id, len(places)))


def parse(words: Iterable[str], *, exact: bool = False) -> Iterator[_Commit]:
    """Read `HEADER` with `--name-status -z`; a torn end is dropped.

    Args:
        words: What git printed, split at its NULs.
        exact: Whether renames with changes were not looked for, as contents are absent.
    """
    tokens = iter(words)
    commit: _Commit | None = None
    events: list[Event] = []
    added = False
    for token in tokens:
        word = token.lstrip("\n")
        if word.startswith("\x01"):
            if commit:
                yield _finished(commit, events, doubtful=exact and added)
            # What follows a line that is no header belongs to no commit that is known.
            commit, events, added = _header(word), [], False
        elif word and commit:
            old = next(tokens, "")
            new = next(tokens, "") if word[0] in "RC" else ""
            added = added or word[0] == "A"
            if set(word) == {"D"}:
                events.append(Event(old, "", 0, commit.id, commit.date))
            elif word[0] == "R" and new and _SCORE.fullmatch(word[1:]):
                events.append(Event(old, new, int(word[1:]), commit.id, commit.date))
    if commit:
        yield _finished(commit, events, doubtful=exact and added)


def _finished(commit: _Commit, events: Sequence[Event], *, doubtful: bool) -> _Commit:
    """Return a commit with its events; deletions beside additions may have been renames."""
    told = (
        replace(event, score=DOUBTFUL) if doubtful and not event.new else event for event in events
    )
    return replace(commit, events=tuple(told))


_HEAD = re.compile(r"\x01([0-9a-f]{40,64}) (\d{4,}-\d\d-\d\d)", re.ASCII)
_SCORE = re.compile(r"\d{1,3}", re.ASCII)


def _header(word: str) -> _Commit | None:
    found = _HEAD.fullmatch(word)
    return _Commit(found[1], found[2]) if found else None


def ids(printed: bytes) -> list[str]:
    """Return the commits that git printed, one a line.

    Raises:
        GitError: it printed something else.
    """
    words = os.fsdecode(printed).split()
    if not all(map(is_id, words)):
        raise GitError("git printed what is no commit")
    return words


def is_id(word: str) -> bool:
    """Return whether a word names an object of git."""
    return _ID.fullmatch(word) is not None


_ID = re.compile(r"[0-9a-f]{40,64}", re.ASCII)


def clean(path: str) -> bool:
    """Return whether a path can be in a line: no line break, no NUL."""
    return "\n" not in path and "\0" not in path
