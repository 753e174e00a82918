"""`truepath resolve PATH...`: what is true of paths and why, for a person or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.project import Project, named_project, open_project, options
from truepath.cli.terminal import COLOURS, columns, counted, percent, plain
from truepath.types import OPERATION_KINDS, Candidate, Decision, Resolution

SHOWN = 3
"""Candidates for a person to read; a script gets all."""

Answer = tuple[Resolution, Decision]

Weighed = Mapping[str, Mapping[str, float]]
"""A candidate's path, or "" for "nothing here" -> feature -> its part of the score."""


@click.command("resolve", short_help="Check paths and show the right file.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--operation",
    type=click.Choice([*OPERATION_KINDS]),
    default="read",
    show_default=True,
    help="What is to be done to the paths.",
)
@options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a path.")
@click.option(
    "--why", is_flag=True, help="Show each candidate's ground, likelihood and weighed features."
)
@click.option(
    "--names",
    metavar="FILE",
    type=click.File("rb"),
    help="Take the project's names from FILE (- for stdin), one a line or NUL-separated, and look "
    "at no disk. --root is then where they hang, /workspace by default.",
)
def command(
    *,
    paths: tuple[str, ...],
    operation: Any,
    root: str | None,
    cwd: str | None,
    policy: str | None,
    as_json: bool,
    why: bool,
    names: Any,
) -> int:
    """Say what is true of each PATH, as an agent would write it.

    Exits with 0 when all of them exist or are resolved, else with 1.
    """
    project = (
        open_project(root, cwd, policy)
        if names is None
        else named_project(_names(names.read()), root, cwd, policy)
    )
    answers = [project.ask(path, operation) for path in paths]
    weighed = [_weighed(project, resolution) if why else None for resolution, _ in answers]
    if as_json:
        _print_json(answers, weighed)
    else:
        _print(answers, weighed)
        for line in project.guard.settings.ignored if why else ():
            click.echo(plain(line), err=True)
    fine = all(resolution.status in ("exists", "resolved") for resolution, _ in answers)
    return FINE if fine else NOT_ALL


def _names(data: bytes) -> list[str]:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if "\0" in text:
        return [name for name in text.split("\0") if name]
    return [name for name in text.replace("\r\n", "\n").split("\n") if name]


def _weighed(project: Project, resolution: Resolution) -> Weighed:
    return project.guard.workspace.why(resolution, cwd=project.cwd)


def _print_json(answers: list[Answer], weighed: list[Weighed | None]) -> None:
    from json import dumps

    for (resolution, decision), features in zip(answers, weighed, strict=True):
        answer = {**resolution.to_dict(), "action": decision.action, "text": decision.text}
        if features is not None:
            for candidate in answer["candidates"]:
                candidate["features"] = features.get(candidate["path"], {})
            answer["nothing"] = features.get("", {})
        # ASCII, so that a name which is not UTF-8 comes out as an escape and not as an error.
        click.echo(dumps(answer))


def _print(answers: list[Answer], weighed: list[Weighed | None]) -> None:
    rows = [[*_rows(*answer)] for answer in answers]
    lines = iter(columns(cells for each in rows for cells, _ in each))
    for each, (resolution, _), features in zip(rows, answers, weighed, strict=True):
        for _, colour in each:
            cells = next(lines)
            click.secho(cells[0], fg=colour, nl=False)
            click.echo("  " + "  ".join(cells[1:]).rstrip())
        if features is not None:
            _print_why(resolution, features)
    if any(decision.action == "refuse" for _, decision in answers) and sys.stderr.isatty():
        click.secho("`truepath resolve --why PATH` gives the reasons", dim=True, err=True)


def _print_why(resolution: Resolution, features: Weighed) -> None:
    """Print the ground, the likelihood and the features of the candidates that are shown."""
    for candidate in resolution.candidates[:SHOWN]:
        name, sure, reason = _candidate(resolution, candidate)
        click.secho(f"  {name}", bold=True, nl=False)
        click.echo("".join(f"  {part}" for part in (sure, candidate.ground, reason) if part))
        _print_features(features.get(candidate.path, {}))
    if "" in features:
        rest = max(0.0, 1 - sum(candidate.confidence for candidate in resolution.candidates))
        click.echo(f"  nothing here  {percent(rest)}")
        _print_features(features[""])


def _print_features(features: Mapping[str, float]) -> None:
    for name, part in sorted(features.items(), key=lambda each: -abs(each[1])):
        click.echo(f"    {part:+.2f}  {name}")


def _rows(resolution: Resolution, decision: Decision) -> Iterator[tuple[list[str], str]]:
    """Yield the lines of one path: status, action, the path, and what is there instead."""
    head = [resolution.status, decision.action, plain(resolution.written)]
    colour = COLOURS[resolution.status]
    chosen = [each for each in resolution.candidates if each.path == resolution.path]
    if resolution.status == "exists":
        yield head, colour
    elif resolution.status in ("resolved", "likely"):
        arrow = "->" if resolution.status == "resolved" else "->?"
        yield [*head, arrow, *_candidate(resolution, chosen[0] if chosen else None)], colour
    elif likely(resolution):
        shown = resolution.candidates[:SHOWN]
        for at, candidate in enumerate(shown):
            start = [*head, "?"] if at == 0 else ["", "", "", ""]
            yield [*start, *_candidate(resolution, candidate)], colour
        more = len(resolution.candidates) - len(shown)
        if more:
            yield ["", "", "", "", f"and {more} more (--json lists them)", "", ""], colour
    else:
        yield [*head, "", said(resolution), "", ""], colour


def _candidate(resolution: Resolution, candidate: Candidate | None) -> list[str]:
    if candidate is None:
        return [plain(resolution.path or ""), "", said(resolution)]
    name = (candidate.path or ".") + ("/" if candidate.folder else "")
    # A rule finds the typo of a folder, which has no probability.
    makes = resolution.operation in ("write", "mkdir")
    sure = "" if makes else percent(candidate.confidence)
    return [plain(name), sure, plain(candidate.reason)]


def likely(resolution: Resolution) -> bool:
    """Return whether its candidates are worth naming: not what is there, nor what is absent."""
    return bool(resolution.candidates) and resolution.status not in ("absent", "directory")


def said(resolution: Resolution) -> str:
    """Say in a clause why there is no path."""
    searched = resolution.searched
    if resolution.status == "outside":
        return "outside the project" + (", and there" if resolution.note == "exists" else "")
    if resolution.status == "directory":
        from truepath.guard.messages import other_kind

        return other_kind(resolution)
    note = plain(resolution.note)
    if resolution.operation in ("write", "mkdir"):
        return note or "new"
    if not searched.names:
        return note or "not there"
    cut = ", and not all" if searched.cut_short else ""
    return f"not among {counted(searched.names, 'file')}{cut}" + (f"; {note}" if note else "")
