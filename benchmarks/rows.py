"""Evaluation cases as the scorer of `truepath.resolve.model` sees them, and what each counts."""

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
from truepath.resolve.anchors import interpret
from truepath.resolve.candidates import Found, context, gather

Array: TypeAlias = np.ndarray[Any, Any]

AGENTS = {
    "trees": ("trajectories.jsonl", "trajectories_over_cap.jsonl"),
    "second/trees": ("second/misses.jsonl.gz", "second/misses_over_cap.jsonl.gz"),
}
"""The files of agents' own misses, by the folder of their trees."""

FILES = ("links.jsonl", "renames.jsonl.gz", "deletions.jsonl.gz")
"""The files of what happened to paths in repositories; their trees are in `trees`."""

MADE = ("retold", "mistaken")
"""The sets of cases that were told again with a mistake."""


@dataclass(frozen=True)
class Row:
    """One case as the model sees it."""

    case: Case
    candidates: list[Found]
    fits: list[bool]
    """Whether a candidate is of the kind that was asked for: no other is ever corrected to."""
    context: list[str]
    truth: int
    """Position of the right candidate, or -1: nothing listed is right."""

    trees: str
    """The folder with the names of its project."""

    @property
    def found(self) -> bool:
        """Whether it is a case as it was found."""
        return self.case.set not in MADE

    @property
    def of_agents(self) -> bool:
        """Whether an agent missed this path."""
        return self.case.set.startswith(("trajectories", "misses"))


def observed(folder: Path) -> list[Row]:
    """Return the rows of all cases of a folder, agents' own first, and of those made of them."""
    trees = str(folder / "trees")
    real = real_cases(folder)
    tasks = agents_tasks(folder)
    tasks += [(trees, case) for case in (*real, *made_cases(real, trees))]
    with Pool() as pool:
        return pool.map(observe, tasks, chunksize=200)


def observe(task: tuple[str, Case]) -> Row:
    trees, case = task
    space = workspace(trees, case.tree, case.add, case.root)
    names = space.names()
    seen = interpret(case.written, space.frame(case.cwd))
    around = context(seen, names, case.kind)
    found = [each for each in gather(seen, names, case.kind) if space.may_name(each.path)]
    truth = next((at for at, each in enumerate(found) if each.path == case.truth), -1)
    fits = [case.kind in ("any", "folder" if one.folder else "file") for one in found]
    return Row(case, found, fits, around, truth, trees)


def agents_tasks(folder: Path) -> list[tuple[str, Case]]:
    """Return agents' misses whose project's names are all known, with the folder of their trees."""
    files = ((folder / trees, folder / name) for trees, names in AGENTS.items() for name in names)
    return [
        (str(trees), case)
        for trees, name in files
        if name.exists()
        for case in load(name)
        if case.tree
    ]


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


def weighed(rows: Sequence[Row], of_agents: float = 1.0, others: float = 0.0) -> Array:
    """Return a weight a row.

    Args:
        rows: The cases.
        of_agents: What a row of an agent's own miss weighs.
        others: What all other rows weigh together, for each row of an agent: so much that each
            cause has the share that it has among agents' misses (`evaluation.cases.SHARES`).
            Renames and deletions are plentiful because git is, not because agents meet them.
    """
    agents = np.array([row.of_agents for row in rows])
    strata = np.array([stratum(row) for row in rows])
    weight = np.where(agents, of_agents, 0.0)
    for name, share in SHARES.items():
        chosen = ~agents & (strata == name)
        if chosen.any():
            weight[chosen] = others * share * agents.sum() / chosen.sum()
    return np.asarray(weight)
