"""`truepath explain`: what a code of an answer, or a row of a table, means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from truepath.calls.shell.needs import NEEDS
from truepath.cli.app import FINE
from truepath.cli.options import json_option
from truepath.cli.policy import by_value
from truepath.cli.terminal import show
from truepath.config import presets
from truepath.errors import not_known
from truepath.guard import nothing_done
from truepath.guard.checks import CHECKS
from truepath.guard.effects import TABLE
from truepath.guard.rows import SENTENCES
from truepath.guard.texts import CODES
from truepath.records import dataclass
from truepath.resolve.reasons import REASONS
from truepath.resolve.vetoes import VETOES

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
    found = _named(name)
    if as_json:
        click.echo("\n".join(json.dumps(_data(entry)) for entry in found))
    elif name:
        show(row for entry in found for row in _page(entry))
    else:
        show([(entry.name, entry.sentence) for entry in found])
    return FINE


def _named(name: str) -> Sequence[Entry]:
    """Return what has a name, in capitals or not; all without one."""
    wanted = name.lower()
    found = [entry for entry in entries() if wanted in ("", entry.name.lower())]
    if not found:
        known = [entry.name for entry in entries()]
        raise click.UsageError(not_known("name", name, known, _LISTED))
    return found


def _data(entry: Entry) -> Mapping[str, Any]:
    """Return one entry as JSON has it."""
    return {
        "name": entry.name,
        "table": entry.table,
        "says": entry.sentence,
        "by_operation": {**entry.cells},
    }


def _page(entry: Entry) -> Iterator[Sequence[str]]:
    """Yield the lines about one entry."""
    yield entry.name, entry.table
    yield "", entry.sentence
    for cell, operations in by_value(entry.cells).items():
        yield "", f"{cell}: {', '.join(operations)}"


def entries() -> Iterator[Entry]:
    """Yield all that has a name, table by table."""
    for code, sentence in CODES.items():
        yield Entry(code, "what an answer says", sentence, {})
    for reason in REASONS:
        told = "a reason: why another path is meant, and what it permits"
        yield Entry(reason.name, told, reason.sentence, reason.cells)
    for veto in VETOES:
        told = "what holds another path back, and what it leaves"
        yield Entry(veto.name, told, veto.sentence, veto.leaves)
    of_paths = {veto.name for veto in VETOES}
    for held, sentence in SENTENCES.items():
        if held not in of_paths:
            told = "why a call is not corrected, or nothing is told"
            yield Entry(held, told, sentence, {})
    for effect in TABLE:
        yield Entry(effect.effect, "what a whole call does", effect.sentence, {})
    for check in CHECKS:
        told = "a check: why a call fails though its path exists"
        before = {"before the tool runs": check.before} if check.before else {}
        yield Entry(check.name, told, check.sentence, before)
    for need in NEEDS:
        told = "what a command needs in its folder"
        programs = need.commands.replace(":", "*:*")
        where = "in its folder or above it" if need.above else "in its folder"
        needs = f"{programs}: needs {' or '.join(need.files)} {where}"
        yield Entry(need.name, told, needs, {})
    told = "what is said of a command that ends well"
    yield Entry(nothing_done.ROW, told, nothing_done.SENTENCE, {})
    for rule, does in presets.MEANINGS.items():
        yield Entry(rule, "a rule: what is done about a wrong path", does, {})
