"""Draw measures: reliability, and risk against coverage. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truepath.errors import Error
from truepath.evaluation.score import Bin, Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(path: str, bins: Sequence[Bin], points: Sequence[Point], *, title: str = "") -> None:
    """Write both diagrams into one image; the ending of `path` says of what kind.

    Raises:
        Error: matplotlib is not installed, or knows no such ending.
        OSError: the file cannot be written.
    """
    figure = _figure()(figsize=(10, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _reliability(left, bins)
    _risk(right, points)
    if title:
        figure.suptitle(title)
    save(figure, path)


def save(figure: Any, path: str) -> None:
    """Write a figure.

    Raises:
        Error: matplotlib knows no such ending.
    """
    try:
        figure.savefig(path, dpi=130)
    except ValueError as error:
        raise Error(f"cannot draw {path}: {error}") from error


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Error("plots need matplotlib: pip install 'truepath[eval]'") from error
    return Figure


def _reliability(axes: Axes, bins: Sequence[Bin]) -> None:
    told = [each.confidence for each in bins]
    true = [each.right for each in bins]
    below = [max(0.0, each.right - each.interval[0]) for each in bins]
    above = [max(0.0, each.interval[1] - each.right) for each in bins]
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, label="as told")
    axes.errorbar(told, true, yerr=[below, above], fmt="o-", markersize=4, capsize=2)
    axes.set(xlabel="confidence told", ylabel="share right", xlim=(0, 1.01), ylim=(0, 1.01))
    axes.set_title("reliability of the best candidate")
    axes.legend(loc="upper left", frameon=False)


def _risk(axes: Axes, points: Sequence[Point]) -> None:
    axes.plot([each.coverage for each in points], [each.risk for each in points])
    for level in (0.99, 0.95, 0.8, 0.5):
        reached = [each for each in points if each.confidence >= level]
        if reached:
            last = reached[-1]
            axes.plot(last.coverage, last.risk, "o", markersize=4, color="C1")
            axes.annotate(
                f"{level:g}", (last.coverage, last.risk), (4, 4), textcoords="offset points"
            )
    axes.set(xlabel="share of cases corrected", ylabel="share of corrections wrong")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_title("risk against coverage, by least confidence")
