"""Evaluation cases as the model of `truepath.resolve.model` sees them, and what each counts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any, TypeAlias

import need  # noqa: F401
import numpy as np
from frames import Places, mistaken, places, retold

from truepath.evaluation.cases import SHARES, Case, load, tree_names, workspace
from truepath.resolve.anchors import aim
from truepath.resolve.candidates import context, gather

Array: TypeAlias = np.ndarray[Any, Any]

FILES = (
    "trajectories.jsonl",
    "trajectories_over_cap.jsonl",
    "links.jsonl",
    "renames.jsonl.gz",
    "deletions.jsonl.gz",
)

MADE = ("retold", "mistaken")
"""The sets of cases that were told again with a mistake."""


@dataclass(frozen=True)
class Row:
    """One case as the model sees it."""

    case: Case
    paths: list[str]
    """The candidates'."""
    evidence: list[tuple[str, ...]]
    """A candidate's, in the order of `paths`."""
    fits: list[bool]
    """Whether a candidate is of the kind that was asked for: no other is ever corrected to."""
    context: list[str]
    truth: int
    """Position of the right candidate, or -1: nothing listed is right."""

    @property
    def found(self) -> bool:
        """Whether it is a case as it was found."""
        return self.case.set not in MADE


def observed(folder: Path) -> list[Row]:
    """Return the rows of all cases of a folder, and of those made of them."""
    trees = str(folder / "trees")
    real = real_cases(folder)
    cases = [*real, *made_cases(real, trees)]
    with Pool() as pool:
        return pool.map(observe, [(trees, case) for case in cases], chunksize=200)


def observe(task: tuple[str, Case]) -> Row:
    trees, case = task
    space = workspace(trees, case.tree, case.add, case.root)
    names = space.names()
    seen = aim(case.written, space.frame(case.cwd))
    around = context(seen, names, case.kind)
    found = [each for each in gather(seen, names, case.kind) if space.may_name(each.path)]
    truth = next((at for at, each in enumerate(found) if each.path == case.truth), -1)
    return Row(
        case,
        paths=[one.path for one in found],
        evidence=[one.evidence for one in found],
        fits=[case.kind in ("any", "folder" if one.folder else "file") for one in found],
        context=around,
        truth=truth,
    )


def real_cases(folder: Path) -> list[Case]:
    return [case for name in FILES if (folder / name).exists() for case in load(folder / name)]


def made_cases(real: Sequence[Case], trees: str) -> Iterator[Case]:
    """Yield the mechanical mistakes; deterministic."""
    for case in real:
        if case.set not in ("renames", "deletions"):
            continue
        chance = random.Random(case.id)
        there = _places(trees, case.tree)
        if chance.random() < 0.25:
            yield from retold(case, there, chance)
        for _ in range(2):
            if case.set == "deletions":
                yield from mistaken(case, case.written, there, chance, right=False)
            else:
                yield from mistaken(case, chance.choice(there.files), there, chance, right=True)


@lru_cache(maxsize=4)
def _places(trees: str, tree: str) -> Places:
    return places(tree_names(trees, tree))


def stratum(row: Row) -> str:
    if row.case.set == "mistaken" and row.case.truth:
        return {"case": "case", "typo": "slip"}.get(row.case.cause, "prefix")
    return row.case.family


def weighed(rows: Sequence[Row], trajectory: float = 1.0) -> Array:
    """Return a weight a row, so that the kinds of cause have their real shares.

    Renames and deletions are plentiful because git is, not because agents meet them often.
    A row from a transcript counts `trajectory` times one from git.
    """
    raw = np.array([trajectory if row.case.set.startswith("trajectories") else 1.0 for row in rows])
    strata = np.array([stratum(row) for row in rows])
    weight = np.zeros(len(rows))
    for name, share in SHARES.items():
        chosen = strata == name
        if chosen.any():
            weight[chosen] = raw[chosen] / raw[chosen].sum() * share
    return np.asarray(weight / weight.sum() * len(rows))


def as_found(rows: Sequence[Row]) -> Array:
    """Return weight 1 for each case as it was found, 0 for those made of them."""
    return np.array([float(row.found) for row in rows])
