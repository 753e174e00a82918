"""How far a counted share can be trusted: exact binomial intervals. Pure arithmetic."""

from __future__ import annotations

from math import exp, lgamma, log

_TINY = 1e-300
_CLOSE = 1e-14


def clopper_pearson(hits: int, of: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share (Clopper and Pearson 1934): (low, high), 0 to 1.

    Args:
        hits: How many counted.
        of: Out of how many; with none, nothing is known and the interval is 0 to 1.
        level: How often such intervals hold the true share, at least.
    """
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} of {of} is no share")
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else _quantile(tail, hits, of - hits + 1)
    high = 1.0 if hits == of else _quantile(1 - tail, hits + 1, of - hits)
    return low, high


def _quantile(share: float, a: float, b: float) -> float:
    """Return the x below which a beta distribution has `share` of its mass, by bisection."""
    low, high = 0.0, 1.0
    while high - low > _CLOSE * max(high, 1e-9):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if beta_mass(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_mass(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, its mirror does not
        return 1.0 - beta_mass(1 - x, b, a)
    scale = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)
    return exp(scale) / (a * _fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction 8.17.22 of the NIST handbook (DLMF), by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for n in range(1, 10_000):
        m = n // 2
        if n % 2:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / (1 + step * lower or _TINY)
        upper = 1 + step / upper or _TINY
        value *= upper * lower
        if abs(upper * lower - 1) < _CLOSE:
            break
    return value
