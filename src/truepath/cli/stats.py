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
from truepath.journal.statistics import MISSES, By, add_up, checks, groups

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

    The calls of agent programs, the relay and the adapters count; your own questions do
    not.
    """
    root, kinds = scope_of(options["project"], options["everywhere"]), options["kinds"]
    events = [event for event in read(root, since) if event.host]
    unmet, kinds = checks(events), kinds or MISSES
    misses = [each for each in events if each.event in kinds]
    total = add_up(misses)
    parts = (
        {name: add_up(each) for name, each in groups(misses, by).items()} if by else {}
    )
    if as_json:
        times = [miss.time for miss in misses]
        data: dict[str, Any] = {
            "first": min(times, default=None),
            "last": max(times, default=None),
        }
        data |= {"total": total, "checks": unmet} | (
            {"by": by, "groups": parts} if by else {}
        )
        click.echo(json.dumps(data, separators=(",", ":")))
    elif not misses and not unmet:
        show([(nothing(root),)], err=True)
    elif misses:
        first, last = (_day(misses[at].time) for at in (0, -1))
        when = first if first == last else f"{first} to {last}"
        click.secho(f"{counted(len(misses), 'missed path')}, {when}", bold=True)
        show(_rows(total))
        if by:
            click.echo()
            show(_group_rows(parts), head=(*_GROUP_HEADS, by))
    if unmet and not as_json:
        show(
            ((name, f"{number:,}") for name, number in unmet.items()),
            head=("check", "calls"),
        )
    return FINE


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))


def _rows(total: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for kind, words in OUTCOME_WORDS.items():
        if number := total["outcomes"][kind]:
            yield words, f"{number:,}", _part(number / total["misses"])
    if again := total["repeated"]:
        yield (
            "missed again for the same target",
            f"{again:,}",
            _part(again / total["misses"]),
        )
    spread = f"in the median; 95% of misses within {_time(total['p95_added_us'])}"
    yield "time added", _time(total["median_added_us"]), spread


_GROUP_HEADS = ("misses", "ran", "refused", "again", "added")


def _group_rows(parts: Mapping[str, Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for name, each in parts.items():
        did = each["outcomes"]
        ran, refused = did["corrected"] + did["assumed"], did["refused"] + did["absent"]
        numbers = (each["misses"], ran, refused, each["repeated"])
        yield (
            *map("{:,}".format, numbers),
            _time(each["median_added_us"]),
            near(name) or "-",
        )


def _part(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def _time(microseconds: int | None) -> str:
    return "-" if microseconds is None else duration(microseconds / 1e6)
