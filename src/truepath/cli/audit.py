"""`truepath audit`: what tool calls failed on, and what wrong paths cost, in
transcripts.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import files, since_option
from truepath.cli.terminal import counted, near, plain, show

if TYPE_CHECKING:
    from truepath.audit.figures import Figures
    from truepath.audit.record import Rows

_PATHS = 5
"""Missed paths on the screen."""

_CLASSES = 12
"""Classes of failures on the screen."""

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
@click.option(
    "--repo",
    metavar="DIR",
    shell_complete=files,
    help="The project's repository, if sessions ran elsewhere.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--parquet",
    metavar="OUT",
    shell_complete=files,
    help="Write every row into the file OUT.",
)
@click.option(
    "--html", metavar="FILE", shell_complete=files, help="Write a page into FILE."
)
@click.option(
    "--redact", is_flag=True, help="Put a hash in place of every name in a path."
)
def command(paths: tuple[str, ...], since: float | None, **options: Any) -> int:
    """Show what wrong paths cost, from the transcripts that agent programs keep.

    PATHS are repositories, whose sessions are looked for; transcripts, or folders of
    them; or Parquet that --parquet wrote. By default they are all sessions that the
    agent programs on this machine have kept. Nothing leaves the machine.
    """
    from truepath.audit.figures import add_up, chosen
    from truepath.audit.page import page
    from truepath.audit.parquet import write
    from truepath.audit.record import redacted
    from truepath.audit.sources import SUFFIXES

    if any((options[each] or "").endswith(SUFFIXES) for each in ("html", "parquet")):
        raise click.UsageError(
            "a transcript's name; --html and --parquet replace their file"
        )
    records = chosen(_records(paths, since, options), since)
    if not any(rows[0]["format"] for rows in records):
        click.echo(plain(_nothing(paths, since)), err=True)
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
        _show(found, options["repo"])
    told = counted(found["sessions"], "session")
    if bad := len(found["unread"]):
        told += f"; {counted(bad, 'transcript')} unreadable"
    click.echo(told, err=True)
    return FINE


def _records(
    paths: Sequence[str], since: float | None, options: dict[str, Any]
) -> Iterator[Rows]:
    """Return the records of what PATHS hold: transcripts, or rows that an audit wrote
    before.
    """
    from truepath.audit.parquet import read
    from truepath.audit.pool import audited

    written = [path for path in paths if path.rstrip("/").endswith(".parquet")]
    if not written:
        return audited(paths, options["repo"] or "", since=since)
    if len(written) < len(paths):
        raise click.UsageError(
            "transcripts and Parquet cannot be mixed: --parquet the first"
        )
    return read(written)


def _nothing(paths: Sequence[str], since: float | None) -> str:
    """Return a line that says where no transcript is, and what to give."""
    from truepath.audit.project import is_project
    from truepath.audit.sources import homes

    recent = " since then" if since else ""
    where = f"no transcripts{recent} in {', '.join(map(near, paths))}"
    if all(map(is_project, paths)):
        patterns = (os.path.join(*each[0]) for each in homes(os.environ) if each)
        folders = (near(os.path.dirname(each.partition("*")[0])) for each in patterns)
        of = f" of {', '.join(map(near, paths))}" if paths else ""
        where = f"no transcripts{recent}{of} in {', '.join(folders)}"
    told = "give files or folders that an agent program wrote: truepath audit PATHS"
    return f"{where}; {told}"


def _show(found: Figures, repo: str | None) -> None:
    """Print how often, at what cost, and what would have come of it; then what calls
    failed on, and the worst paths.
    """
    show(_summary(found, repo))
    failures = found["failures"]
    if failures:
        click.echo()
        show(map(_class, failures[:_CLASSES]), head=_HEAD)
    if failures[_CLASSES:]:
        more = counted(len(failures) - _CLASSES, "more kind")
        click.echo(f"and {more}: --html FILE or --json")
    if found["missed"]:
        click.echo()
        rows = list[Sequence[str]]()
        for path in found["missed"][:_PATHS]:
            rows.append((f"{path['times']:,}", path["target"]))
            rows.append(("", f"-> {path['answer']}"))
        show(rows, head=("times", "missed path -> what truepath would have done"))


def _summary(found: Figures, repo: str | None) -> Iterator[Sequence[str]]:
    """Yield how often calls failed and missed, the cost, and what would have come of
    it.
    """
    calls = counted(found["calls"], "call")
    mistakes = sum(
        row["calls"] for row in found["failures"] if row["what"] == "mistake"
    )
    by_mistake = f"{mistakes:,} by a mistake of the call"
    yield "failed", f"{found['failed_calls']:,} of {calls}, {by_mistake}"
    rate = f"{found['per_thousand']:.1f} of 1,000"
    yield "missed", f"a path in {found['missed_calls']:,} of {calls} ({rate})"
    yield "cost", ", ".join(_cost(found))
    yield "truepath", ", ".join(_told(found, repo))
    if found["answers"]:
        answers = f"{counted(found['answers'], 'answer')} that named a file"
        yield "followed", f"{found['answers_followed']:,} of {answers}"


def _cost(found: Figures) -> Iterator[str]:
    yield counted(found["calls_lost"], "more call")
    seconds = round(found["seconds_lost"])
    if seconds >= 60:
        yield counted(seconds // 60, "minute")
    else:
        yield counted(seconds, "second")
    if found["tokens_lost"]:
        yield counted(found["tokens_lost"], "token")


_HEAD = ("failed", "share", "of 1,000", "lost", "why (*: truepath acts on it)")


def _class(row: Mapping[str, Any]) -> Sequence[str]:
    share, lost = f"{row['share']:.1%}", f"{row['calls_lost']:,}"
    why = f"{row['class']} *" if row["acts"] else row["class"]
    return f"{row['calls']:,}", share, f"{row['per_thousand']:.1f}", lost, why


def _told(found: Figures, repo: str | None) -> Iterator[str]:
    """Yield what truepath would have done, a clause each."""
    known = found["misses"] - found["unknown"]
    if known:
        yield f"runs {found['right']:,} of {known:,} on the right file"
        yield f"{found['wrong']:,} on a wrong one"
        if named := found["would"]["named"]["right"]:
            yield f"names the right file for {named:,} more"
    if known or not found["misses"]:
        yield f"touches {counted(len(found['alarms']), 'call')} that worked"
    if unknown := found["unknown"]:
        why = "give their repository, --repo DIR"
        if repo:
            why = f"no commit in {near(repo)} fits"
        yield f"cannot judge {unknown:,}: {why}"
