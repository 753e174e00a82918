"""Find what became of a path: what is not committed, then renames, folders, pieces, branches.

Paths are relative to the repository here. Each step may fail or run out of time; what was found
before holds, marked as incomplete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from truepath.project.git import GitError
from truepath.project.history.branches import Elsewhere, elsewhere
from truepath.project.history.log import DOUBTFUL, Event
from truepath.project.history.outcome import (
    NAME,
    UNKNOWN,
    Clause,
    FateKind,
    PathHistory,
    copied,
    deleted,
    divided,
    renamed,
    vanished,
)
from truepath.project.history.renames import RenameChain, Tracker
from truepath.project.history.repository import GitQuery
from truepath.project.history.sources import Source
from truepath.records import replace

T = TypeVar("T")

_UNCOMMITTED = {
    "renamed-uncommitted": Clause(
        f"renamed to {NAME}, not yet committed", bare="renamed, not yet committed"
    ),
    "moved-uncommitted": Clause(
        f"moved to {NAME}, not yet committed", bare="moved, not yet committed"
    ),
    "deleted-uncommitted": Clause("deleted, not yet committed"),
    "not-checked-out": Clause("in the repository, but left out of this sparse checkout"),
}

_MOST_STEPS = 16
"""Names of one path that HEAD is asked for at once."""


class HistoryQuery:
    """One question to one repository."""

    def __init__(self, look: GitQuery, source: Source) -> None:
        self._look = look
        self._source = source
        self._tracker = Tracker(
            source, look.exists_now, lambda folder: bool(look.head_kind(folder)), look.had
        )
        self._failed = False

    def fate(self, path: str) -> PathHistory:
        """Return what became of `path`."""
        found = self._fate(path)
        cut = self._failed or (self._source.stopped and found.kind != "renamed")
        return replace(found, complete=False) if cut else found

    def _fate(self, path: str) -> PathHistory:
        if self._try(lambda: self._look.head_kind(path, *self._steps(path)), ""):
            return self._uncommitted(path, None)
        trail = self._try(lambda: self._tracker.file(path), RenameChain(None))
        if trail.path is not None:
            return self._arrived(trail, "renamed")
        if trail.events:
            return self._gone(path, trail)
        folder = self._try(lambda: self._tracker.folder(path), RenameChain(None))
        if folder.path is not None:
            return self._arrived(folder, "folder-renamed")
        if folder.events:
            return self._folder_gone(folder)
        return self._unseen(path)

    def _steps(self, path: str) -> list[str]:
        """Return the names that a path had since, where they are known at once.

        It will be asked which of them are there: git is started once for all.
        """
        names = [path]
        for name in names if self._source.cheap else ():
            after = [event.new for event in self._source.departures(name) if event.new]
            names += [each for each in after if each not in names]
            if len(names) > _MOST_STEPS:
                break
        return names[1:]

    def _arrived(self, trail: RenameChain, evidence: str) -> PathHistory:
        """Return the fate of what was followed to a path of HEAD or of the work tree."""
        end = trail.path or ""
        found = renamed(end, trail.events, (evidence, *trail.marks))
        return found if self._look.on_disk(end) else self._uncommitted(end, found)

    def _uncommitted(self, path: str, before: PathHistory | None) -> PathHistory:
        """Return where a path of HEAD is that the work tree has not."""
        from truepath.project.history.uncommitted import Moved, moved

        went = self._try(lambda: moved(self._look, path), Moved(None, "deleted-uncommitted"))
        if self._failed:
            return replace(UNKNOWN, clause=Clause("gone from the work tree, where to is not known"))
        clause = _UNCOMMITTED[went.evidence]
        if went.path is not None:
            clause = replace(clause, names=(went.path,))
        kind: FateKind = "renamed" if went.path is not None else "deleted"
        if went.evidence == "not-checked-out":
            kind = "elsewhere"
        found = PathHistory(
            kind, went.path, "", "", (went.evidence,), clause, True, int(went.path is not None)
        )
        return _continued(before, found) if before else found

    def _gone(self, path: str, trail: RenameChain) -> PathHistory:
        """Return the fate of a path whose last departure was the end of it, as far as git saw."""
        last = trail.events[-1]
        through = self._try(lambda: self._tracker.through_folder(path), RenameChain(None))
        if through.path is not None and through.events[0].commit == last.commit:
            # It was not among what moved: a file of its name in the new folder is another, or a
            # stub of it.
            marks = (*through.marks, "rewritten")
            return self._arrived(replace(through, marks=marks), "folder-renamed")
        if last.new:
            return self._lost(trail)
        pieces = self._pieces(last)
        if pieces is not None:
            return replace(pieces, hops=len(trail.events))
        if last.score == DOUBTFUL:
            return _doubted(last)
        return self._discreet(deleted(trail.events, last.old))

    def _lost(self, trail: RenameChain) -> PathHistory:
        """Return the fate of what was renamed to a name that vanished without a commit's word."""
        found = self._discreet(vanished(trail.events[-1]))
        if self._source.stopped:
            return replace(UNKNOWN, commit=found.commit, date=found.date, clause=found.clause)
        return found

    def _discreet(self, found: PathHistory) -> PathHistory:
        """Return a fate without the names of what is there and not alive: it is ignored."""
        there = any(map(self._look.on_disk, found.clause.names))
        return replace(found, clause=found.clause.unnamed()) if there else found

    def _pieces(self, last: Event) -> PathHistory | None:
        """Return the fate of a deleted file whose lines live on, if they do."""
        from truepath.project.history.content import successors

        found = self._try(lambda: successors(self._look, last), None)
        names = found.paths if found else ()
        nothing: list[RenameChain] = []
        onward = self._tracker.onward
        ends = self._try(lambda: [onward(replace(last, new=name)) for name in names], nothing)
        paths = tuple(dict.fromkeys(end.path for end in ends if end.path is not None))
        living = tuple(path for path in paths if self._look.on_disk(path))
        if not found or not living:
            return None
        same_name = last.old.rpartition("/")[2] == names[0].rpartition("/")[2]
        if found.alone and same_name:
            return copied(living[0], last, found.share, 1)
        return divided(living, last, found.share, 1)

    def _folder_gone(self, trail: RenameChain) -> PathHistory:
        last = trail.events[-1]
        if last.score == DOUBTFUL:
            return _doubted(last)
        clause = Clause(f"its last file went in {last.commit[:7]}, {last.date}")
        return PathHistory("deleted", None, last.commit, last.date, ("deleted",), clause)

    def _unseen(self, path: str) -> PathHistory:
        """Return the fate of a path that no commit HEAD can reach took away."""
        through = self._try(lambda: self._tracker.through_folder(path), RenameChain(None))
        if through.path is not None:
            return self._arrived(through, "folder-renamed")
        if self._try(lambda: self._look.in_index(path), False):
            return self._uncommitted(path, None)
        other = self._try(lambda: elsewhere(self._look, path), None)
        if other is not None:
            return _on_branch(other)
        if self._failed or self._source.stopped or self._look.place.doubtful:
            return replace(UNKNOWN, complete=not (self._failed or self._source.stopped))
        return PathHistory("never", clause=Clause("never in git"))

    def _try(self, question: Callable[[], T], otherwise: T) -> T:
        """Return the answer; when git cannot give it, note that and return `otherwise`."""
        try:
            return question()
        except GitError:
            self._failed = True
            return otherwise


def _doubted(last: Event) -> PathHistory:
    """Return the fate of what left, and may have been renamed with changes."""
    what = "deleted or renamed, which this clone without all contents cannot tell"
    clause = Clause(f"gone since {last.commit[:7]}, {last.date}: {what}")
    return replace(UNKNOWN, commit=last.commit, date=last.date, clause=clause)


def _continued(before: PathHistory, then: PathHistory) -> PathHistory:
    """Put a move that is not committed behind the commits that came before it."""
    return replace(
        then,
        commit=before.commit,
        date=before.date,
        evidence=(*then.evidence, *before.evidence),
        clause=before.clause.then(then.clause),
        hops=before.hops + then.hops,
        similarity=before.similarity,
    )


def _on_branch(other: Elsewhere) -> PathHistory:
    bare = f"not here, but on {other.name}"
    if other.path_here is None:
        evidence, clause = ("other-branch",), Clause(bare)
    else:
        text = f"its name on {other.name}; here it is still {NAME}"
        evidence, clause = ("renamed-on-branch",), Clause(text, (other.path_here,), bare)
    return PathHistory("elsewhere", other.path_here, other.commit, other.date, evidence, clause)
