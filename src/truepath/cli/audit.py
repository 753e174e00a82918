"""`truepath audit`: what wrong paths cost, in existing transcripts."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.terminal import counted, plain, table

if TYPE_CHECKING:
    from truepath.audit.figures import Figures
    from truepath.audit.record import Rows

_DAYS = {"d": 1, "w": 7}

_PATHS = 5
"""Missed paths on the screen."""

_EXAMPLES = """\b
Examples:
  truepath audit                              all sessions on this machine
  truepath audit ~/src/shop --html page.html  those of one project, as a page
  truepath audit runs/ --repo ~/src/shop      transcripts from elsewhere
"""


@click.command(
    "audit",
    short_help="Show what wrong paths cost, from the transcripts you have.",
    epilog=_EXAMPLES,
)
@click.argument("paths", metavar="[PATHS...]", nargs=-1, type=click.Path())
@click.option("--since", metavar="WHEN", help="Only sessions since WHEN: 30d, 4w or 2026-03-01.")
@click.option(
    "--repo", metavar="DIR", help="The project's repository, where sessions ran elsewhere."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--parquet", metavar="OUT", help="Write every row into the file OUT.")
@click.option("--html", metavar="FILE", help="Write a page into FILE.")
@click.option("--redact", is_flag=True, help="Put a hash in place of every name in a path.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray", "spark"]),
    default="local",
    show_default=True,
    help="What reads the transcripts: this machine's cores, a Ray cluster, or Spark.",
)
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Show what wrong paths cost, from the transcripts that agent programs keep.

    PATHS are repositories, whose sessions are looked for; transcripts, or folders of them; or
    Parquet that --parquet wrote. By default they are all sessions that the agent programs on this
    machine have kept. Nothing leaves the machine.
    """
    from truepath.audit.figures import add_up, chosen
    from truepath.audit.record import redacted

    began, since = time.monotonic(), _since(options["since"])
    records = chosen(_records(paths, since, options), since)
    if not any(rows[0]["format"] for rows in records):
        where = ", ".join(paths) or "the folders of agent programs"
        click.echo(f"no transcripts in {plain(where)}", err=True)
        return NOT_ALL
    if options["redact"]:
        key = secrets.token_bytes(16)
        records = [redacted(rows, key) for rows in records]
    found = add_up(records)
    _write(found, records, options)
    told = f"{counted(found['sessions'], 'session')} in {time.monotonic() - began:.1f} s"
    bad = f"; {counted(found['bad_lines'], 'bad line')}" if found["bad_lines"] else ""
    unread = (
        f"; {counted(len(found['unread']), 'transcript')} unreadable" if found["unread"] else ""
    )
    click.echo(told + bad + unread, err=True)
    return FINE


def _since(text: str | None) -> float | None:
    if text is None:
        return None
    if span := re.fullmatch(r"(\d{1,5})([dw])", text):
        return time.time() - int(span[1]) * _DAYS[span[2]] * 86_400
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"--since {text!r} is neither a date nor like 30d or 4w") from None


def _records(paths: Sequence[str], since: float | None, options: dict[str, Any]) -> Iterator[Rows]:
    """Yield the records of what PATHS hold: transcripts, or rows that an audit wrote before."""
    from truepath.audit.engines import audited
    from truepath.audit.parquet import read

    written = [path for path in paths if path.rstrip("/").endswith(".parquet")]
    if not written:
        repo = os.path.abspath(options["repo"]) if options["repo"] else ""
        yield from _shown(audited(paths, repo, since=since, engine=options["engine"]))
    elif len(written) < len(paths):
        raise click.UsageError("transcripts and Parquet cannot be mixed: --parquet the first")
    else:
        yield from read(written)


def _shown(records: Iterator[Rows]) -> Iterator[Rows]:
    """Yield records, and count them where a person sees it."""
    seen = sys.stderr.isatty()
    for count, rows in enumerate(records, 1):
        if seen and count % 20 == 0:
            click.echo(f"\rreading: {count:,}", nl=False, err=True)
        yield rows
    if seen:
        click.echo("\r\x1b[K", nl=False, err=True)


def _write(found: Figures, records: Sequence[Rows], options: dict[str, Any]) -> None:
    if options["parquet"]:
        from truepath.audit.parquet import write

        count = write((row for rows in records for row in rows), options["parquet"])
        click.echo(f"{counted(count, 'row')} in {plain(options['parquet'])}", err=True)
    if options["html"]:
        from truepath.audit.page import page

        with open(options["html"], "w", encoding="utf-8") as file:
            file.write(page(found))
    click.echo(json.dumps(found) if options["as_json"] else "\n\n".join(_screen(found)))


def _screen(found: Figures) -> Iterator[str]:
    """Yield parts that fit a screen of 80 by 24, with the two lines that come after them."""
    calls, lost = counted(found["missed_calls"], "call"), counted(found["calls_lost"], "call")
    missed = f"{calls} of {found['calls']:,} missed a path ({found['per_thousand']:.1f} of 1,000)"
    cost = f"lost: {lost}, {found['seconds_lost'] / 60:,.0f} min, {found['tokens_lost']:,} tokens"
    loops, alarms = counted(found["loops"], "loop"), counted(len(found["alarms"]), "false alarm")
    lines = [click.style(missed, bold=True), cost, f"{loops}; {alarms}"]
    if unknown := sum(found["would"]["unknown"].values()):
        lines.append(f"{unknown:,} without the project's files at that time: give --repo DIR")
    yield "\n".join(lines)
    if found["missed"]:
        answers = [
            (name.replace("_", " "), f"{sum(each.values()):,}", *map(str, each.values()))
            for name, each in found["would"].items()
            if any(each.values())
        ]
        yield table(("would have been", "misses", "right", "wrong", "unknown"), answers)
        paths = [
            (plain(row["target"]), plain(row["answer"]), f"{row['times']:,}")
            for row in found["missed"][:_PATHS]
        ]
        yield table(("missed path", "would have been", "times"), paths)
        yield "\n".join(_group(found, by) for by in ("model", "cause", "tool"))


def _group(found: Figures, by: str) -> str:
    rows = [(name, each["misses"]) for name, each in found["by"][by].items() if each["misses"]]
    return f"by {by}: " + ", ".join(f"{plain(name) or '-'} {count:,}" for name, count in rows[:3])
