"""`truepath explain PATH`: why each candidate is likely or not, and what may be done about it."""

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
"""Candidates that are explained: the best, its rival, and one more."""

REASONS = 3
"""Reasons given for each; `--verbose` shows all."""

CLAUSES = {
    "the-path": "it is the very path",
    "path-in-other-case": "it is the path but for case, spaces or accents",
    "same-name": "it has the same name",
    "name-in-other-form": "its name differs only in case, separators or the form of its extension",
    "related-extension": "it has the same name with a related extension",
    "other-number": "its name is the plural or the singular",
    "letters-wrong": "its name is a letter or two away",
    "same-words": "its name has the same words in another order",
    "part-of-name": "part of its name is the same",
    "package": "it is the module of that name",
    "package-in-place": "it is the package in the place of the module",
    "form-in-place": "it is in the same folder, and its name has another form",
    "same-folder": "it is in the same folder",
    "below-other-folders": "the whole path is the end of its path",
    "folder-more": "it is one folder deeper",
    "folder-less": "it is one folder higher up",
    "folder-misspelt": "one of its folders is spelt almost the same",
    "folder-in-other-words": "one of its folders has another word for the same",
    "same-parent": "the folder that it is in has the same name",
    "folders-shared": "it shares folders with the path",
    "only-one-of-name": "no other file has its name",
    "few-of-name": "few other files have its name",
    "specific-name": "its name is specific",
    "folders-lost": "it is not in all the folders of the path",
    "folders-gained": "it is in folders that the path does not name",
    "written-folder-exists": "the folder in the path exists",
    "package-exists": "a package has that name in that place",
    "test-or-not": "one of the two is a test, the other is not",
    "other-edition": "it belongs to another edition",
    "other-number-in-name": "its name has another number",
    "another-word": "its name is another word",
    "second-guess": "it needs two assumptions about the path",
    "bare-name": "a bare name means the working directory",
    "from-root": "it needs the path to begin at the project root",
    "other-beginning": "it needs another beginning of the path",
    "other-checkout": "it needs the path to come from another checkout",
    "generic-name-elsewhere": "many folders may have a file of its name",
    "wrong-kind": "it is a folder where a file is meant, or the reverse",
}
"""Feature of `truepath.resolve.model` -> what it says about a candidate."""


@click.command("explain", short_help="Explain why candidates are likely, and what may be done.")
@click.argument("path")
@click.option(
    "--operation",
    type=click.Choice([*OPERATION_KINDS]),
    default="read",
    show_default=True,
    help="What is to be done to the path.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every weight and score.")
@options
def command(
    path: str,
    operation: Any,
    root: str | None,
    cwd: str | None,
    policy: str | None,
    *,
    verbose: bool,
) -> int:
    """Explain the best candidates for PATH with three reasons each, how likely they must be for the
    operation and on which grounds it is permitted, and what the policy makes of it.
    """
    project = open_project(root, cwd, policy)
    resolution, decision = project.ask(path, operation)
    click.echo(f"{plain(path)}  ({operation})  ", nl=False)
    click.secho(resolution.status, fg=COLOURS[resolution.status], nl=False)
    right = resolution.path
    found = said(resolution) if right is None else plain(right or ".")
    click.echo("" if resolution.status == "exists" else f": {found}")
    if resolution.candidates:
        _print_candidates(project, resolution, verbose=verbose)
    if resolution.status != "exists":
        _print_permission(project, resolution)
    for line in project.guard.settings.ignored:
        click.echo(plain(line))
    click.echo(f"{project.policy}: ", nl=False)
    click.secho(decision.action, fg=COLOURS[decision.action])
    return FINE


