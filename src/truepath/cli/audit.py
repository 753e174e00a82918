"""`truepath audit`: what tool calls failed on, and what wrong paths cost, in
transcripts.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from truepath.audit import parquet
from truepath.audit.engines import carry_out
from truepath.audit.figures import add_up, chosen
from truepath.audit.page import page
from truepath.audit.pool import audited, planned
from truepath.audit.project import is_project
from truepath.audit.record import redacted
from truepath.audit.sources import SUFFIXES, homes
from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.log import read
from truepath.cli.options import files, since_option
from truepath.cli.terminal import counted, near, plain, show
from truepath.config.files import is_regular_or_absent, write
from truepath.config.user_dirs import make_private, state_folder
from truepath.journal.statistics import cost_file, followed

if TYPE_CHECKING:
    from truepath.audit.figures import Figures
    from truepath.audit.record import Rows

_PATHS = 5
"""Missed paths on the screen."""

_MODELS = 5
"""Models on the screen."""

_MISSED = 10.0
"""Calls of 1,000 that may miss a path with --strict: four of the six programs that
docs/audit.md counts stay below."""

_CLASSES = 12
"""Classes of failures on the screen."""

_PROBLEMS = 10
"""Unreadable transcripts that are named on the screen."""

_EXAMPLES = """\b
Examples:
  truepath audit                              all sessions on this machine
  truepath audit ~/src/shop --html page.html  those of one project, as a page
  truepath audit runs/ --repo ~/src/shop      transcripts from elsewhere
"""


@click.command("audit", epilog=_EXAMPLES)
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
    help="Write every row into OUT: a file, or with --engine a folder.",
)
@click.option(
    "--html", metavar="FILE", shell_complete=files, help="Write a page into FILE."
)
@click.option(
    "--redact", is_flag=True, help="Put a hash in place of every name in a path."
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray", "spark"]),
    default="local",
    show_default=True,
    help="Read transcripts on this machine, a Ray cluster or Spark, whose workers "
    "write their rows into the folder OUT.parquet of --parquet.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="End with 1 if more calls missed a path, or failed, than is allowed.",
)
@click.option(
    "--max-missed",
    type=click.FloatRange(0, 1000),
    metavar="N",
    help="With --strict: calls of 1,000 that may miss a path; 10 unless told.",
)
@click.option(
    "--max-failed",
    type=click.FloatRange(0, 1000),
    metavar="N",
    help="With --strict: calls of 1,000 that may fail, for any reason.",
)
def command(paths: tuple[str, ...], since: float | None, **options: Any) -> int:
    """Show what wrong paths cost, from the transcripts that agent programs keep.

    PATHS are repositories, whose sessions are looked for; transcripts, or folders of
    them; or Parquet that --parquet wrote. By default they are all sessions that the
    agent programs on this machine have kept. Nothing leaves the machine.
    """
    _fail_if_unfit(paths, options)
    records = chosen(_records(paths, since, options), since)
    if not any(rows[0]["format"] for rows in records):
        click.echo(plain(_nothing(paths, since)), err=True)
        _tell_problems([*filter(None, (rows[0]["problem"] for rows in records))])
        return NOT_ALL
    if options["redact"]:
        key = secrets.token_bytes(16)
        records = [redacted(rows, key) for rows in records]
    found = add_up(records)
    # The Parquet of an engine is what its workers have written.
    if options["parquet"] and options["engine"] == "local":
        parquet.write(chain.from_iterable(records), options["parquet"])
    if options["html"]:
        after = {} if paths else followed([*read(None, since)])
        _write(page(found, after).encode(), options["html"])
    if not paths:
        _keep_cost(found)
    if options["as_json"]:
        click.echo(json.dumps(found))
    else:
        _show(found, _remedy(paths, options["repo"]))
    formats = (f"{name} {count:,}" for name, count in found["formats"].items())
    told = f"{counted(found['sessions'], 'session')}: {', '.join(formats)}"
    if found["unread"]:
        told += f"; {counted(len(found['unread']), 'transcript')} unreadable"
    show([(told,)], err=True)
    _tell_problems(found["unread"])
    return _judge(found, options) if options["strict"] else FINE


def _judge(found: Figures, options: Mapping[str, Any]) -> int:
    """Print which limits of --strict are not kept, in one line; return the status."""
    missed = _MISSED if options["max_missed"] is None else options["max_missed"]
    limits = (
        ("per_thousand", "missed a path", missed, "--max-missed"),
        ("failed_per_thousand", "failed", options["max_failed"], "--max-failed"),
    )
    reasons = [
        f"{found[name]:.1f} of 1,000 calls {what}, which is more than {option} {most:g}"
        for name, what, most, option in limits
        if most is not None and found[name] > most
    ]
    if reasons:
        click.echo(f"not passed: {'; '.join(reasons)}", err=True)
    return NOT_ALL if reasons else FINE


def _keep_cost(found: Figures) -> None:
    """Keep what missed paths cost in the sessions of this machine, for `truepath
    stats`: four sums.
    """
    path = cost_file(state_folder(os.environ))
    sums = {name: found[f"{name}_lost"] for name in ("calls", "seconds", "tokens")}
    data = json.dumps({"missed": found["missed_calls"], **sums})
    with suppress(OSError):  # stats take the cost in public sessions then
        make_private(os.path.dirname(path))
        write(path, data.encode())


def _write(data: bytes, path: str) -> None:
    """Write a page, which its owner alone may read: it names paths of every project."""
    if is_regular_or_absent(os.path.realpath(path)):
        write(os.path.realpath(path), data)
    else:  # a pipe, or the terminal
        with open(path, "wb") as file:
            file.write(data)


def _fail_if_unfit(paths: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError for options that do not go together, or would do harm."""
    written = [path for path in paths if _is_parquet(path)]
    by_workers = options["engine"] != "local"
    repo = options["repo"]
    html = options["html"] or ""
    rows = options["parquet"] or ""
    is_limited = (options["max_missed"], options["max_failed"]) != (None, None)
    unfit = {
        "a transcript's name; --html and --parquet replace their file": (
            html.endswith(SUFFIXES) or rows.endswith(SUFFIXES)
        ),
        "transcripts and Parquet cannot be mixed: --parquet the first": (
            written and len(written) < len(paths)
        ),
        f"{'--repo' if repo else '--engine'} has no effect on Parquet, which is not "
        "judged anew: give the transcripts": written and (repo or by_workers),
        f"{f'--parquet {rows}' if rows else 'no --parquet'}: the name of the folder "
        "that the workers write into must end in .parquet, and all of them must reach "
        "it": by_workers and not _is_parquet(rows),
        "--redact works here alone: give it with the Parquet of the workers": (
            by_workers and options["redact"]
        ),
        "--max-missed and --max-failed are limits of --strict": (
            is_limited and not options["strict"]
        ),
    }
    for why, is_so in unfit.items():
        if is_so:
            raise click.UsageError(why)


