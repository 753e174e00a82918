"""`truepath demo`: a small repository, an agent that makes mistakes in it, and the answers it gets.

Everything happens in a temporary folder, which is deleted afterwards. Then the project around the
current folder is asked the same; nothing in it is run or changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from truepath.cli import scenes
from truepath.cli.app import FINE
from truepath.cli.mistakes import mistakes_of, pick
from truepath.cli.terminal import COLOURS, columns, counted, duration, percent, plain
from truepath.types import Decision, ToolCall

if TYPE_CHECKING:
    from truepath.config.presets import Policy
    from truepath.guard.guard import Guard
    from truepath.journal.event import Event
    from truepath.resolve.workspace import Workspace

_SAYS = {"allow": "goes on", "rewrite": "rewritten", "refuse": "refused", "advise": "told"}
_PIPED = 100
"""Columns where the output is no terminal."""


@click.command("demo", short_help="Play typical mistakes, here and on a repository made for it.")
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Make the repository in FOLDER, which is new or empty, and leave it there.",
)
def command(keep: str | None) -> int:
    """Make a small git repository in a temporary folder, play typical mistakes of agents in it,
    and show what the agent asked, what it got, and how long that took. Then do the same with a
    file of the project around the current folder, if it is in git.

    Nothing is left behind without --keep, and nothing of the project is changed.
    """
    if keep is None:
        _play_in_passing()
    else:
        os.makedirs(keep, exist_ok=True)
        if os.listdir(keep):
            raise click.UsageError(f"{keep} is not empty; name a new folder for --keep")
        _play(os.path.realpath(keep))
    _play_here()
    return FINE


def _play_in_passing() -> None:
    with tempfile.TemporaryDirectory(prefix="truepath-demo-", ignore_cleanup_errors=True) as folder:
        root = os.path.join(os.path.realpath(folder), "orders")
        os.mkdir(root)
        _play(root)


def _play(root: str) -> None:
    scenes.build(root)
    files = len(scenes.FILES) - 1
    click.echo(f"A git repository of {files} files and three commits, made for this.")
    click.echo("Times exclude the start of a process.")
    events: list[Event] = []
    stage = _Stage(root, events)
    for number, scene in enumerate(scenes.SCENES, start=1):
        _show(number, scene, stage)
    _sum_up(events)


class _Stage:
    """The repository with a guard for each policy."""

    def __init__(self, root: str, events: list[Event]) -> None:
        self.root = root
        self._events = events
        self._guards: dict[str, Guard] = {}

    def decide(self, scene: scenes.Scene) -> tuple[Decision, float]:
        """Return the decision on a scene's call, and the seconds it took."""
        call = scene.call()
        guard = self._guard(scene.policy)
        started = time.perf_counter()
        decision = guard.before(call)
        return decision, time.perf_counter() - started

    def _guard(self, policy: Policy) -> Guard:
        from truepath.config.settings import Settings
        from truepath.guard.guard import Guard
        from truepath.resolve.workspace import Workspace

        if policy not in self._guards:
            # No store for the history: a map of renames is not worth making for a minute.
            self._guards[policy] = Guard(
                workspace=Workspace(self.root, timeout_s=2.0),
                policy=policy,
                settings=Settings(store="memory:"),
                on_event=self._events.append,
            )
            # What is imported at the first call is the process's cost, not the answer's.
            self._guards[policy].before(ToolCall("read_file", {"path": "README.md"}))
        return self._guards[policy]

    def run(self, scene: scenes.Scene, decision: Decision) -> str:
        """Run the call as decided, where that shows something; return its first line."""
        if decision.action == "refuse":
            return ""
        arguments = decision.arguments
        if scene.tool in ("read_file", "Read"):
            path = os.path.join(self.root, scene.cwd, arguments["file_path"])
            with suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
                return file.readline().rstrip()
        if "command" in arguments and os.name == "posix":
            done = subprocess.run(
                ["sh", "-c", arguments["command"]],
                cwd=self.root,
                capture_output=True,
                text=True,
                check=False,
            )
            return (done.stdout or done.stderr).partition("\n")[0]
        return ""