def _print_candidates(project: Project, resolution: Resolution, *, verbose: bool) -> None:
    around = _context(project, resolution)
    weighed = False
    for candidate in resolution.candidates[:SHOWN]:
        slash = "/" if candidate.folder else ""
        click.secho(f"\n{plain(candidate.path + slash)}", bold=True, nl=False)
        click.echo(f"  {percent(candidate.confidence)}")
        weights = _weights(candidate, around)
        weighed = weighed or bool(weights)
        click.echo(f"  {_sentence(weights)}" if weights else f"  {_by_history(candidate)}")
        if verbose and weights:
            _print_weights(weights)
    more = len(resolution.candidates) - SHOWN
    if more > 0:
        click.echo(f"\n... and {more} more")
    if weighed:
        _print_nothing(resolution.candidates, around, verbose=verbose)


def _weights(candidate: Candidate, around: Sequence[str]) -> list[tuple[str, float]]:
    """Return the features of a candidate with their weights in log-odds, the heaviest first."""
    from truepath.resolve.candidates import Found
    from truepath.resolve.model import features, fitted

    found = Found(candidate.path, candidate.folder, candidate.evidence)
    weights = fitted().weights
    parts = [(name, times * weights[name]) for name, times in features(found, around).items()]
    return sorted((part for part in parts if part[1]), key=lambda part: -abs(part[1]))


def _sentence(weights: Sequence[tuple[str, float]]) -> str:
    """Return the heaviest reasons as a sentence, those against the candidate last."""
    heaviest = weights[:REASONS]
    supports = [CLAUSES[name] for name, weight in heaviest if weight > 0]
    doubts = [CLAUSES[name] for name, weight in heaviest if weight < 0]
    text = ", but ".join(_listed(clauses) for clauses in (supports, doubts) if clauses)
    return f"{text[:1].upper()}{text[1:]}."


def _listed(clauses: Sequence[str]) -> str:
    first, last = clauses[:-1], clauses[-1]
    return f"{', '.join(first)} and {last}" if first else last


def _by_history(candidate: Candidate) -> str:
    return f"Not weighed: {', '.join(candidate.evidence)}."


def _print_nothing(
    candidates: Sequence[Candidate], around: Sequence[str], *, verbose: bool
) -> None:
    from truepath.resolve.model import fitted

    chance = max(0.0, 1 - sum(one.confidence for one in candidates))
    click.secho("\nnothing here", bold=True, nl=False)
    click.echo(f"  {percent(chance)}")
    if verbose:
        weights = fitted().nothing
        _print_weights((name, weights.get(name, 0.0)) for name in ("always", *around))


def _print_weights(weights: Iterable[tuple[str, float]]) -> None:
    """Print the parts of a score, the heaviest first, and their sum."""
    heavy = sorted((one for one in weights if one[1]), key=lambda one: -abs(one[1]))
    for name, weight in heavy:
        click.echo(f"  {weight:+.2f}  {name}")
    click.echo(f"  = {sum(weight for _, weight in heavy):+.2f}")


def _context(project: Project, resolution: Resolution) -> list[str]:
    """Return the circumstances of the question, as the model takes them."""
    from truepath.resolve.anchors import interpret
    from truepath.resolve.candidates import context

    workspace = project.guard.workspace
    seen = interpret(resolution.written, workspace.frame(project.cwd))
    return context(seen, workspace.names(), OPERATION_KINDS[resolution.operation])


def _print_permission(project: Project, resolution: Resolution) -> None:
    from truepath.cli.policy import GROUNDS
    from truepath.resolve.permission import grounds, needed

    operation: Operation = resolution.operation
    own = project.guard.settings.thresholds.get(operation)
    best = resolution.candidates[0].evidence if resolution.candidates else ("exact",)
    sure, by = needed(operation, best, own), "settings" if own is not None else "default"
    why = GROUNDS[grounds(best)]
    if sure is None:
        click.echo(f"\nnot permitted to {operation}, however likely, on the grounds of {why}")
    else:
        click.echo(f"\nlikely enough to {operation}: {percent(sure)} ({by})")
    if resolution.outside and operation not in READS:
        click.echo(
            f"it points outside the project: what is inside is named, not used to {operation}"
        )
