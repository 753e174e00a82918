"""`truepath demo`: a small repository, an agent that makes mistakes in it, and what it is answered.

Then the project around the working directory is asked the same; nothing in it is run or changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from truepath.cli import scenes
from truepath.cli.app import FINE
from truepath.cli.options import root_of
from truepath.cli.project import open_guard
from truepath.cli.resolve import found
from truepath.cli.terminal import duration, plain, show
from truepath.types import Decision, ToolCall

if TYPE_CHECKING:
    from truepath.guard.guard import Guard


@click.command("demo", short_help="Play typical mistakes, here and on a repository made for it.")
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Make the repository in FOLDER, which is new or empty, and leave it there.",
)
def command(keep: str | None) -> int:
    """Make a small git repository in a temporary folder, make the calls of an agent in it, and show
    what truepath answers. Then do the same with a file of the project around the working directory.

    Nothing is left behind without --keep, and nothing of the project is changed.
    """
    if keep:
        os.makedirs(keep, exist_ok=True)
        if os.listdir(keep):
            raise click.UsageError(f"{keep} is not empty; name a new folder for --keep")
    passing = TemporaryDirectory(prefix="truepath-demo-", ignore_cleanup_errors=True)
    with passing as folder, nullcontext(keep or folder) as root:
        scenes.build(root)
        _play(_guard(root))
    _play_here(root_of(None))
    return FINE


def _guard(root: str) -> Guard:
    from truepath.config.settings import Settings
    from truepath.guard.guard import Guard
    from truepath.resolve.workspace import Workspace

    workspace = Workspace(os.path.realpath(root), timeout_s=2.0)
    guard = Guard(workspace=workspace, settings=Settings(store="memory:"), on_event=lambda _: None)
    # What is imported at the first call is the process's cost, not the answer's.
    guard.before(ToolCall("read_file", {"path": "README.md"}))
    return guard


def _decided(guard: Guard, call: ToolCall) -> tuple[Decision, str]:
    started = time.perf_counter()
    decision = guard.before(call)
    return decision, duration(time.perf_counter() - started)


def _play(guard: Guard) -> None:
    click.echo("A git repository made for this; its folder specs/ was renamed to docs/.")
    for title, (tool, argument, *values) in scenes.SCENES.items():
        click.secho(f"\n{title}", bold=True)
        for turn, value in enumerate(values):
            call = ToolCall(tool, {argument: value}, session=title, turn=str(turn))
            decision, took = _decided(guard, call)
            runs = decision.arguments[argument]
            rows = [("asks", f"{tool} {value}"), ("gets", f"{decision.action}, in {took}")]
            rows += [("runs", f"{tool} {runs}")] if runs != value else []
            show([*rows, *(("reads", line) for line in decision.text.splitlines())])


def _play_here(root: str) -> None:
    """Write a path of a project wrongly, in typical ways."""
    if not os.path.lexists(os.path.join(root, ".git")):
        return
    guard = open_guard(root)
    deep = [name for name in guard.workspace.names() if name.count("/") >= 2]
    # A long name says most; it is the same one each time.
    longest = sorted(deep, key=lambda name: (-len(os.path.basename(name)[:20]), name))
    path = next(filter(guard.workspace.may_name, longest), None)
    if path is not None:
        click.echo(f"\nThe project here, {plain(root)}; a file of it, written wrongly:")
        show(_rows(guard, path))


def _rows(guard: Guard, path: str) -> Iterator[Sequence[str]]:
    folder, name = os.path.split(path)
    slip = f"{folder}/{name[: len(name) // 2]}{name[len(name) // 2 + 1 :]}"
    moved = f"{os.path.dirname(folder)}/{name}"
    for wrong in (path.partition("/")[2], moved, f"/workspace/{path}", slip):
        call = ToolCall("read_file", {"path": wrong}, session=wrong)
        decision, took = _decided(guard, call)
        for each in decision.resolutions:
            yield from found(each, guard.workspace.root, decision.action, took)
