"""`truepath cache`: what is kept of which projects, and how to be rid of it."""

from __future__ import annotations

import os

import click

from truepath.cli.app import FINE
from truepath.cli.terminal import columns, plain
from truepath.project.kept import Kept, kept_in


@click.command("cache", short_help="Show what is kept of projects, or remove it.")
@click.option("--remove", is_flag=True, help="Remove what is kept of projects that are gone.")
@click.option("--all", "every", is_flag=True, help="With --remove, remove what is kept of all.")
def command(*, remove: bool, every: bool) -> int:
    """Show what is kept of which projects: the index of names, and the map of history.

    All of it is made again when it is needed.
    """
    from truepath.config.user_dirs import projects_folder

    if every and not remove:
        raise click.UsageError("--all is for --remove")
    folder = projects_folder(os.environ)
    found = kept_in(folder)
    if remove:
        found = [kept for kept in found if every or kept.is_gone or kept.is_damaged]
        for kept in found:
            kept.remove()
    shown = [kept for kept in found if kept.project or kept.is_damaged]
    if shown:
        rows = [(kept.kind, _megabytes(kept.size), _state(kept)) for kept in shown]
        for line in columns([("kept", "size", "of"), *rows], right={1}):
            click.echo("  ".join(line).rstrip())
    else:
        click.echo(f"nothing is kept in {plain(folder)}" if not remove else "nothing to remove")
    return FINE


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _state(kept: Kept) -> str:
    if not kept.project:
        return "(damaged)"
    return plain(kept.project) + ("  (gone)" if kept.is_gone else "")
