"""The options that several commands share, and what they mean."""

from __future__ import annotations

import os
import re
import time
from datetime import datetime

import click

from truepath.config.presets import PRESETS

project_option = click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="The project to act on; by default the one around the working directory.",
)
policy_option = click.option(
    "--policy",
    type=click.Choice([*PRESETS]),
    help="What to do about a wrong path; by default what the project's settings say.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
all_option = click.option("--all", "everywhere", is_flag=True, help="Take all projects together.")

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def root_of(project: str | None) -> str:
    """Return the project's root: DIR itself, or what is around the working directory.

    Raises:
        click.UsageError: The working directory does not exist any more.
    """
    from truepath.project.root import find_root

    if project is not None:
        return os.path.abspath(project)
    try:
        return find_root(os.getcwd()) or os.getcwd()
    except OSError:
        missing = "the working directory does not exist any more; give --project"
        raise click.UsageError(missing) from None


def _moment(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    if span := re.fullmatch(r"(\d{1,6})([mhdw])", value):
        return time.time() - int(span[1]) * _UNITS[span[2]]
    try:
        return datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        message = f"{value!r} is neither like 30m, 12h, 7d or 2w nor a date"
        raise click.BadParameter(message) from error


since_option = click.option(
    "--since",
    metavar="TIME",
    callback=_moment,
    help="Take what came after: 30m, 12h, 7d, 2w ago, or a date (2026-11-01).",
)
"""Gives seconds since the epoch, or None for all."""
