"""`truepath install HOST`: make an agent program call truepath; try the hook first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import unified_diff
from typing import TYPE_CHECKING

import click

from truepath.cli.app import FINE, NOT_ALL, failed
from truepath.cli.hosts import NAMES, chosen, environment, names
from truepath.cli.options import root_of, settings_option
from truepath.cli.terminal import plain, show
from truepath.install import InstallError

if TYPE_CHECKING:
    from truepath.hosts.host import Host
    from truepath.install.checks import HostSetup
    from truepath.install.disk import Change

_SHARED = (
    "these settings fit any machine: {title} calls truepath-hook from the search "
    "path, and goes on without a word where there is none"
)

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command(
    "install", short_help="Install truepath's hooks for an agent program.", epilog=NAMES
)
@click.argument("name", metavar="HOST", shell_complete=names)
@settings_option
@click.option(
    "--dry-run", is_flag=True, help="Show what would change, and change nothing."
)
def command(name: str, project: str | None, dry_run: bool) -> int:
    """Install truepath's hooks for HOST, an agent program: in your own settings, or
    with --project in those of a project. Nothing else in them changes.

    The change is shown. Then the hook is called as HOST will call it; if that fails,
    the change is taken back. Settings that cannot be changed safely are left alone: the
    entries to put there by hand are printed, and the exit code is 1.
    """
    try:
        _install(chosen(name), project, is_trial=dry_run)
    except InstallError as error:
        if not error.by_hand:
            raise
        click.echo(error.by_hand, nl=False)
        failed(str(error))
        return NOT_ALL
    return FINE


def _install(host: Host, project: str | None, *, is_trial: bool) -> None:
    from truepath.config.user_dirs import state_folder
    from truepath.install.checks import look, others
    from truepath.install.plan import carry_out, files, installing
    from truepath.install.smoke_test import attempt

    root = root_of(project)
    environ = environment()
    state = state_folder(environ)
    here = look(host, environ, root)
    scope = root if project is not None else None
    own = files(host, environ, scope)
    _refuse_second(here, here.option_of(own[0].path))
    changes = [installing(file, host, state) for file in own]
    show_diff(changes)
    is_needed = any(change.is_needed for change in changes)
    line = own[0].line
    if not is_trial:
        carry_out(state, changes, lambda: attempt(host, line).problem)
        _tell_installed(host, line, is_new=is_needed)
    elif not is_needed:
        click.echo("nothing would change", err=True)
    for finding in others(here):
        show([("warning:", finding.text)], err=True)
    if scope:
        show([(_SHARED.format(title=host.TITLE),)], err=True)


def _refuse_second(here: HostSetup, option: str | None) -> None:
    """Raise InstallError if the host calls truepath from another scope."""
    for each in here.ours:
        found = here.option_of(each.path)
        if found != option:
            raise InstallError(
                f"{here.host.TITLE} calls truepath already, by {each.path}; first: "
                f"{here.remedy('uninstall', found)}"
            )


def _tell_installed(host: Host, line: str, *, is_new: bool) -> None:
    done = "installed" if is_new else "already installed"
    show([(f"{done}: {host.TITLE} calls truepath (tried: `{line}`)",)])
    if is_new:
        left = host.NEXT_STEP or f"restart {host.TITLE} if it is running"
        show([(left,)], err=True)


def show_diff(changes: Iterable[Change]) -> None:
    """Print what changes would do to files, as a unified diff."""
    for change in changes:
        both = (change.before, change.after)
        old, new = (
            (data or b"").decode("utf-8", "replace").splitlines() for data in both
        )
        was, becomes = (os.devnull if data is None else change.path for data in both)
        for line in unified_diff(old, new, was, becomes, lineterm=""):
            colour = None if line[:3] in ("+++", "---") else _COLOURS.get(line[:1])
            click.secho(plain(line), fg=colour)
