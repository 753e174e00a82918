"""`truepath index`: build the index of a project's names, and the map of its history, now."""

from __future__ import annotations

import os
import sys
import time

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.terminal import counted, duration, plain


@click.command("index", short_help="Build the index of a project's names now.")
@click.option(
    "--root", metavar="FOLDER", help="The project; by default the one around the current folder."
)
def command(root: str | None) -> int:
    """Build the index of a project's names, and the map of its history, now.

    A large project's are built behind, after a path is missed; this is for who does not want the
    first miss to go without. How far it is is shown on a terminal.
    """
    from truepath.cli.project import open_project
    from truepath.config.user_dirs import projects_folder
    from truepath.project.history import History
    from truepath.project.index.build import build
    from truepath.project.index.store import IndexStore

    place = open_project(root, None, None).guard.workspace.root
    store = projects_folder(os.environ)
    began = time.monotonic()
    built = build(place, store, _shown)
    found = IndexStore(store, place).names() if built else None
    if found is None:
        _clear()
        click.echo(
            "no index: it has no files or more than a project, a repository is inside and none "
            "around it, another process builds it, or the state folder cannot be written",
            err=True,
        )
        return NOT_ALL
    _told("history ...")
    known = History(place, store=store).build()
    _clear()
    past = "with" if known else "without"
    took = duration(time.monotonic() - began)
    click.echo(f"{counted(len(found[0]), 'name')}, {past} history, in {took}  {plain(place)}")
    return FINE


def _shown(done: int, of: int) -> None:
    _told(f"{done:,} of {counted(of, 'name')}")


def _told(text: str) -> None:
    """Show how far it is, in place of what was shown before, where a person looks on."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"\r\033[K{text}", nl=False, err=True)


def _clear() -> None:
    _told("")
