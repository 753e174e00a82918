"""`truepath policy`: what truepath does about a wrong path, by operation, and for which
reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from truepath.calls.shell.needs import NEEDS
from truepath.cli.app import FINE
from truepath.cli.options import json_option, policy_option, project_option
from truepath.cli.project import open_guard
from truepath.cli.terminal import show
from truepath.config import presets
from truepath.guard import effects
from truepath.guard.checks import CHECKS
from truepath.guard.messages import rules_for_agents
from truepath.guard.policy import CALL_VETOES, PATH_VETOES
from truepath.resolve.reasons import COLUMNS, REASONS
from truepath.resolve.vetoes import VETOES

if TYPE_CHECKING:
    from truepath.config.presets import Rule
    from truepath.config.settings import Settings
    from truepath.resolve.reasons import Reason
    from truepath.resolve.vetoes import Veto

_PERMITS = (
    "look: read, list or search. corrected: the call runs with the other path, where "
    "it is likely enough. assumed: the call is shown the other file, with a note. "
    "recover: corrected by the rule recover alone."
)


_LISTS = {
    "call_vetoes": (
        "by the call",
        "why a correction is not made, or nothing is told",
    ),
    "checks": ("check", "when a call fails though its path exists"),
    "needs": ("needed", "what a command needs in its folder or above"),
}
"""Field of --json -> the head of its table, where that is a name and a sentence."""


@click.command("policy")
@click.option(
    "--instructions",
    is_flag=True,
    help="Print text for AGENTS.md or CLAUDE.md instead: how to read truepath's "
    "answers.",
)
@project_option
@policy_option
@json_option
def command(instructions: bool, as_json: bool, **options: str | None) -> int:
    """Show what is done about a wrong path under this project's policy, by operation,
    and which calls may be changed at all. Then show the table of reasons: why another
    path is meant, and what each reason permits. Then show what holds such a path back,
    the checks of calls whose path exists, and what commands need in their folder.

    --json prints `policy`, `rules`, `effects`, `reasons`, `vetoes`, `call_vetoes`,
    `checks` and `needs`.
    """
    if instructions:
        click.echo(rules_for_agents(), nl=False)
        return FINE
    data = _data(open_guard(**options).settings)
    if as_json:
        click.echo(json.dumps(data))
        return FINE
    click.echo(f"policy {data['policy']}\n")
    for place, (head, rows) in enumerate(_tables(data)):
        if place:
            click.echo()
        show(rows, head=head)
    return FINE


def _data(settings: Settings) -> Mapping[str, Any]:
    """Return what --json prints."""
    rules = dict(presets.table(settings.policy, settings.rules))
    # These are the rows that `preconditions = false` switches off.
    checks = CHECKS if settings.preconditions else ()
    needs = NEEDS if settings.preconditions else ()
    return {
        "policy": settings.policy,
        "rules": rules,
        "effects": {row.effect: row.allows(rules) for row in effects.TABLE},
        "reasons": {
            reason.name: {column: reason.cells.get(column, "") for column in COLUMNS}
            for reason in REASONS
        },
        "vetoes": {veto.name: dict(veto.leaves) for veto in VETOES},
        "call_vetoes": {
            **{veto.name: veto.sentence for veto in PATH_VETOES},
            **{veto.name: veto.sentence for veto in CALL_VETOES},
        },
        "checks": {
            check.name: ": ".join(filter(None, (check.sentence, check.before)))
            for check in checks
        },
        "needs": {need.name: need.files[0] for need in needs},
    }


def _tables(
    data: Mapping[str, Any],
) -> Iterator[tuple[Sequence[str], Iterable[Sequence[str]]]]:
    """Yield each table: its head and its rows."""
    yield (
        ("operation", "rule", "a wrong path is"),
        [
            (", ".join(names), rule, presets.MEANINGS[cast("Rule", rule)])
            for rule, names in by_value(data["rules"]).items()
        ],
    )
    yield (
        ("effect", "changed", "what the whole call does"),
        [
            (row.effect, "yes" if data["effects"][row.effect] else "no", row.sentence)
            for row in effects.TABLE
        ],
    )
    yield (
        ("reason", "why another path is meant, and what that permits"),
        _table(REASONS, data["reasons"]),
    )
    yield (), [(_PERMITS,)]
    yield ("held back", "why, and what that leaves"), _table(VETOES, data["vetoes"])
    for name, head in _LISTS.items():
        yield head, data[name].items()


def _table(
    rows: Sequence[Reason | Veto], cells: Mapping[str, Mapping[Any, str]]
) -> Iterator[Sequence[str]]:
    """Yield each row of a table with its sentence, then its cells, by what they say."""
    for row in rows:
        yield row.name, row.sentence
        for cell, columns in by_value(cells[row.name]).items():
            yield "", f"{cell}: {', '.join(columns)}"


def by_value(values: Mapping[Any, str]) -> Mapping[str, Sequence[str]]:
    """Return each value with the names that have it, without empty values."""
    found: dict[str, list[str]] = {}
    for name, value in values.items():
        if value:
            found.setdefault(value, []).append(name)
    return found
