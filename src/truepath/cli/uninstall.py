"""`truepath uninstall HOST`: take truepath's hooks out of an agent program."""

from __future__ import annotations

from json import dumps

import click

from truepath.cli.app import FINE
from truepath.cli.hosts import chosen, environment, names
from truepath.cli.install import show_diff, told
from truepath.cli.options import json_option, root_of, settings_option
from truepath.cli.terminal import near, show
from truepath.config.user_dirs import state_folder
from truepath.install.plan import carry_out, files, uninstalling


@click.command("uninstall")
@click.argument("name", metavar="HOST", shell_complete=names)
@settings_option
@click.option(
    "--dry-run", is_flag=True, help="Show what would change, and change nothing."
)
@json_option
def command(name: str, project: str | None, dry_run: bool, as_json: bool) -> int:
    """Remove truepath's hooks from the settings of HOST, an agent program: from your
    own, or with --project from those of a project. What you changed there since the
    installation stays.
    """
    host = chosen(name)
    environ = environment()
    state = state_folder(environ)
    root = root_of(project) if project is not None else None
    where = f" by the settings of {near(root)}" if root else ""
    own = files(host, environ, root)
    changes = [uninstalling(file, host, state) for file in own]
    if as_json:
        is_done = not dry_run and bool(carry_out(state, changes))
        click.echo(dumps(told(host, changes, is_done=is_done)))
        return FINE
    show_diff(changes)
    if not any(change.is_needed for change in changes):
        show([(f"not installed: {host.TITLE} does not call truepath{where}",)])
    if not dry_run and carry_out(state, changes):
        show([(f"uninstalled: {host.TITLE} does not call truepath any more{where}",)])
    return FINE
