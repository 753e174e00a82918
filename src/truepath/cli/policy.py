"""`truepath policy`: what truepath does about a wrong path, by operation, and for which reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from truepath.cli.app import FINE
from truepath.cli.options import json_option, policy_option, project_option
from truepath.cli.terminal import show
from truepath.config import presets

COLUMNS = ("look", "copy", "execute", "edit", "move", "delete")
"""What a reason tells apart; `look` is read, list and search."""


@click.command("policy", short_help="Show what happens to a wrong path, and for which reason.")
@click.option(
    "--instructions",
    is_flag=True,
    help="Print instead what to write into AGENTS.md or CLAUDE.md: how to read truepath's answers.",
)
@project_option
@policy_option
@json_option
def command(instructions: bool, as_json: bool, **options: str | None) -> int:
    """Show the rule of every operation under the policy of this project, and the reasons for which
    a candidate takes the place of a wrong path.
    """
    from truepath.cli.project import open_guard
    from truepath.guard.messages import rules_for_agents
    from truepath.resolve.reasons import REASONS

    if instructions:
        click.echo(rules_for_agents(), nl=False)
        return FINE
    settings = open_guard(**options).settings
    rules = presets.table(settings.policy, settings.rules)
    reasons = {each.name: {name: getattr(each, name) for name in COLUMNS} for each in REASONS}
    if as_json:
        data = {"policy": settings.policy, "rules": dict(rules), "reasons": reasons}
        click.echo(json.dumps(data))
        return FINE
    click.echo(f"policy {settings.policy}\n")
    rows: list[Sequence[str]] = []
    show((", ".join(each), rule, presets.MEANINGS[rule]) for rule, each in _by_value(rules).items())
    click.echo("\nof a path that does not exist, for which reason")
    for each in REASONS:
        permits = _by_value(reasons[each.name]).items()
        told = (("", f"{permit}: {', '.join(names)}") for permit, names in permits)
        rows += [(each.name, each.sentence), *told]
    show(rows)
    return FINE


def _by_value(values: Mapping[Any, str]) -> Mapping[str, Sequence[str]]:
    """Return each value with the names that have it; those of none are left out."""
    found: dict[str, list[str]] = {}
    for name, value in values.items():
        if value:
            found.setdefault(value, []).append(name)
    return found
