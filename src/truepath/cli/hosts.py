"""The agent program that a command is about."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from truepath.cli.app import NOT_ALL
from truepath.cli.options import root_of
from truepath.cli.terminal import plain
from truepath.hosts import HOSTS, find

if TYPE_CHECKING:
    from truepath.hosts.host import Host

NAMES = f"HOST is one of {', '.join(HOSTS)}."
"""The end of a help text."""


def chosen(name: str) -> Host:
    """Return the host called `name`, or by a name with its first word: `claude`, `gemini-cli`."""
    plain = name.lower().replace("_", "-")
    words = plain.split("-")
    known = next((each for each in HOSTS if each.split("-")[0] in words), plain)
    if known in HOSTS:
        return find(known)
    from difflib import get_close_matches

    near = get_close_matches(known, HOSTS, 1)
    meant = f"did you mean {near[0]}? It" if near else "it"
    raise click.UsageError(f"there is no host {name!r}: {meant} is one of {', '.join(HOSTS)}")


def environment() -> dict[str, str]:
    """Return the user's environment, with a home folder in any case."""
    return {"HOME": os.path.expanduser("~"), **os.environ}


def failed(text: str) -> int:
    """Tell of an error in one line, and return the exit code for it."""
    click.secho("error: ", fg="red", nl=False, err=True)
    click.echo(plain(text), err=True)
    return NOT_ALL


def project_here() -> str:
    """Return the project around the current folder."""
    return root_of(None)


def shortened(path: str) -> str:
    """Return a path for a person: below the home folder with `~`."""
    home = os.path.expanduser("~").rstrip(os.sep)
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path
