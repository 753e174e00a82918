"""Let the contents of files have their say about what a missing path may mean.

A call that edits brings the text that it replaces. A candidate without that text is not the file,
however alike its name. The only file of the project that holds it is named, and is the file where
its name led to it as well. It knows no disk: files are looked into by the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from truepath.paths import fold
from truepath.project.contents import MOST_SEARCHED
from truepath.project.names import split_extension
from truepath.records import dataclass, replace
from truepath.resolve.history_evidence import MissingPath, Past, is_doubted
from truepath.resolve.model import CEILING, bounded, fitted
from truepath.resolve.order import likeliest_first
from truepath.resolve.permission import IN_PLACE, ONLY_HOLDER, grounds
from truepath.resolve.question import Tree
from truepath.types import Candidate, Contents

if TYPE_CHECKING:
    from truepath.project.contents import Files
    from truepath.project.layered_names import ProjectNames

HELD = 0.99
"""The confidence of the only holder, as `benchmarks/edits.py` counts it for edits that worked."""

LACKED = 0.4
"""The confidence of a file without it, at most: it is named, and neither shown nor changed."""

_SINGLE = 0.5
"""The confidence, at least, of the one candidate that holds what the others lack. It is named
first; that may be chance, so nothing is shown or changed for it alone."""

_SIGNS = 60
"""Letters, digits and signs of a text that tells files apart; a shorter one, such as `- React 18`,
may be in another file by chance. `benchmarks/edits.py` counts both."""

_BESIDE = frozenset(
    "another-word close-name crosses-tests into-edition of-series opposite out-of-edition "
    "renumbered test-affix word-added word-dropped".split()
)
"""Evidence of a file that is there beside the one that was asked for, which may be made as a copy
of it: `users/api.py` and `orders/api.py` begin with the same lines."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A missing path, and what is said of its contents."""

    missing: MissingPath
    said: Contents
    past: Past | None = None
    """What history says of the path, where there is a history."""

    @property
    def path(self) -> str:
        """Where it points: relative to the root where inside it, else absolute."""
        return self.missing.seen.target


def weigh_contents(
    sought: Sought, ranked: Sequence[Candidate], files: Files, tree: Tree, names: ProjectNames
) -> list[Candidate]:
    """Return the candidates, best first, as the contents of the files leave them."""
    held = files.holding([one.path for one in ranked if not one.folder], sought.said)
    holders = [path for path, holds in held.items() if holds]
    only = None
    if _may_be_proved(sought, holders, tree, names):
        alike = _alike(sought, held, names)
        others = None if alike is None else files.holders(alike, sought.said)
        found = [*holders, *(others or ())]
        only = found[0] if others is not None and len(found) == 1 else None
    lacks = _lacks(sought.said)
    judged = [one if held.get(one.path, True) else _lacking(one, lacks, only) for one in ranked]
    if only is not None:
        known = next((one for one in judged if one.path == only), Candidate(only, 0.0))
        every = [_holding(sought, known, tree), *(one for one in judged if one.path != only)]
    elif len(holders) == 1 < len(held) and lacks != "lacks-line":
        every = [_single(one) if one.path in holders else one for one in judged]
    else:
        every = judged
    chances = bounded([one.confidence for one in every])
    return likeliest_first(
        replace(one, confidence=chance) for one, chance in zip(every, chances, strict=True)
    )


def _lacks(said: Contents) -> str:
    """Return the evidence of a file that does not hold what is said."""
    return "lacks-text" if said.texts else "lacks-name" if said.words else "lacks-line"


def _single(candidate: Candidate) -> Candidate:
    return replace(candidate, confidence=max(candidate.confidence, _SINGLE))


def _lacking(candidate: Candidate, lacks: str, only: str | None) -> Candidate:
    """Return a candidate that does not hold what is said.

    The very path in another spelling, and what git records that it was renamed to, are the file all
    the same, unless the only file that holds it is another: then the text is wrong, and the tool
    says so.
    """
    if only is None and grounds(candidate.evidence) in IN_PLACE:
        return candidate
    confidence = min(candidate.confidence, LACKED)
    return replace(candidate, confidence=confidence, evidence=(*candidate.evidence, lacks))


def _holding(sought: Sought, candidate: Candidate, tree: Tree) -> Candidate:
    """Return the only file that holds what is said.

    Where its name did not lead to it, or history has another answer, it is named, no more: the text
    may have been copied.
    """
    evidence = (ONLY_HOLDER, *candidate.evidence)
    if grounds(candidate.evidence) in IN_PLACE:
        return replace(candidate, evidence=evidence)
    past, led = sought.past, candidate.evidence and _BESIDE.isdisjoint(evidence)
    asked = past is not None and (led or past.fate.kind != "never")
    if past is not None and asked and is_doubted(sought.missing, candidate, past, tree, fitted()):
        evidence, led = (*dict.fromkeys((*evidence, "like-gone")),), False
    return replace(candidate, confidence=HELD if led else CEILING, evidence=evidence)


def _may_be_proved(sought: Sought, holders: Sequence[str], tree: Tree, names: ProjectNames) -> bool:
    """Return whether a search can prove that no other file holds what is said."""
    whole = not names.cut_short and names.untracked
    return len(holders) < 2 and whole and _tells(sought.said) and tree.may_name(sought.path)


def _alike(sought: Sought, held: Mapping[str, bool], names: ProjectNames) -> list[str] | None:
    """Return the files with the written extension that were not looked into yet; None where they
    are too many to be searched.
    """
    ending = split_extension(fold(sought.path).rpartition("/")[2])[1]
    found = names.ending_in(ending, MOST_SEARCHED + len(held))
    return None if found is None else [each for each in found if each not in held]


def _tells(said: Contents) -> bool:
    """Whether what is said tells files apart."""
    return sum(len("".join(text.split())) for text in said.texts) >= _SIGNS
