"""`truepath audit`: what wrong paths cost, in the transcripts that are there already."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.terminal import counted, plain, table

if TYPE_CHECKING:
    from truepath.audit.figures import By, Figures
    from truepath.audit.record import Record
    from truepath.audit.sources import Source

_DAYS = {"d": 1, "w": 7}

_ROWS = 4
"""Lines of a group: all of it is to fit on one screen."""


@click.command("audit", short_help="Show what wrong paths cost, from the transcripts you have.")
@click.argument("paths", metavar="[PATHS...]", nargs=-1, type=click.Path())
@click.option("--since", metavar="WHEN", help="Only sessions since WHEN: 30d, 4w or 2026-03-01.")
@click.option("--project", metavar="DIR", help="Only sessions in DIR or below it.")
@click.option(
    "--repo", metavar="DIR", help="The project's repository, where sessions ran elsewhere."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--parquet", metavar="FILE", help="Write every row into FILE (needs pyarrow).")
@click.option("--html", metavar="FILE", help="Write a page with charts into FILE.")
@click.option(
    "--export-cases", metavar="FILE", help="Write the misses into FILE for truepath eval."
)
@click.option("--redact", is_flag=True, help="Put a hash in place of every name in a path.")
@click.option("--price", type=float, metavar="N", help="What a million tokens cost.")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray", "spark"]),
    default="local",
    show_default=True,
    help="What reads the transcripts: this machine's cores, a Ray cluster, or Spark.",
)
@click.option("--fresh", is_flag=True, help="Read transcripts again that have not changed.")
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Show what wrong paths cost, from the transcripts that agent programs keep.

    PATHS are transcripts, folders of them, or repositories with Entire's branch of checkpoints, or
    Parquet that --parquet wrote, here or elsewhere; by default all that the agent programs on this
    machine have kept. Nothing leaves the machine.
    """
    tables = [path for path in paths if path.rstrip("/").endswith(".parquet")]
    if options["export_cases"] and (options["redact"] or tables):
        raise click.UsageError("--export-cases needs the transcripts, and the names in them")
    began, since = time.monotonic(), _since(options["since"])
    records = [record for path in tables for record in _rows(path)]
    if not tables or len(tables) < len(paths):
        rest = _sources([path for path in paths if path not in tables])
        sources = [source for source in rest if since is None or _is_newer(source, since)]
        records += _audited(sources, options)
    records = _chosen(records, since, options["project"])
    if not any(record.format for record in records):
        where = ", ".join(paths) or "the folders of agent programs"
        click.echo(f"no transcripts in {plain(where)}", err=True)
        return NOT_ALL
    if options["export_cases"]:
        _export(records, options)
    if options["redact"]:
        from truepath.audit.record import redacted

        key = secrets.token_bytes(16)
        records = [redacted(record, key) for record in records]
    _write(records, options)
    sessions = counted(sum(bool(record.format) for record in records), "session")
    click.echo(f"{sessions} in {time.monotonic() - began:.1f} s", err=True)
    return FINE


def _rows(path: str) -> list[Record]:
    from truepath.audit.parquet import read

    return read(path)


def _sources(paths: Sequence[str]) -> list[Source]:
    from truepath.audit.places import below, on_this_machine

    found = (source for path in paths for source in below(path))
    return list(dict.fromkeys(found if paths else on_this_machine(os.environ)))


def _since(text: str | None) -> float | None:
    if text is None:
        return None
    span = re.fullmatch(r"(\d{1,5})([dw])", text)
    if span:
        return time.time() - int(span[1]) * _DAYS[span[2]] * 86_400
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"--since {text!r} is neither a date nor like 30d or 4w") from None


def _is_newer(source: Source, since: float) -> bool:
    from truepath.audit.places import changed_at

    return changed_at(source) >= since


def _audited(sources: Sequence[Source], options: dict[str, Any]) -> list[Record]:
    """Return the records of all sources; those of unchanged ones as they were kept."""
    from truepath.audit.audit import Auditor
    from truepath.audit.kept import Kept

    run = import_module(f"truepath.audit.{options['engine']}").run
    repo = os.path.abspath(options["repo"]) if options["repo"] else ""
    kept = Kept(os.environ, repo)
    known = {} if options["fresh"] else kept.known(sources)
    rest = [source for source in sources if source not in known]
    records, new = list(known.values()), list[Any]()
    for record in _shown(run(rest, Auditor(repo=repo)), len(known), len(sources)):
        new.append(record)
        if len(new) == 200:  # what an interrupted audit has read is not read again
            kept.keep(new)
            records, new = records + new, []
    kept.keep(new)
    return records + new


