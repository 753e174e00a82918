"""What may be changed, and on what grounds: a table, apart from how likely a candidate is.

A file that is read by mistake is told of and read again; one that is edited, moved or run by
mistake is damage. However likely a name makes a candidate, only some grounds let a call change it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from truepath.config.presets import THRESHOLDS
from truepath.types import Operation

Grounds = Literal["itself", "recorded", "contents", "leading", "misspelt-folder", "name-alone"]
"""
- `itself`: the very path, once its beginning is repaired and its decorations are undone, or in
  another case or Unicode form.
- `recorded`: git records that the path was renamed to it.
- `contents`: the only file of the project that holds the text to be replaced, where its name or
  its folder has something of what was written.
- `leading`: all of the written path, folders and name, below folders that were left out. A bare
  name is no path, and where the folder that was written stands, another one is not it.
- `misspelt-folder`: the path but for one folder that does not stand, which is a typo and no word,
  or is in singular where the other is in plural.
- `name-alone`: anything else: another folder, another extension, another letter in the name.
"""

CHANGES: tuple[Operation, ...] = ("edit", "copy", "move", "delete", "execute")
"""What does harm to the wrong file. A copy is used for the right one, and a program runs."""

_OWN: Mapping[Operation, Operation] = {each: each for each in CHANGES}

PERMITTED: Mapping[Grounds, Mapping[Operation, Operation]] = {
    "itself": _OWN,
    "recorded": _OWN,
    "contents": {"edit": "edit"},
    "leading": {**_OWN, "move": "edit"},
    "misspelt-folder": {**_OWN, "move": "edit"},
    "name-alone": {},
}
"""For each grounds, what may be changed, and as sure as what it must be: `move` as `edit` where
`mv` is told a path that differs from the one that is there in nothing but its folders. What is not
in a row is never done on these grounds."""


def needed(
    operation: Operation, evidence: Collection[str], threshold: float | None = None
) -> float | None:
    """Return how sure (0 to 1) a candidate must be to be acted on; None where it never is.

    Args:
        operation: What is done to it.
        evidence: What speaks for it.
        threshold: What the user's settings say. Below the default it takes the table's place, for
            the user has decided; above, the table holds as well.
    """
    if operation not in CHANGES:
        return THRESHOLDS[operation] if threshold is None else threshold
    if threshold is not None and threshold < THRESHOLDS[operation]:
        return threshold
    like = PERMITTED[grounds(evidence)].get(operation)
    return None if like is None else THRESHOLDS[like] if threshold is None else threshold


def least(operation: Operation, threshold: float | None = None) -> float:
    """Return how sure (0 to 1) any candidate must be at least to be acted on."""
    if threshold is not None:
        return threshold
    rows = (row[operation] for row in PERMITTED.values() if operation in row)
    return min((THRESHOLDS[each] for each in rows), default=THRESHOLDS[operation])


def grounds(evidence: Collection[str]) -> Grounds:
    """Return on what grounds a candidate with this evidence would be changed."""
    known = set(evidence)
    by_path = _of_path(known)
    if by_path in ("itself", "recorded") or not known.isdisjoint(_ELSEWHERE):
        return by_path
    if not known.isdisjoint(LACKS):
        return "name-alone"
    is_holder = ONLY_HOLDER in known and "like-gone" not in known
    return "contents" if by_path == "name-alone" and is_holder else by_path


def _of_path(known: set[str]) -> Grounds:
    """Return the grounds that the path and git's history are for themselves."""
    if not known.isdisjoint(_ELSEWHERE):
        return "name-alone"
    if not known.isdisjoint(_RECORDS):
        return "name-alone" if "folder-renamed" in known else "recorded"
    if not known.isdisjoint(("exact", "look-alike")):
        return "itself"
    if "same-name" not in known or not known.isdisjoint(_SUPPOSED):
        return "name-alone"
    if "missing-leading" in known:
        return "leading" if known.isdisjoint(("shared-0", "folder-stands")) else "name-alone"
    one_folder = {"lost-1", "gained-1", "left-gone"} <= known
    is_typo = "misspelt" in known or "wrong-number" in known
    return "misspelt-folder" if one_folder and is_typo else "name-alone"


LACKS = frozenset({"lacks-text", "lacks-name", "lacks-line"})
"""Evidence of a file that does not hold what the call says of it."""

ONLY_HOLDER = "only-holder"
"""Evidence of the only file of the project that holds what the call says of it."""

_RECORDS = frozenset({"renamed", "renamed-uncommitted", "new-name", "moved-uncommitted", "changed"})
"""What history says of a rename that it records. `folder-renamed` is a guess: the file came after
its folder had moved."""

_ELSEWHERE = frozenset({"from-checkout", "doubled-last"})
"""What is another thing though its name is the same: the file of a work tree that is gone, and the
folder that the written path lies in (`src` for `src/src`)."""

_SUPPOSED = frozenset(
    "container-root doubled from-checkout from-root guessed-spelling home-slip lost-slash "
    "other-home repeats-cwd root-name root-name-elsewhere root-slip rooted-at-project".split()
)
"""What is supposed of where a path begins (see `anchors`): one guess is not built upon another."""
