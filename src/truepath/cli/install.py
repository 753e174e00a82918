"""`truepath install HOST`: make an agent program call truepath; try the hook first."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import unified_diff
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Any

import click

from truepath.cli.app import FINE, NOT_ALL, failed
from truepath.cli.hosts import NAMES, chosen, environment, names
from truepath.cli.options import json_option, root_of, settings_option
from truepath.cli.terminal import plain, show
from truepath.config.settings import OTHER_CHECKOUTS
from truepath.config.user_dirs import state_folder, user_file
from truepath.install import InstallError
from truepath.install.checks import in_the_way, look, others
from truepath.install.own_hooks import keep_answers, undecided
from truepath.install.own_settings import setting
from truepath.install.plan import carry_out, files, installing
from truepath.install.smoke_test import attempt
from truepath.project.git import note_program

if TYPE_CHECKING:
    from truepath.hook.other_hooks import Seen
    from truepath.hosts.host import Host
    from truepath.install.checks import CheckResult, HostSetup
    from truepath.install.disk import Change

_SHARED = (
    "these settings fit any machine: {title} calls truepath-hook from the search "
    "path, and goes on without a word where there is none"
)

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command("install", epilog=NAMES)
@click.argument("name", metavar="HOST", shell_complete=names)
@settings_option
@click.option(
    "--dry-run", is_flag=True, help="Show what would change, and change nothing."
)
@click.option("--yes", "is_silent", is_flag=True, help="Ask nothing.")
@click.option(
    "--other-checkouts",
    type=click.Choice(OTHER_CHECKOUTS),
    help="Set in your own settings what is done about a call that acts in another "
    "checkout of the repository.",
)
@json_option
def command(
    name: str,
    project: str | None,
    *,
    dry_run: bool,
    is_silent: bool,
    other_checkouts: str | None,
    as_json: bool,
) -> int:
    """Install truepath's hooks for HOST, an agent program: in your own settings, or
    with --project in those of a project. Nothing else in them changes.

    The change is shown. Then the hook is called as HOST will call it; if that fails,
    the change is taken back. Settings that cannot be changed safely are left alone: the
    entries to put there by hand are printed, and the exit code is 1.

    In a terminal, you are asked about each hook of your own that sees the same calls:
    whether it only watches, so that calls may be corrected past it.
    """
    host = chosen(name)
    asks = not (is_silent or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    try:
        _install(
            host,
            project,
            other_checkouts=other_checkouts,
            is_trial=dry_run,
            as_json=as_json,
            asks=asks,
        )
    except InstallError as error:
        if not error.by_hand:
            raise
        if as_json:
            click.echo(dumps(told(host, [], by_hand=error.by_hand)))
        else:
            click.echo(error.by_hand, nl=False)
        failed(str(error))
        return NOT_ALL
    return FINE


def _install(
    host: Host,
    project: str | None,
    *,
    other_checkouts: str | None,
    is_trial: bool,
    as_json: bool,
    asks: bool,
) -> None:
    root = root_of(project)
    environ = environment()
    state = state_folder(environ)
    here = look(host, environ, root)
    scope = root if project is not None else None
    own = files(host, environ, scope)
    _refuse_second(here, here.option_of(own[0].path))
    changes = [installing(file, host, state) for file in own]
    if other_checkouts:
        changes.append(setting(environ, "other_checkouts", other_checkouts))
    is_needed = any(change.is_needed for change in changes)
    line = own[0].line
    if not as_json:
        show_diff(changes)
    hindrances = [*in_the_way(here)]
    # Where a rule covers every path, the trial can only show that nothing fails.
    is_silenced = any(finding.check == "rules" for finding in hindrances)
    tried = partial(attempt, host, line, may_be_silent=is_silenced)
    if not is_trial:
        carry_out(state, changes, lambda: tried().problem)
        with suppress(OSError):  # then it is looked for each time
            note_program(state, root)
        if asks:
            _ask_about_own_hooks(here)
    is_done = is_needed and not is_trial
    notes = []
    if is_done:
        notes.append(host.NEXT_STEP or f"restart {host.TITLE} if it is running")
    notes += _notes(host, (*hindrances, *others(here)), is_shared=bool(scope))
    if as_json:
        click.echo(dumps(told(host, changes, line=line, is_done=is_done, notes=notes)))
        return
    _show_end(host, line, is_needed=is_needed, is_trial=is_trial)
    show([(note,) for note in notes], err=True)


def _refuse_second(here: HostSetup, option: str | None) -> None:
    """Raise InstallError if the host calls truepath from another scope."""
    for each in here.ours:
        found = here.option_of(each.path)
        if found != option:
            raise InstallError(
                f"{here.host.TITLE} calls truepath already, by {each.path}; first: "
                f"{here.remedy('uninstall', found)}"
            )


def _notes(
    host: Host, findings: Iterable[CheckResult], *, is_shared: bool
) -> Iterator[str]:
    """Yield what the user should know, a line each: findings with how to mend them, and
    what settings that are shared with others need.
    """
    for finding in findings:
        fix = f"; {finding.fix}" if finding.fix else ""
        yield f"warning: {finding.text}{fix}"
    if is_shared:
        yield _SHARED.format(title=host.TITLE)


def _show_end(host: Host, line: str, *, is_needed: bool, is_trial: bool) -> None:
    """Print what came of an installation."""
    if not is_trial:
        done = "installed" if is_needed else "already installed"
        show([(f"{done}: {host.TITLE} calls truepath (tried: `{line}`)",)])
    elif not is_needed:
        click.echo("nothing would change", err=True)


def _ask_about_own_hooks(here: HostSetup) -> None:
    """Ask whether the user's own hooks only watch, and write that down.

    Whoever leaves the questions has skipped the rest of them.
    """
    answers: dict[str, list[Seen]] = {"w": [], "c": [], "s": []}
    with suppress(click.Abort):
        for hook in undecided(here):
            runs = f"`{plain(hook.command)}` runs on {plain(hook.event)} too"
            asked = "Does it deny or change calls, or does it only watch?"
            click.echo(f"{runs} ({hook.path}). {asked}")
            answer = click.prompt(
                "[w]atches / [c]hanges / [s]kip",
                type=click.Choice([*answers], case_sensitive=False),
                default="s",
                show_choices=False,
            )
            answers[answer].append(hook)
    try:
        kept = keep_answers(here, answers["w"], some_change=bool(answers["c"]))
    except InstallError as error:
        failed(f"{user_file(here.environ)}: {error}")
    else:
        if kept:
            click.echo(f"written down: {kept}")


def show_diff(changes: Iterable[Change]) -> None:
    """Print what changes would do to files, as a unified diff."""
    for change in changes:
        for line in _diff(change):
            colour = None if line[:3] in ("+++", "---") else _COLOURS.get(line[:1])
            click.secho(plain(line), fg=colour)


def told(
    host: Host,
    changes: Iterable[Change],
    *,
    line: str = "",
    is_done: bool = False,
    notes: Sequence[str] = (),
    by_hand: str = "",
) -> dict[str, Any]:
    """Return what `--json` prints of an installation, or of its end.

    Args:
        host: The agent program.
        changes: The change of each file.
        line: The command by which the program calls truepath.
        is_done: Whether the changes were made.
        notes: What the user should know.
        by_hand: Entries that the user has to add.
    """
    files = [
        {"path": change.path, "diff": "\n".join(_diff(change))}
        for change in changes
        if change.is_needed
    ]
    return {
        "host": host.NAME,
        "done": is_done,
        "files": files,
        "command": line,
        "notes": [*notes],
        "by_hand": by_hand,
    }


def _diff(change: Change) -> Iterator[str]:
    """Yield the lines of a unified diff of a file."""
    both = (change.before, change.after)
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in both)
    was, becomes = (os.devnull if data is None else change.path for data in both)
    return unified_diff(old, new, was, becomes, lineterm="")
