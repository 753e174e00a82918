"""What history says about a missing path, as a record and as one clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from truepath.project.history.log import Event
from truepath.records import dataclass, replace

FateKind = Literal["renamed", "deleted", "elsewhere", "never", "none", "unknown"]

NAME = "\0"
"""Stands for a path in a clause's text; no path holds it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of plain fact for an agent, and the paths that it names."""

    text: str = ""
    """What it says, with a `NAME` for each path."""
    names: tuple[str, ...] = ()
    """These paths, in the text's order, as they are on disk."""
    bare: str = ""
    """What can be said without them, where there are any."""

    def __str__(self) -> str:
        text = self.text
        for name in self.names:
            text = text.replace(NAME, name or ".", 1)
        return text

    def unnamed(self) -> Clause:
        """Return the same fact without a path."""
        return Clause(self.bare) if self.names else self

    def told(self, may_name: Callable[[str], bool]) -> str:
        """Return what may be said of it: nothing of its paths, unless all may be named."""
        return str(self if all(map(may_name, self.names)) else self.unnamed())

    def then(self, later: Clause) -> Clause:
        """Return this fact and a later one as one clause."""
        bare = f"{self.unnamed().text}, then {later.unnamed().text}"
        return Clause(f"{self.text}, then {later.text}", (*self.names, *later.names), bare)


_SILENCE = Clause()


@dataclass(frozen=True, slots=True)
class PathHistory:
    """What history says of one path."""

    kind: FateKind
    """
    - `renamed`: it is called `path` now, by a commit, by its folder's or by an uncommitted move.
    - `deleted`: it was there, and no one file took its place.
    - `elsewhere`: another branch, a stash, or a place outside the asked root has it.
    - `never`: nothing HEAD can reach ever had it.
    - `none`: there is no history to ask: no git, no repository or no commit.
    - `unknown`: history does not tell, or it could not be asked to the end.
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
    clause: Clause = _SILENCE
    """What an agent reads about it."""
    complete: bool = True
    """Whether everything was asked that there is to ask."""
    hops: int = 0
    """How many renames lie between."""
    similarity: int = 0
    """The least similar of these renames, 0 to 100; 0 when there was none."""
    successors: tuple[str, ...] = ()
    """The files that have its lines, when it was split or merged; the largest share first."""

    @property
    def note(self) -> str:
        """The clause in full, whether or not its paths may be named to an agent."""
        return str(self.clause)


UNKNOWN = PathHistory("unknown", complete=False)

NONE = PathHistory("none", complete=False)


_ALIKE, _BARELY_ALIKE = 90, 70
"""Per cent of a file that two names have in common: a rename beyond doubt, and one in doubt."""


def renamed(path: str, events: Sequence[Event], evidence: tuple[str, ...]) -> PathHistory:
    """Return the fate of what was followed to `path` through these renames."""
    last = events[-1]
    hops = len(events)
    what = "moved with its folder" if evidence[0] == "folder-renamed" else "renamed"
    what = "partly moved" if "partly" in evidence else what
    when = f"in {hops} steps, the last in {_when(last)}" if hops > 1 else f"in {_when(last)}"
    clause = Clause(f"{what} to {NAME} {when}", (path,), f"{what} {when}")
    least = min(event.score for event in events)
    if evidence[0] == "renamed" and not _same_name(events[0].old, path):
        changed = ("rewritten",) * (least < _BARELY_ALIKE) or ("changed",) * (least < _ALIKE)
        evidence = (*evidence, "new-name", *changed)
    return PathHistory("renamed", path, last.commit, last.date, evidence, clause, True, hops, least)


def copied(path: str, last: Event, share: int, hops: int) -> PathHistory:
    """Return the fate of a deleted file that lives on under its name elsewhere."""
    when = f"when it was deleted in {_when(last)}"
    clause = Clause(f"kept as {NAME} {when}", (path,), f"kept elsewhere {when}")
    return PathHistory(
        "renamed", path, last.commit, last.date, ("copied",), clause, True, hops, share
    )


def divided(paths: tuple[str, ...], last: Event, share: int, hops: int) -> PathHistory:
    """Return the fate of a deleted file whose lines are in files of other names.

    No one file took its place: one holds much else, or there are several. On 8,700 real cases the
    one file found was what people called the successor in few; its name helps, and no more.
    """
    named = paths[:3]
    names = ", ".join(NAME for _ in named) + (", ..." if len(paths) > 3 else "")
    what, evidence = ("split into", "split") if len(paths) > 1 else ("most of it is in", "merged")
    bare = f"deleted in {_when(last)}"
    clause = Clause(f"{bare}; {what} {names}", named, bare)
    kept = (evidence, "deleted")
    return PathHistory(
        "deleted", None, last.commit, last.date, kept, clause, True, hops, share, paths
    )


def deleted(events: Sequence[Event], name: str = "") -> PathHistory:
    """Return the fate of what was deleted, perhaps after renames; `name` is its last one."""
    last = events[-1]
    hops = len(events) - 1
    gone = f"deleted in {_when(last)}"
    clause = Clause(gone)
    if hops:
        clause = Clause(f"renamed to {NAME}, which was {gone}", (name,), f"renamed, then {gone}")
    return PathHistory("deleted", None, last.commit, last.date, ("deleted",), clause, True, hops)


def vanished(last: Event) -> PathHistory:
    """Return the fate of what was renamed to a name that vanished without a commit's word."""
    when = _when(last)
    bare = f"renamed in {when}, and gone since"
    clause = Clause(f"renamed to {NAME} in {when}, which is gone too", (last.new,), bare)
    return PathHistory("deleted", None, last.commit, last.date, ("deleted",), clause)


def mapped(found: PathHistory, where: Callable[[str], str | None]) -> PathHistory:
    """Return a fate with its paths as another root has them.

    Args:
        found: What was found.
        where: Says what a path is there; None when it lies outside that root.

    Of what lies outside nothing is told but that it does.
    """
    clause = found.clause
    names = tuple(name for name in map(where, clause.names) if name is not None)
    clause = replace(clause, names=names) if len(names) == len(clause.names) else clause.unnamed()
    pieces = tuple(piece for piece in map(where, found.successors) if piece is not None)
    path = None if found.path is None else where(found.path)
    if path is None and found.path is not None:
        if found.kind == "renamed":
            clause = Clause(f"moved out of this project: {clause.unnamed().text}")
        found = replace(found, kind="elsewhere", evidence=("outside-root", *found.evidence))
    return replace(found, path=path, clause=clause, successors=pieces)


def beside(note: str, path: str, said: str) -> str:
    """Return the clause on a path with that on another, which left and may have been meant."""
    return "; ".join(filter(None, (note, f"there was {path}: {said}")))


def _same_name(path: str, other: str) -> bool:
    return path.rpartition("/")[2] == other.rpartition("/")[2]


def _when(event: Event) -> str:
    return f"{event.commit[:7]}, {event.date}"
