"""`truepath uninstall HOST`: take truepath's hooks out of an agent program."""

from __future__ import annotations

import os

import click

from truepath.cli.app import FINE
from truepath.cli.hosts import chosen, project_here, setup_of, shortened
from truepath.cli.terminal import plain, unread_is_fine


@click.command("uninstall", short_help="Remove truepath from an agent program.")
@click.argument("name", metavar="HOST")
@click.option("--project", is_flag=True, help="For the project around this folder alone.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def command(name: str, project: bool, dry_run: bool) -> int:
    """Take out of the settings of HOST, an agent program, what `truepath install` put into them.
    What you changed there since then stays.
    """
    from truepath.cli.install import show
    from truepath.config.user_dirs import state_folder
    from truepath.install.plan import carry_out, forget, places, remembered, uninstalling
    from truepath.install.relays import servers, without_relays

    host = chosen(name)
    setup, state = setup_of(host), state_folder(os.environ)
    root = project_here() if project else None
    changes = [
        uninstalling(place, remembered(state, place.path))
        for place in places(host.NAME, setup, os.environ, root)
    ]
    where = servers(host, setup, os.environ, root)
    if where:
        changes = without_relays(changes, where, remembered(state, where.path))
    with unread_is_fine():
        show(changes)
    needed = [change for change in changes if change.is_needed]
    if not needed:
        click.echo(f"not installed: {host.TITLE} does not call truepath{_where(root)}")
    if dry_run or not needed:
        return FINE
    for made in carry_out(state, [(change, False) for change in needed]):
        kept = forget(state, made)
        if kept:
            path = plain(shortened(made.change.path))
            click.echo(f"{path} was changed since; as it was before: {plain(kept)}", err=True)
    click.echo(f"uninstalled: {host.TITLE} does not call truepath any more{_where(root)}")
    return FINE


def _where(root: str | None) -> str:
    return f" by the settings of {plain(shortened(root))}" if root else ""
