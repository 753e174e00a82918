"""`truepath undo-info`: what a correction changed in a call, to the letter."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.terminal import columns, percent, plain
from truepath.journal.event import KINDS, Event

_CORRECTION = "path.corrected"


@click.command("undo-info", short_help="Show what a correction changed in a call.")
@click.argument("event", metavar="[EVENT]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print each change as one line of JSON.")
def command(event: str | None, as_json: bool) -> int:
    """Show what the correction EVENT changed in a tool call; by default the last one.

    EVENT is an event's id or the beginning of one, as `truepath log --ids` shows them. Other
    changes of the same call are shown with it.
    """
    events = _corrections_and(event)
    found = _asked(events, event)
    if found is None:
        return NOT_ALL
    changes = _of_one_call(events, found)
    for at, each in enumerate(changes):
        if as_json:
            click.echo(each.to_json())
        else:
            click.echo(("\n" if at else "") + "\n".join(lines(each)))
    if found.event != _CORRECTION:
        click.echo(f"nothing was changed: {KINDS.get(found.event, plain(found.event))}", err=True)
        return NOT_ALL
    return FINE


def lines(event: Event) -> list[str]:
    """Return an event in lines of a name and a value."""
    rows = [(name, plain(value)) for name, value in _facts(event) if value]
    return ["".join(f"{cell}  " for cell in row).rstrip() for row in columns(rows)]


def _facts(event: Event) -> list[tuple[str, str]]:
    when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(event.time))
    where = event.argument + ("" if event.index is None else f", at {event.index}")
    sure = "" if event.confidence is None else percent(event.confidence)
    return [
        ("event", event.id),
        ("what", event.event),
        ("when", when),
        ("tool", event.tool),
        ("argument", where),
        ("operation", event.operation),
        ("from", event.requested),
        ("to", event.replacement),
        ("file", event.resolved),
        ("ground", event.ground),
        ("confidence", sure),
        ("policy", event.policy),
        ("project", event.project),
        ("host", event.host),
        ("session", event.session),
        ("agent", event.agent),
        ("call", event.call_id),
    ]


def _corrections_and(event: str | None) -> list[Event]:
    """Return the corrections in the journal, and whatever else EVENT may mean."""
    from truepath.config.user_dirs import state_folder
    from truepath.journal.journal import journal_path, read_events

    return [
        each
        for each in read_events(journal_path(state_folder(os.environ)))
        if each.event == _CORRECTION or (event and each.id.startswith(event))
    ]


def _asked(events: Sequence[Event], event: str | None) -> Event | None:
    """Return the event that is meant; None, and a word on stderr, where there is not just one."""
    if event is None:
        if not events:
            click.echo("nothing was corrected yet", err=True)
        return events[-1] if events else None
    found = [each for each in events if each.id == event]
    found = found or [each for each in events if each.id.startswith(event)]
    if len(found) == 1:
        return found[0]
    how_many = f"{len(found):,} events begin" if found else "no event begins"
    click.echo(f"{how_many} with {plain(event)} (see `truepath log --ids`)", err=True)
    return None


def _of_one_call(events: Sequence[Event], found: Event) -> list[Event]:
    if not found.call_id or found.event != _CORRECTION:
        return [found]
    call = (found.session, found.agent, found.call_id)
    return [each for each in events if (each.session, each.agent, each.call_id) == call]
