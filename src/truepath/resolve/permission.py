"""What may be done to a candidate, by what kind of evidence speaks for it.

However likely a name makes a candidate, only some grounds let a call change it: a file that is read
by mistake is named and read again, one that is edited, moved or run by mistake is damage. How
likely it is (`model`) decides nothing alone, and grounds are not likelihoods: both must suffice.
How often each grounds was right in real misses, `benchmarks/fit.py` prints.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from truepath.config.presets import THRESHOLDS
from truepath.types import READS, Operation

Grounds = Literal[
    "itself",
    "recorded",
    "supposed",
    "contents",
    "leading",
    "misspelt-folder",
    "name-alone",
    "beside",
]
"""
- `itself`: the very path, once its beginning is repaired and its decorations are undone, or in
  another case or Unicode form.
- `recorded`: git records that the path was renamed to it, and the name was kept.
- `supposed`: one of these two, and a second guess: what the spelling means, which root it begins
  at, or that a rename which changed the name or is not committed is one.
- `contents`: the only file of the project that holds the text to be replaced, where its name or
  its folder has something of what was written.
- `leading`: all of the written path, folders and name, below folders that were left out. A bare
  name is no path, and where the folder that was written exists, another one is not it.
- `misspelt-folder`: the path but for one folder that does not exist, which is a typo and no word,
  or is in singular where the other is in plural.
- `name-alone`: anything else: another folder, another extension, another letter in the name.
- `beside`: what exists beside the path that was asked for and not in its place: a generic name in
  another folder, a folder's own settings for the root's, another edition (a version, a
  translation, an archive, another number of a series), another word, the other of two sides, a
  second guess about a doubled folder, and what a path that left explains as well.
"""

CHANGES: tuple[Operation, ...] = ("edit", "copy", "move", "delete", "execute")
"""What does harm to the wrong file. A copy is used for the right one, and a program runs."""


def _usual(*operations: Operation) -> dict[Operation, float]:
    return {each: THRESHOLDS[each] for each in (*READS, *operations)}


_OTHER_NAME = 0.94
"""How likely (0 to 1) what is not the path at all must be, to be read: of what is less likely, too
many of git's renames and deletions are wrong by names alone, as `benchmarks/fit.py` counts them."""

PERMITTED: Mapping[Grounds, Mapping[Operation, float]] = {
    "itself": THRESHOLDS,
    "recorded": _usual("edit", "copy", "execute", "move"),
    "supposed": _usual("edit", "copy", "execute"),
    "contents": {**dict.fromkeys(READS, _OTHER_NAME), "edit": THRESHOLDS["edit"]},
    "leading": _usual("edit", "copy", "execute", "move"),
    "misspelt-folder": _usual("edit", "copy", "execute", "move"),
    "name-alone": dict.fromkeys(READS, _OTHER_NAME),
    "beside": {},
}
"""For each grounds, what may be done, and how likely (0 to 1) a candidate must be for it. What is
not in a row is never done. A name alone must be likelier. How often each was right, is printed by
`benchmarks/fit.py`."""


def needed(
    operation: Operation, evidence: Collection[str], threshold: float | None = None
) -> float | None:
    """Return how likely (0 to 1) a candidate must be to be acted on; None where it never is.

    Args:
        operation: What is done to it.
        evidence: What speaks for it.
        threshold: What the user's settings say. Below the default it takes the table's place, for
            the user has decided; above, the table holds as well.
    """
    if threshold is not None and threshold < THRESHOLDS[operation]:
        return threshold
    sure = PERMITTED[grounds(evidence)].get(operation)
    return None if sure is None else max(sure, threshold or 0.0)


def least(operation: Operation, threshold: float | None = None) -> float:
    """Return how likely (0 to 1) any candidate must be at least to be acted on."""
    return THRESHOLDS[operation] if threshold is None else threshold


def grounds(evidence: Collection[str]) -> Grounds:
    """Return on what grounds a candidate with this evidence would be acted on."""
    known = set(evidence)
    by_path = _of_path(known)
    if by_path in IN_PLACE or not known.isdisjoint(_ELSEWHERE | _BESIDE):
        return by_path
    if not known.isdisjoint(LACKS):
        return "name-alone"
    return "contents" if by_path in ("name-alone", "beside") and ONLY_HOLDER in known else by_path


def _of_path(known: set[str]) -> Grounds:
    """Return the grounds that the path and git's history are for themselves."""
    if _is_beside(known):
        return "beside"
    if not known.isdisjoint(_ELSEWHERE):
        return "name-alone"
    if not known.isdisjoint(_RENAMES):
        return _of_rename(known)
    if not known.isdisjoint(_THE_PATH):
        read_otherwise = not known.isdisjoint(("guessed-spelling", "imported"))
        second_guess = read_otherwise or {"from-root", "look-alike"} <= known
        return "supposed" if second_guess else "itself"
    if "same-name" not in known or not known.isdisjoint(_SUPPOSED):
        return "name-alone"
    if "missing-leading" in known:
        return "leading" if known.isdisjoint(("shared-0", "folder-stands")) else "name-alone"
    one_folder = {"lost-1", "gained-1", "left-gone"} <= known
    is_typo = "misspelt" in known or "wrong-number" in known
    return "misspelt-folder" if one_folder and is_typo else "name-alone"


def _is_beside(known: set[str]) -> bool:
    elsewhere = not known.isdisjoint(("folder-replaced", "moved", "from-root"))
    return (
        not known.isdisjoint(_BESIDE)
        or (elsewhere and "generic-name" in known)
        or ("doubled" in known and known.isdisjoint(_THE_PATH))
    )


def _of_rename(known: set[str]) -> Grounds:
    if not known.isdisjoint(_LOOSE):
        return "name-alone"
    return "recorded" if known.isdisjoint(_SECOND_GUESS) else "supposed"


IN_PLACE: tuple[Grounds, ...] = ("itself", "recorded", "supposed")
"""The grounds of what is the path itself, or what became of it, whatever it holds."""

LACKS = frozenset({"lacks-text", "lacks-name", "lacks-line"})
"""Evidence of a file that does not hold what the call says of it."""

ONLY_HOLDER = "only-holder"
"""Evidence of the only file of the project that holds what the call says of it."""

_THE_PATH = frozenset({"exact", "look-alike"})

_BESIDE = frozenset(
    "into-edition out-of-edition of-series another-word opposite like-gone settings-at-root".split()
)

_RENAMES = frozenset({"renamed", "renamed-uncommitted", "new-name", "moved-uncommitted", "changed"})
"""What history says of a rename."""

_SECOND_GUESS = frozenset({"new-name", "moved-uncommitted", "from-root"})
"""What makes a rename less than certain: another name, no commit, a path read from the root."""

_LOOSE = frozenset({"folder-renamed", "changed", "rewritten", "copied", "recreated", "partly"})
"""What makes a rename a guess: the file came after its folder had moved, less than nine tenths of
the content were kept, or the old path was used again."""

_ELSEWHERE = frozenset({"from-checkout", "doubled-last", "bare-name"})
"""What is another thing though its name is the same: the file of a work tree that is gone, the
folder that the written path lies in (`src` for `src/src`), and the root's `uv.lock` for an
example's: what is missing where the agent works says nothing of the root."""

_SUPPOSED = frozenset(
    "container-root doubled from-checkout from-root guessed-spelling home-slip imported lost-slash "
    "other-home repeats-cwd root-name root-name-elsewhere root-slip rooted-at-project".split()
)
"""What is supposed of where a path begins (see `anchors`): one guess is not built upon another."""
