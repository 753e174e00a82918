"""`truepath doctor`: whether agent programs with truepath's hooks really call it."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.hosts import chosen, environment, names
from truepath.cli.options import json_option, project_option, root_of
from truepath.cli.terminal import padded, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truepath.install.checks import Finding


@click.command(
    "doctor", short_help="Check that agent programs call truepath, and say what to do."
)
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
    from truepath.hosts import HOSTS, find
    from truepath.install.checks import Finding, look, of_host, of_system

    root, environ = root_of(project), environment()
    hosts = [chosen(name)] if name else [find(each) for each in HOSTS]
    of_each = ((each.NAME, [*of_host(look(each, environ, root))]) for each in hosts)
    found = {
        "": [*of_system(environ, root)],
        **{host: told for host, told in of_each if told},
    }
    if len(found) == 1:
        text = f"no agent program calls truepath; HOST is one of {', '.join(HOSTS)}"
        text = f"{hosts[0].TITLE} does not call truepath" if name else text
        fix = f"truepath install {hosts[0].NAME if name else 'HOST'}"
        found[""].append(Finding("hooks", "fault", text, fix))
    is_well = not any(each.level == "fault" for told in found.values() for each in told)
    if as_json:
        listed = [
            {"host": host, **each._asdict()}
            for host, told in found.items()
            for each in told
        ]
        click.echo(dumps({"well": is_well, "findings": listed}))
        return FINE if is_well else NOT_ALL
    for host, told in found.items():
        if host:
            click.secho(find(host).TITLE, bold=True)
        show(row for each in told for row in _rows(each))
    return FINE if is_well else NOT_ALL


def _rows(finding: Finding) -> Iterator[Sequence[str]]:
    yield "", padded(finding.level, 5), padded(finding.check, 12), finding.text
    if finding.fix:
        is_command = finding.fix.startswith("truepath ")
        yield (
            "",
            "",
            "",
            f"-> run `{finding.fix}`" if is_command else f"-> {finding.fix}",
        )
