"""The agent program that a command is about."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from truepath.hosts import HOSTS, find

if TYPE_CHECKING:
    from truepath.hosts.host import Host

_Command = TypeVar("_Command", bound=Callable[..., Any])
NAMES = f"HOST is one of {', '.join(HOSTS)}."
"""The end of a help text."""


def host_argument(metavar: str = "HOST", **options: Any) -> Callable[[_Command], _Command]:
    """Return the argument `name`: a host, by one of its names, which a shell completes."""
    return click.argument(
        "name",
        metavar=metavar,
        shell_complete=lambda _, __, word: [each for each in HOSTS if each.startswith(word)],
        **options,
    )


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
