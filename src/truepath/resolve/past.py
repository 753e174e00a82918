"""What git tells about a missing path: where it is now, or that it was deleted."""

from __future__ import annotations

from collections.abc import Iterator

from truepath.project.tree import Tree
from truepath.records import dataclass, replace
from truepath.resolve.places import ABOVE, Place, Reading
from truepath.types import KEPT

_PARENTS = 3
"""Folders above a missing path whose history is asked for."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the history tells about a missing path."""

    places: tuple[Place, ...] = ()
    """Where it is now."""
    note: str = ""
    """A note about a deleted path; else empty."""
    known: bool = True
    """Whether the history was read in time, or there is none."""
    exists: bool = False
    """Whether there is a history, and no other path of that name is in it."""
    gone: str = ""
    """`deleted`, or `perhaps`: then nothing else is changed in its place."""
    went: tuple[str, ...] = ()
    """As `Fate.went`."""


def past(tree: Tree, reading: Reading) -> Past:
    """Return what happened to the written path, or to a folder that it was in."""
    note, gone, known, exists, elsewhere = "", "", True, False, False
    went: tuple[str, ...] = ()
    traced = [each for each in reading.places if each.same or each.why == ABOVE]
    for place in [each for each in traced if not each.theirs][:3]:
        for path in _gone(tree, place.path):
            fate = tree.fate(path)
            if fate is None:
                return Past()
            known, exists = known and fate.kind != "unknown", True
            elsewhere = elsewhere or fate.kind == "elsewhere"
            committed, whole = bool(fate.commit.strip("0")), path == place.path
            staged = (
                "from git's index" if fate.kind == "deleted" else "without a commit"
            )
            when = f"in {fate.commit[:7]}, {fate.date}" if committed else staged
            if fate.kind == "kept" and whole and place.same:
                return Past((Place(fate.path),), KEPT, went=fate.went)
            if fate.kind == "renamed":
                now, same = (
                    fate.path + place.path[len(path) :],
                    place.same and fate.certain,
                )
                alike = (
                    each for each in tree.names().ends_with(place.path) if each != now
                )
                if not fate.certain and any(
                    x.endswith(place.path) and tree.kind(x) for x in alike
                ):
                    # It is not certain, and for a read the name is better evidence.
                    gone = "perhaps" if place.same else gone
                    break
                what = "" if fate.certain or not committed else "perhaps "
                what += f"renamed {when}" if whole else f"moved {when}"
                why = what if whole else f"{path}/ {what}"
                by = "renamed" if same else "supposed"
                was, same = place.path, whole and same
                moved = replace(place, path=now, why=why, same=same, past=by, was=was)
                note = "" if tree.kind(now) else f"{why}, now {fate.path}"
                return Past((moved,), note, known=known, exists=True)
            if fate.kind in ("deleted", "emptied") and whole and place.same:
                note, gone = (
                    note or f"{fate.kind} {when}",
                    "deleted" if fate.certain else "perhaps",
                )
                went = went or fate.went
                break
    note = note or ("" if known else "its history is not known")
    return Past(
        (), note, known=known, exists=exists and not elsewhere, gone=gone, went=went
    )


def _gone(tree: Tree, path: str) -> Iterator[str]:
    """Yield those of a path and the folders above it that do not exist."""
    for _ in range(_PARENTS + 1):
        if path and not tree.kind(path):
            yield path
        path = path.rpartition("/")[0]