def _remedy(paths: Sequence[str], repo: str | None) -> str:
    """Return what can be done about misses that cannot be judged."""
    if repo:
        return f"no commit in {near(repo)} fits"
    if any(map(_is_parquet, paths)):
        return "audit the transcripts with --repo DIR"
    return "give their repository, --repo DIR"


def _is_parquet(path: str) -> bool:
    return path.rstrip("/").endswith(".parquet")


def _records(
    paths: Sequence[str], since: float | None, options: Mapping[str, Any]
) -> Iterator[Rows]:
    """Yield the records of what PATHS hold: transcripts, or rows that an audit wrote
    before.
    """
    repo = options["repo"] or ""
    progress = _Progress()
    if paths and all(map(_is_parquet, paths)):
        yield from parquet.read(paths)
    elif options["engine"] == "local":
        yield from audited(paths, repo, since=since, report=progress.show)
    else:
        sources, audit = planned(paths, repo, since=since)
        for done in carry_out(options["engine"], sources, audit, options["parquet"]):
            progress.show(done, len(sources))
        yield from parquet.read([options["parquet"]])
    progress.end()


class _Progress:
    """How many transcripts are done: on a terminal, one line that goes at the end."""

    def __init__(self) -> None:
        self._is_seen = os.isatty(2)
        self._next = 0.0

    def show(self, done: int, of: int) -> None:
        if self._is_seen and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.2
            click.echo(f"\r{done:,} of {of:,} transcripts", nl=False, err=True)

    def end(self) -> None:
        if self._next:
            click.echo("\r\033[K", nl=False, err=True)


def _tell_problems(problems: Sequence[str]) -> None:
    """Print which transcripts are unreadable, and why."""
    for problem in problems[:_PROBLEMS]:
        click.echo(f"  {plain(problem)}", err=True)
    if problems[_PROBLEMS:]:
        click.echo(f"  and {len(problems) - _PROBLEMS:,} more: --json", err=True)


