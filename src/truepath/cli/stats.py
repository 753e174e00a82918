"""`truepath stats`: what the events of the journal add up to, as a table or as JSON."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click

from truepath.cli.app import FINE
from truepath.cli.log import nothing, read, told_losses
from truepath.cli.options import event_options, scope_of
from truepath.cli.terminal import counted, duration, near, show
from truepath.config.files import read_own
from truepath.config.user_dirs import state_folder
from truepath.journal.event import Event
from truepath.journal.journal import journal_path, losses
from truepath.journal.statistics import (
    COST,
    MISSES,
    WEEK_S,
    By,
    Cost,
    add_up,
    checks,
    cost_file,
    cost_of,
    failures,
    followed,
    groups,
    is_miss,
    with_ends,
    worth,
)

OUTCOME_WORDS = {
    "corrected": "corrected",
    "assumed": "shown the likely file",
    "dropped": "corrected, and run as written",
    "declined": "corrected, and refused by you",
    "unknown": "corrected, its end not known",
    "refused": "refused, candidates named",
    "absent": "refused, nothing like it",
    "advised": "let through, advised",
    "observed": "let through, recorded",
}


@click.command("stats")
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
    events = with_ends([*read(root, since)])
    unmet = checks(events)
    ours = failures(events)
    kinds = options["kinds"] or MISSES
    misses = [event for event in events if event.event in kinds and is_miss(event)]
    grouped = groups(misses, by) if by else {}
    parts = {name: add_up(group) for name, group in grouped.items()}
    if as_json:
        data = _data(events, misses) | {"checks": unmet, "failures": ours}
        if by:
            data |= {"by": by, "groups": parts}
        click.echo(json.dumps(data, separators=(",", ":")))
        return FINE
    beside = [told_losses(since)]
    if not (misses or unmet or ours):
        beside.append(nothing(root))
    show([(line,) for line in filter(None, beside)], err=True)
    if misses:
        _show_misses(misses, this_week(events), by, parts)
    _show_others(unmet, ours)
    return FINE


def _data(events: Sequence[Event], misses: Sequence[Event]) -> dict[str, Any]:
    """Return what `--json` prints of all events, and of the misses among them."""
    times = [miss.time for miss in misses]
    lost = losses(journal_path(state_folder(os.environ)))
    return {
        "first": min(times, default=None),
        "last": max(times, default=None),
        "total": add_up(misses),
        "lost": lost.count if lost else 0,
        "worth": worth(events, _cost()),
        "followed": followed(events),
    }


def _show_misses(
    misses: Sequence[Event],
    worth: str,
    by: By | None,
    parts: Mapping[str, Mapping[str, Any]],
) -> None:
    """Print how many paths were missed, from which day to which, their sums, and what a
    week was worth; then the sums of each part.
    """
    first, last = (
        time.strftime("%Y-%m-%d", time.localtime(miss.time))
        for miss in (misses[0], misses[-1])
    )
    when = first if first == last else f"{first} to {last}"
    click.secho(f"{counted(len(misses), 'missed path')}, {when}", bold=True)
    total = add_up(misses)
    named = {words: total["outcomes"][kind] for kind, words in OUTCOME_WORDS.items()}
    named["corrected, and failed on something else"] = total["failed"]
    named["missed again for the same target"] = total["repeated"]
    rows = [
        (words, f"{number:,}", _part(number / total["misses"]))
        for words, number in named.items()
        if number
    ]
    spread = f"in the median; 95% of misses within {_time(total['p95_added_us'])}"
    show([*rows, ("time added", _time(total["median_added_us"]), spread)])
    if worth:
        show([(worth,)])
    if by:
        table = []
        for name, sums in parts.items():
            done = sums["outcomes"]
            numbers = (
                sums["misses"],
                done["corrected"] + done["assumed"],
                done["refused"] + done["absent"],
                sums["repeated"],
            )
            cells = [f"{number:,}" for number in numbers]
            table.append((*cells, _time(sums["median_added_us"]), near(name) or "-"))
        click.echo()
        show(table, head=("misses", "ran", "refused", "again", "added", by))


def _show_others(
    unmet: Mapping[str, int], ours: Mapping[str, Mapping[str, int]]
) -> None:
    """Print the checks that were not met, and the errors of truepath."""
    if unmet:
        rows = [(name, f"{number:,}") for name, number in unmet.items()]
        show(rows, head=("check", "calls"))
    if ours:
        show(map(failure_row, ours, ours.values()), head=("failed", "calls", "version"))


def this_week(events: Sequence[Event]) -> str:
    """Return what the events of the last seven days, `with_ends`, were worth, as a
    line; "" if nothing was put right.
    """
    start = time.time() - WEEK_S
    found = worth([event for event in events if event.time >= start], _cost())
    if not found["put_right"]:
        return ""
    saved = [counted(found["calls_saved"], "call")]
    if found["seconds_saved"]:
        saved.append(counted(max(1, round(found["seconds_saved"] / 60)), "minute"))
    saved.append(f"{found['tokens_saved']:,} tokens")
    parts = [
        f"{counted(found['put_right'], 'path')} put right, {', '.join(saved)} saved"
    ]
    if found["not_meant"]:
        parts.append(f"{found['not_meant']:,} shown that were not meant")
    if found["declined"]:
        parts.append(f"{found['declined']:,} refused by you")
    return f"this week: {'; '.join(parts)}"


def _cost() -> Cost:
    """Return what a missed path costs: in the user's sessions, if they were audited."""
    try:
        # The file has four sums: longer, it is another's.
        return cost_of(read_own(cost_file(state_folder(os.environ)), 10_000))
    except OSError:
        return COST


def failure_row(error: str, versions: Mapping[str, int]) -> Sequence[str]:
    """Return the row of an error of truepath."""
    known = ", ".join(filter(None, versions))
    return error, f"{sum(versions.values()):,}", known or "-"


def _part(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def _time(microseconds: int | None) -> str:
    return "-" if microseconds is None else duration(microseconds / 1e6)
