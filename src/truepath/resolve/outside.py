"""Paths that point outside the project: which mean this project, and which something else.

A path outside may be looked at inside, where its folders are another machine's way to this project.
Nothing is ever changed, run or made inside for a path that points outside.
"""

from __future__ import annotations

from truepath.paths import fold
from truepath.records import replace
from truepath.resolve.anchors import Frame, PathQuery, Target
from truepath.resolve.homes import home_of
from truepath.resolve.prefixes import CONTAINER_ROOTS, is_known, place
from truepath.resolve.question import Question, Tree
from truepath.types import READS, Candidate, Resolution

CHECKOUT_CONFIDENCE = 0.97
"""The confidence told for this project's copy of a file in another checkout; never acted on."""

ROOT_CONFIDENCE = 0.97
"""The confidence told for the project's folder where that of another machine is named."""

SLIPS = frozenset({"root-slip", "home-slip"})
"""What takes a folder for the project's own that is misspelt."""

_NAMED = SLIPS | {"root-name-elsewhere", "container-root"}
"""What takes the folders that lead to a path for those that lead to this project by their names."""

SAME_PLACE = _NAMED | {"other-home", "from-checkout"}
"""What takes a path for the same one in this project by the folders that lead to it."""

_FOREIGN = SAME_PLACE | {"rooted-at-project"}


def narrowed(tree: Tree, frame: Frame, seen: PathQuery) -> PathQuery:
    """Drop the readings of what is somebody else's on this machine; of the others the longest
    whose folder is there comes first, and shorter ones are dropped: `src/shop/cli.py`, not `cli.py`
    in a project `shop` that has the folder `src/shop`.
    """
    own = [one for one in seen.targets if _FOREIGN.isdisjoint(one.evidence)]
    foreign = [
        replace(one, read_as=one.read_as or seen.absolute)
        for one in seen.targets
        if not _FOREIGN.isdisjoint(one.evidence)
    ]
    foreign = [one for one in foreign if not _is_theirs(tree, frame, one)]
    lengths = [one.path.count("/") for one in foreign if _is_foldered(tree, one)]
    if lengths:
        longest = max(lengths)
        foreign = [one for one in foreign if one.path.count("/") >= longest]
        foreign.sort(key=lambda one: one.path.count("/"))
    return replace(seen, targets=(*own, *foreign))


def _is_foldered(tree: Tree, target: Target) -> bool:
    return tree.kind(target.path.rpartition("/")[0]) == "folder"


def _is_theirs(tree: Tree, frame: Frame, target: Target) -> bool:
    """Return whether the folder that a reading takes for the root is there, as somebody else's.

    Where neither the project's name nor a known place speaks for a reading, the whole of its first
    folder must be another machine's.
    """
    if _is_there(tree, frame, target.read_as.removesuffix("/" + target.path)):
        return True
    if not (SLIPS | {"from-checkout"}).isdisjoint(target.evidence):
        return False
    top = place(target.read_as)
    known = is_known(top) and not _NAMED.isdisjoint(target.evidence)
    return not known and _is_there(tree, frame, top)


def _is_there(tree: Tree, frame: Frame, folder: str) -> bool:
    """Return whether a folder exists that the project does not lie in."""
    around = (frame.root + "/").startswith(folder.rstrip("/") + "/")
    return not around and tree.entry_kind_at(folder) == "folder"


def mapped(tree: Tree, seen: PathQuery) -> PathQuery:
    """Take a path for one of this project that is missing in another checkout of it, or below
    the project's own folder but for a slip.
    """
    if seen.inside is not None:
        return seen
    path = tree.in_other_checkout(seen.absolute)
    if path is not None:
        target = Target(path, ("from-checkout",))
        return replace(seen, inside=path, targets=(target, *seen.targets))
    slips = [one.path for one in seen.targets if one.evidence in (("home-slip",), ("root-slip",))]
    return replace(seen, inside=slips[0]) if slips else seen


def elsewhere(tree: Tree, asked: Question, absolute: str, *, note: str = "") -> Resolution:
    """Resolve a path outside that is let be; in another checkout, name its place here."""
    path = tree.in_other_checkout(absolute)
    found: tuple[Candidate, ...] = ()
    if path is not None and (not path or tree.may_name(path)):
        entry = tree.kind(path)
        here = ("other-checkout",) if entry else ("other-checkout", "not-here")
        found = (Candidate(path, CHECKOUT_CONFIDENCE, here, entry == "folder"),)
    return Resolution(
        asked.written,
        "outside",
        asked.operation,
        candidates=found,
        target=absolute,
        note=note,
        outside=True,
    )


def own_root(tree: Tree, frame: Frame, seen: PathQuery, asked: Question) -> Resolution | None:
    """Resolve a path that names the project's own folder as another machine has it."""
    path, looks = seen.absolute, asked.operation in READS
    if seen.inside is not None or not place(path):
        return None
    if asked.kind == "file":
        return None
    above, _, name = path.rpartition("/")
    own = fold(name) == fold(frame.root.rpartition("/")[2])
    mount = path in CONTAINER_ROOTS and not home_of(path) and not tree.kind(name)
    if not mount and not (own and above):
        return None
    home = home_of(above)
    theirs = home and home != home_of(frame.root) and not _is_there(tree, frame, home)
    sure = mount or theirs or above in CONTAINER_ROOTS
    if not sure and not home and _is_there(tree, frame, place(path)):
        return None
    if not looks and asked.kind != "folder":
        return Resolution(asked.written, "outside", asked.operation, target=path)
    sure = looks and sure and (asked.threshold or 0) <= ROOT_CONFIDENCE
    best = Candidate("", ROOT_CONFIDENCE, ("own-root",), folder=True)
    return Resolution(
        asked.written,
        "resolved" if sure else "ambiguous",
        asked.operation,
        path="" if sure else None,
        candidates=(best,),
        target=path,
    )


def kept_apart(tree: Tree, seen: PathQuery, found: Resolution) -> Resolution:
    """Name what is inside, and no more, where a path outside is not only looked at.

    What is missing in another checkout may be on its way there: that is named for a look, too.
    """
    if not seen.outside or _is_import(found):
        return found
    found = replace(found, outside=True)
    looks = found.operation in READS and (
        seen.inside is not None or tree.in_other_checkout(seen.absolute) is None
    )
    if looks or found.status != "resolved":
        return found
    return replace(found, status="ambiguous", path=None)


def _is_import(found: Resolution) -> bool:
    """Return whether the best candidate is the very place that an import names.

    `@/x` may also be a prompt's mention of `/x`; where the project gives `@/` a meaning and has
    such a file, it is none.
    """
    known = set(found.candidates[0].evidence) if found.candidates else set()
    return "imported" in known and not known.isdisjoint(("exact", "same-folder"))
