"""`truepath check -- COMMAND`: each path in a command line, and the command as it would run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.project import Project, open_project, options
from truepath.cli.resolve import likely, said
from truepath.cli.terminal import COLOURS, columns, percent, plain
from truepath.types import Decision, PathArgument, Resolution, ToolCall

TOOL, ARGUMENT = "bash", "command"
"""How an agent would ask for a command."""


@click.command("check", short_help="Show the paths in a command, and the command as it would run.")
@click.argument("words", metavar="COMMAND", nargs=-1, required=True)
@options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    words: tuple[str, ...], root: str | None, cwd: str | None, policy: str | None, as_json: bool
) -> int:
    """Show each path that COMMAND names, what is to be done to it and what is true of it; then
    the command as it would run. Nothing is run.

    Quote the command, after `--`: truepath check -- 'cat docs/a.md | head'. Exits with 1 when it
    would be refused.
    """
    if len(words) > 1:
        raise click.UsageError("quote the command as one word: truepath check -- 'cat a b'")
    project = open_project(root, cwd, policy)
    call = ToolCall(TOOL, {ARGUMENT: words[0]}, cwd=project.cwd)
    decision = project.guard.before(call)
    paths = _paths(project, call)
    if as_json:
        _print_json(paths, decision)
    else:
        _print(paths, decision)
    return NOT_ALL if decision.action == "refuse" else FINE


def _paths(project: Project, call: ToolCall) -> list[tuple[PathArgument, Resolution]]:
    """Return every path of the call with what is true of it."""
    from truepath.calls.paths import find
    from truepath.guard.guard import Guard

    # A refusal tells of the paths it is for; one that only looks on tells of all.
    settings = replace(project.guard.settings, rules={})
    onlooker = Guard(workspace=project.guard.workspace, policy="observe", settings=settings)
    resolutions = onlooker.before(call).resolutions
    return [
        (mention.argument, resolution)
        for mention, resolution in zip(find(call).each, resolutions, strict=True)
    ]


def _print_json(paths: Sequence[tuple[PathArgument, Resolution]], decision: Decision) -> None:
    from json import dumps

    answer = {
        "paths": [{**resolution.to_dict(), "kind": path.kind} for path, resolution in paths],
        "action": decision.action,
        "command": None if decision.action == "refuse" else decision.arguments[ARGUMENT],
        "text": decision.text,
    }
    click.echo(dumps(answer))


def _print(paths: Sequence[tuple[PathArgument, Resolution]], decision: Decision) -> None:
    rows = [_row(path, resolution) for path, resolution in paths]
    for row, (_, resolution) in zip(columns(rows), paths, strict=True):
        click.echo(f"{row[0]}  ", nl=False)
        click.secho(row[1], fg=COLOURS[resolution.status], nl=False)
        click.echo("  " + "  ".join(row[2:]).rstrip())
    if not paths:
        click.echo("no paths to check in it", err=True)
    click.secho(decision.action, fg=COLOURS[decision.action], nl=False)
    refused = decision.action == "refuse"
    runs = "it would not run" if refused else plain(decision.arguments[ARGUMENT])
    click.echo(f": {runs}")
    if decision.text:
        click.secho("the agent reads:", dim=True)
        click.echo(
            "".join(f"  {line}".rstrip() + "\n" for line in decision.text.splitlines()), nl=False
        )


def _row(path: PathArgument, resolution: Resolution) -> list[str]:
    head = [path.operation, resolution.status, plain(path.written)]
    if resolution.status == "exists":
        return [*head, "", ""]
    if resolution.path is not None:
        sure = percent(resolution.candidates[0].confidence) if resolution.candidates else ""
        return [*head, "->", f"{plain(resolution.path or '.')}  {sure}"]
    if likely(resolution):
        best = [f"{plain(one.path)}  {percent(one.confidence)}" for one in resolution.candidates]
        return [*head, "?", ", ".join(best[:3])]
    return [*head, "", said(resolution)]
