"""Who else sees a tool call before it runs: other hooks on our events, and a second truepath.

Several hooks of one event run at once, each on the call as the model wrote it, and on most hosts
the last one to answer wins, so two that rewrite are one too many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from truepath.config.user_dirs import USER_FILE
from truepath.hook.beside import Other, others
from truepath.hosts.host import Host
from truepath.hosts.setup import Setup
from truepath.install import InstallError
from truepath.install.changes import content_of
from truepath.install.plan import Place, holds_us, looked_at, places

CLAUDE_READERS: Mapping[str, tuple[str, ...]] = {
    "copilot": ("project",),
    "cursor": ("user", "project"),
    "vscode": ("user", "project"),
}
"""Hosts that run the hooks of Claude Code's settings as well -> which of them. So say the documents
of each; the hook for Claude Code is silent in Cursor and in Copilot CLI."""

_LOCAL = {"claude-code": ".claude/settings.local.json"}
"""One more file with hooks in a project."""


def conflicts(host: Host, environ: Mapping[str, str], root: str | None) -> list[Other]:
    """Return the other hooks that see a call which we may correct, in all settings of a host."""
    return [*dict.fromkeys(others(host, environ, root or "", _tools(host)))]


def told(other: Other) -> str:
    """Return what there is to say of another hook."""
    if not other.command:
        return f"{other.path} cannot be read, so it may hold hooks"
    event = f" on {other.event}" if other.event else ""
    return f"`{other.command}` runs{event} too ({other.path})"


def consequence(host: Host, environ: Mapping[str, str], root: str | None) -> str | None:
    """Say what becomes of wrong paths because of other hooks; None where nothing does."""
    from truepath.config.settings import load

    if host.hooks(environ, root or "").see_corrected or not conflicts(host, environ, root):
        return None
    if load(root, environ).beside_hooks == "rewrite":
        return f"calls are corrected past these hooks, by `beside_hooks` ({USER_FILE})"
    return (
        "these hooks see a call only as it was written, so a wrong path in one of their calls is "
        f'refused with the right one; `beside_hooks = "rewrite"` in your {USER_FILE} corrects it '
        "past them"
    )


def _tools(host: Host) -> list[str]:
    tables = (host.EVENT_SCHEMA["paths"], host.EVENT_SCHEMA["commands"], host.hooks({}, "").aliases)
    return [name for table in tables for name in table]


def plugins(host: Host, setup: Setup, environ: Mapping[str, str], root: str | None) -> list[str]:
    """Return where the host has truepath as a plugin or an extension of its own."""
    found = []
    for path in _files(host, setup, environ, root):
        value = value_of(path)
        enabled = value.get("enabledPlugins") if isinstance(value, dict) else None
        if isinstance(enabled, dict):
            names = [name for name, on in enabled.items() if on and name.startswith("truepath@")]
            found += [f"{path}: {name}" for name in names]
    for scope, place in settings_of(host.NAME, setup, environ, None):
        extension = os.path.join(os.path.dirname(place.path), "extensions", "truepath")
        if scope == "user" and os.path.isdir(extension):
            found.append(extension)
    return found


def doubles(
    name: str,
    hosts: Mapping[str, tuple[Host, Setup]],
    environ: Mapping[str, str],
    root: str,
) -> list[tuple[Host, str]]:
    """Return the hosts that have hooks of truepath and run Claude Code's too, and from where.

    Args:
        name: The host that is asked about; taken to have our hooks.
        hosts: All hosts with what makes them call us.
        environ: The environment.
        root: The project.
    """
    if "claude-code" not in hosts:
        return []
    _, claude = hosts["claude-code"]
    theirs = [*settings_of("claude-code", claude, environ, root)]
    found = []
    for reader, scopes in CLAUDE_READERS.items():
        if reader not in hosts or name not in (reader, "claude-code"):
            continue
        host, setup = hosts[reader]
        if name != reader and not _has_us(reader, setup, environ, root):
            continue
        found += [(host, each.path) for scope, each in theirs if scope in scopes if _holds(each)]
    return found


def _has_us(host: str, setup: Setup, environ: Mapping[str, str], root: str) -> bool:
    return any(_holds(place) for _, place in settings_of(host, setup, environ, root))


def _holds(place: Place) -> bool:
    try:
        return holds_us(place)
    except InstallError:
        return False


def settings_of(
    host: str, setup: Setup, environ: Mapping[str, str], root: str | None
) -> Iterator[tuple[str, Place]]:
    """Yield each file that can make a host call us: "user" or "project", and the place."""
    seen: set[str] = set()
    for scope, folder in (("user", None), ("project", root)):
        if scope == "project" and folder is None:
            continue
        try:
            found = places(host, setup, environ, folder)
        except InstallError:
            continue
        for place in found:
            if place.path not in seen:  # a home folder can be a project too
                seen.add(place.path)
                yield scope, place


def _files(host: Host, setup: Setup, environ: Mapping[str, str], root: str | None) -> Iterator[str]:
    """Yield the files in which a host's plugins are switched on."""
    for _, place in settings_of(host.NAME, setup, environ, root):
        yield place.path
    if root and host.NAME in _LOCAL:
        yield os.path.join(root, _LOCAL[host.NAME])


def value_of(path: str) -> Any:
    """Return what a settings file says; None for one that cannot be read: it makes no one run."""
    try:
        return looked_at(content_of(path) or b"")
    except InstallError:
        return None
