"""`truepath stats`: what the events of the journal add up to, as a table or as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import click

from truepath.cli.app import FINE
from truepath.cli.log import nothing, read
from truepath.cli.options import event_options, scope_of
from truepath.cli.terminal import counted, duration, near, show
from truepath.journal.event import Event
from truepath.journal.statistics import MISSES, By, add_up, checks, groups, is_miss

OUTCOME_WORDS = {
    "corrected": "corrected",
    "assumed": "shown the likely file",
    "refused": "refused, candidates named",
    "absent": "refused, nothing like it",
    "advised": "let through, advised",
    "observed": "let through, recorded",
}


@click.command("stats", short_help="Show what the interceptions add up to.")
@click.option(
    "--by", type=click.Choice(get_args(By)), help="Add a table with a row for each."
)
@event_options(MISSES)
def command(by: By | None, since: float | None, as_json: bool, **options: Any) -> int:
    """Show how many paths agents got wrong, and what was done about them.

    The calls of agent programs, the relay, the adapters and your own `Guard` count;
    what you ask the commands does not.
    """
    root = scope_of(options["project"], options["everywhere"])
    events = [*read(root, since)]
    unmet = checks(events)
    kinds = options["kinds"] or MISSES
    misses = [event for event in events if event.event in kinds and is_miss(event)]
    grouped = groups(misses, by) if by else {}
    parts = {name: add_up(group) for name, group in grouped.items()}
    if as_json:
        click.echo(json.dumps(_data(misses, unmet, by, parts), separators=(",", ":")))
        return FINE
    if not misses and not unmet:
        show([(nothing(root),)], err=True)
    if misses:
        click.secho(_headline(misses), bold=True)
        show(_rows(add_up(misses)))
    if misses and by:
        click.echo()
        show(_group_rows(parts), head=(*_GROUP_HEADS, by))
    if unmet:
        rows = [(name, f"{number:,}") for name, number in unmet.items()]
        show(rows, head=("check", "calls"))
    return FINE


def _data(
    misses: Sequence[Event],
    unmet: Mapping[str, int],
    by: By | None,
    parts: Mapping[str, Mapping[str, Any]],
) -> Mapping[str, Any]:
    """Return what `--json` prints."""
    times = [miss.time for miss in misses]
    data: dict[str, Any] = {
        "first": min(times, default=None),
        "last": max(times, default=None),
        "total": add_up(misses),
        "checks": unmet,
    }
    if by:
        data |= {"by": by, "groups": parts}
    return data


def _headline(misses: Sequence[Event]) -> str:
    """Return how many paths were missed, and from which day to which."""
    first = _day(misses[0].time)
    last = _day(misses[-1].time)
    when = first if first == last else f"{first} to {last}"
    return f"{counted(len(misses), 'missed path')}, {when}"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))


def _rows(total: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for kind, words in OUTCOME_WORDS.items():
        if number := total["outcomes"][kind]:
            yield words, f"{number:,}", _part(number / total["misses"])
    if again := total["repeated"]:
        share = _part(again / total["misses"])
        yield "missed again for the same target", f"{again:,}", share
    spread = f"in the median; 95% of misses within {_time(total['p95_added_us'])}"
    yield "time added", _time(total["median_added_us"]), spread


_GROUP_HEADS = ("misses", "ran", "refused", "again", "added")


def _group_rows(parts: Mapping[str, Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for name, sums in parts.items():
        done = sums["outcomes"]
        ran = done["corrected"] + done["assumed"]
        refused = done["refused"] + done["absent"]
        numbers = (sums["misses"], ran, refused, sums["repeated"])
        cells = [f"{number:,}" for number in numbers]
        yield *cells, _time(sums["median_added_us"]), near(name) or "-"


def _part(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def _time(microseconds: int | None) -> str:
    return "-" if microseconds is None else duration(microseconds / 1e6)
