"""`truepath check -- COMMAND`: each path in a command line, and the command as it would
run.
"""

from __future__ import annotations

import json

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import json_option, policy_option, project_option
from truepath.cli.project import open_guard
from truepath.cli.resolve import found, verdict
from truepath.cli.terminal import show
from truepath.guard.messages import as_data
from truepath.records import replace
from truepath.types import ToolCall


@click.command(
    "check", short_help="Show the paths in a command, and the command as it would run."
)
@click.argument("words", metavar="-- COMMAND", nargs=-1, required=True)
@project_option
@policy_option
@json_option
def command(words: tuple[str, ...], as_json: bool, **options: str | None) -> int:
    """Show each path in a shell command, with what is done to it and which file is
    meant. Then show the command as it would run. Nothing is run.

    Quote COMMAND, after `--`. Exits with 1 when it would be refused.
    """
    if len(words) > 1:
        raise click.UsageError(
            "quote the command as one word: truepath check -- 'cat a b'"
        )
    guard = open_guard(**options)
    call = ToolCall("bash", {"command": words[0]})
    decision = guard.before(call)
    # A refusal only has the paths that it is about.
    settings = replace(guard.settings, rules={}, policy="observe")
    onlooker = type(guard)(workspace=guard.workspace, settings=settings)
    paths = onlooker.before(call).resolutions
    refused = decision.action == "refuse"
    runs = None if refused else decision.arguments["command"]
    if as_json:
        answer = {
            "paths": [as_data(path) for path in paths],
            "action": decision.action,
        }
        click.echo(json.dumps({**answer, "command": runs, "text": decision.text}))
        return NOT_ALL if refused else FINE
    root, does = guard.workspace.root, decision.action
    show(
        row
        for each in paths
        for row in found(each, does, root, each.operation, each.status)
    )
    if not paths:
        click.echo("no path in it to check", err=True)
    show([(does, "it would not run" if runs is None else runs)])
    for path in decision.resolutions:
        if path.held_back:
            show([("", f"{path.written}:"), *verdict(path)])
    if decision.text:
        click.secho("the agent reads:", dim=True)
        show(("", line) for line in decision.text.splitlines())
    return NOT_ALL if refused else FINE
