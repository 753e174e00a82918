"""In which order candidates are named.

Knows no numbers but the candidates' own.
"""

from __future__ import annotations

from collections.abc import Iterable

from truepath.types import Candidate


def likeliest_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates by their confidence, equals by their path."""
    return sorted(candidates, key=lambda candidate: (-candidate.confidence, candidate.path))


def namesakes_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates in the order in which they are named where none is sure.

    What has the very name comes before tests of it and names that are near it, however likely: who
    asks for `signals.py` must see the only one there is. A name that is in many folders says
    nothing, and gives no precedence.
    """
    ranked = sorted(candidates, key=lambda candidate: -candidate.confidence)
    generic = any("generic-name" in one.evidence for one in ranked if _is_namesake(one))
    return ranked if generic else sorted(ranked, key=lambda one: not _NEAR.isdisjoint(one.evidence))


def _is_namesake(candidate: Candidate) -> bool:
    return "same-name" in candidate.evidence


_NEAR = frozenset(
    "test-affix plural one-edit two-edits word-added word-dropped same-words close-name".split()
)
"""Evidence of another name than was written; in another case, format or folder it is the same."""
