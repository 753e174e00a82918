"""`truepath demo`: a small repository, an agent that makes mistakes in it, and the
answers.
"""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from tempfile import TemporaryDirectory

import click

from truepath.cli import scenes
from truepath.cli.app import FINE
from truepath.cli.terminal import duration, show
from truepath.config.settings import Settings
from truepath.guard.guard import Guard
from truepath.resolve.workspace import Workspace
from truepath.types import ToolCall


@click.command("demo")
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Keep the repository in DIR, which must be new or empty.",
)
def command(keep: str | None) -> int:
    """Make a small git repository, make an agent's tool calls in it, and show the
    answers of truepath. The repository is deleted at the end, unless --keep is given.
    """
    if keep:
        os.makedirs(keep, exist_ok=True)
        if os.listdir(keep):
            raise click.UsageError(
                f"{keep} is not empty; --keep needs a new or empty folder"
            )
    passing = TemporaryDirectory(prefix="truepath-demo-", ignore_cleanup_errors=True)
    with passing as folder, nullcontext(keep or folder) as root:
        scenes.build(root)
        workspace = Workspace(os.path.realpath(root))
        settings = Settings(store="memory:")
        guard = Guard(workspace=workspace, settings=settings, on_event=lambda _: None)
        # Imports at the first call are not part of the time of an answer.
        guard.before(ToolCall("read_file", {"path": "README.md"}))
        show([(scenes.LEGEND,)])
        for title, (tool, argument, *values) in scenes.SCENES.items():
            click.secho(f"\n{title}", bold=True)
            for turn, value in enumerate(values):
                call = ToolCall(tool, {argument: value}, session=title, turn=str(turn))
                started = time.perf_counter()
                decision = guard.before(call)
                took = duration(time.perf_counter() - started)
                runs = decision.arguments[argument]
                to = f" to `{runs}`" if runs != value else ""
                rows = [
                    ("asks ", f"{tool}: {value}"),
                    ("gets", f"{decision.action}{to}, in {took}"),
                ]
                show([*rows, *(("reads", line) for line in decision.text.splitlines())])
    click.echo("\nNext: `truepath audit`, and `truepath install --help`")
    return FINE
