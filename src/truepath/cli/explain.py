"""`truepath explain`: what a code of an answer, or a row of a table, means."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from truepath.calls.shell.needs import NEEDS, Need
from truepath.cli.app import FINE
from truepath.cli.options import json_option
from truepath.cli.policy import by_value
from truepath.cli.terminal import show
from truepath.config import presets
from truepath.errors import not_known
from truepath.guard import nothing_done
from truepath.guard.checks import CHECKS, Check
from truepath.guard.effects import TABLE
from truepath.guard.rows import SENTENCES
from truepath.guard.texts import CODES
from truepath.records import dataclass
from truepath.resolve.reasons import REASONS
from truepath.resolve.vetoes import VETOES

_Row = tuple[str, str, Mapping[Any, str]]
_LISTED = "`truepath explain` lists all; for a path, `truepath resolve --why PATH`"


@dataclass(frozen=True, slots=True)
class Entry:
    """What has a name: the table that it is in, its sentence, and what it leaves or
    permits by operation.
    """

    name: str
    table: str
    sentence: str
    cells: Mapping[Any, str]


@click.command("explain")
@click.argument("name", metavar="[NAME]", required=False, default="")
@json_option
def command(name: str, as_json: bool) -> int:
    """Say what NAME means: a code that an answer begins with (PATH_LOOKS_WRONG), or a
    row of a table, as `truepath log`, `resolve --why` and `policy` name them: a reason,
    what holds a path back, a check, what a command needs, a rule. Without NAME, list
    all of them.

    --json prints an object for each table that has the name.
    """
    wanted = name.lower()
    found = [entry for entry in entries() if wanted in ("", entry.name.lower())]
    if not found:
        known = [entry.name for entry in entries()]
        raise click.UsageError(not_known("name", name, known, _LISTED))
    rows: list[Sequence[str]] = []
    for entry in found:
        if as_json:
            data = {"name": entry.name, "table": entry.table, "says": entry.sentence}
            click.echo(json.dumps({**data, "by_operation": {**entry.cells}}))
        elif name:
            rows += [(entry.name, entry.table), ("", entry.sentence)]
            for cell, operations in by_value(entry.cells).items():
                rows.append(("", f"{cell}: {', '.join(operations)}"))
        else:
            rows.append((entry.name, entry.sentence))
    show(rows)
    return FINE


def entries() -> Iterator[Entry]:
    """Yield all that has a name, table by table."""
    of_paths = {veto.name for veto in VETOES}
    tables: dict[str, Iterable[_Row]] = {
        "what an answer says": _plain(CODES),
        "a reason: why another path is meant, and what it permits": (
            (row.name, row.sentence, row.cells) for row in REASONS
        ),
        "what holds another path back, and what it leaves": (
            (row.name, row.sentence, row.leaves) for row in VETOES
        ),
        "why a call is not corrected, or nothing is told": _plain(
            {name: SENTENCES[name] for name in SENTENCES if name not in of_paths}
        ),
        "what a whole call does": _plain({row.effect: row.sentence for row in TABLE}),
        "a check: why a call fails though its path exists": (
            (row.name, row.sentence, _before(row)) for row in CHECKS
        ),
        "what a command needs in its folder": (
            (need.name, _needed(need), {}) for need in NEEDS
        ),
        "what is said of a command that ends well": _plain(
            {nothing_done.ROW: nothing_done.SENTENCE}
        ),
        "a rule: what is done about a wrong path": _plain(presets.MEANINGS),
    }
    for table, rows in tables.items():
        for name, sentence, cells in rows:
            yield Entry(name, table, sentence, cells)


def _plain(sentences: Mapping[Any, str]) -> list[_Row]:
    return [(name, sentence, {}) for name, sentence in sentences.items()]


def _before(check: Check) -> Mapping[Any, str]:
    return {"before the tool runs": check.before} if check.before else {}


def _needed(need: Need) -> str:
    programs = need.commands.replace(":", "*:*")
    where = "in its folder or above it" if need.above else "in its folder"
    return f"{programs}: needs {' or '.join(need.files)} {where}"
