"""`truepath wrong`: a correction that must not be made again, and its case for an
issue.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, cast

import click

from truepath import __version__
from truepath.cli.app import FINE, NOT_ALL, failed
from truepath.cli.log import ID, read
from truepath.cli.options import json_option, project_option, root_of
from truepath.cli.project import open_guard
from truepath.cli.terminal import near, plain
from truepath.config.user_dirs import projects_folder
from truepath.guard.messages import as_data
from truepath.journal.event import Event, is_whole
from truepath.project.marks import is_wrong, mark

if TYPE_CHECKING:
    from truepath.types import Operation

_FIELDS = "event host tool operation policy requested target reason confidence".split()


@click.command("wrong")
@click.argument("name", metavar="[EVENT]", required=False, default="")
@click.option(
    "--undo", is_flag=True, help="Take back the mark of EVENT, or the last one."
)
@project_option
@json_option
def command(name: str, undo: bool, project: str | None, as_json: bool) -> int:
    """Mark the last correction in the project as wrong, or the last likely file that a
    call was shown; with EVENT, an id in `truepath log` or its end, that one. In this
    project the same path, also with quotes or a line number, is then not corrected to
    that file again: the call is refused, and the file is only named. Other paths may
    still be corrected to it.

    --json marks nothing. It prints the case for an issue: the event, and what `truepath
    resolve --why --json` tells about its path now. It has names of files, but none of
    their contents.
    """
    root = None if name and not project else root_of(project)
    event = _correction(root, name, is_marked=undo)
    what = "mark" if undo else "correction"
    which = f"has the id {plain(name)}" if name else "in this project"
    if event is None:
        click.echo(f"no {what} {which} (see `truepath log`)", err=True)
        return NOT_ALL
    if not is_whole(event.target):
        return failed("it cannot be marked: its path is not whole in the journal")
    workspace = open_guard(event.project).workspace
    if not workspace.tree.may_name(_led_to(event)):
        return failed("it cannot be marked: its file must not be named")
    if as_json:
        now = workspace.resolve(event.target, cast("Operation", event.operation))
        case = {
            "version": __version__,
            **{field: getattr(event, field) for field in _FIELDS},
            "led_to": _led_to(event),
            "now": {**as_data(now), "features": workspace.why(now)},
        }
        click.echo(json.dumps(case, indent=2))
        told = "it has names of files in it; edit them before you send it"
        click.echo(told, err=True)
        return FINE
    stood = is_wrong(*_pair(event))
    mark(*_pair(event), wrong=not undo)
    state = "no longer" if undo else "marked as"
    if stood and not undo:
        state = "already marked as"
    written = near(event.requested, event.project)
    click.echo(plain(f"{state} wrong: {written} -> {_led_to(event) or '.'}"))
    if not undo:
        end = plain(event.id[-ID:])
        click.echo(f"`truepath wrong --undo {end}` takes the mark back", err=True)
        click.echo(
            f"`truepath wrong --json {end}` prints the case for an issue", err=True
        )
    return FINE


def _correction(root: str | None, name: str, *, is_marked: bool) -> Event | None:
    """Return the last correction in a project, or the one with an id that ends so; of
    those that are marked as wrong, if so asked.
    """
    for event in read(root, None, backwards=True):
        end = event.id[-max(ID, len(name)) :]
        if not event.replacement or (name and end != name):
            continue
        if not is_marked or is_wrong(*_pair(event)):
            return event
    return None


def _led_to(event: Event) -> str:
    """Return the file that a correction led to.

    A path that was about to be created has its place as the first candidate.
    """
    return event.resolved or "".join(event.candidates[:1])


def _pair(event: Event) -> tuple[str, str, str, str]:
    """Return the arguments by which `project.marks` knows a correction."""
    store = projects_folder(os.environ)
    return store, event.project, _led_to(event), event.target
