"""The agent program that a command is about, its client, and the project around this folder."""

from __future__ import annotations

import os
from dataclasses import replace
from shutil import which

import click

from truepath.hook.command import client_command
from truepath.hosts import ALIASES, HOSTS, find
from truepath.hosts.host import Host
from truepath.hosts.setup import Setup

NAMES = f"HOST is one of {', '.join(HOSTS)}."
"""The end of a help text."""


SHARED = "truepath-hook"
"""The client by a name that is the same on every machine."""


def chosen(name: str) -> Host:
    """Return the host called `name`, or by another of its names; none is wrong usage."""
    plain = name.lower().replace("_", "-")
    known = ALIASES.get(plain, plain)
    if known in HOSTS:
        return find(known)
    from difflib import get_close_matches

    near = get_close_matches(known, HOSTS, 1)
    meant = f"did you mean {near[0]}? It" if near else "it"
    raise click.UsageError(f"there is no host {name!r}: {meant} is one of {', '.join(HOSTS)}")


def client_of(host: Host, *, project: bool) -> str:
    """Return the command that a host is to call, by which a user's settings or a project's.

    A project's settings are shared with machines on which this installation lies elsewhere, or
    nowhere; a host goes on where the command is not found.
    """
    return f"{SHARED} {host.NAME}" if project else client_command(host.NAME)


def setup_of(host: Host) -> Setup:
    """Return what makes a host call truepath, for a user and for a project."""
    own, shared = (host.setup(client_of(host, project=each)) for each in (False, True))
    pieces = (
        *(replace(piece, project="") for piece in own.pieces if piece.user),
        *(replace(piece, user="") for piece in shared.pieces if piece.project),
    )
    return replace(own, pieces=pieces)


def shareable(root: str, setup: Setup) -> None:
    """Refuse to set up a project that is none, or with a command that no other machine finds."""
    from truepath.project.git_folder import git_folder

    folders = (os.path.dirname(each.project) for each in setup.pieces if each.project)
    if git_folder(root) is None and not any(
        folder and os.path.isdir(os.path.join(root, folder)) for folder in folders
    ):
        raise click.UsageError(
            f"{root} is no project: no git work tree, and no settings of the host; go to one, or "
            "leave out --project"
        )
    if which(SHARED) is None:
        raise click.UsageError(
            f"{SHARED} is not on the search path, and a project's settings are for all who work on "
            "it: put it there (`pipx install` does), or leave out --project"
        )


def project_here() -> str:
    """Return the project around the current folder."""
    from truepath.project.root import find_root

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
