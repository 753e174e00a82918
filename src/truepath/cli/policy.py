"""`truepath policy`: what truepath does about a wrong path, by operation, and for which
reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
    from truepath.resolve.reasons import Reason

_PERMITS = (
    "look: read, list or search. corrected: the call runs with the other path, where "
    "it is likely enough. assumed: the call is shown the other file, with a note. "
    "recover: corrected by the rule recover alone."
)


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
    settings = open_guard(**options).settings
    # These are the rows that `preconditions = false` switches off.
    checks = CHECKS if settings.preconditions else ()
    needed = NEEDS if settings.preconditions else ()
    rules = dict(presets.table(settings.policy, settings.rules))
    changed = {row.effect: row.allows(rules) for row in effects.TABLE}
    reasons = {reason.name: _cells(reason) for reason in REASONS}
    vetoes = {veto.name: dict(veto.leaves) for veto in VETOES}
    of_call = {veto.name: veto.sentence for veto in PATH_VETOES}
    of_call.update({veto.name: veto.sentence for veto in CALL_VETOES})
    checked = [
        (check.name, ": ".join(filter(None, (check.sentence, check.before))))
        for check in checks
    ]
    needs = {need.name: need.files[0] for need in needed}
    if as_json:
        data = {
            "policy": settings.policy,
            "rules": rules,
            "effects": changed,
            "reasons": reasons,
            "vetoes": vetoes,
            "call_vetoes": of_call,
            "checks": dict(checked),
            "needs": needs,
        }
        click.echo(json.dumps(data))
        return FINE
    click.echo(f"policy {settings.policy}\n")
    why = {reason.name: reason.sentence for reason in REASONS}
    why_not = {veto.name: veto.sentence for veto in VETOES}
    tables: Sequence[tuple[Iterable[Sequence[str]], Sequence[str]]] = (
        (_of_rules(rules), ("operation", "rule", "a wrong path is")),
        (_of_effects(changed), ("effect", "changed", "what the whole call does")),
        (
            _table(why, reasons),
            ("reason", "why another path is meant, and what that permits"),
        ),
        ([(_PERMITS,)], ()),
        (
            _table(why_not, vetoes),
            ("held back", "why, and what that leaves"),
        ),
        (
            of_call.items(),
            ("by the call", "why a correction is not made, or nothing is told"),
        ),
        (checked, ("check", "when a call fails though its path exists")),
        (
            needs.items(),
            ("needed", "what a command needs in its folder or above"),
        ),
    )
    _show_all(tables)
    return FINE


def _show_all(tables: Sequence[tuple[Iterable[Sequence[str]], Sequence[str]]]) -> None:
    """Print tables with a line between them."""
    for place, (rows, head) in enumerate(tables):
        if place:
            click.echo()
        show(rows, head=head)


def _of_rules(rules: Mapping[Any, Any]) -> Iterator[Sequence[str]]:
    """Yield each rule with its operations and what it means."""
    for rule, names in _by_value(rules).items():
        yield ", ".join(names), rule, presets.MEANINGS[rule]


def _of_effects(changed: Mapping[Any, bool]) -> Iterator[Sequence[str]]:
    """Yield what a whole call may do, and whether it is changed."""
    for row in effects.TABLE:
        yield row.effect, "yes" if changed[row.effect] else "no", row.sentence


def _cells(reason: Reason) -> Mapping[str, str]:
    """Return what a reason permits for each operation; "" for nothing."""
    return {column: reason.cells.get(column, "") for column in COLUMNS}


def _table(
    sentences: Mapping[str, str], cells: Mapping[str, Mapping[Any, str]]
) -> Iterator[Sequence[str]]:
    """Yield each row of a table with its sentence, then its cells, by what they say."""
    for name, sentence in sentences.items():
        yield name, sentence
        for cell, columns in _by_value(cells[name]).items():
            yield "", f"{cell}: {', '.join(columns)}"


def _by_value(values: Mapping[Any, str]) -> Mapping[str, Sequence[str]]:
    """Return each value with the names that have it, without empty values."""
    found: dict[str, list[str]] = {}
    for name, value in values.items():
        if value:
            found.setdefault(value, []).append(name)
    return found
