"""`truepath demo`: a small repository, an agent that errs in it, and what it is answered.

Everything happens in a temporary folder, which is gone afterwards. Then the project around the
current folder is asked the same; nothing in it is run or changed.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from truepath.cli import scenes
from truepath.cli.app import FINE
from truepath.cli.slips import pick, slips_of
from truepath.cli.terminal import COLOURS, columns, counted, duration, percent, plain
from truepath.types import Decision, ToolCall

if TYPE_CHECKING:
    from truepath.config.presets import Policy
    from truepath.events.event import Event
    from truepath.guard.guard import Guard
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
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PIPED
    if keep is None:
        _play_in_passing(console)
    else:
        os.makedirs(keep, exist_ok=True)
        if os.listdir(keep):
            raise click.UsageError(f"{keep} is not empty; name a new folder for --keep")
        _play(console, os.path.realpath(keep))
    _play_here(console)
    return FINE


def _play_in_passing(console: Console) -> None:
    with tempfile.TemporaryDirectory(prefix="truepath-demo-", ignore_cleanup_errors=True) as folder:
        root = os.path.join(os.path.realpath(folder), "orders")
        os.mkdir(root)
        _play(console, root)


def _play(console: Console, root: str) -> None:
    scenes.build(root)
    console.print(
        f"A git repository of {len(scenes.FILES) - 1} files and three commits, made for this."
    )
    console.print("Times exclude the start of a process.")
    events: list[Event] = []
    stage = _Stage(root, events)
    for number, scene in enumerate(scenes.SCENES, start=1):
        _show(console, number, scene, stage)
    _sum_up(console, events)


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
                workspace=Workspace(self.root, patience=2.0),
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


def _show(console: Console, number: int, scene: scenes.Scene, stage: _Stage) -> None:
    decision, seconds = stage.decide(scene)
    console.print()
    console.print(Text(f"{number:2}  {scene.title}", style="bold"))
    _row(console, "asks", _asked(scene))
    said = (_SAYS[decision.action], COLOURS[decision.action])
    _row(console, "gets", Text.assemble(said, (f"  {duration(seconds)}", "dim")))
    for argument, value in decision.arguments.items():
        if value != scene.arguments[argument]:
            _row(console, "runs", Text(plain(value)))
    if decision.text:
        _row(console, "reads", Text(decision.text))
    printed = stage.run(scene, decision)
    if printed:
        _row(console, "prints", Text(plain(printed), style="green"))


def _row(console: Console, label: str, text: Text) -> None:
    """Print a text beside its label, wrapped; a table would pad every line with spaces."""
    for line in text.wrap(console, max(20, console.width - 10)):
        line.rstrip()
        console.print(Text.assemble((f"{label:>8}  ", "dim"), line), soft_wrap=True)
        label = ""


def _asked(scene: scenes.Scene) -> Text:
    path = next(iter(scene.arguments.values()))
    parts = [(f"{scene.tool}  ", "dim"), (plain(path), "")]
    if scene.cwd:
        parts.append((f"  standing in {scene.cwd}/", "dim"))
    if scene.policy != "careful":
        parts.append((f"  policy {scene.policy}", "dim"))
    return Text.assemble(*parts)


def _sum_up(console: Console, events: Sequence[Event]) -> None:
    corrected = sum(event.event == "path.corrected" for event in events)
    refused = sum(event.event in ("path.refused", "path.absent") for event in events)
    console.print()
    console.print(f"{corrected} corrected, {refused} refused. What `truepath log` shows of it:")
    from truepath.cli.log import lines

    for line in lines(events):
        console.print(Text(line, style="dim"), soft_wrap=True)


def _play_here(console: Console) -> None:
    """Write a path of the project around the current folder wrongly, in typical ways."""
    from truepath.hosts.project import find_root
    from truepath.resolve.workspace import Workspace

    try:
        root = find_root(os.getcwd())
    except OSError:
        return
    if root is None or not os.path.lexists(os.path.join(root, ".git")):
        return
    workspace = Workspace(root, patience=2.0)
    started = time.perf_counter()
    names = workspace.names()
    listed = time.perf_counter() - started
    path = pick(names, workspace)
    console.print()
    console.print(Rule(style="dim"))
    files = counted(len(names), "file")
    console.print(
        f"The project here, {plain(root)}: {files}, listed in {duration(listed)}.",
        soft_wrap=True,
    )
    if path is None:
        console.print("No file in it lies deep enough to be written wrongly.")
        return
    console.print(
        Text.assemble("A file of it, written wrongly: ", (plain(path), "bold")), soft_wrap=True
    )
    console.print()
    _show_answers(console, path, workspace)


def _show_answers(console: Console, path: str, workspace: Workspace) -> None:
    from truepath.config.settings import Settings
    from truepath.guard.guard import Guard

    guard = Guard(workspace=workspace, settings=Settings(store="memory:"), on_event=lambda _: None)
    rows = [["the slip", "as the agent writes it", "gets", "best guess", "sure", "took"]]
    colours = ["dim"]
    for slip in slips_of(path, workspace):
        call = ToolCall("read_file", {"path": slip.written}, session=slip.name, cwd=slip.cwd)
        started = time.perf_counter()
        decision = guard.before(call)
        took = duration(time.perf_counter() - started)
        said = _SAYS[decision.action]
        rows.append([slip.name, plain(slip.written), said, *_best(decision, path), took])
        colours.append(COLOURS[decision.action])
    for row, colour in zip(columns(rows), colours, strict=True):
        before, said, after = "  ".join(row[:2]), row[2], "  ".join(row[3:])
        console.print(Text.assemble(before, "  ", (said, colour), "  ", after), soft_wrap=True)


def _best(decision: Decision, path: str) -> tuple[str, str]:
    """Return what the best candidate is, and how sure that is."""
    best = next((each for one in decision.resolutions for each in one.candidates), None)
    if best is None:
        return "none", ""
    return "that file" if best.path == path else plain(best.path), percent(best.confidence)
