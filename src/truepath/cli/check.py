"""`truepath check -- COMMAND`: each path in a command line, and the command as it would
run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import click

from truepath.calls.shell.path_uses import survey
from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import json_option, policy_option, project_option
from truepath.cli.project import open_guard
from truepath.cli.resolve import found, verdict
from truepath.cli.terminal import show
from truepath.guard.messages import as_data
from truepath.records import replace
from truepath.types import Decision, Resolution, ToolCall

_RUNS = "it runs as it is; its failure is answered"
_LIKE_PATH = r"[/\\]|\w\.[A-Za-z]"
"""What may be a path: a folder, or a name's ending."""


@click.command("check")
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
    # A refusal only has the paths that it is about; one who only looks sees them all.
    settings = replace(guard.settings, rules={}, policy="observe")
    onlooker = type(guard)(workspace=guard.workspace, settings=settings)
    paths = onlooker.before(call).resolutions
    is_refused = decision.action == "refuse"
    runs = None if is_refused else decision.arguments["command"]
    if as_json:
        answer = {
            "paths": [as_data(path) for path in paths],
            "action": decision.action,
            "command": runs,
            "text": decision.text,
        }
        click.echo(json.dumps(answer))
    else:
        rows = list[Sequence[str]]()
        for path in paths:
            head = (path.operation, path.status)
            rows += found(path, decision.action, guard.workspace.root, *head)
        show(rows)
        _show_answer(decision, runs)
        if not is_refused:
            _show_unread(words[0], paths)
    return NOT_ALL if is_refused else FINE


def _show_unread(line: str, paths: Sequence[Resolution]) -> None:
    """Say what is not read of a command, or that it has no path."""
    known = survey(line)
    if known is None or not known.understood:
        part = "the rest is not read" if paths else "not read"
        click.echo(f"{part}: {_RUNS}", err=True)
    elif not paths:
        # A word may be a path for a program that is given it: `npm test -- a/b.js`.
        may_have_path = known.uses or re.search(_LIKE_PATH, line)
        told = f"not read: {_RUNS}" if may_have_path else "no path in it to check"
        click.echo(told, err=True)


def _show_answer(decision: Decision, runs: str | None) -> None:
    """Print the command as it would run, what holds a path back, and what the agent
    reads.
    """
    show([(decision.action, "it would not run" if runs is None else runs)])
    for path in decision.resolutions:
        # A refusal with a candidate says why that is not used.
        is_named = decision.action == "refuse" and path.candidates
        if path.held_back or is_named:
            show([("", f"{path.written}:"), *verdict(path)])
    if decision.text:
        click.secho("the agent reads:", dim=True)
        show(("", line) for line in decision.text.splitlines())
