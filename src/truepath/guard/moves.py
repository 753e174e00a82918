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
    sources: list[str] = []
    for finding in findings:
        found = finding.resolution
        if found.operation in ("move", "copy") and not found.outside:
            sources.append(found.path or found.target)
            continue
        if found.operation in MAKES and not found.outside:
            moves.extend(_moves_to(found, sources, tree))
        sources = []  # of another command
    return moves


def _moves_to(found: Resolution, sources: Sequence[str], tree: Tree) -> Iterator[Move]:
    """Yield the moves of some paths to a place, or into it."""
    place = found.path or found.target
    is_into = tree.kind(place) == "folder" or found.written.endswith("/")
    for source in sources:
        new = f"{place}/{basename(source)}" if is_into else place
        yield Move(source, new.lstrip("/"))


def with_moved(found: Resolution, place: str, tree: Tree) -> Resolution:
    """Return the resolution of a missing path that the session has moved to a place."""
    kind = tree.kind(place)
    if kind is None or not tree.may_name(place) or found.path == place:
        return found
    moved = Candidate(
        place, 1.0, "near", "moved there in this session", kind == "folder"
    )
    others = [each for each in found.candidates if each.path != place]
    return replace(
        found,
        status="ambiguous",
        path=None,
        permits="named",
        candidates=(moved, *others),
        cause="",
        note="",
    )
