"""`truepath resolve PATH...`: what is true of paths and why, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL
from truepath.cli.options import files, json_option, policy_option, project_option
from truepath.cli.project import ask, open_guard
from truepath.cli.terminal import counted, near, percent, show
from truepath.guard.messages import as_data, note_of
from truepath.guard.rows import SENTENCES
from truepath.resolve.likelihood import table
from truepath.resolve.reasons import ROWS
from truepath.types import OPERATION_KINDS, Candidate, Decision, Resolution

if TYPE_CHECKING:
    from truepath.guard.guard import Guard

SHOWN = 3
"""Candidates in the table; JSON has all."""
_LEAST_SHOWN = 0.005
"""The likelihood from which a candidate after the first is shown."""


@click.command("resolve")
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, shell_complete=files
)
@click.option(
    "--operation",
    type=click.Choice([*OPERATION_KINDS]),
    default="read",
    show_default=True,
    help="Say what is to be done to the paths.",
)
@click.option(
    "--why", is_flag=True, help="Show the reason and the features of each candidate."
)
@project_option
@policy_option
@json_option
def command(
    paths: tuple[str, ...],
    operation: Any,
    why: bool,
    as_json: bool,
    **options: str | None,
) -> int:
    """Show whether each PATH exists. If not, show which file is meant, and what an
    agent would get. Write PATH as an agent would.

    Exits with 1 unless all of them exist or are resolved.
    """
    guard = open_guard(**options)
    answers = [ask(guard, path, operation) for path in paths]
    if as_json:
        for resolution, decision in answers:
            data = {**as_data(resolution), "action": decision.action}
            data["text"] = decision.text
            if why:
                data["features"] = guard.workspace.why(resolution)
            # ASCII, so that a name which is not UTF-8 comes out as an escape and not
            # as an error.
            click.echo(json.dumps(data))
    else:
        _show(answers, guard, why=why)
    statuses = {resolution.status for resolution, _ in answers}
    return FINE if statuses <= {"exists", "resolved"} else NOT_ALL


def _show(
    answers: Sequence[tuple[Resolution, Decision]], guard: Guard, *, why: bool
) -> None:
    """Print a table of the paths; then, if asked, why each is answered so."""
    rows = list[Sequence[str]]()
    reasons = list[Sequence[str]]()
    for resolution, decision in answers:
        action = decision.action
        head = resolution.status, action
        rows += found(resolution, action, guard.workspace.root, *head)
        if why:
            # That of the decision has the rows of the call as well.
            name = resolution.written
            decided = (each for each in decision.resolutions if each.written == name)
            weighed = guard.workspace.why(resolution)
            reasons += _reasons(next(decided, resolution), weighed)
    show(rows)
    show(reasons)
    for line in guard.settings.ignored if why else ():
        show([(line,)], err=True)


def _reasons(
    resolution: Resolution, weighed: Mapping[str, Mapping[str, float]]
) -> Iterator[Sequence[str]]:
    """Yield the path, and what its reason permits and what holds it back; then its
    candidates and "nothing here": how likely, and what speaks for and against each,
    heaviest first.
    """
    if not (weighed or resolution.held_back):
        return
    yield "", f"{resolution.written}:"
    yield from verdict(resolution)
    if not weighed:
        return
    parts_of_table = (table()[part] for part in ("for", "against", "nothing"))
    meanings = {name: row[1] for part in parts_of_table for name, row in part.items()}
    nothing = 1 - sum(candidate.confidence for candidate in resolution.candidates)
    shown = [
        (candidate.path, candidate.confidence, candidate.reason)
        for candidate in resolution.candidates[:SHOWN]
    ]
    for path, sure, reason in (*shown, ("", max(0.0, nothing), "")):
        yield percent(sure), f"{path}  {reason}" if path else "nothing here"
        heaviest = sorted(weighed.get(path, {}).items(), key=lambda part: -abs(part[1]))
        sides: dict[str, list[str]] = {"for": [], "against": []}
        for feature, weight in heaviest:
            # How many of them count is of interest in the table of features alone.
            meaning = meanings[feature].partition(", up to ")[0]
            sides["for" if weight > 0 else "against"].append(meaning)
        for side, said in sides.items():
            if said:
                yield "", f"{side}: {'; '.join(said)}"


_PERMITTED = {"": "named", "recover": "corrected under recover only"}
"""What a cell of the table of reasons says, where its word is not enough."""


def verdict(resolution: Resolution) -> Iterator[Sequence[str]]:
    """Yield what the reason of the first candidate permits for the operation, and each
    row that holds it back, with its sentence.
    """
    if resolution.candidates:
        reason = ROWS.get(resolution.candidates[0].reason)
        if reason:
            permitted = reason.cell(resolution.operation)
            permitted = _PERMITTED.get(permitted, permitted)
            yield reason.name, f"{permitted}: {reason.sentence}"
    for row in resolution.held_back:
        yield row, f"held back: {SENTENCES[row]}"


def found(
    resolution: Resolution, action: str, root: str, *head: str
) -> Iterator[Sequence[str]]:
    """Yield the rows of a path: `head`, then the path, a sign, a candidate, how sure,
    and why.

    The sign is `->` before the path that is used, `->?` before one that is shown, `?`
    before those that are named.
    """
    written = near(resolution.written, root)
    sign = "?"
    if action == "rewrite":
        sign = "->?" if resolution.status == "likely" else "->"
    first = resolution.candidates[:1]
    others = resolution.candidates[1:SHOWN]
    if sign == "?":
        likely = (other for other in others if other.confidence >= _LEAST_SHOWN)
        first = (*first, *likely)
    if not first or resolution.status in ("exists", "absent", "directory"):
        yield *head, "  ".join(filter(None, (written, _said(resolution))))
    elif len(first) == 1:
        yield *head, f"{written} {sign} {_candidate(resolution, first[0])}"
    else:
        yield *head, written
        for candidate in first:
            yield *[""] * len(head), f"{sign} {_candidate(resolution, candidate)}"


def _candidate(resolution: Resolution, candidate: Candidate) -> str:
    name = (candidate.path or ".") + ("/" if candidate.folder else "")
    # A rule finds the typo of a folder, which has no probability.
    makes = resolution.operation in ("write", "mkdir")
    sure = "" if makes else percent(candidate.confidence)
    return "  ".join(filter(None, (name, sure, candidate.why)))


def _said(resolution: Resolution) -> str:
    """Return why there is no path, in words."""
    searched = resolution.searched
    note = note_of(resolution)
    if resolution.status == "exists":
        return note
    if resolution.status == "directory":
        return f"that is a {note}"
    if resolution.status != "absent" or not searched.names:
        return note or ("" if resolution.status == "outside" else "not there")
    cut = ", and not all" if searched.cut_short else ""
    return f"not among {counted(searched.names, 'file')}{cut}" + (
        f"; {note}" if note else ""
    )
