"""`truepath rules`: the text for an agent's file of instructions."""

from __future__ import annotations

import click

from truepath.cli.app import FINE


@click.command("rules", short_help="Print the rules for an agent's file of instructions.")
@click.argument("host", required=False, default="")
def command(host: str) -> int:
    """Print what to put into an agent's file of instructions (AGENTS.md, CLAUDE.md): how to read
    what truepath says, and to search before giving a file up.

    With HOST the search is told with that program's own tools.
    """
    from truepath.cli.hosts import chosen
    from truepath.guard.guidance import rules

    click.echo(rules(chosen(host).SEARCH if host else ()), nl=False)
    return FINE
