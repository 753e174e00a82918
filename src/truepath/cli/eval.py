"""`truepath eval`: how often truepath is right, on cases or on a repository's own history."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.terminal import counted
from truepath.types import OPERATION_KINDS

if TYPE_CHECKING:
    from truepath.evaluation.run import Progress
    from truepath.evaluation.score import Judged

_ASKABLE = [name for name in OPERATION_KINDS if name not in ("write", "mkdir")]


@click.command("eval", short_help="Measure how often truepath is right.")
@click.argument("cases", metavar="[CASES...]", nargs=-1, type=click.Path())
@click.option(
    "--trees",
    metavar="DIR",
    help="Where the files with the projects' names are; by default `trees` beside the first CASES.",
)
@click.option(
    "--by",
    type=click.Choice(["kind", "cause", "repo", "set", "asked"]),
    default="kind",
    show_default=True,
    help="Tell the cases apart by why the path was wrong (kind; cause: in fewer words), by "
    "repository, by file, or by what was asked.",
)
@click.option(
    "--operation", type=click.Choice(_ASKABLE), help="Ask as if this were done to every path."
)
@click.option(
    "--weighed",
    is_flag=True,
    help="In reliability and risk, let each cause count as often as it occurs in agents' misses.",
)
@click.option(
    "--worst", metavar="N", default=0, help="List the N wrong corrections it was surest of."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--plot", metavar="FILE", help="Draw reliability and risk into FILE (.png, .svg, .pdf)."
)
@click.option(
    "--from-git",
    metavar="REPO",
    help="Mine REPO for renames and deletions, and ask about those.",
)
@click.option("--since", metavar="DATE", help="With --from-git: no older commits.")
@click.option(
    "--limit",
    default=1000,
    show_default=True,
    type=click.IntRange(min=1),
    help="With --from-git: at most so many cases.",
)
def command(cases: tuple[str, ...], **options: Any) -> int:
    """Measure how often truepath is right, on CASES or on a repository's own history.

    CASES are files of JSON lines, plain or gzipped: `written`, `truth` (the right path, or null),
    and `tree` (a file with the project's names) or `names`. See docs/benchmarks.md.

    It asks by names alone. With --from-git, it asks again in a copy of each state that has files
    without contents and the repository's history.
    """
    if bool(cases) == bool(options["from_git"]):
        raise click.UsageError("give either CASES or --from-git REPO")
    began = time.monotonic()
    if options["from_git"]:
        report = _from_git(options)
    else:
        report = {"by names alone": _from_files(cases, options)}
    took = time.monotonic() - began
    if not any(report.values()):
        click.echo(f"no cases in {', '.join(cases) or options['from_git']}", err=True)
        return NOT_ALL
    if options["plot"]:
        _plot(report, options)
    (_print_json if options["as_json"] else _print)(report, options, took)
    return FINE


def _from_files(paths: Sequence[str], options: dict[str, Any]) -> list[Judged]:
    from truepath.evaluation.cases import load
    from truepath.evaluation.run import run

    cases = [case for path in paths for case in load(path)]
    trees = options["trees"] or os.path.join(os.path.dirname(paths[0]), "trees")
    with _progress("asking") as progress:
        return run(cases, trees, operation=options["operation"], progress=progress)


def _from_git(options: dict[str, Any]) -> dict[str, list[Judged]]:
    from truepath.evaluation.mine import mine
    from truepath.evaluation.replay import replay
    from truepath.evaluation.run import run

    repo, operation = options["from_git"], options["operation"]
    how = {"since": options["since"], "limit": options["limit"]}
    with TemporaryDirectory(prefix="truepath-eval-") as folder:
        with _progress("mining") as progress:
            cases = mine(repo, folder, **how, progress=progress)
        with _progress("by names alone") as progress:
            names = run(cases, folder, operation=operation, progress=progress)
        with _progress("with history") as progress, TemporaryDirectory(dir=folder) as states:
            history = replay(repo, cases, folder, states, operation=operation, progress=progress)
    return {"by names alone": names, "with history": history}


@contextmanager
def _progress(what: str) -> Iterator[Progress]:
    """Show on stderr how far a part is, where that is a terminal."""
    shown = sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        if shown:
            click.echo(f"\r{what:15}  {done:,} of {total:,}", nl=False, err=True)

    yield show
    if shown:
        click.echo(err=True)


def _plot(report: dict[str, list[Judged]], options: dict[str, Any]) -> None:
    from truepath.evaluation.plot import draw
    from truepath.evaluation.score import curve, reliability

    title, judged = list(report.items())[-1]
    weight = _weight(judged, options)
    shown = title if len(report) > 1 else ""
    draw(options["plot"], reliability(judged, weight), curve(judged, weight), title=shown)


def _weight(judged: Sequence[Judged], options: dict[str, Any]) -> list[float] | None:
    from truepath.evaluation.score import weights

    return weights(judged) if options["weighed"] else None


def _print_json(report: dict[str, list[Judged]], options: dict[str, Any], took: float) -> None:
    told = {name: _told(judged, options) for name, judged in report.items()}
    click.echo(json.dumps({"version": 1, "seconds": round(took, 2), **told}))


def _told(judged: Sequence[Judged], options: dict[str, Any]) -> dict[str, Any]:
    from truepath.evaluation.score import count, curve, grouped, reliability, surest_wrong

    weight = _weight(judged, options)
    by = options["by"]
    return {
        "total": count(judged).to_dict(),
        f"by_{by}": {name: each.to_dict() for name, each in grouped(judged, by).items()},
        "reliability": [asdict(each) for each in reliability(judged, weight)],
        "risk_coverage": [asdict(each) for each in curve(judged, weight)],
        "worst": [
            {**asdict(case), **asdict(answer)}
            for case, answer in surest_wrong(judged, options["worst"])
        ],
    }


def _print(report: dict[str, list[Judged]], options: dict[str, Any], took: float) -> None:
    for name, judged in report.items():
        if len(report) > 1:
            click.secho(f"{name}\n", bold=True)
        _print_one(judged, options)
    click.echo(f"{counted(sum(map(len, report.values())), 'answer')} in {took:.1f} s", err=True)


def _print_one(judged: Sequence[Judged], options: dict[str, Any]) -> None:
    from truepath.cli import eval_text as text
    from truepath.evaluation.score import count, grouped, reliability, surest_wrong

    total = count(judged)
    parts = [
        text.breakdown(options["by"], grouped(judged, options["by"]), total),
        text.summary(total),
        text.reliability(reliability(judged, _weight(judged, options))),
        text.mistakes(surest_wrong(judged, options["worst"])),
    ]
    for part in filter(None, parts):
        click.echo(f"{part}\n")
