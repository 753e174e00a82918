"""Files that a session has moved or copied itself: what an agent asks for under the old
path is at the new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename

from truepath.guard.policy import Finding
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.session.loops import Move
from truepath.types import MAKES, Candidate, Resolution


def moves_of(findings: Sequence[Finding], tree: Tree) -> list[Move]:
    """Return the files and folders that an allowed call moves or copies. A copy counts
    once what was copied is gone.
    """
    moves: list[Move] = []
    # In a call, what is moved comes before the place that it is moved to.
    sources: list[str] = []
    for finding in findings:
        resolution = finding.resolution
        if resolution.operation in ("move", "copy") and not resolution.outside:
            sources.append(resolution.path or resolution.target)
            continue
        if resolution.operation in MAKES and not resolution.outside:
            moves.extend(_moves_to(resolution, sources, tree))
        sources = []  # of another command
    return moves


def _moves_to(
    destination: Resolution, sources: Sequence[str], tree: Tree
) -> Iterator[Move]:
    """Yield the moves of some paths to a place, or into it."""
    place = destination.path or destination.target
    is_into = tree.kind(place) == "folder" or destination.written.endswith("/")
    for source in sources:
        new = place
        if is_into:
            new = f"{place}/{basename(source)}"
        yield Move(source, new.lstrip("/"))  # the root is ""


def with_moved(missing: Resolution, place: str, tree: Tree) -> Resolution:
    """Return the resolution of a missing path that the session has moved to a place."""
    kind = tree.kind(place)
    # It may have been moved on, deleted, or led to already.
    if kind is None or not tree.may_name(place) or missing.path == place:
        return missing
    moved = Candidate(
        place, 1.0, "near", "moved there in this session", kind == "folder"
    )
    others = [other for other in missing.candidates if other.path != place]
    # Named, not used: no disk or commit proves what a session has done.
    return replace(
        missing,
        status="ambiguous",
        path=None,
        permits="named",
        candidates=(moved, *others),
        cause="",
        note="",
    )
