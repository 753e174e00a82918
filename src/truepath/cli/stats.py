"""`truepath stats`: the journal in figures, as a table or as JSON."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

import click

from truepath.cli.app import FINE
from truepath.cli.hosts import project_here
from truepath.cli.terminal import columns, counted, duration, plain, table
from truepath.journal.statistics import (
    OUTCOMES,
    SEARCH,
    Aggregate,
    By,
    Figures,
    account,
    split,
    summarise,
)

OUTCOME_WORDS = {
    "corrected": "corrected",
    "assumed": "shown the likely file, and told",
    "refused": "refused, told what is there",
    "absent": "refused, nothing like it",
    "advised": "let through, told where to look",
    "observed": "let through, recorded only",
}
ANSWER_WORDS = {
    "taken": "took it",
    "moved_on": "used another that exists",
    "retried": "tried the same wrong one",
    "strayed": "tried another wrong one",
    "gave_up": "did none of these",
    "open": "is still at it",
}
"""What the agent made of an answer; see `statistics.Answer`."""
SAVED_RULE = (
    f"{SEARCH} by a path that was corrected or assumed and kept, "
    f"{SEARCH - 1} by a suggestion taken at once"
)
NOTHING = "-"
"""In place of a name or a number that there is none of."""

_BAR = 24
"""Cells of the longest bar."""
_WIDE = 200
"""Cells of a line that goes to no terminal."""
_ROOMY = 100
"""Cells from which on a table has bars, too."""
_COLOURS = {
    "corrected": "cyan",
    "assumed": "blue",
    "refused": "yellow",
    "absent": "red",
    "advised": "magenta",
    "observed": "bright_black",
}
_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def moment(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """Return the seconds since the epoch that `7d` or a date stands for."""
    if value is None:
        return None
    if span := re.fullmatch(r"(\d{1,6})([mhdw])", value):
        return time.time() - int(span[1]) * _UNITS[span[2]]
    try:
        return datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        message = f"{value!r} is neither like 30m, 12h, 7d or 2w nor a date"
        raise click.BadParameter(message) from error


@click.command("stats", short_help="Show what the interceptions add up to.")
@click.option(
    "--since",
    metavar="TIME",
    callback=moment,
    help="Count what came after: 30m, 12h, 7d, 2w ago, or a date (2026-11-01). All by default.",
)
@click.option("--project", is_flag=True, help="Count the project around this folder alone.")
@click.option("--by", type=click.Choice(get_args(By)), help="Tell them apart by this.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(since: float | None, project: bool, by: By | None, as_json: bool) -> int:
    """Show how many paths were wrong, what was done about them, and what that was worth."""
    path, found, bad = _read(since, project_here() if project else "")
    if bad:
        click.echo(f"no events in {counted(bad, 'line')} of {plain(path)}", err=True)
    if as_json:
        click.echo(json.dumps(_data(found, by), separators=(",", ":")))
    elif not found.misses:
        click.echo(nothing(path, since, project=project), err=True)
    else:
        _show(found, by)
    return FINE


def nothing(journal: str, since: float | None, *, project: bool) -> str:
    """Say that a journal holds nothing of what was asked for."""
    where, when = " in this project" if project else "", "yet" if since is None else "since then"
    return f"nothing was intercepted{where} {when} (journal: {plain(journal)})"


def _read(since: float | None, project: str) -> tuple[str, Aggregate, int]:
    from truepath.config.user_dirs import state_folder
    from truepath.journal.journal import EventReader, journal_path

    path = journal_path(state_folder(os.environ))
    reader = EventReader(path, since=since, project=project)
    return path, account(reader.read(), now=time.time()), reader.bad


def _data(found: Aggregate, by: By | None) -> Mapping[str, Any]:
    times = [each.time for each in found.misses]
    data: dict[str, Any] = {
        "first": min(times, default=None),
        "last": max(times, default=None),
        "total": summarise(found).to_dict(),
    }
    if by is not None:
        groups = split(found, by).items()
        data |= {"by": by, "groups": {name: summarise(each).to_dict() for name, each in groups}}
    return data


def _show(found: Aggregate, by: By | None) -> None:
    total = summarise(found)
    click.secho(_title(found, total), bold=True)
    for line in _summary(total):
        click.echo(line)
    if by is not None:
        click.echo()
        for line in _groups(found, by, bars=_width() >= _ROOMY):
            click.echo(line)


def _width() -> int:
    """Return the cells of a line; what goes to no terminal is not cut to a width nobody sees."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDE


