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


@dataclass(frozen=True, slots=True)
class _Trace:
    """What git tells of a path that does not exist."""

    place: Place
    """One of the places of the written path."""
    path: str
    """That place, or a folder above it."""
    fate: Fate

    @property
    def is_whole(self) -> bool:
        """Whether it is about the place itself, and not about a folder above."""
        return self.path == self.place.path

    @property
    def is_committed(self) -> bool:
        """Whether a commit renamed or deleted it."""
        return bool(self.fate.commit.strip("0"))

    @property
    def is_certain(self) -> bool:
        """Whether git knows the rename. Of names that tell instances apart it does not:
        `dev.yml` that became `prod.yml` is a guess.
        """
        names = (self.path.rpartition("/")[2], self.fate.path.rpartition("/")[2])
        return self.fate.certain and not differ_by_kind(*names)

    @property
    def when(self) -> str:
        """When it left its place, in words."""
        if self.is_committed:
            return f"in {self.fate.commit[:7]}"
        return "from git's index" if self.fate.kind == "deleted" else "without a commit"


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
            answer = _answer(tree, _Trace(place, path, fate))
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


def _answer(tree: Tree, trace: _Trace) -> Past | None:
    """Return what git tells of a path; None if nothing."""
    fate = trace.fate
    is_written = trace.is_whole and trace.place.is_same_path
    if fate.kind == "kept" and is_written:  # only the disk has it not
        return Past(
            (Place(fate.path),),
            fate.state or "kept",
            moved_to=fate.moved_to,
            just_left=trace.path,
        )
    if fate.kind in ("deleted", "emptied") and is_written:
        return Past(
            note=f"{fate.kind} {trace.when}",
            fate="deleted" if fate.certain else "perhaps",
            moved_to=fate.moved_to,
            just_left=_left_by(trace),
        )
    if fate.kind != "renamed":
        return None
    if fold(fate.path) == fold(trace.path):
        return Past()  # its case alone changed: the disk has it, by its name
    is_sure = trace.is_certain or not trace.is_committed
    perhaps = "" if is_sure else "perhaps "
    if trace.is_whole:
        return _at_new_place(tree, trace, f"{perhaps}renamed {trace.when}")
    words = f"{trace.path}/ {perhaps}moved {trace.when}"
    return _at_new_place(tree, trace, words)


def _left_by(trace: _Trace) -> str:
    """Return the place that a path left, if no commit says so."""
    return "" if trace.is_committed else trace.path


def _at_new_place(tree: Tree, trace: _Trace, words: str) -> Past:
    """Return the past of a path that is elsewhere now."""
    old = trace.place.path
    now = trace.fate.path + old[len(trace.path) :]
    if trace.fate.replaced:
        words += "; another text is there since"
    is_sure = trace.place.is_same_path and trace.is_certain
    place = replace(
        trace.place,
        path=now,
        kind="history",
        own_words=words,
        is_same_path=trace.is_whole and is_sure,
        evidence="renamed" if is_sure else "supposed",
        before_rename=old,
        is_replaced=trace.fate.replaced,
    )
    answer = Past((place,), just_left=_left_by(trace))
    if not tree.kind(now):
        # Git says where it went, and it is not there either.
        note = f"{words}, now {trace.fate.path}"
        return replace(answer, cause="history", note=note)
    if not trace.is_whole:
        return answer
    # Files that were made where it was on its way may be meant too.
    made_again = [
        replace(place, path=path, kind="in-between", own_words="")
        for path in trace.fate.moved_to
        if tree.may_name(path)
    ]
    return replace(answer, places=(place, *made_again))
