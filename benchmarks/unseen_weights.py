"""Weights of the scorer that have not seen a repository, as `fit.py --unseen` writes them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from truepath.resolve.model import DOUBTS, SUPPORTS, fitted

Weights = Mapping[str, float]


def fold(repo: str, folds: int) -> int:
    """Return which of the folds a repository belongs to, from 0."""
    return int(hashlib.sha256(repo.encode()).hexdigest(), 16) % folds


def write(out: Path, weights: Sequence[Weights]) -> None:
    """Write the weights of each fold, which were fitted to the repositories of all others."""
    out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Sequence[Weights]:
    """Return the weights of each fold."""
    return cast("Sequence[Weights]", json.loads(path.read_text(encoding="utf-8")))


def use(weights: Sequence[Weights], repo: str) -> None:
    """Let this process judge by the weights that have not seen a repository, until the next."""
    mine, model = weights[fold(repo, len(weights))], fitted()
    candidate = {word: mine[word] for word in (*SUPPORTS, *DOUBTS)}
    cast("dict[str, float]", model.weights).update(candidate)
    cast("dict[str, float]", model.nothing).update(
        {word: value for word, value in mine.items() if word not in candidate}
    )
