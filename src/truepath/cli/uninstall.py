"""`truepath uninstall HOST`: take truepath's hooks out of an agent program."""

from __future__ import annotations

import click

from truepath.cli.app import FINE
from truepath.cli.hosts import chosen, environment
from truepath.cli.options import project_option, root_of
from truepath.cli.terminal import near, plain


@click.command("uninstall", short_help="Remove truepath from an agent program.")
@click.argument("name", metavar="HOST")
@project_option
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def command(name: str, project: str | None, dry_run: bool) -> int:
    """Take out of the settings of HOST, an agent program, what `truepath install` put into them:
    yours, or with --project those of that project. What you changed there since then stays.
    """
    from truepath.cli.install import show
    from truepath.config.user_dirs import state_folder
    from truepath.install.checks import client_of
    from truepath.install.plan import carry_out, files, uninstalling

    host, environ = chosen(name), environment()
    state, root = state_folder(environ), root_of(project) if project is not None else None
    where = f" by the settings of {plain(near(root))}" if root else ""
    own = files(host, client_of(host, root), environ, root)
    changes = [uninstalling(file, host, state) for file in own]
    show(changes)
    if not any(each.is_needed for each in changes):
        click.echo(f"not installed: {host.TITLE} does not call truepath{where}")
    if not dry_run and carry_out(state, changes):
        click.echo(f"uninstalled: {host.TITLE} does not call truepath any more{where}")
    return FINE
