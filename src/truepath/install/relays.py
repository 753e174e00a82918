"""The relay before the MCP file servers that a host has configured: put there, taken out again."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from shutil import which
from typing import Any

from truepath.hosts.host import Host
from truepath.hosts.setup import Setup
from truepath.install import InstallError
from truepath.install.changes import Change, content_of
from truepath.install.entries import opened, written
from truepath.install.plan import about, before_of, home_of, looked_at, restored, text_of
from truepath.install.records import Record
from truepath.mcp.command import names_files

_KEY = "mcpServers"

_SCRIPT = '"$0" --version </dev/null >/dev/null 2>&1 && exec "$0" relay -- "$@"; exec "$@"'
"""Starts the server without the relay where truepath is gone or broken: `$0` is truepath's program,
`$@` the server's command."""

_OURS = re.compile(r'\brelay -- "\$@"')
"""What the script of any version holds."""


@dataclass(frozen=True, slots=True)
class Servers:
    """A file in which a host lists MCP servers, by their names."""

    path: str
    program: str
    """truepath, as the relay is to be called there."""

    def unchanged(self) -> Change:
        """Return a change of the file that changes nothing."""
        there = content_of(self.path)
        return Change(self.path, there, there)

    def is_new(self) -> bool:
        """Return whether nothing in the file is of truepath, so that a copy of it must be kept."""
        return b"relay --" not in (content_of(self.path) or b"")


def servers(
    host: Host, setup: Setup, environ: Mapping[str, str], root: str | None
) -> Servers | None:
    """Return the file of a project at `root`, or of the user; None where hooks see all there is."""
    user, project = host.SERVERS
    folder, name = (root, project) if root else (home_of(setup, environ), user)
    if not name or os.name == "nt":  # the script needs a POSIX shell
        return None
    return Servers(os.path.join(folder, name), "truepath" if root else _program())


def unchecked(where: Servers) -> list[str]:
    """Return the file servers without a relay; none where the file cannot be read."""
    try:
        listed = _listed(looked_at(content_of(where.path) or b""))
    except InstallError:
        return []
    return [name for name, entry in listed.items() if _needs_relay(entry)]


def relaying(change: Change, where: Servers) -> Change:
    """Return a change of the file with the relay before each file server, as it is called today.

    Raises:
        InstallError: The file is no plain JSON.
    """
    ours = ["-c", _SCRIPT, where.program]
    with about(where.path):
        text = text_of(change.after)
        settings, new = opened(text), {}
        for name, entry in _listed(settings).items():
            given = entry.get("args", [])
            if _needs_relay(entry):
                new[name] = {**entry, "command": "sh", "args": [*ours, entry["command"], *given]}
            elif _is_relayed(entry) and given[:3] != ours:  # truepath is elsewhere now
                new[name] = {**entry, "args": [*ours, *given[3:]]}
        if not new:
            return change
        settings[_KEY] |= new
        return replace(change, after=written(settings, text).encode())


def without_relays(
    changes: Sequence[Change], where: Servers, record: Record | None
) -> list[Change]:
    """Return changes after which no relay of `relaying` is left.

    Args:
        changes: What else is done, to this file and to others.
        where: The file.
        record: What is known of the file from before it was changed.

    Raises:
        InstallError: The file is no JSON, and truepath is named in it.
    """
    others = [change for change in changes if change.path != where.path]
    [own] = [change for change in changes if change not in others] or [where.unchanged()]
    return [*others, _unrelayed(own, where, before_of(record))]


def _unrelayed(change: Change, where: Servers, before: str | None) -> Change:
    if b"relay --" not in (change.after or b""):
        return change
    with about(where.path):
        text = text_of(change.after)
        settings, known = opened(text), _listed(opened(before or ""))
        for name, entry in _listed(settings).items():
            if _is_relayed(entry):
                command, *args = entry["args"][3:]
                bare = {**entry, "command": command, "args": args}
                was = known.get(name, {})
                settings[_KEY][name] = was if {"args": [], **was} == bare else bare
        return replace(change, after=restored(settings, text, before))


def _program() -> str:
    own = os.path.join(os.path.dirname(sys.executable), "truepath")
    return own if os.access(own, os.X_OK) else which("truepath") or own


def _listed(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the servers that are started by a command."""
    value = settings.get(_KEY)
    listed = value.items() if isinstance(value, dict) else ()
    return {name: each for name, each in listed if isinstance(each, dict) and _is_command(each)}


def _is_command(entry: Mapping[str, Any]) -> bool:
    args = entry.get("args", [])
    is_text = isinstance(args, list) and all(isinstance(word, str) for word in args)
    return is_text and isinstance(entry.get("command"), str)


def _is_relayed(entry: Mapping[str, Any]) -> bool:
    words: Sequence[str] = entry.get("args", ())
    return len(words) > 3 and words[0] == "-c" and _OURS.search(words[1]) is not None


def _needs_relay(entry: Mapping[str, Any]) -> bool:
    words = [entry["command"], *entry.get("args", ())]
    by_hand = os.path.basename(words[0]) == "truepath"
    return not by_hand and not _is_relayed(entry) and names_files(words)