def _shown(records: Iterator[Record], done: int, total: int) -> Iterator[Record]:
    shown = sys.stderr.isatty()
    for at, record in enumerate(records, done + 1):
        if shown and (at % 10 == 0 or at == total):
            click.echo(f"\rreading  {at:,} of {total:,}", nl=False, err=True)
        yield record
    if shown and total > done:
        click.echo(err=True)


def _chosen(records: Sequence[Record], since: float | None, project: str | None) -> list[Record]:
    from truepath.audit.figures import distinct

    place = os.path.abspath(project) if project else ""
    return [
        record
        for record in distinct(records)
        if (since is None or record.ended is None or record.ended >= since)
        and (not place or f"{record.project}/".startswith(f"{place}/"))
    ]


def _export(records: Sequence[Record], options: dict[str, Any]) -> None:
    from truepath.audit.cases import export

    repo = os.path.abspath(options["repo"]) if options["repo"] else ""
    count = export(records, options["export_cases"], repo=repo)
    click.echo(f"{counted(count, 'case')} in {plain(options['export_cases'])}", err=True)


def _write(records: Sequence[Record], options: dict[str, Any]) -> None:
    from truepath.audit.figures import add_up

    found = add_up(records)
    if options["parquet"]:
        from truepath.audit.parquet import write

        count = write(records, options["parquet"])
        click.echo(f"{counted(count, 'row')} in {plain(options['parquet'])}", err=True)
    if options["html"]:
        from truepath.audit.page import page

        with open(options["html"], "w", encoding="utf-8", errors="replace") as file:
            file.write(page(found, price=options["price"]))
    if options["as_json"]:
        told = {"version": 1, **found.to_dict()}
        if options["price"] is not None:
            told["price"] = round(found.price(options["price"]), 4)
        click.echo(json.dumps(told))
    else:
        click.echo("\n\n".join(_screen(found, options["price"])))


def _screen(found: Figures, price: float | None) -> Iterator[str]:
    yield "\n".join(_facts(found, price))
    yield _would(found)
    for by in ("host", "model", "tool", "cause"):
        if any(group.misses for group in found.by[by].values()):
            yield _group(found, by)
    if found.worst:
        yield _worst(found)


def _facts(found: Figures, price: float | None) -> Iterator[str]:
    share = f"{found.per_thousand:.1f} of 1,000"
    yield click.style(
        f"{counted(found.missed_calls, 'call')} of {found.calls:,} missed a path ({share})",
        bold=True,
    )
    cost = f", {found.price(price):,.2f} at {price:g} a million" if price is not None else ""
    lost = f"{counted(found.calls_lost, 'call')}, {found.seconds_lost / 60:,.0f} min"
    yield f"lost:   {lost}, {found.tokens_lost:,} tokens{cost}"
    yield f"loops:  {found.loops:,}" + (
        f", the longest of {found.longest_loop} turns" if found.loops else ""
    )
    yield f"false alarms: {len(found.alarms):,} (calls that worked and would have been touched)"
    if found.bad_lines or found.unread:
        yield f"{counted(found.bad_lines, 'bad line')}, {len(found.unread)} transcripts unreadable"


def _would(found: Figures) -> str:
    rows = [
        (
            would.replace("_", " "),
            f"{sum(verdicts.values()):,}",
            *(f"{n:,}" for n in verdicts.values()),
        )
        for would, verdicts in found.would.items()
    ]
    note = f"  ({found.partial:,} with the shown files alone)" if found.partial else ""
    return table(("truepath would have", "misses", "right", "wrong", "unknown"), rows) + note


def _group(found: Figures, by: By) -> str:
    groups = [(name, group) for name, group in found.by[by].items() if group.misses]
    rows = [
        (
            plain(name) or "-",
            f"{group.calls:,}" if group.calls else "",
            f"{group.misses:,}",
            f"{group.lost:,}",
        )
        for name, group in groups[:_ROWS]
    ]
    return table((by, "calls", "misses", "calls lost"), rows)


def _worst(found: Figures) -> str:
    from truepath.audit.figures import calls_lost

    rows = [(plain(_name(record)), f"{calls_lost(record):,}") for record in found.worst]
    return table(("the sessions that lost most", "calls lost"), rows)


def _name(record: Record) -> str:
    name = record.part.rpartition(":")[2] or record.source
    return name if len(name) <= 70 else f"...{name[-67:]}"
