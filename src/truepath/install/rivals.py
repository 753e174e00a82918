"""Who else may change the input of a tool call: other hooks on our events, and a second truepath.

Several hooks of one event run at once, and on most hosts the last one to answer wins, so two that
rewrite are one too many.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from truepath.hosts import HOSTS
from truepath.hosts.protocol import Host
from truepath.hosts.setup import Setup
from truepath.install import InstallError
from truepath.install.changes import content_of
from truepath.install.entries import is_call, lists, table_of
from truepath.install.jsonc import JsonError, read
from truepath.install.plan import Place, holds_us, places

CLAUDE_READERS: Mapping[str, tuple[str, ...]] = {
    "copilot": ("project",),
    "cursor": ("user", "project"),
    "vscode": ("user", "project"),
}
"""Hosts that run the hooks of Claude Code's settings as well -> which of them. So say the documents
of each; the hook for Claude Code is silent in Cursor and in Copilot CLI."""

_LOCAL = {"claude-code": ".claude/settings.local.json"}
"""One more file with hooks in a project."""

_NAMES = re.compile(r"[\w|, ^$()-]+")
"""A matcher that is a list of tool names and nothing cleverer."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A hook of somebody else on an event on which we may rewrite."""

    path: str
    event: str
    command: str


def rivals(host: Host, setup: Setup, environ: Mapping[str, str], root: str | None) -> list[Rival]:
    """Return the other hooks that may rewrite what we may rewrite, in all settings of a host."""
    found = {}
    for path in _files(host, setup, environ, root):
        value = value_of(path)
        for place, items in _before(host, setup):
            for command in _others(_at(value, place), items):
                found[path, command] = Rival(path, str(place[-1]), command)
    return [*found.values()]


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
    """Return the hosts that have hooks of ours and run ours for Claude Code too, and from where.

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
    """Yield every file in which the host may have hooks."""
    for _, place in settings_of(host.NAME, setup, environ, root):
        folder = os.path.dirname(place.path)
        if os.path.basename(folder) == "hooks" and os.path.isdir(folder):
            names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
            yield from (os.path.join(folder, name) for name in names)
        else:
            yield place.path
    if root and host.NAME in _LOCAL:
        yield os.path.join(root, _LOCAL[host.NAME])


def value_of(path: str) -> Any:
    """Return what a settings file says; None for one that cannot be read: it makes no one run."""
    try:
        data = content_of(path)
        root = read(data.decode("utf-8-sig")).root if data else None
    except (InstallError, JsonError, UnicodeDecodeError):
        return None
    return root.value if root else None


def _before(host: Host, setup: Setup) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """Yield where a host's hooks stand that run before a call, and ours among them."""
    for piece in setup.pieces:
        for place, items in lists(table_of(piece.content)):
            if place[-1] in host.STAKES["calls"]:
                yield place, items


def _at(value: Any, place: tuple[Any, ...]) -> list[Any]:
    """Return the list at a place; Copilot CLI knows each event by two names that differ in case."""
    for step in place[:-1]:
        value = value.get(step) if isinstance(value, dict) else None
    events = value.items() if isinstance(value, dict) else ()
    same = [each for key, each in events if key.lower() == str(place[-1]).lower()]
    return [each for items in same if isinstance(items, list) for each in items]


def _others(there: list[Any], items: list[Any]) -> Iterator[str]:
    """Yield the commands of a list of hooks that are not ours and see tools that we see.

    Ours for another program that shares the folder are silent in this one.
    """
    tools = {name for item in items for name in _names(item) or ("",)}
    for item in there:
        names = _names(item)
        apart = names is not None and "" not in tools and not names & tools
        if not apart:
            for one in _commands(item):
                if not any(is_call(one, host) for host in HOSTS):
                    yield one


def _names(item: Any) -> set[str] | None:
    """Return the tools that a hook is for; None for all, or for more than a list can say."""
    matcher = item.get("matcher") if isinstance(item, dict) else None
    if not isinstance(matcher, str) or not matcher.strip(" ^$()"):
        return None
    if not _NAMES.fullmatch(matcher):
        return None
    return {name for name in re.split(r"[|,\s^$()]+", matcher) if name}


def _commands(item: Any) -> Iterator[str]:
    if isinstance(item, dict):
        for key in ("command", "bash", "url", "server"):
            if isinstance(item.get(key), str):
                yield item[key]
        for value in item.values():
            if isinstance(value, list):
                for each in value:
                    yield from _commands(each)
