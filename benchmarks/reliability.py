"""Confidence against truth, with the uncertainty of cases that come by repository."""

from __future__ import annotations

from itertools import pairwise

import need  # noqa: F401
import numpy as np
from rows import Array


def reliability(
    best: Array, right: Array, weight: Array, repos: Array, edges: tuple[float, ...]
) -> str:
    """Return, by range of confidence, what was told and what was true.

    The interval is of the difference, in points, when repositories are drawn anew: the cases of
    one repository, often of one commit, are right or wrong together. The last column is the
    repository that moves the range furthest, and how far.
    """
    lines = ["confidence       cases    told   right   off  95 % interval  most of it"]
    chance = np.random.default_rng(1)
    known, owner = np.unique(repos, return_inverse=True)
    drawn = chance.multinomial(owner.max() + 1, np.ones(owner.max() + 1) / (owner.max() + 1), 2000)
    for low, high in pairwise(edges):
        inside = (best > low) & (best <= high) & (weight > 0)
        if not inside.any():
            continue
        w = weight[inside]
        size, told, true = (
            np.bincount(owner[inside], w * value, minlength=owner.max() + 1)
            for value in (1.0, best[inside], right[inside])
        )
        off = 100 * (drawn @ (true - told)) / np.maximum(drawn @ size, 1e-9)
        ends = np.quantile(off[drawn @ size > 0], (0.025, 0.975))
        mean, share = told.sum() / size.sum(), true.sum() / size.sum()
        part = 100 * (true - told) / size.sum()
        most = int(np.argmax(np.abs(part)))
        interval = f"{ends[0]:+.1f} to {ends[1]:+.1f}"
        lines.append(
            f"{low:5.3f} to {high:5.3f}  {inside.sum():6,}  {mean:6.1%}  {share:6.1%}  "
            f"{100 * (share - mean):+4.1f}  {interval:13}  {part[most]:+.1f} {known[most]}"
        )
    return "\n".join(lines)
