"""`truepath serve`: the warm process, in the foreground; hooks start one by themselves."""

from __future__ import annotations

import os

import click

from truepath.cli.app import FINE, NOT_ALL


@click.command("serve", short_help="Answer hooks from a process that stays warm.")
@click.option(
    "--idle",
    default=600.0,
    show_default=True,
    type=click.FloatRange(min=1),
    help="End after so many seconds without a question.",
)
@click.option("--stop", is_flag=True, help="End the one that runs.")
@click.option("--status", is_flag=True, help="Say whether one runs.")
def command(*, idle: float, stop: bool, status: bool) -> int:
    """Answer this user's hooks from a process that has the engine loaded.

    A hook that finds a path missing starts one by itself, uses it from then on, and does without
    it when it is gone; `TRUEPATH_SERVE=0` switches it off. It listens on a socket in the state
    folder that only the user can open.
    """
    from truepath.hook import daemon, daemon_client

    if not daemon_client.wanted(os.environ):
        click.echo("no warm process here: it is switched off, or the system has no fork", err=True)
        return NOT_ALL
    if stop:
        ended = daemon.stop(os.environ)
        click.echo("ended" if ended else "none was running")
        return FINE
    if status:
        runs = daemon_client.is_running(os.environ)
        click.echo("running" if runs else "not running")
        return FINE if runs else NOT_ALL
    if daemon.serve(os.environ, idle=idle):
        return FINE
    click.echo("not started: another one runs, or the state folder's path is too long", err=True)
    return NOT_ALL
