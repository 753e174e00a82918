"""`truepath doctor`: whether the agent programs with truepath's hooks really call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.hosts import chosen, environment
from truepath.cli.options import json_option, project_option, root_of
from truepath.cli.terminal import padded, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truepath.install.checks import Finding

_COLOURS = {"ok": "green", "note": "yellow", "fault": "red"}
_LEVEL, _CHECK = 5, 12
"""Columns."""


@click.command("doctor", short_help="Check that agent programs call truepath, and say what to do.")
@click.argument("name", metavar="[HOST]", required=False, default="")
@project_option
@json_option
def command(name: str, project: str | None, as_json: bool) -> int:
    """Check each agent program whose settings, yours or the project's, have hooks of truepath; with
    HOST only that one. A fault comes with what to do about it.

    Exits with 1 when something is wrong, or nothing is installed.
    """
    from truepath.hosts import HOSTS, find
    from truepath.install.checks import Finding, look, of_host, of_system

    root, environ = root_of(project), environment()
    hosts = [chosen(name)] if name else [find(each) for each in HOSTS]
    found = {each.NAME: [*of_host(look(each, environ, root))] for each in hosts}
    found = {
        "": [*of_system(environ, root)],
        **{each: told for each, told in found.items() if told},
    }
    if len(found) == 1:
        host = hosts[0].NAME if name else f"HOST (one of {', '.join(HOSTS)})"
        fix = f"truepath install {host}"
        found[""].append(Finding("hooks", "fault", "truepath is not installed", fix))
    is_well = not any(each.level == "fault" for told in found.values() for each in told)
    if as_json:
        _print_json(found, is_well=is_well)
    else:
        _print(found)
    return FINE if is_well else NOT_ALL


def _print_json(found: Mapping[str, Sequence[Finding]], *, is_well: bool) -> None:
    from json import dumps

    listed = [{"host": host, **each._asdict()} for host, told in found.items() for each in told]
    click.echo(dumps({"well": is_well, "findings": listed}))


def _print(found: Mapping[str, Sequence[Finding]]) -> None:
    from truepath.hosts import find

    for host, told in found.items():
        if host:
            click.secho(find(host).TITLE, bold=True)
        for each in told:
            click.secho(f"  {padded(each.level, _LEVEL)}  ", fg=_COLOURS[each.level], nl=False)
            click.echo(f"{padded(each.check, _CHECK)}  {plain(each.text)}")
            if each.fix:
                click.echo(f"{' ' * (_LEVEL + _CHECK + 6)}-> {plain(each.fix)}")
