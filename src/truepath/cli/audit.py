"""`truepath audit`: what wrong paths cost, in existing transcripts."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import since_option
from truepath.cli.terminal import counted, plain, show

if TYPE_CHECKING:
    from truepath.audit.figures import Figures
    from truepath.audit.record import Rows

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
@since_option
@click.option("--repo", metavar="DIR", help="The project's repository, if sessions ran elsewhere.")
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
def command(paths: tuple[str, ...], since: float | None, **options: Any) -> int:
    """Show what wrong paths cost, from the transcripts that agent programs keep.

    PATHS are repositories, whose sessions are looked for; transcripts, or folders of them; or
    Parquet that --parquet wrote. By default they are all sessions that the agent programs on this
    machine have kept. Nothing leaves the machine.
    """
    from truepath.audit.figures import add_up, chosen
    from truepath.audit.page import page
    from truepath.audit.parquet import write
    from truepath.audit.record import redacted

    began = time.monotonic()
    records = chosen(_records(paths, since, options), since)
    if not any(rows[0]["format"] for rows in records):
        where = ", ".join(paths) or "the folders of agent programs"
        click.echo(f"no transcripts in {plain(where)}", err=True)
        return NOT_ALL
    if options["redact"]:
        key = secrets.token_bytes(16)
        records = [redacted(rows, key) for rows in records]
    found = add_up(records)
    if options["parquet"]:
        write((row for rows in records for row in rows), options["parquet"])
    if options["html"]:
        with open(options["html"], "w", encoding="utf-8") as file:
            file.write(page(found))
    if options["as_json"]:
        click.echo(json.dumps(found))
    else:
        _show(found)
    told = f"{counted(found['sessions'], 'session')} in {time.monotonic() - began:.1f} s"
    if bad := len(found["unread"]):
        told += f"; {counted(bad, 'transcript')} unreadable"
    click.echo(told, err=True)
    return FINE


def _records(paths: Sequence[str], since: float | None, options: dict[str, Any]) -> Iterator[Rows]:
    """Return the records of what PATHS hold: transcripts, or rows that an audit wrote before."""
    from truepath.audit.engines import audited
    from truepath.audit.parquet import read

    written = [path for path in paths if path.rstrip("/").endswith(".parquet")]
    if not written:
        return audited(paths, options["repo"] or "", since=since, engine=options["engine"])
    if len(written) < len(paths):
        raise click.UsageError("transcripts and Parquet cannot be mixed: --parquet the first")
    return read(written)


def _show(found: Figures) -> None:
    """Print how often, at what cost, and what would have come of it; then the worst paths."""
    often = f"{found['per_thousand']:.1f} of 1,000 calls"
    often += f" ({found['missed_calls']:,} of {found['calls']:,})"
    lost = f"{counted(found['calls_lost'], 'call')}, {found['seconds_lost'] / 60:,.0f} min"
    tokens = f", {found['tokens_lost']:,} tokens" if found["tokens_lost"] else ""
    known = found["misses"] - found["unknown"]
    right = f"right in {found['right']:,} of {known:,}, wrong in {found['wrong']:,}"
    alarms = counted(len(found["alarms"]), "false alarm")
    told = [right, alarms] if known or not found["misses"] else []
    told += [f"{found['unknown']:,} unknown: give --repo DIR"] if found["unknown"] else []
    show([("missed", often), ("lost", lost + tokens), ("truepath", "; ".join(told))])
    if found["missed"]:
        click.echo()
        worst = found["missed"][:_PATHS]
        rows = ((row["target"], row["answer"], f"{row['times']:,}") for row in worst)
        show(rows, head=("missed path", "would have been", "times"))
