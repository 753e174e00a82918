"""The options that several commands share, and what they mean."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import click

from truepath.config.presets import PRESETS
from truepath.project.root import find_root

files = click.Path().shell_complete
"""Has a shell complete the names of files."""

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_Command = TypeVar("_Command", bound=Callable[..., Any])


def _project(told: str) -> Callable[[_Command], _Command]:
    folder = click.Path(exists=True, file_okay=False)
    return click.option("--project", metavar="DIR", type=folder, help=told)


project_option = _project(
    "Act on the project in DIR; by default the one around the current folder."
)
settings_option = _project(
    "Change the settings of the project in DIR instead of your own."
)
policy_option = click.option(
    "--policy",
    type=click.Choice([*PRESETS]),
    help="Answer by this policy instead of that in the settings.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def root_of(project: str | None) -> str:
    """Return the project's root: DIR itself, or what is around the working directory.

    Raises:
        click.UsageError: The working directory does not exist any more.
    """
    if project is not None:
        return os.path.abspath(project)
    try:
        return find_root(os.getcwd()) or os.getcwd()
    except OSError:
        missing = "the working directory does not exist any more; give --project"
        raise click.UsageError(missing) from None


def scope_of(project: str | None, everywhere: bool) -> str | None:
    """Return the root of the project whose events are wanted, as `root_of`; None for
    all.
    """
    if everywhere and project is not None:
        raise click.UsageError("give --project or --all, not both")
    return None if everywhere else root_of(project)


def _moment(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    if span := re.fullmatch(r"(\d{1,6})([mhdw])", value):
        return time.time() - int(span[1]) * _UNITS[span[2]]
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        message = (
            f"{value!r} is neither like 30m, 12h, 7d or 2w "
            "nor a date or an ISO 8601 time"
        )
        raise click.BadParameter(message) from error


since_option = click.option(
    "--since",
    metavar="TIME",
    callback=_moment,
    help="Only what came after TIME: 30m, 12h, 7d or 2w ago, a date (2026-11-01) or a "
    "time in ISO 8601.",
)
"""Gives seconds since the epoch, or None for all."""


def event_options(kinds: Sequence[str]) -> Callable[[_Command], _Command]:
    """Return a decorator for the options that select events, and `--json`."""
    event_option = click.option(
        "--event",
        "kinds",
        metavar="KIND",
        type=click.Choice(kinds),
        multiple=True,
        help=f"Only events of KIND, such as {kinds[0]}. May be given several times.",
    )
    all_option = click.option(
        "--all", "everywhere", is_flag=True, help="Events of all projects."
    )

    def add(command: _Command) -> _Command:
        return since_option(
            event_option(project_option(all_option(json_option(command))))
        )

    return add
