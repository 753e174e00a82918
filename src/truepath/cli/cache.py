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

    An index is read and checked: one that is not as it was written is shown as damaged. All of it
    is made again when it is needed.
    """
    from truepath.config.user_dirs import projects_folder

    if every and not remove:
        raise click.UsageError("--all is for --remove")
    folder = projects_folder(os.environ)
    found = [(kept, _fault(kept)) for kept in kept_in(folder)]
    if remove:
        found = [(kept, fault) for kept, fault in found if every or fault]
    rows = [
        (kept.kind, _megabytes(kept.size), f"{plain(kept.project)}  {fault}".strip())
        for kept, fault in found
        if kept.project or fault
    ]
    if remove:
        for kept, _ in found:
            kept.remove()
    if rows:
        for line in columns([("kept", "size", "of"), *rows], right={1}):
            click.echo("  ".join(line).rstrip())
    else:
        click.echo(f"nothing is kept in {plain(folder)}" if not remove else "nothing to remove")
    return FINE


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _fault(kept: Kept) -> str:
    """Return for what it is to be removed; "" for nothing."""
    return "(gone)" if kept.is_gone else "(damaged)" if kept.is_damaged else ""
