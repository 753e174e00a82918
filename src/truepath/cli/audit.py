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
from importlib import import_module
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.terminal import counted, padded, plain, table, width

if TYPE_CHECKING:
    from truepath.audit.figures import By, Figures
    from truepath.audit.record import Record
    from truepath.audit.sources import Source
    from truepath.audit.table import Table

_DAYS = {"d": 1, "w": 7}

_KEPT = 200
"""Records that are kept at once."""

_NAME = 66
"""Characters of a session's name."""


@click.command("audit", short_help="Show what wrong paths cost, from the transcripts you have.")
@click.argument("paths", metavar="[PATHS...]", nargs=-1, type=click.Path())
@click.option("--since", metavar="WHEN", help="Only sessions since WHEN: 30d, 4w or 2026-03-01.")
@click.option("--project", metavar="DIR", help="Only sessions in DIR or below it.")
@click.option(
    "--repo", metavar="DIR", help="The project's repository, where sessions ran elsewhere."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--parquet", metavar="OUT", help="Write every row into OUT: a file, or a folder/.")
@click.option("--html", metavar="FILE", help="Write a page with charts into FILE.")
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

    PATHS are transcripts, folders of them, or repositories with Entire's branch of checkpoints; or
    Parquet that --parquet wrote, here or elsewhere. Each may be a URL. By default they are all that
    the agent programs on this machine have kept. Nothing leaves the machine.
    """
    if options["price"] is not None and not 0 <= options["price"] < float("inf"):
        raise click.UsageError("--price is what a million tokens cost")
    began = time.monotonic()
    table = _table(paths, options)
    if not table.ask("SELECT 1 FROM sessions WHERE format <> '' LIMIT 1"):
        where = ", ".join(paths) or "the folders of agent programs"
        click.echo(f"no transcripts in {plain(where)}", err=True)
        return NOT_ALL
    if options["redact"]:
        from truepath.audit.record import redacted
        from truepath.audit.table import of_records

        key = secrets.token_bytes(16)
        table = of_records(redacted(record, key) for record in table.records())
    found = _write(table, options)
    told = f"{counted(found.sessions, 'session')} in {time.monotonic() - began:.1f} s"
    bad = f"; {counted(found.bad_lines, 'bad line')}" if found.bad_lines else ""
    unread = f"; {counted(len(found.unread), 'transcript')} unreadable" if found.unread else ""
    click.echo(told + bad + unread, err=True)
    return FINE


def _table(paths: Sequence[str], options: dict[str, Any]) -> Table:
    """Return the table of what PATHS hold: transcripts, or rows that an audit wrote before."""
    from truepath.audit.table import of_parquet, of_records

    project = os.path.abspath(options["project"]) if options["project"] else ""
    since = _since(options["since"])
    written = [path for path in paths if path.rstrip("/").endswith(".parquet")]
    if not written:
        return of_records(_audited(paths, since, options), since=since, project=project)
    if len(written) < len(paths):
        raise click.UsageError("transcripts and Parquet cannot be mixed: --parquet the first")
    return of_parquet(written, since=since, project=project)


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


def _audited(
    paths: Sequence[str], since: float | None, options: dict[str, Any]
) -> Iterator[Record]:
    """Yield the records of all transcripts; those of unchanged ones as they were kept."""
    from truepath.audit.audit import Auditor
    from truepath.audit.kept import Kept
    from truepath.audit.sources import Source

    run = import_module(f"truepath.audit.{options['engine']}").run
    repo = os.path.abspath(options["repo"]) if options["repo"] else ""
    kept = Kept(os.environ, repo)
    sources = [each for each in _sources(paths) if since is None or _is_newer(each, since)]
    rest = set(sources)
    for record in () if options["fresh"] else kept.known(sources):
        rest.discard(Source(record.source, record.part))
        yield record
    new: list[Record] = []
    todo = [source for source in sources if source in rest]
    try:
        for record in _shown(run(todo, Auditor(repo=repo)), len(todo)):
            new.append(record)
            if len(new) == _KEPT:
                kept.keep(new)
                new.clear()
            yield record
    finally:  # what an interrupted audit has read is not read again
        kept.keep(new)


def _shown(records: Iterator[Record], total: int) -> Iterator[Record]:
    """Yield records, and draw how far that is, where a person sees it."""
    if not sys.stderr.isatty():
        yield from records
        return
    with click.progressbar(
        records,
        label="reading",
        length=total,
        show_pos=True,
        update_min_steps=max(1, min(20, total // 100)),
        file=sys.stderr,
    ) as bar:
        yield from bar


def _write(table: Table, options: dict[str, Any]) -> Figures:
    from truepath.audit.figures import add_up

    found = add_up(table)
    if options["parquet"]:
        from truepath.audit.parquet import write

        count = write(table.rows(), options["parquet"])
        click.echo(f"{counted(count, 'row')} in {plain(options['parquet'])}", err=True)
    if options["html"]:
        from truepath.audit.page import page

        with open(options["html"], "w", encoding="utf-8") as file:
            file.write(page(found, price=options["price"]))
    if options["as_json"]:
        told = {"version": 1, **found.to_dict()}
        if options["price"] is not None:
            told["price"] = round(found.price(options["price"]), 4)
        click.echo(json.dumps(told))
    else:
        click.echo("\n\n".join(_screen(found, options["price"])))
    return found


def _screen(found: Figures, price: float | None) -> Iterator[str]:
    """Yield parts that fit a screen of 80 by 24, with the two lines that come after them."""
    yield "\n".join(_facts(found, price))
    yield _beside(_would(found), _group(found, "model", 24, 5))
    sizes: tuple[tuple[By, int], ...] = (("cause", 20), ("tool", 18), ("host", 14))
    yield _beside(*(_group(found, by, cells, 3) for by, cells in sizes))
    if found.worst:
        yield _worst(found)


def _facts(found: Figures, price: float | None) -> Iterator[str]:
    share = f"{found.per_thousand:.1f} of 1,000"
    yield click.style(
        f"{counted(found.missed_calls, 'call')} of {found.calls:,} missed a path ({share})",
        bold=True,
    )
    cost = f" ({found.price(price):,.2f} at {price:g} a million)" if price is not None else ""
    lost = f"{counted(found.calls_lost, 'call')}, {found.seconds_lost / 60:,.0f} min"
    yield f"lost: {lost}, {found.tokens_lost:,} tokens{cost}"
    longest = f" (up to {found.longest_loop} turns)" if found.loops else ""
    alarms = counted(len(found.alarms), "false alarm")
    partial = f"; {found.partial:,} misses without the project" if found.partial else ""
    yield f"{counted(found.loops, 'loop')}{longest}; {alarms}{partial}"


def _would(found: Figures) -> list[str]:
    rows = [
        (
            would.replace("_", " "),
            f"{sum(verdicts.values()):,}",
            *(f"{n:,}" for n in verdicts.values()),
        )
        for would, verdicts in found.would.items()
    ]
    return table(("would have", "misses", "right", "wrong", "unknown"), rows).split("\n")


def _group(found: Figures, by: By, cells: int, most: int) -> list[str]:
    rows = [
        (_cut(plain(name) or "-", cells), f"{group.misses:,}")
        for name, group in found.by[by].items()
        if group.misses
    ]
    return table((by, "misses"), rows[:most]).split("\n")


def _beside(*blocks: list[str]) -> str:
    sizes = [max(map(width, block)) for block in blocks]
    return "\n".join(
        "   ".join(padded(line, size) for line, size in zip(lines, sizes, strict=True)).rstrip()
        for lines in zip_longest(*blocks, fillvalue="")
    )


def _worst(found: Figures) -> str:
    rows = [
        (_tail(plain(each.part or each.source)), f"{each.calls_lost:,}") for each in found.worst
    ]
    return table(("the sessions that lost most", "calls lost"), rows)


def _cut(text: str, cells: int) -> str:
    return text if len(text) <= cells else f"{text[: cells - 3]}..."


def _tail(text: str) -> str:
    return text if len(text) <= _NAME else f"...{text[3 - _NAME :]}"