def _nothing(paths: Sequence[str], since: float | None) -> str:
    """Return a line that says where no transcript is, and what to give."""
    recent = " since then" if since else ""
    where = f"no transcripts{recent} in {', '.join(map(near, paths))}"
    if all(map(is_project, paths)):
        patterns = (os.path.join(*home[0]) for home in homes(os.environ) if home)
        folders = (os.path.dirname(pattern.partition("*")[0]) for pattern in patterns)
        of = f" of {', '.join(map(near, paths))}" if paths else ""
        where = f"no transcripts{recent}{of} in {', '.join(map(near, folders))}"
    told = "give files or folders that an agent program wrote: truepath audit PATHS"
    return f"{where}; {told}"


def _show(found: Figures, remedy: str) -> None:
    """Print how often, at what cost, and what would have come of it; then what calls
    failed on, the models if there are several, and the worst paths.
    """
    show(_summary(found, remedy))
    failures = [
        (
            f"{row['calls']:,}",
            f"{row['share']:.1%}",
            f"{row['per_thousand']:.1f}",
            f"{row['calls_lost']:,}",
            f"{row['class']} *" if row["acts"] else row["class"],
        )
        for row in found["failures"]
    ]
    _show_some(
        failures[:_CLASSES],
        ("failed", "share", "of 1,000", "lost", "why (*: truepath acts on it)"),
    )
    if failures[_CLASSES:]:
        more = counted(len(failures) - _CLASSES, "more kind")
        click.echo(f"and {more}: --html FILE or --json")
    models = [
        (
            f"{row['calls']:,}",
            f"{row['per_thousand']:.1f}",
            f"{row['low']:.1f} to {row['high']:.1f}",
            f"{row['calls_lost']:,}",
            f"{row['tokens_lost']:,}",
            row["model"] or "not told",
        )
        for row in found["models"]
    ]
    _show_some(
        models[:_MODELS] if len(models) > 1 else [],
        ("calls", "missed", "95% limits", "lost", "tokens", "of 1,000, by model"),
    )
    missed = (
        ((f"{path['times']:,}", path["target"]), ("", f"-> {path['answer']}"))
        for path in found["missed"][:_PATHS]
    )
    _show_some(
        [*chain.from_iterable(missed)],
        ("times", "missed path -> what truepath would have done"),
    )


def _show_some(rows: Sequence[Sequence[str]], head: Sequence[str]) -> None:
    """Print a table behind an empty line; nothing if it has no rows."""
    if rows:
        click.echo()
        show(rows, head=head)


def _summary(found: Figures, remedy: str) -> Iterator[Sequence[str]]:
    """Yield how often calls failed and missed, the cost, and what would have come of
    it.
    """
    calls = counted(found["calls"], "call")
    failures = found["failures"]
    mistakes = sum(row["calls"] for row in failures if row["what"] == "mistake")
    failed = f"{found['failed_calls']:,} of {calls}"
    yield "failed", f"{failed}, {mistakes:,} by a mistake of the call"
    if found["hidden"]:
        kinds = ", ".join(f"{row['class']} {row['calls']:,}" for row in found["hidden"])
        yield "hidden", f"{found['hidden_calls']:,} more ended well, but: {kinds}"
    rate = f"{found['per_thousand']:.1f} of 1,000"
    yield "missed", f"a path in {found['missed_calls']:,} of {calls} ({rate})"
    seconds = round(found["seconds_lost"])
    minutes = seconds // 60
    cost = [
        counted(found["calls_lost"], "more call"),
        counted(minutes, "minute") if minutes else counted(seconds, "second"),
    ]
    if found["tokens_lost"]:
        cost.append(counted(found["tokens_lost"], "token"))
    yield "cost", ", ".join(cost)
    yield "truepath", ", ".join(_told(found, remedy))
    if found["calls_saved"]:
        saved = counted(found["calls_saved"], "call")
        yield "saves", f"{saved}, with those repeated or cancelled after a miss"
    if found["answers"]:
        answers = f"{counted(found['answers'], 'answer')} that named a file"
        yield "followed", f"{found['answers_followed']:,} of {answers}"


def _told(found: Figures, remedy: str) -> Iterator[str]:
    """Yield what truepath would have done, a clause each; `remedy` is what can be done
    about misses that cannot be judged.
    """
    known = found["misses"] - found["unknown"]
    if known:
        yield f"runs {found['right']:,} of {known:,} on the right file"
        yield f"{found['wrong']:,} on a wrong one"
        if named := found["would"]["named"]["right"]:
            yield f"names the right file for {named:,} more"
    if known or not found["misses"]:
        yield f"touches {counted(len(found['alarms']), 'call')} that worked"
    if unknown := found["unknown"]:
        yield f"cannot judge {unknown:,}: {remedy}"
