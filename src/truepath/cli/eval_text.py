"""The measures of `truepath eval` as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from truepath.cli.terminal import plain, share, table
from truepath.evaluation.score import Bin, Counts, Judged

_HEAD = ("cases", "right", "wrong", "first 3", "refused", "absent", "outside", "exists")


def breakdown(by: str, groups: Mapping[str, Counts], total: Counts) -> str:
    """Return a line a group. Absent and outside: said rightly/wrongly."""
    rows = [(name or "-", *_cells(each)) for name, each in groups.items()]
    return table((f"by {by}", *_HEAD), [*rows, ("all", *_cells(total))])


def _cells(counts: Counts) -> Sequence[str]:
    return (
        f"{counts.cases:,}",
        f"{counts.right:,}",
        f"{counts.wrong:,}",
        f"{counts.listed:,}",
        f"{counts.refused:,}",
        f"{counts.absent_right:,}/{counts.absent_wrong:,}",
        f"{counts.outside_right:,}/{counts.outside_wrong:,}",
        f"{counts.exists:,}",
    )


def summary(counts: Counts) -> str:
    """Return the shares that matter, a line each."""
    told = counts.to_dict()
    low, high = told["wrong_share_interval"]
    of = f"of {counts.corrected:,} corrections"
    lines = [
        ("accuracy", share(told["accuracy"]), "corrected rightly, or rightly said absent"),
        ("wrong corrections", share(told["wrong_share"]), of),
        ("", "", f"95 % interval {share(low)} to {share(high)}"),
        ("recall", share(told["recall"]), f"of {counts.findable:,} with a right path"),
        ("among the first 3", share(told["first_3"]), "of the same"),
        ("absent, precision", share(told["absent_precision"]), "of those said to be absent"),
        ("absent, recall", share(told["absent_recall"]), "of those with no right path"),
    ]
    return "\n".join(f"{name:18} {value:>7}  {what}".rstrip() for name, value, what in lines)


def reliability(bins: Sequence[Bin]) -> str:
    """Return a line a bin of confidence; `off` is in percentage points."""
    rows = [
        (
            f"{each.low:.3g} to {each.high:.3g}",
            f"{each.cases:,}",
            share(each.confidence),
            share(each.right),
            f"{100 * (each.right - each.confidence):+.1f}",
            f"{share(each.interval[0])} to {share(each.interval[1])}",
        )
        for each in bins
    ]
    head = ("confidence of the best", "cases", "mean", "right", "off", "95 % interval")
    return table(head, rows)


def mistakes(judged: Iterable[Judged]) -> str:
    """Return two lines a wrong correction: what was made of what, and why."""
    lines = []
    for case, answer in judged:
        truth = case.truth or "nothing"
        told = f"{case.written} -> {answer.path}, not {truth}"
        lines.append(f"{answer.confidence:.4f}  {plain(told)}")
        lines.append(f"        {case.set} {case.cause} {case.repo}: {', '.join(answer.evidence)}")
    return "\n".join(lines)
