"""The agent program that a command is about, its client, and the project around this folder."""

from __future__ import annotations

import os

import click

from truepath.hook.command import client_command
from truepath.hosts import HOSTS, find
from truepath.hosts.protocol import Host
from truepath.hosts.setup import Setup


def chosen(name: str) -> Host:
    """Return the host called `name`; a name that is none is wrong usage."""
    if name not in HOSTS:
        raise click.UsageError(f"there is no host {name!r}: it is one of {', '.join(HOSTS)}")
    return find(name)


def setup_of(host: Host) -> Setup:
    """Return what makes a host call the client of this installation."""
    return host.setup(client_command(host.NAME))


def project_here() -> str:
    """Return the project around the current folder."""
    from truepath.hosts.project import find_root

    try:
        root = find_root(os.getcwd())
    except OSError:
        root = None
    if root is None:
        raise click.UsageError("the current folder does not exist any more")
    return root


def shortened(path: str) -> str:
    """Return a path for a person: below the home folder with `~`."""
    home = os.path.expanduser("~")
    inside = path.startswith(home.rstrip(os.sep) + os.sep)
    return "~" + path[len(home.rstrip(os.sep)) :] if inside else path
