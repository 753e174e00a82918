"""Which confidence keeps the share of wrong corrections below a bound, for sure enough."""

from __future__ import annotations

from itertools import pairwise

import need  # noqa: F401
import numpy as np
from rows import Array
from scipy.stats import chi2

from truepath.resolve.model import RENAMED

BOUNDS = {
    "read": 0.005,
    "list": 0.005,
    "search": 0.005,
    "execute": 0.002,
    "edit": 0.002,
    "copy": 0.002,
    "move": 0.0005,
    "delete": 0.0005,
    "write": 0.0005,
    "mkdir": 0.0005,
}
"""The share of corrections that may be wrong, by operation: the upper end of its 95 % interval."""

STRICTEST = 0.9995
"""The threshold where these cases are too few to certify a bound."""

_BEYOND = round(RENAMED + 0.0005, 4)

LEAST = {"move": 0.995, "delete": _BEYOND, "write": _BEYOND, "mkdir": _BEYOND}
"""The least threshold where history decides too, which these cases have not: nothing is deleted for
its word, and a move passes for a rename that kept the name and for a slip of the hand in a path
that never was, but for no namesake in another folder (`truepath.resolve.model.SURE`)."""

LEVELS = (0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.993, 0.995, 0.997, 0.998, 0.999, 0.9995)


def upper(total: float, spread: float, heaviest: float) -> float:
    """Return the upper end of the 95 % interval of a weighted count of errors.

    Fay and Feuer's gamma interval (1997) for a sum of weighted Poisson counts; with equal weights
    it is the exact interval.

    Args:
        total: The sum of the errors' weights.
        spread: The sum of their squares.
        heaviest: The largest weight that an error could have had.
    """
    scale = (spread + heaviest**2) / (total + heaviest)
    return float(scale / 2 * chi2.ppf(0.975, 2 * (total + heaviest) / scale))


def threshold(
    best: Array,
    right: Array,
    weight: Array,
    bound: float,
) -> tuple[float, float, float]:
    """Return the lowest confidence whose corrections keep the bound, with (right, wrong) shares."""
    order = np.argsort(-best, kind="stable")
    w, ok, told = weight[order], right[order], best[order]
    good, bad, spread = np.cumsum(w * ok), np.cumsum(w * ~ok), np.cumsum(w**2 * ~ok)
    heaviest = np.maximum.accumulate(w)
    chosen = None
    for at in range(len(order)):
        if told[at] < 0.5:
            break
        if at + 1 < len(order) and told[at + 1] == told[at]:
            continue  # those that are told the same are corrected together
        if upper(bad[at], spread[at], heaviest[at]) <= bound * (good[at] + bad[at]):
            chosen = at
    if chosen is None:
        return 0.0, 0.0, 0.0
    total = w.sum()
    return float(told[chosen]), good[chosen] / total, bad[chosen] / total


def risk_table(best: Array, right: Array, weight: Array) -> str:
    """Return, by threshold, the share corrected right, and the share of corrections wrong."""
    total = weight.sum()
    lines = ["threshold  corrected right  wrong of corrections  upper 95 %"]
    for level in LEVELS:
        over = best >= level
        if not over.any():
            break
        good, bad = weight[over & right].sum(), weight[over & ~right].sum()
        spread = (weight[over & ~right] ** 2).sum()
        most = upper(bad, spread, weight[over].max()) / (good + bad)
        lines.append(f"{level:9}  {good / total:15.1%}  {bad / (good + bad):20.3%}  {most:10.3%}")
    return "\n".join(lines)


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
