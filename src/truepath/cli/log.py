"""`truepath log`: the last events of the journal, for a person or as JSON lines."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator

import click

from truepath.cli.app import FINE
from truepath.cli.hosts import project_here
from truepath.cli.stats import moment, nothing
from truepath.cli.terminal import counted, duration, padded, plain
from truepath.journal.event import Event
from truepath.journal.statistics import REWRITTEN

INTERVAL = 0.5
"""Seconds between two looks at a journal that is followed."""

_COLOURS = {
    "path.corrected": "cyan",
    "path.assumed": "blue",
    "path.refused": "yellow",
    "path.absent": "red",
    "path.advised": "yellow",
    "strategy.shift": "magenta",
    "guard.failed": "red",
    "store.failed": "red",
}
_WIDTHS = (19, 16, 7, 56, 12, 0)
"""Columns of a line that is printed before the next one is known."""


@click.command("log", short_help="Show what was intercepted and corrected.")
@click.option(
    "-n",
    "count",
    metavar="N",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many events, the last ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each event as one line of JSON.")
@click.option("--ids", is_flag=True, help="Begin each line with the event's id.")
@click.option("--follow", "-f", is_flag=True, help="Go on with events as they come.")
@click.option("--since", metavar="TIME", callback=moment, help="What came after, as for stats.")
@click.option("--project", is_flag=True, help="Those of the project around this folder alone.")
def command(
    count: int, as_json: bool, ids: bool, follow: bool, since: float | None, project: bool
) -> int:
    """Show the last events of the journal, oldest first: what was intercepted and corrected."""
    from truepath.config.user_dirs import state_folder
    from truepath.journal.journal import EventReader, journal_path

    path = journal_path(state_folder(os.environ))
    reader = EventReader(path, since=since, project=project_here() if project else "")
    events = deque(reader.read(), maxlen=count)
    _print(events, as_json=as_json, ids=ids)
    if not events and count and not follow:
        click.echo(nothing(path, since, project=project), err=True)
    if reader.bad:
        click.echo(f"no events in {counted(reader.bad, 'line')} of {plain(path)}", err=True)
    while follow:
        time.sleep(INTERVAL)
        _print(reader.read(), as_json=as_json, ids=ids)
    return FINE


def lines(events: Iterable[Event]) -> Iterator[str]:
    """Yield each event as a line of text."""
    for event in events:
        yield "".join(part for part, _ in _parts(event))


def _print(events: Iterable[Event], *, as_json: bool, ids: bool) -> None:
    for event in events:
        if as_json:
            click.echo(event.to_json())
            continue
        if ids:
            click.secho(f"{plain(event.id)}  ", dim=True, nl=False)
        for part, colour in _parts(event):
            click.secho(part, fg=colour, nl=False)
        click.echo()


def _parts(event: Event) -> list[tuple[str, str | None]]:
    """Return an event's line in parts with a colour each."""
    when, kind, *rest = (
        padded(cell, cells) for cell, cells in zip(_cells(event), _WIDTHS, strict=True)
    )
    end = ("  " + "  ".join(rest)).rstrip()
    return [(f"{when}  ", None), (kind, _COLOURS.get(event.event)), (end, None)]


def _cells(event: Event) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.time))
    kind = plain(event.event.removeprefix("path."))
    took = "" if event.elapsed_us is None else duration(event.elapsed_us / 1e6)
    return [when, kind, plain(event.operation), _paths(event), plain(event.host), took]


def _paths(event: Event) -> str:
    """Say what became of which path."""
    if event.event.endswith(".failed"):
        return plain(event.error)
    asked, meant = plain(event.requested), plain(event.replacement or event.resolved)
    if not asked:
        return meant or plain(event.target or event.tool)
    if event.event in REWRITTEN and meant:
        return f"{asked} -> {meant}"
    if event.candidates:
        return f"{asked} ? {', '.join(map(plain, event.candidates[:3]))}"
    return asked
