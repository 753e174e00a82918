"""`truepath install HOST`: make an agent program call truepath, and try the hook first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from json import dumps
from typing import TYPE_CHECKING

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.hosts import NAMES, chosen, environment, failed, shortened
from truepath.cli.options import project_option, root_of
from truepath.cli.terminal import plain, unread_is_fine
from truepath.install import InstallError

if TYPE_CHECKING:
    from truepath.hosts.host import Host
    from truepath.install.disk import Change
    from truepath.install.plan import File

_SHARED = (
    "these settings fit any machine: {title} calls truepath-hook from the search path, and goes on "
    "without a word where there is none"
)

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command("install", short_help="Have an agent program call truepath.", epilog=NAMES)
@click.argument("name", metavar="HOST")
@project_option
@click.option("--relay", is_flag=True, help="Put the relay before HOST's MCP file servers too.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def command(name: str, project: str | None, relay: bool, dry_run: bool) -> int:
    """Have HOST, an agent program, call truepath: by your own settings, or with --project by those
    of that project alone. They get our hooks and nothing else changes in them. What changes is
    shown; then the hook is called as HOST will call it, and only if that goes well the change
    stays.
    """
    try:
        return _install(chosen(name), project, relay=relay, is_trial=dry_run)
    except InstallError as error:
        failed(str(error))
        if error.by_hand is not None:
            click.echo("to be put there by hand:", err=True)
            click.echo(dumps(error.by_hand, indent=2))
        return NOT_ALL


def _install(host: Host, project: str | None, *, relay: bool, is_trial: bool) -> int:
    from truepath.config.user_dirs import state_folder
    from truepath.install.checks import client_of, look, others, servers
    from truepath.install.plan import files, installing

    root, environ = root_of(project), environment()
    state, here = state_folder(environ), look(host, environ, root)
    scope = root if project is not None else None
    client = client_of(host, scope)
    own = files(host, client, environ, scope)
    if relay and not any(each.program for each in own):
        raise click.UsageError(f"no relay for {host.TITLE}: docs/mcp.md says which hosts need one")
    option = here.option_of(own[0].path)
    for each in here.ours:
        if here.option_of(each.path) != option:
            fix = here.remedy("uninstall", here.option_of(each.path))
            return failed(f"{host.TITLE} calls truepath already, by {each.path}; first: {fix}")
    changes = [installing(file, host, state, relay=relay) for file in own]
    with unread_is_fine():
        show(changes)
    if is_trial and not any(each.is_needed for each in changes):
        click.echo("nothing would change", err=True)
    if not is_trial and _make(host, state, own[0], changes) != FINE:
        return NOT_ALL
    for told in others(here):
        click.secho("warning: ", fg="yellow", nl=False, err=True)
        click.echo(plain(told.text), err=True)
    for told in servers(here):
        click.echo(plain(told.text), err=True)
    if scope:
        click.echo(_SHARED.format(title=here.host.TITLE), err=True)
    return FINE


def _make(host: Host, state: str, first: File, changes: Sequence[Change]) -> int:
    """Make changes and try the hook; put everything back where it does not work."""
    from truepath.install.plan import carry_out, take_back
    from truepath.install.smoke_test import attempt

    made, problem = carry_out(state, changes), "it was interrupted"
    try:
        problem = attempt(host, first.line).problem
    finally:
        if problem:
            take_back(state, made)
    if problem:
        failed(f"{host.TITLE}'s hook does not work: {problem}")
        if made:
            click.echo("everything was put back as it was", err=True)
        return NOT_ALL
    with unread_is_fine():
        click.secho("installed: " if made else "already installed: ", fg="green", nl=False)
        click.echo(f"{host.TITLE} calls truepath (tried: `{plain(first.line)}`)")
    for change in made:
        click.echo(f"  {plain(shortened(change.path))}", err=True)
    if made and host.AFTER:
        click.echo(host.AFTER, err=True)
    return FINE


def show(changes: Iterable[Change]) -> None:
    """Print what changes would do to files, as a unified diff."""
    for change in changes:
        if change.is_needed and change.before == change.after:
            click.echo(f"{plain(change.path)}: becomes executable")
        for line in _diff(change):
            colour = None if line[:3] in ("+++", "---") else _COLOURS.get(line[:1])
            click.secho(plain(line), fg=colour)


def _diff(change: Change) -> Iterator[str]:
    old, new = (_lines(data) for data in (change.before, change.after))
    was = os.devnull if change.before is None else change.path
    becomes = os.devnull if change.after is None else change.path
    for line in unified_diff(old, new, was, becomes):
        yield line.rstrip("\r\n")


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
