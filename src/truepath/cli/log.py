"""`truepath log`: the events of the journal, for a person or as JSON lines."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import event_options, scope_of
from truepath.cli.terminal import counted, near, show
from truepath.config.user_dirs import state_folder
from truepath.journal.event import KINDS, Event
from truepath.journal.journal import EventReader, journal_path, losses
from truepath.journal.statistics import is_miss

ID = 6
"""The last characters of an event's id, which are random; the first ones are the
time."""


@click.command("log")
@click.argument("name", metavar="[EVENT]", required=False, default="")
@click.option(
    "-n",
    "count",
    type=click.IntRange(1, 10**9),
    metavar="N",
    default=20,
    help="Show the last N; by default 20.",
)
@event_options(KINDS)
def command(
    name: str, count: int, since: float | None, as_json: bool, **options: Any
) -> int:
    """Show the last events of the journal, oldest first. A line has the end of the id,
    the time, what was done, the operation, and the path with what it became.

    With EVENT, an id or its end, show all that is known of that event, in whichever
    project. --json prints events as the journal has them.
    """
    root = None if name else scope_of(options["project"], options["everywhere"])
    ends: dict[str, str] = {}
    newest = read(root, since, backwards=True)
    wanted = _wanted(newest, name, options["kinds"], ends)
    events = [*islice(wanted, count)]
    events.reverse()
    if losses := told_losses(since):
        show([(losses,)], err=True)
    if name and not events:
        show([(f"no event has the id {name} (see `truepath log`)",)], err=True)
        return NOT_ALL
    if not events:
        show([(nothing(root),)], err=True)
        return FINE
    if as_json:
        click.echo("\n".join(event.to_json() for event in events))
    elif not name:
        show(_row(event, ends.get(event.id, event.end)) for event in events)
    else:
        for event in events:
            show(_facts(event))
    return FINE


_ABOUT_OTHERS = ("path.ended", "path.followed")
"""Kinds that say more of another event: a line has it."""

_ASKED_FOR = (*_ABOUT_OTHERS, "journal.tried")
"""Kinds that have no line of their own unless they are asked for: they are about no
call."""


def _wanted(
    events: Iterator[Event], name: str, kinds: Sequence[str], ends: dict[str, str]
) -> Iterator[Event]:
    """Yield the events, newest first, with an id that ends so, of some kinds or any;
    and note how calls ended in `ends`, by the id of the event.
    """
    for event in events:
        if event.event == "path.ended":
            ends.setdefault(event.of, event.end)
        is_one = event.event in kinds if kinds else event.event not in _ASKED_FOR
        if event.id.endswith(name) and (is_one or name):
            yield event


def read(
    root: str | None, since: float | None, *, backwards: bool = False
) -> Iterator[Event]:
    """Yield the user's events of a project, or of all; one without a project is part of
    any.
    """
    reader = EventReader(_path(), since=since)
    projects = root and ("", root, os.path.realpath(root))
    for event in reader.read(backwards=backwards):
        # As the agent came to it, through a link or not.
        name = event.project.replace("\0", "?")
        if not projects or name in projects or os.path.realpath(name) == projects[-1]:
            yield event
    if bad := reader.bad:
        show([(f"no events in {counted(bad, 'line')} of {_path()}",)], err=True)


def told_losses(since: float | None) -> str:
    """Return a line about the events that could not be written; "" if there are
    none.
    """
    lost = losses(_path())
    if lost is None or (since is not None and lost.last < since):
        return ""
    first = time.strftime("%Y-%m-%d %H:%M", time.localtime(lost.first))
    what = counted(lost.count, "event")
    return f"{what} could not be written since {first} (journal: {near(_path())})"


def nothing(root: str | None) -> str:
    """Return a line that says that there are no events."""
    where = " in this project; --all looks in all projects" if root else ""
    return f"no events found{where} (journal: {near(_path())})"


def _path() -> str:
    return journal_path(state_folder(os.environ))


def _facts(event: Event) -> Iterator[Sequence[str]]:
    for name, value in json.loads(event.to_json()).items():
        yield name, ", ".join(value) if isinstance(value, list) else str(value)


def _row(event: Event, end: str) -> Sequence[str]:
    """Return the line of an event; a correction that did not run is none."""
    when = time.strftime("%m-%d %H:%M", time.localtime(event.time))
    kind = event.event.removeprefix("path.")
    is_sent = kind in ("corrected", "assumed") and end not in ("", "ran")
    if is_sent or event.event in _ABOUT_OTHERS:
        kind = end
    return event.id[-ID:], when, kind, event.operation, _paths(event)


_OTHER_KIND = {"list": "a file"}
"""Operation -> what is at a path that is of the wrong kind for it; else a folder."""


def _paths(event: Event) -> str:
    """Return what happened to which path."""
    paths = (event.requested, event.replacement or event.resolved, event.target)
    written, meant, other = (near(path, event.project) for path in paths)
    if event.error or not written:
        return event.error or meant or other or event.tool
    if event.event == "path.followed":
        return meant
    if meant and event.event in ("path.corrected", "path.assumed", "path.ended"):
        return f"{written} -> {meant}"
    if event.event.startswith("check."):
        return f"{written} ({event.reason})"
    if not is_miss(event):
        return f"{written} ({_OTHER_KIND.get(event.operation, 'a folder')})"
    offered = ", ".join(near(path, event.project) for path in event.candidates)
    return f"{written} ? {offered}" if offered else written
