"""`truepath log`: the events of the journal, for a person or as JSON lines."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import all_option, json_option, project_option, root_of, since_option
from truepath.cli.terminal import counted, near, plain, show
from truepath.config.user_dirs import state_folder
from truepath.journal.event import Event
from truepath.journal.journal import EventReader, journal_path

ID = 6
"""The last characters of an event's id, which are random; the first ones are the time."""


@click.command("log", short_help="Show what was intercepted, and all that is known of an event.")
@click.argument("name", metavar="[EVENT]", required=False, default="")
@click.option("-n", "count", type=click.IntRange(1), default=20, help="How many; 20 by default.")
@since_option
@all_option
@project_option
@json_option
def command(
    name: str,
    count: int,
    since: float | None,
    everywhere: bool,
    project: str | None,
    as_json: bool,
) -> int:
    """Show the last events of the journal, oldest first: the end of its id, when, what was done,
    to what end, and which path.

    EVENT is the end of an id, or all of it: then show all that is known of it, such as what a
    correction changed in which argument, for which reason, and how long it took.
    """
    root = None if everywhere or name else root_of(project)
    events = [each for each in read(root, since) if each.id.endswith(name)][-count:]
    if not events:
        unknown = f"no event has the id {plain(name)} (see `truepath log`)"
        click.echo(unknown if name else nothing(root), err=True)
        return NOT_ALL if name else FINE
    if as_json:
        click.echo("\n".join(each.to_json() for each in events))
    elif name:
        for facts in map(_facts, events):
            show(facts)
    else:
        show(map(_row, events))
    return FINE


def read(root: str | None, since: float | None) -> Iterator[Event]:
    """Yield the user's events of a project, or of all; one without a project is part of any."""
    reader = EventReader(_path(), since=since)
    for event in reader.read():
        if root is None or event.project in ("", root, os.path.realpath(root)):
            yield event
    if bad := reader.bad:
        click.echo(f"no events in {counted(bad, 'line')} of {plain(_path())}", err=True)


def nothing(root: str | None) -> str:
    """Say that there are no events."""
    where = " in this project; --all takes all of them" if root else ""
    return f"no interceptions{where} (journal: {plain(near(_path()))})"


def _path() -> str:
    return journal_path(state_folder(os.environ))


def _facts(event: Event) -> Iterator[Sequence[str]]:
    for name, value in json.loads(event.to_json()).items():
        yield name, ", ".join(value) if isinstance(value, list) else str(value)


def _row(event: Event) -> Sequence[str]:
    when = time.strftime("%m-%d %H:%M", time.localtime(event.time))
    kind = event.event.removeprefix("path.")
    return event.id[-ID:], when, kind, event.operation, _paths(event)


def _paths(event: Event) -> str:
    """Say what became of which path."""
    paths = (event.requested, event.replacement or event.resolved, event.target)
    asked, meant, other = (near(path, event.project) for path in paths)
    if event.error or not asked:
        return event.error or meant or other or event.tool
    if meant and event.event in ("path.corrected", "path.assumed"):
        return f"{asked} -> {meant}"
    offered = ", ".join(near(path, event.project) for path in event.candidates)
    return f"{asked} ? {offered}" if offered else asked