def _show(number: int, scene: scenes.Scene, stage: _Stage) -> None:
    decision, seconds = stage.decide(scene)
    click.echo()
    click.secho(f"{number:2}  {scene.title}", bold=True)
    _row("asks", _asked(scene))
    _row("gets", f"{_SAYS[decision.action]}  {duration(seconds)}", fg=COLOURS[decision.action])
    for argument, value in decision.arguments.items():
        if value != scene.arguments[argument]:
            _row("runs", plain(value))
    if decision.text:
        _row("reads", decision.text)
    printed = stage.run(scene, decision)
    if printed:
        _row("prints", plain(printed), fg="green")


def _row(label: str, text: str, fg: str | None = None) -> None:
    """Print a text beside its label, wrapped."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED
    for paragraph in text.splitlines():
        for line in textwrap.wrap(paragraph, max(20, width - 10), break_on_hyphens=False) or [""]:
            click.secho(f"{label:>8}  ", dim=True, nl=False)
            click.secho(line, fg=fg)
            label = ""


def _asked(scene: scenes.Scene) -> str:
    parts = [scene.tool, plain(next(iter(scene.arguments.values())))]
    if scene.cwd:
        parts.append(f"in {scene.cwd}/")
    if scene.policy != "careful":
        parts.append(f"policy {scene.policy}")
    return "  ".join(parts)


def _sum_up(events: Sequence[Event]) -> None:
    corrected = sum(event.event == "path.corrected" for event in events)
    assumed = sum(event.event == "path.assumed" for event in events)
    refused = sum(event.event in ("path.refused", "path.absent") for event in events)
    click.echo()
    counts = f"{corrected} corrected, {assumed} assumed, {refused} refused"
    click.echo(f"{counts}. What `truepath log` shows of it:")
    from truepath.cli.log import lines

    for line in lines(events):
        click.secho(line, dim=True)


def _play_here() -> None:
    """Write a path of the project around the current folder wrongly, in typical ways."""
    from truepath.project.root import find_root
    from truepath.resolve.workspace import Workspace

    try:
        root = find_root(os.getcwd())
    except OSError:
        return
    if root is None or not os.path.lexists(os.path.join(root, ".git")):
        return
    workspace = Workspace(root, timeout_s=2.0)
    started = time.perf_counter()
    names = workspace.names()
    listed = time.perf_counter() - started
    path = pick(names, workspace)
    files = counted(len(names), "file")
    click.echo()
    click.echo(f"The project here, {plain(root)}: {files}, listed in {duration(listed)}.")
    if path is None:
        click.echo("No file in it lies deep enough to be written wrongly.")
        return
    click.echo(f"A file of it, written wrongly: {click.style(plain(path), bold=True)}\n")
    _show_answers(path, workspace)


def _show_answers(path: str, workspace: Workspace) -> None:
    from truepath.config.settings import Settings
    from truepath.guard.guard import Guard

    guard = Guard(workspace=workspace, settings=Settings(store="memory:"), on_event=lambda _: None)
    rows = [["the mistake", "as the agent writes it", "gets", "best guess", "sure", "took"]]
    colours: list[str | None] = [None]
    for mistake in mistakes_of(path, workspace):
        call = ToolCall(
            "read_file", {"path": mistake.written}, session=mistake.name, cwd=mistake.cwd
        )
        started = time.perf_counter()
        decision = guard.before(call)
        took = duration(time.perf_counter() - started)
        said = _SAYS[decision.action]
        rows.append([mistake.name, plain(mistake.written), said, *_best(decision, path), took])
        colours.append(COLOURS[decision.action])
    for row, colour in zip(columns(rows), colours, strict=True):
        before, said, after = "  ".join(row[:2]), row[2], "  ".join(row[3:])
        click.echo(f"{before}  {click.style(said, fg=colour)}  {after}")


def _best(decision: Decision, path: str) -> tuple[str, str]:
    """Return what the best candidate is, and how sure that is."""
    best = next((each for one in decision.resolutions for each in one.candidates), None)
    if best is None:
        return "none", ""
    return "that file" if best.path == path else plain(best.path), percent(best.confidence)
