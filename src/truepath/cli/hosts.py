"""The agent program that a command is about."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from truepath.config.user_dirs import home
from truepath.errors import not_known
from truepath.hosts import HOSTS, find

if TYPE_CHECKING:
    from truepath.hosts.host import Host

NAMES = f"HOST is one of {', '.join(HOSTS)}."
"""The end of a help text."""


def names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return what a shell completes a host's name to."""
    return [name for name in HOSTS if name.startswith(begun)]


def chosen(name: str) -> Host:
    """Return the host called `name`, or by a name with its first word: `claude`,
    `gemini-cli`.
    """
    plain = name.lower().replace("_", "-")
    words = plain.split("-")
    known = next((each for each in HOSTS if each.split("-")[0] in words), plain)
    if known in HOSTS:
        return find(known)
    raise click.UsageError(not_known("host", name, HOSTS))


def environment() -> dict[str, str]:
    """Return the user's environment, with a home folder in any case."""
    return {**os.environ, "HOME": home(os.environ)}
