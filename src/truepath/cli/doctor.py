"""`truepath doctor`: whether agent programs with truepath's hooks really call it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from json import dumps
from time import time
from typing import TYPE_CHECKING

import click

from truepath import __version__
from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.hosts import chosen, environment, names
from truepath.cli.log import told_losses
from truepath.cli.options import json_option, project_option, root_of
from truepath.cli.stats import failure_row, this_week
from truepath.cli.terminal import counted, padded, show
from truepath.config.settings import load
from truepath.config.user_dirs import state_folder
from truepath.hosts import HOSTS, find
from truepath.install.checks import CheckResult, look, of_host, of_system
from truepath.journal.event import Event
from truepath.journal.journal import EventReader, JsonlSink, journal_path
from truepath.journal.statistics import failures, with_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truepath.hosts.host import Host


@click.command("doctor")
@click.argument(
    "name", metavar="[HOST]", required=False, default="", shell_complete=names
)
@project_option
@json_option
def command(name: str, project: str | None, as_json: bool) -> int:
    """Check every agent program whose settings, yours or the project's, have truepath's
    hooks; with HOST only that one. Each hook is called as the program calls it. A fault
    comes with what to do about it; a note is no fault.

    Exits with 1 when there is a fault, or nothing is installed.
    """
    hosts = [chosen(name)] if name else [find(each) for each in HOSTS]
    findings = _findings(hosts, root_of(project))
    if len(findings) == 1:  # the system's only
        text = f"no agent program calls truepath; HOST is one of {', '.join(HOSTS)}"
        if name:
            text = f"{hosts[0].TITLE} does not call truepath"
        fix = f"truepath install {hosts[0].NAME if name else 'HOST'}"
        findings[""].append(CheckResult("hooks", "fault", text, fix))
    listed = [
        {"host": host, **each._asdict()}
        for host, told in findings.items()
        for each in told
    ]
    is_well = all(each["level"] != "fault" for each in listed)
    if as_json:
        click.echo(dumps({"well": is_well, "findings": listed}))
    else:
        _show(findings)
    return FINE if is_well else NOT_ALL


def _findings(hosts: Sequence[Host], root: str) -> dict[str, list[CheckResult]]:
    """Return what was found: for "" the system's, then for each host that has any."""
    environ = environment()
    events: Sequence[Event] = ()
    with suppress(OSError):  # which the check of the journal says
        events = [*EventReader(journal_path(state_folder(environ))).read()]
    findings = {"": [*of_system(environ, root), *_journal(environ, root, events)]}
    if line := this_week(with_ends(events)):
        findings[""].append(CheckResult("worth", "note", line))
    # Calls that a program ran as they were written, though truepath had corrected them.
    dropped = Counter(
        event.host
        for event in events
        if event.event == "path.ended" and event.end == "dropped"
    )
    for host in hosts:
        told = [*of_host(look(host, environ, root))]
        if count := dropped[host.NAME]:
            what = "it was" if count == 1 else "they were"
            text = f"{counted(count, 'call')} ran as written, though {what} corrected"
            told.append(CheckResult("corrections", "note", text))
        if told:
            findings[host.NAME] = told
    return findings


_HARMLESS = ("no answer", "EventError")
"""How an error begins that is not to be mended in truepath: an answer only took too
long, or there was no event to answer."""


def _journal(
    environ: Mapping[str, str], root: str, events: Sequence[Event]
) -> Iterator[CheckResult]:
    """Write an event and read it back, and report what is lost, and the errors of
    truepath among the events.
    """
    path = journal_path(state_folder(environ))
    if not load(root, environ).journal:
        yield CheckResult("journal", "note", "off: nothing is recorded")
        return
    tried = Event(event="journal.tried", time=time(), host="truepath", project=root)
    try:
        JsonlSink(path).write(tried)
        newest = EventReader(path).read(backwards=True)
        found = any(event.id == tried.id for event in newest)
        problem = "" if found else "it is not there"
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        text = f"an event could not be written and read back: {problem}"
        fix = f"make room for {path}, and make it writable"
        yield CheckResult("journal", "fault", text, fix)
    else:
        yield CheckResult("journal", "ok", path)
    if line := told_losses(None):
        yield CheckResult("journal", "note", line)
    # An error of this version is a fault.
    for failure, versions in failures(events).items():
        calls = counted(sum(versions.values()), "call")
        known = failure_row(failure, versions)[-1]
        text = f"{calls} went on unchecked: {failure} (version {known})"
        if __version__ not in versions or failure.startswith(_HARMLESS):
            yield CheckResult("failures", "note", text)
        else:
            fix = "report it, with `truepath log --all --event guard.failed --json`"
            yield CheckResult("failures", "fault", text, fix)


def _show(findings: Mapping[str, Sequence[CheckResult]]) -> None:
    """Print the findings, each host's below its title."""
    for host, told in findings.items():
        if host:
            click.secho(find(host).TITLE, bold=True)
        rows: list[Sequence[str]] = []
        for check, level, text, fix in told:
            rows.append(("", padded(level, 5), padded(check, 12), text))
            if fix.startswith(("truepath ", "git ")):
                rows.append(("", "", "", f"-> run `{fix}`"))
            elif fix:
                rows.append(("", "", "", f"-> {fix}"))
        show(rows)
