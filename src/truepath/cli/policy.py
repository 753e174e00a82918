"""`truepath policy`: what truepath does about a wrong path, by operation, and on which grounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from truepath.cli.app import FINE
from truepath.cli.project import open_project, options
from truepath.cli.terminal import columns, percent, table
from truepath.config import presets
from truepath.config.presets import Rule
from truepath.resolve import likely
from truepath.resolve.model import fitted
from truepath.resolve.permission import PERMITTED, Grounds
from truepath.types import READS, Operation

RULES: Mapping[Rule, str] = {
    "correct": "corrected on permitted grounds, else refused with candidates",
    "refuse": "refused with candidates, never corrected",
    "guide": "let through; after a failure, the agent is told where to look",
    "observe": "let through and recorded",
    "protect": "let through; refused once where it looks like a typo of an existing path",
    "repair": "as protect, and a typo in a folder's name is corrected",
}
SHOWN = "corrected on permitted grounds; else shown the likely file with a note; else refused"

GROUNDS: Mapping[Grounds, str] = {
    "itself": "the same path in another spelling",
    "recorded": "a rename that git records",
    "supposed": "one of these, after an assumption about the path",
    "contents": "the only file that holds the text to be replaced",
    "leading": "leading folders left out",
    "misspelt-folder": "one folder misspelt, or singular for plural",
    "name-alone": "a name alone",
    "beside": "a file beside the path",
}
COLUMNS: Mapping[str, Sequence[Operation]] = {
    "read, list, search": ("read", "list", "search"),
    "edit": ("edit",),
    "copy, execute": ("copy", "execute"),
    "move": ("move",),
    "delete": ("delete",),
}
"""Operations that share a column: the table of grounds makes no difference between them."""


@click.command("policy", short_help="Show what happens to a wrong path, and on which grounds.")
@options
def command(root: str | None, cwd: str | None, policy: str | None) -> int:
    """Show the rule of every operation under the policy of this project; how likely a candidate
    must be, on which grounds, to take the place of a wrong path; and how often that was right.
    """
    project = open_project(root, cwd, policy)
    settings = project.guard.settings
    rules, own = presets.table(project.policy, settings.rules), settings.thresholds
    click.echo(f"policy {project.policy}\n")
    for cells in columns(_rule_rows(rules, own)):
        click.echo("  ".join(cells).rstrip())
    click.echo("\n" + table(("likely enough to correct", *COLUMNS), _grounds_rows(own)))
    shows = {each for each, rule in rules.items() if rule == "correct" and each in READS}
    if shows - own.keys():
        click.echo(
            f"\nA call that only reads is shown a candidate from {percent(likely.LEAST)} that is "
            f"{likely.AHEAD:g} times as likely as the next."
        )
    click.echo("\nright and wrong corrections, measured on repositories that were not fitted on:")
    click.echo(table(("", "agents' reads", "edits", "git's renames", "as edits"), _rates()))
    return FINE


def _rule_rows(
    rules: Mapping[Operation, Rule], own: Mapping[Operation, float]
) -> Iterator[Sequence[str]]:
    """Yield operations that have the same rule, and what it does."""
    said: dict[str, list[str]] = {}
    for operation, rule in rules.items():
        shows = rule == "correct" and operation in READS and operation not in own
        said.setdefault(SHOWN if shows else RULES[rule], []).append(operation)
    for text, operations in said.items():
        yield ", ".join(operations), text


def _grounds_rows(own: Mapping[Operation, float]) -> Iterator[Sequence[str]]:
    """Yield how likely a candidate must be for each column, by its grounds."""
    for grounds, text in GROUNDS.items():
        row = PERMITTED[grounds]
        cells = []
        for group in COLUMNS.values():
            least = {max(row[each], own.get(each, 0.0)) for each in group if each in row}
            cells.append(" to ".join(map(percent, sorted(least))) or "never")
        yield (text, *cells)


def _rates() -> Iterator[Sequence[str]]:
    """Yield how many were right and wrong on each grounds that names alone can show."""
    measured = fitted().measured
    for grounds, text in GROUNDS.items():
        cells = [measured.get(grounds, {}).get(each, ()) for each in ("read", "edit")]
        if any(map(any, cells)):
            pairs = [counts[at : at + 2] for at in (0, 2) for counts in cells]
            yield (text, *("{}, {}".format(*pair) if pair else "-" for pair in pairs))
