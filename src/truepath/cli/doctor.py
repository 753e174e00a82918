"""`truepath doctor`: whether agent programs with truepath's hooks really call it."""

from __future__ import annotations

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
from truepath.cli.terminal import padded, show
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
    from truepath.install.checks import CheckResult
    from truepath.journal.event import Event


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
        findings[""].append(_not_called(hosts))
    is_well = not any(
        each.level == "fault" for told in findings.values() for each in told
    )
    if as_json:
        click.echo(dumps({"well": is_well, "findings": _listed(findings)}))
    else:
        _show(findings)
    return FINE if is_well else NOT_ALL


def _dropped(host: Host) -> Iterator[CheckResult]:
    """Report the calls that a program ran as they were written, though truepath had
    corrected them.
    """
    dropped = 0
    for event in _events():
        if event.end == "dropped" and event.host == host.NAME:
            dropped += event.event == "path.ended"
    if dropped:
        calls = "call" if dropped == 1 else "calls"
        text = f"{dropped} {calls} ran as written, though they were corrected"
        yield CheckResult("corrections", "note", text)


def _worth() -> Iterator[CheckResult]:
    """Say what truepath was worth in the last seven days."""
    if line := this_week(with_ends(_events())):
        yield CheckResult("worth", "note", line)


def _events() -> Sequence[Event]:
    """Return all events; none where the journal cannot be read, which another check
    says.
    """
    reader = EventReader(journal_path(state_folder(environment())))
    with suppress(OSError):
        return [*reader.read()]
    return ()


_HARMLESS = ("no answer", "EventError")
"""How an error begins that is not to be mended in truepath."""


def _journal(environ: Mapping[str, str], root: str) -> Iterator[CheckResult]:
    """Write an event and read it back, and report what is lost, and errors of
    truepath.
    """
    path = journal_path(state_folder(environ))
    if not load(root, environ).journal:
        yield CheckResult("journal", "note", "off: nothing is recorded")
        return
    problem = _problem_with(path, root)
    if problem:
        text = f"an event could not be written and read back: {problem}"
        fix = f"make room for {path}, and make it writable"
        yield CheckResult("journal", "fault", text, fix)
    else:
        yield CheckResult("journal", "ok", path)
    if line := told_losses(None):
        yield CheckResult("journal", "note", line)
    with suppress(OSError):
        for error, versions in failures(EventReader(path).read()).items():
            yield _of_failure(error, versions)


def _problem_with(path: str, root: str) -> str:
    """Return why an event cannot be written to a journal and read back; "" if it can
    be.
    """
    tried = Event(event="journal.tried", time=time(), host="truepath", project=root)
    try:
        JsonlSink(path).write(tried)
        newest = EventReader(path).read(backwards=True)
        found = any(event.id == tried.id for event in newest)
    except OSError as error:
        return error.strerror or str(error)
    return "" if found else "it is not there"


def _of_failure(error: str, versions: Mapping[str, int]) -> CheckResult:
    """Return what is to be said of an error of truepath: one of this version is a
    fault, unless an answer only took too long, or there was no event to answer.
    """
    _, count, known = failure_row(error, versions)
    calls = "1 call" if count == "1" else f"{count} calls"
    text = f"{calls} went on unchecked: {error} (version {known})"
    if __version__ not in versions or error.startswith(_HARMLESS):
        return CheckResult("failures", "note", text)
    fix = "report it, with `truepath log --all --event guard.failed --json`"
    return CheckResult("failures", "fault", text, fix)


def _findings(hosts: Sequence[Host], root: str) -> dict[str, list[CheckResult]]:
    """Return what was found: for "" the system's, then for each host that has any."""
    environ = environment()
    system = [*of_system(environ, root), *_journal(environ, root), *_worth()]
    findings = {"": system}
    for host in hosts:
        if told := [*of_host(look(host, environ, root)), *_dropped(host)]:
            findings[host.NAME] = told
    return findings


def _not_called(hosts: Sequence[Host]) -> CheckResult:
    """Return the fault that none of the hosts calls truepath."""
    if len(hosts) == 1:
        text = f"{hosts[0].TITLE} does not call truepath"
        name = hosts[0].NAME
    else:
        text = f"no agent program calls truepath; HOST is one of {', '.join(HOSTS)}"
        name = "HOST"
    return CheckResult("hooks", "fault", text, f"truepath install {name}")


def _listed(findings: Mapping[str, Sequence[CheckResult]]) -> list[dict[str, str]]:
    """Return the findings of all hosts as one list."""
    return [
        {"host": host, **each._asdict()}
        for host, told in findings.items()
        for each in told
    ]


def _show(findings: Mapping[str, Sequence[CheckResult]]) -> None:
    """Print the findings, each host's below its title."""
    for host, told in findings.items():
        if host:
            click.secho(find(host).TITLE, bold=True)
        show(row for each in told for row in _rows(each))


def _rows(finding: CheckResult) -> Iterator[Sequence[str]]:
    yield "", padded(finding.level, 5), padded(finding.check, 12), finding.text
    if finding.fix:
        is_command = finding.fix.startswith(("truepath ", "git "))
        yield (
            "",
            "",
            "",
            f"-> run `{finding.fix}`" if is_command else f"-> {finding.fix}",
        )
