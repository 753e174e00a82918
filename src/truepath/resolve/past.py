"""What git tells about a missing path: where it is now, or that it was deleted.

A path is asked about first, then the folders above it. What git tells of one answers
the first question that fits.
"""

from __future__ import annotations

from collections.abc import Iterator

from truepath import TYPE_CHECKING
from truepath.paths import fold
from truepath.project.tree import Tree
from truepath.records import dataclass, replace
from truepath.resolve.facts import UNREAD
from truepath.resolve.instances import differ_by_kind
from truepath.resolve.places import Place, Reading
from truepath.types import Cause

if TYPE_CHECKING:
    from truepath.project.history import Fate

_PLACES = 3
"""Places of a written path whose history is asked for; each takes a search in it."""

_PARENTS = 3
"""Folders above a missing path whose history is asked for."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the history tells about a missing path."""

    places: tuple[Place, ...] = ()
    """Where it is now."""
    cause: Cause = ""
    """One of `KEPT`, or `history`; empty if git tells nothing."""
    note: str = ""
    """What git tells, in words; else empty."""
    known: bool = True
    """Whether the history was read in time and tells all, or there is none."""
    exists: bool = False
    """Whether there is a history, and no other path of that name is in it."""
    fate: str = ""
    """`deleted`, or `perhaps`: then nothing else is changed in its place."""
    moved_to: tuple[str, ...] = ()
    """As `Fate.moved_to`."""
    just_left: str = ""
    """The place that it left without a commit: it may be made there again."""


def past(tree: Tree, reading: Reading) -> Past:
    """Return what happened to the written path, or to a folder that it was in."""
    fates: list[Fate] = []
    heard = Past()
    traced = [place for place in reading.places if _may_be_meant(place)]
    for place in traced[:_PLACES]:
        # The path itself first, then the folders above it.
        for path in _missing(tree, place.path):
            fate = tree.fate(path)
            if fate is None:
                return Past()  # there is no history
            fates.append(fate)
            answer = _answer(tree, place, path, fate)
            if answer is None:
                continue  # the folder above may have moved
            if answer.places:
                return replace(answer, known=_is_known(fates), exists=True)
            heard = _joined(heard, answer)
            break
    note = heard.note or _unread(tree, fates)
    return replace(
        heard,
        cause="history" if note else "",
        note=note,
        known=_is_known(fates),
        exists=bool(fates) and all(fate.kind != "elsewhere" for fate in fates),
    )


def _unread(tree: Tree, fates: list[Fate]) -> str:
    """Return that the history is not known, and why if git does not work."""
    if all(fate.kind != "unknown" for fate in fates):
        return ""
    why = tree.fault()
    return f"{UNREAD}: {why}" if why else UNREAD


def _may_be_meant(place: Place) -> bool:
    """Return whether git's history of a place is one of the written path."""
    # Another machine's project may have had a file there that this one never had.
    if place.foreign_folder:
        return False
    is_written = place.is_same_path and not place.leaves_folder
    return is_written or place.kind == "above"


def _missing(tree: Tree, path: str) -> Iterator[str]:
    """Yield those of a path and the folders above it that do not exist."""
    for _ in range(_PARENTS + 1):
        if path and not tree.kind(path):
            yield path
        path = path.rpartition("/")[0]


def _is_known(fates: list[Fate]) -> bool:
    return all(fate.kind not in ("unknown", "withheld") for fate in fates)


def _joined(first: Past, then: Past) -> Past:
    """Return the report on two places, neither of which is elsewhere now."""
    return Past(
        note=first.note or then.note,
        fate=then.fate or first.fate,
        moved_to=first.moved_to or then.moved_to,
        just_left=first.just_left or then.just_left,
    )


def _answer(tree: Tree, place: Place, path: str, fate: Fate) -> Past | None:
    """Return what git tells of a path, which is a place or a folder above it; None if
    nothing.
    """
    is_written = path == place.path and place.is_same_path
    if fate.kind == "kept" and is_written:  # only the disk has it not
        kept = (Place(fate.path),)
        cause = fate.state or "kept"
        return Past(kept, cause, moved_to=fate.moved_to, just_left=path)
    if fate.kind in ("deleted", "emptied") and is_written:
        left = _left_without_commit(path, fate)
        when = _when(fate)
        if left and fate.kind == "deleted":
            when = "from git's index"
        return Past(
            note=f"{fate.kind} {when}",
            fate="deleted" if fate.certain else "perhaps",
            moved_to=fate.moved_to,
            just_left=left,
        )
    if fate.kind != "renamed":
        return None
    if fold(fate.path) == fold(path):
        return Past()  # its case alone changed: the disk has it, by its name
    return _at_new_place(tree, place, path, fate)


def _left_without_commit(path: str, fate: Fate) -> str:
    """Return a path, if no commit renamed or deleted it; else nothing."""
    return "" if fate.commit.strip("0") else path


def _when(fate: Fate) -> str:
    """Return when a path left its place, in words."""
    is_committed = fate.commit.strip("0")
    return f"in {fate.commit[:7]}" if is_committed else "without a commit"


def _at_new_place(tree: Tree, old: Place, path: str, fate: Fate) -> Past:
    """Return the past of a place that is elsewhere now, as `path` or in it."""
    now = fate.path + old.path[len(path) :]
    is_whole = path == old.path
    # Of names that tell instances apart, git does not know the rename: `dev.yml` that
    # became `prod.yml` is a guess.
    names = (path.rpartition("/")[2], fate.path.rpartition("/")[2])
    is_certain = fate.certain and not differ_by_kind(*names)
    left = _left_without_commit(path, fate)
    perhaps = "" if is_certain or left else "perhaps "
    words = f"{perhaps}renamed {_when(fate)}"
    if not is_whole:
        words = f"{path}/ {perhaps}moved {_when(fate)}"
    if fate.replaced:
        words += "; another text is there since"
    is_sure = old.is_same_path and is_certain
    place = replace(
        old,
        path=now,
        kind="history",
        own_words=words,
        is_same_path=is_whole and is_sure,
        evidence="renamed" if is_sure else "supposed",
        before_rename=old.path,
        is_replaced=fate.replaced,
    )
    answer = Past((place,), just_left=left)
    if not tree.kind(now):
        # Git says where it went, and it is not there either.
        note = f"{words}, now {fate.path}"
        return replace(answer, cause="history", note=note)
    if not is_whole:
        return answer
    # Files that were made where it was on its way may be meant too.
    made_again = [
        replace(place, path=path, kind="in-between", own_words="")
        for path in filter(tree.may_name, fate.moved_to)
    ]
    return replace(answer, places=(place, *made_again))
