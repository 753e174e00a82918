"""`truepath wrong`: a correction that must not be made again, and its case for an
issue.
"""

from __future__ import annotations

import json
import os

import click

from truepath import __version__
from truepath.cli.app import FINE, NOT_ALL, failed
from truepath.cli.log import ID, read
from truepath.cli.options import json_option, project_option, root_of
from truepath.cli.project import open_guard
from truepath.cli.terminal import near, plain
from truepath.config.user_dirs import projects_folder
from truepath.guard.messages import as_data
from truepath.journal.event import is_whole
from truepath.project.marks import is_wrong, mark

_FIELDS = "event host tool operation policy requested target reason confidence".split()


@click.command(
    "wrong", short_help="Mark a correction as wrong, so that it is not made again."
)
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
    root, store = (
        None if name and not project else root_of(project),
        projects_folder(os.environ),
    )
    for event in read(root, None, backwards=True):
        # A path that was about to be created has its place as the first candidate.
        led_to = event.resolved or "".join(event.candidates[:1])
        pair = store, event.project, led_to, event.target
        is_meant = event.replacement and (
            not name or event.id[-max(ID, len(name)) :] == name
        )
        if is_meant and (not undo or is_wrong(*pair)):
            break
    else:
        which = f"has the id {plain(name)}" if name else "in this project"
        click.echo(
            f"no {'mark' if undo else 'correction'} {which} (see `truepath log`)",
            err=True,
        )
        return NOT_ALL
    workspace, what = open_guard(event.project).workspace, event.operation
    whole = is_whole(event.target)
    if not whole or not workspace.tree.may_name(led_to):
        why = (
            "its file must not be named"
            if whole
            else "its path is not whole in the journal"
        )
        return failed(f"it cannot be marked: {why}")
    if as_json:
        now = workspace.resolve(event.target, what)  # type: ignore[arg-type]
        case = {
            "version": __version__,
            **{each: getattr(event, each) for each in _FIELDS},
        }
        case |= {
            "led_to": led_to,
            "now": {**as_data(now), "features": workspace.why(now)},
        }
        click.echo(json.dumps(case, indent=2))
        click.echo(
            "it has names of files in it; edit them before you send it", err=True
        )
        return FINE
    mark(*pair, wrong=not undo)
    marked, end = "no longer" if undo else "marked as", plain(event.id[-ID:])
    click.echo(
        plain(
            f"{marked} wrong: {near(event.requested, event.project)} -> {led_to or '.'}"
        )
    )
    if not undo:
        click.echo(f"`truepath wrong --undo {end}` takes the mark back", err=True)
        click.echo(
            f"`truepath wrong --json {end}` prints the case for an issue", err=True
        )
    return FINE
