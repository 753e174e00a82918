"""`truepath install HOST`: make an agent program call truepath, and try the hook first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING, TypeAlias

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.hosts import (
    NAMES,
    chosen,
    client_of,
    project_here,
    setup_of,
    shareable,
    shortened,
)
from truepath.cli.terminal import plain, unread_is_fine

if TYPE_CHECKING:
    from truepath.hosts.host import Host
    from truepath.hosts.setup import Setup
    from truepath.install.changes import Change
    from truepath.install.plan import Place
    from truepath.install.relays import Servers

    Todo: TypeAlias = Sequence[tuple[Change, bool]]
    """Changes, and whether a copy of what is there must be kept first."""

_SHARED = (
    "these settings fit any machine: {title} calls truepath-hook from the search path, and goes on "
    "without a word where there is none"
)

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command("install", short_help="Have an agent program call truepath.", epilog=NAMES)
@click.argument("name", metavar="HOST")
@click.option("--project", is_flag=True, help="For the project around this folder alone.")
@click.option("--relay", is_flag=True, help="Put the relay before HOST's MCP file servers too.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def command(name: str, project: bool, relay: bool, dry_run: bool) -> int:
    """Have HOST, an agent program, call truepath: its settings get our hooks and nothing else
    changes in them. What changes is shown; then the hook is called as HOST will call it, and only
    if that goes well the change stays.
    """
    from truepath.config.user_dirs import state_folder
    from truepath.install.plan import places
    from truepath.install.programs import elsewhere
    from truepath.install.relays import servers

    host = chosen(name)
    setup, root, state = setup_of(host), project_here(), state_folder(os.environ)
    scope = root if project else None
    if project:
        shareable(root, setup)
    if _is_taken(host, setup, root, scope):
        return NOT_ALL
    listed = servers(host, setup, os.environ, scope)
    if relay and listed is None:
        raise click.UsageError(f"no relay for {host.TITLE}: docs/mcp.md says which hosts need one")
    ours = places(host.NAME, setup, os.environ, scope)
    todo = _todo(ours, listed if relay else None, state)
    with unread_is_fine():
        show([change for change, _ in todo])
    if dry_run and not any(change.is_needed for change, _ in todo):
        click.echo("nothing would change", err=True)
    client = client_of(host, project=project)
    code = FINE if dry_run else _install(host, setup, state, ours[0], todo, client)
    if code == FINE:
        _warn(host, root)
        _offer(host, None if relay else listed, project=project)
    if code == FINE and project:
        click.echo(_SHARED.format(title=host.TITLE), err=True)
    if code == FINE and project and (told := elsewhere(host, setup, root)):
        _warning(plain(told))
    return code


def _todo(ours: Iterable[Place], listed: Servers | None, state: str) -> Todo:
    """Return what makes a host call truepath, and its file servers the relay, if they are given."""
    from truepath.install.plan import installing, is_new, remembered
    from truepath.install.relays import relaying

    todo = {}
    for place in ours:
        record = remembered(state, place.path)
        todo[place.path] = (installing(place, record), is_new(place, record))
    if listed:
        there, new = todo.get(listed.path) or (listed.unchanged(), listed.is_new())
        todo[listed.path] = (relaying(there, listed), new)
    return [*todo.values()]


def _offer(host: Host, listed: Servers | None, *, project: bool) -> None:
    """Name the host's file servers that nobody checks, and what would."""
    from truepath.install.relays import unchecked

    names = unchecked(listed) if listed else []
    if names:
        words = f"truepath install {host.NAME} {'--project ' if project else ''}--relay"
        click.echo(
            f"{host.TITLE}'s hooks do not see its MCP file servers ({plain(', '.join(names))}); "
            f"to check these too: {words}",
            err=True,
        )


def show(changes: Iterable[Change]) -> None:
    """Print what changes would do to files, as a unified diff."""
    for change in changes:
        if change.is_needed and change.before == change.after:
            click.echo(f"{plain(change.path)}: becomes executable")
        for line in _diff(change):
            click.secho(
                plain(line), fg=None if line[:3] in ("+++", "---") else _COLOURS.get(line[:1])
            )


def _diff(change: Change) -> Iterator[str]:
    old, new = (_lines(data) for data in (change.before, change.after))
    was = os.devnull if change.before is None else change.path
    becomes = os.devnull if change.after is None else change.path
    for line in unified_diff(old, new, was, becomes):
        yield line.rstrip("\r\n")


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def _install(host: Host, setup: Setup, state: str, place: Place, todo: Todo, client: str) -> int:
    from truepath.install.plan import carry_out, take_back

    if not any(change.is_needed for change, _ in todo):
        return _tried(host, place, client, done="already installed")
    made = carry_out(state, [(change, new) for change, new in todo if change.is_needed])
    try:
        code = _tried(host, place, client, done="installed")
    except BaseException:
        take_back(state, made)
        raise
    if code != FINE:
        take_back(state, made)
        click.echo("everything was put back as it was", err=True)
        return code
    for each in made:
        click.echo(f"  {plain(shortened(each.change.path))}", err=True)
    if setup.after:
        click.echo(setup.after, err=True)
    return FINE


def _tried(host: Host, place: Place, client: str, *, done: str) -> int:
    """Call the hook as the settings name it; say that it is `done`, or what is wrong."""
    from truepath.install.smoke_test import attempt, line_of

    command = line_of(place, client)
    result = attempt(host, command)
    if result.problem:
        click.secho("error: ", fg="red", nl=False, err=True)
        click.echo(f"{host.TITLE}'s hook does not work: {plain(result.problem)}", err=True)
        return NOT_ALL
    with unread_is_fine():
        click.secho(f"{done}: ", fg="green", nl=False)
        click.echo(f"{host.TITLE} calls truepath (tried: `{plain(command)}`)")
    return FINE


def _is_taken(host: Host, setup: Setup, root: str, scope: str | None) -> bool:
    """Tell of another truepath on the same events: two that rewrite are one too many."""
    from truepath.install.conflicts import plugins, settings_of
    from truepath.install.plan import holds_us

    other = "user" if scope else "project"
    for where, place in settings_of(host.NAME, setup, os.environ, root):
        if where == other and holds_us(place):
            option = " --project" if other == "project" else ""
            _refuse(host, place.path, f"truepath uninstall {host.NAME}{option}")
            return True
    for found in plugins(host, setup, os.environ, root):
        _refuse(host, found, "remove the plugin")
        return True
    return False


def _refuse(host: Host, where: str, fix: str) -> None:
    click.secho("error: ", fg="red", nl=False, err=True)
    click.echo(f"{host.TITLE} calls truepath already, by {plain(where)}; first: {fix}", err=True)


def _warn(host: Host, root: str) -> None:
    from truepath.install.conflicts import conflicts, consequence, told

    for other in conflicts(host, os.environ, root):
        _warning(plain(told(other)))
    if (said := consequence(host, os.environ, root)) is not None:
        _warning(plain(said))


def shared(host: Host, root: str) -> list[str]:
    """Return a line for each host here that has hooks of truepath and also runs Claude Code's."""
    from truepath.hosts import HOSTS, find
    from truepath.install.conflicts import doubles

    setups = {each: (find(each), setup_of(find(each))) for each in HOSTS}
    return [
        f"{reader.TITLE} also runs {plain(shortened(path))}; the hook there is silent in it, and "
        "costs its time"
        for reader, path in doubles(host.NAME, setups, os.environ, root)
    ]


def _warning(text: str) -> None:
    click.secho("warning: ", fg="yellow", nl=False, err=True)
    click.echo(text, err=True)