def _title(found: Aggregate, total: Figures) -> str:
    days = [time.strftime("%Y-%m-%d", time.localtime(found.misses[at].time)) for at in (0, -1)]
    when = days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"
    return f"{counted(total.misses, 'path')} not there, {when}"


def _summary(total: Figures) -> Iterator[str]:
    most = max(total.outcomes.values())
    rows = []
    for outcome in OUTCOMES:
        if number := total.outcomes[outcome]:
            bar = click.style(_bar(number, most), fg=_COLOURS[outcome])
            rows.append(
                (OUTCOME_WORDS[outcome], f"{number:,}", f"{bar}  {number / total.misses:.0%}")
            )
    if told := _answers(total):
        rows.append(("the agent then", "", click.style(told, dim=True)))
    rows += [(name, figure, click.style(note, dim=True)) for name, figure, note in facts(total)]
    for row in columns(rows, right=(1,)):
        yield "  ".join(row).rstrip()


def _answers(total: Figures) -> str:
    """Say what the agent made of the answers, with the number of each."""
    numbers = ((words, total.answers[kind]) for kind, words in ANSWER_WORDS.items())
    return " · ".join(f"{words} {number:,}" for words, number in numbers if number)


def facts(total: Figures) -> Sequence[tuple[str, str, str]]:
    """Return what else there is to say, as (what, the number, what it is a number of)."""
    share = total.adoption
    took = NOTHING if total.median_us is None else duration(total.median_us / 1e6)
    late = NOTHING if total.late_us is None else duration(total.late_us / 1e6)
    return (
        (
            "answers taken",
            NOTHING if share is None else f"{share:.0%}",
            f"{total.taken:,} of {total.offered:,} that named a path",
        ),
        ("loops broken", f"{total.broken:,}", f"of {total.loops:,}"),
        ("calls saved", f"{total.saved:,}", SAVED_RULE),
        ("time added", took, f"from the hook's start, in the median; 95 % of misses within {late}"),
    )


def _groups(found: Aggregate, by: By, *, bars: bool) -> Iterator[str]:
    groups = {name: summarise(each) for name, each in split(found, by).items()}
    most = max(each.misses for each in groups.values())
    rows = [(plain(name) or NOTHING, *group_cells(each)) for name, each in groups.items()]
    head, *lines = table((by, *GROUP_HEADS), rows).splitlines()
    yield click.style(head, dim=True)
    for line, each in zip(lines, groups.values(), strict=True):
        bar = click.style(_bar(each.misses, most, cells=10), fg="cyan")
        yield f"{line}  {bar}" if bars else line


_GROUP_OUTCOMES = ("corrected", "assumed", "refused", "absent")
GROUP_HEADS = ("misses", *_GROUP_OUTCOMES, "taken", "loops", "saved", "added")


def group_cells(each: Figures) -> Sequence[str]:
    """Return a group's cells under `GROUP_HEADS`."""
    share = each.adoption
    return (
        f"{each.misses:,}",
        *(f"{each.outcomes[outcome]:,}" for outcome in _GROUP_OUTCOMES),
        NOTHING if share is None else f"{share:.0%}",
        f"{each.broken:,}/{each.loops:,}" if each.loops else NOTHING,
        f"{each.saved:,}",
        NOTHING if each.median_us is None else duration(each.median_us / 1e6),
    )


def _bar(number: int, most: int, *, cells: int = _BAR) -> str:
    """Return a bar of eighths of a cell; anything above nothing is seen."""
    eighths = max(1, round(8 * cells * number / most)) if number else 0
    return "█" * (eighths // 8) + ("▏▎▍▌▋▊▉"[eighths % 8 - 1] if eighths % 8 else "")
