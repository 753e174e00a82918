"""`truepath explain PATH`: what speaks for each candidate, how much it weighs, what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from truepath.cli.app import FINE
from truepath.cli.project import Project, open_project, options
from truepath.cli.resolve import said
from truepath.cli.terminal import COLOURS, percent, plain
from truepath.types import OPERATION_KINDS, READS, Candidate, Operation, Resolution

SHOWN = 3
"""Candidates taken apart: the best, its rival, and one more."""


@click.command(
    "explain", short_help="Show what speaks for the candidates, and what weighs how much."
)
@click.argument("path")
@click.option(
    "--operation",
    type=click.Choice([*OPERATION_KINDS]),
    default="read",
    show_default=True,
    help="What is to be done to the path.",
)
@options
def command(
    path: str, operation: Any, root: str | None, cwd: str | None, policy: str | None
) -> int:
    """Show the best candidates for PATH with their evidence, the weight of each kind of it, and
    "nothing here" as their rival; then how sure is sure enough, and what the policy makes of it.
    """
    project = open_project(root, cwd, policy)
    resolution, decision = project.ask(path, operation)
    click.echo(f"{plain(path)}  ({operation})  ", nl=False)
    click.secho(resolution.status, fg=COLOURS[resolution.status], nl=False)
    right = resolution.path
    found = said(resolution) if right is None else plain(right or ".")
    click.echo("" if resolution.status == "exists" else f": {found}")
    if resolution.candidates:
        _print_candidates(project, resolution)
    if resolution.status != "exists":
        _print_threshold(project, resolution)
    for line in project.guard.settings.ignored:
        click.echo(plain(line))
    click.echo(f"{project.policy}: ", nl=False)
    click.secho(decision.action, fg=COLOURS[decision.action])
    return FINE


def _print_candidates(project: Project, resolution: Resolution) -> None:
    around = _context(project, resolution)
    scored = _scored(resolution.candidates, around)
    for candidate in resolution.candidates[:SHOWN]:
        slash = "/" if candidate.folder else ""
        click.secho(f"\n{plain(candidate.path + slash)}", bold=True, nl=False)
        click.echo(f"  {percent(candidate.confidence)}")
        if candidate.path in scored:
            _print_score(candidate, around, *scored[candidate.path])
        else:
            click.echo("  not weighed: " + ", ".join(candidate.evidence))
    more = len(resolution.candidates) - SHOWN
    if more > 0:
        click.echo(f"\n... and {more} more")
    if scored:
        _print_nothing(around, 1 - sum(share for share, _ in scored.values()))


def _scored(
    candidates: Sequence[Candidate], around: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Return the share and what it is calibrated to, of each candidate that was weighed; what
    history says is not.
    """
    from truepath.resolve.candidates import Found
    from truepath.resolve.model import confidences, fitted, shares

    known = fitted().weights.keys()
    found = [
        Found(one.path, one.folder, one.evidence)
        for one in candidates
        if not known.isdisjoint(one.evidence)
    ]
    taken = shares(found, around, fitted())
    told = confidences(taken, [one.evidence for one in found], fitted().calibration)
    return {
        one.path: (share, chance) for one, share, chance in zip(found, taken, told, strict=True)
    }


def _print_score(candidate: Candidate, around: Sequence[str], share: float, chance: float) -> None:
    from truepath.resolve.model import features, fitted

    weights = fitted().weights
    total = _print_weights(
        (name.replace("&", " & "), weights.get(name, 0.0))
        for name in features(candidate.evidence, around)
    )
    click.echo(f"  = {total:+.2f}, a share of {percent(share)}")
    click.echo(f"  calibrated: {percent(chance)}")
    if abs(chance - candidate.confidence) > 0.0005:
        click.echo(f"  with what history says: {percent(candidate.confidence)}")


def _print_nothing(around: Sequence[str], share: float) -> None:
    from truepath.resolve.model import fitted

    click.secho("\nnothing here", bold=True)
    weights = fitted().nothing
    total = _print_weights((name, weights.get(name, 0.0)) for name in ("always", *around))
    click.echo(f"  = {total:+.2f}, a share of {percent(max(0.0, share))}")


def _print_weights(weights: Iterable[tuple[str, float]]) -> float:
    """Print the parts of a score, the heaviest first, and return it."""
    # What weighs nothing is left out.
    heavy = sorted((one for one in weights if one[1]), key=lambda one: -abs(one[1]))
    for name, weight in heavy:
        click.echo(f"  {weight:+.2f}  {name}")
    return sum(weight for _, weight in heavy)


def _context(project: Project, resolution: Resolution) -> list[str]:
    """Return the circumstances of the question, as the model is told them."""
    from truepath.resolve.anchors import aim
    from truepath.resolve.candidates import context

    workspace = project.guard.workspace
    seen = aim(resolution.written, workspace.frame(project.cwd))
    return context(seen, workspace.names(), OPERATION_KINDS[resolution.operation])


def _print_threshold(project: Project, resolution: Resolution) -> None:
    from truepath.resolve.permission import needed

    operation: Operation = resolution.operation
    own = project.guard.settings.thresholds.get(operation)
    best = resolution.candidates[0].evidence if resolution.candidates else ("exact",)
    sure, by = needed(operation, best, own), "settings" if own is not None else "fitted"
    if sure is None:
        click.echo(f"\nnever sure enough to {operation}: a name alone lets nothing be changed")
    else:
        click.echo(f"\nsure enough to {operation}: {percent(sure)} ({by})")
    if resolution.outside and operation not in READS:
        click.echo(
            f"it points outside the project: what is inside is named, not used to {operation}"
        )
