"""`truepath policy`: what truepath does about a wrong path, by operation, and on which grounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from truepath.cli.app import FINE
from truepath.cli.project import open_project, options
from truepath.cli.terminal import columns
from truepath.config import presets
from truepath.config.presets import PRESETS, Rule
from truepath.resolve.grounds import GROUNDS
from truepath.types import Operation

RULES: Mapping[Rule, str] = {
    "correct": "corrected where the ground permits it, else refused with candidates",
    "assume": "corrected where the ground permits it; else shown the likely file, with a note; "
    "else refused with candidates",
    "recover": "as correct, also on the grounds that permit it to this rule alone",
    "refuse": "refused with candidates, never corrected",
    "guide": "let through; after a failure, the agent is told where to look",
    "observe": "let through and recorded",
    "protect": "let through; refused once where it looks like a typo of an existing path",
    "repair": "as protect, and a wrong folder is put right",
}

COLUMNS = ("look", "copy", "execute", "edit", "move", "delete")
"""What a ground tells apart; `look` is read, list and search."""


@click.command("policy", short_help="Show what happens to a wrong path, and on which grounds.")
@options
def command(root: str | None, cwd: str | None, policy: str | None) -> int:
    """Show the rule of every operation under the policy of this project, and of each policy; and
    the grounds on which a candidate takes the place of a wrong path.
    """
    project = open_project(root, cwd, policy)
    click.echo(f"policy {project.policy}\n")
    _print(_rule_rows(presets.table(project.policy, project.guard.settings.rules)))
    click.echo("\nthe policies")
    _print(_preset_rows())
    click.echo("\nwhat is done on which ground, of a path that does not exist")
    _print([("ground", *COLUMNS), *_ground_rows()])
    click.echo()
    _print([(ground.name, ground.sentence) for ground in GROUNDS])
    return FINE


def _print(rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> None:
    for cells in columns(rows):
        click.echo("  ".join(cells).rstrip())


def _rule_rows(rules: Mapping[Operation, Rule]) -> Iterator[Sequence[str]]:
    """Yield operations that have the same rule, and what it does."""
    for rule, operations in _by_rule(rules).items():
        yield ", ".join(operations), rule, RULES[rule]


def _preset_rows() -> Iterator[Sequence[str]]:
    for name, rules in PRESETS.items():
        parts = (f"{rule}: {', '.join(each)}" for rule, each in _by_rule(rules).items())
        yield name, "; ".join(parts)


def _by_rule(rules: Mapping[Operation, Rule]) -> Mapping[Rule, Sequence[Operation]]:
    found: dict[Rule, list[Operation]] = {}
    for operation, rule in rules.items():
        found.setdefault(rule, []).append(operation)
    return found


def _ground_rows() -> Iterator[Sequence[str]]:
    for ground in GROUNDS:
        yield (ground.name, *(getattr(ground, column) or "-" for column in COLUMNS))
