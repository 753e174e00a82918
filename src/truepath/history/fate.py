"""What can be said of a path that is not there, in a record and in one clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from truepath.history.events import Event

FateKind = Literal["renamed", "deleted", "elsewhere", "never", "unknown"]


@dataclass(frozen=True, slots=True)
class Fate:
    """What history says of one path."""

    kind: FateKind
    """
    - `renamed`: it is called `path` now, by a commit, by its folder's or by an uncommitted move.
    - `deleted`: it was there, and no one file took its place.
    - `elsewhere`: another branch, a stash, or a place outside the asked root has it.
    - `never`: nothing HEAD can reach ever had it.
    - `unknown`: there is no history to ask, or it could not be asked to the end.
    """
    path: str | None = None
    """Where it is now, relative to the root, or what it is called here."""
    commit: str = ""
    """The last commit that moved or deleted it; empty when none did."""
    date: str = ""
    """That commit's day, YYYY-MM-DD."""
    evidence: tuple[str, ...] = ()
    """Names of what was found, the strongest first: `renamed`, `folder-renamed`,
    `renamed-uncommitted`, `moved-uncommitted`, `copied`, `split`, `merged`, `deleted`,
    `deleted-uncommitted`, `not-checked-out`, `other-branch`, `renamed-on-branch`, `outside-root`,
    and the marks `recreated`, `partly`, `new-name` (the name itself was changed, not the folder
    alone), and `changed` or `rewritten`, by how little of it is still the same."""
    note: str = ""
    """One clause of plain fact for an agent; names in it are as they are on disk."""
    complete: bool = True
    """Whether everything was asked that there is to ask."""
    hops: int = 0
    """How many renames lie between."""
    similarity: int = 0
    """The least similar of these renames, 0 to 100; 0 when there was none."""
    successors: tuple[str, ...] = ()
    """The files that have its lines, when it was split or merged; the largest share first."""


UNKNOWN = Fate("unknown", complete=False)


_ALIKE, _BARELY_ALIKE = 90, 70
"""Per cent of a file that two names have in common: a rename beyond doubt, and one in doubt."""


def renamed(path: str, events: Sequence[Event], evidence: tuple[str, ...]) -> Fate:
    """Return the fate of what was followed to `path` through these renames."""
    last = events[-1]
    hops = len(events)
    what = "moved with its folder to" if evidence[0] == "folder-renamed" else "renamed to"
    note = f"{what} {path} in {_when(last)}"
    if hops > 1:
        note = f"{what} {path} in {hops} steps, the last in {_when(last)}"
    least = min(event.score for event in events)
    if evidence[0] == "renamed" and not _same_name(events[0].old, path):
        changed = ("rewritten",) * (least < _BARELY_ALIKE) or ("changed",) * (least < _ALIKE)
        evidence = (*evidence, "new-name", *changed)
    return Fate("renamed", path, last.commit, last.date, evidence, note, True, hops, least)


def copied(path: str, last: Event, share: int, hops: int) -> Fate:
    """Return the fate of a deleted file that lives on under its name elsewhere."""
    note = f"kept as {path} when it was deleted in {_when(last)}"
    return Fate("renamed", path, last.commit, last.date, ("copied",), note, True, hops, share)


def divided(paths: tuple[str, ...], last: Event, share: int, hops: int) -> Fate:
    """Return the fate of a deleted file whose lines are in files of other names.

    No one file took its place: one holds much else, or there are several. On 8,700 real cases the
    one file found was what people called the successor in few; its name helps, and no more.
    """
    names = ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else "")
    what, evidence = ("split into", "split") if len(paths) > 1 else ("most of it is in", "merged")
    note = f"deleted in {_when(last)}; {what} {names}"
    kept = (evidence, "deleted")
    return Fate("deleted", None, last.commit, last.date, kept, note, True, hops, share, paths)


def deleted(events: Sequence[Event], name: str = "") -> Fate:
    """Return the fate of what was deleted, perhaps after renames; `name` is its last one."""
    last = events[-1]
    hops = len(events) - 1
    note = f"deleted in {_when(last)}"
    if hops:
        note = f"renamed to {name}, which was deleted in {_when(last)}"
    return Fate("deleted", None, last.commit, last.date, ("deleted",), note, True, hops)


def beside(note: str, path: str, became: Fate) -> str:
    """Return the clause on a path with that on another, which left and may have been meant."""
    return "; ".join(filter(None, (note, f"there was {path}: {became.note}")))


def _same_name(path: str, other: str) -> bool:
    return path.rpartition("/")[2] == other.rpartition("/")[2]


def _when(event: Event) -> str:
    return f"{event.commit[:7]}, {event.date}"
