"""`truepath doctor`: whether the agent programs with truepath's hooks really call it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.hosts import chosen, project_here, setup_of
from truepath.cli.install import shared
from truepath.cli.terminal import padded, plain
from truepath.hook.command import client_command

if TYPE_CHECKING:
    from truepath.install.health import Finding

_COLOURS = {"ok": "green", "note": "yellow", "fault": "red"}
_LEVEL, _CHECK = 5, 12
"""Columns."""


@click.command("doctor", short_help="Check that agent programs call truepath, and say what to do.")
@click.argument("name", metavar="[HOST]", required=False, default="")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(name: str, as_json: bool) -> int:
    """Check each agent program whose settings, yours or those of the project around this folder,
    have hooks of truepath; with HOST only that one. A fault comes with what to do about it.

    Exits with 1 when something is wrong, or nothing is installed.
    """
    from truepath.hosts import HOSTS
    from truepath.install.health import Finding, of_host, of_system

    root = project_here()
    findings = [*of_system(os.environ, root)]
    installed = False
    name = chosen(name).NAME if name else ""
    for each in [name] if name else HOSTS:
        host = chosen(each)
        about = [*of_host(host, setup_of(host), client_command(each), os.environ, root)]
        if about:
            installed = True
            findings += about
            findings += [Finding(each, "rewriters", "note", text) for text in shared(host, root)]
    if not installed:
        fix = f"truepath install {name or 'HOST'} (one of {', '.join(HOSTS)})"
        fix = f"truepath install {name}" if name else fix
        findings.append(Finding(name, "hooks", "fault", "truepath is not installed", fix))
    faults = any(each.level == "fault" for each in findings)
    if as_json:
        _print_json(findings, well=not faults)
    else:
        _print(findings)
    return NOT_ALL if faults else FINE


def _print_json(findings: Sequence[Finding], *, well: bool) -> None:
    from json import dumps

    click.echo(dumps({"well": well, "findings": [asdict(each) for each in findings]}))


def _print(findings: Sequence[Finding]) -> None:
    from truepath.hosts import HOSTS, find

    about = ""
    for each in findings:
        if each.host != about:
            about = each.host
            click.secho(find(about).TITLE if about in HOSTS else about, bold=True)
        click.secho(f"  {padded(each.level, _LEVEL)}  ", fg=_COLOURS[each.level], nl=False)
        click.echo(f"{padded(each.check, _CHECK)}  {plain(each.text)}")
        if each.fix:
            click.echo(f"{' ' * (_LEVEL + _CHECK + 6)}-> {plain(each.fix)}")
