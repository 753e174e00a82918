"""Where a host keeps its rules and hooks, and what is written there to make it call truepath.

Reads the table of a host (see `host.Host`), and no disk.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from truepath.hosts.host import Host
    from truepath.hosts.protocol import Environ, Hooks, Where
    from truepath.hosts.setup import Setup
    from truepath.hosts.table import Scopes


def below(host: Host, scopes: Scopes, environ: Environ, root: str) -> Iterator[Where]:
    """Yield the files of each scope, as a folder and a pattern below it.

    A project's own may be in any folder from its root down to where the agent was started; without
    a root there are none.
    """
    from truepath.hosts.rules import folders

    system, user, project = scopes
    for path in system:
        home = environ.get("HOME", "")
        yield (home, path[2:]) if path.startswith("~/") else os.path.split(path)
    yield from ((folder_of(host, environ), name) for name in user)
    places = folders(root, environ.get(host.START)) if root else []
    yield from ((at, name) for at in places for name in project)


def hooks(host: Host, environ: Environ, root: str) -> Hooks:
    """Return where other hooks of a host may be."""
    from truepath.hosts.protocol import Hooks

    found: dict[str, Any] = {"settings": ((), (), ()), **host.BESIDE}
    for name in ("settings", "programs", "plugins"):
        if name in found:
            found[name] = tuple(below(host, found[name], environ, root))
    if host.SETTINGS in environ:
        found["settings"] += (os.path.split(environ[host.SETTINGS]),)
    first = [name.lower() for name, phase in host.EVENTS.items() if phase == "before"]
    return Hooks(**{**found, "events": (*first, *found.get("events", ()))})


def setup(host: Host, client: str, timeout: int) -> Setup:
    """Return what makes a host call a client, by settings in JSON."""
    from truepath.hosts.setup import Piece, Setup

    hook = host.hook(client, timeout)
    entry = hook if host.FLAT else {"hooks": [hook]}
    listed = {}
    for event, phase in host.EVENTS.items():
        usual = f"^({host.tools()})$" if phase in ("before", "failure") else ""
        tools = host.MATCHERS.get(event, usual)
        listed[event] = [{"matcher": tools, **entry} if tools else entry]
    content: Any = {"version": 1, "hooks": listed} if host.FLAT else {"hooks": listed}
    if host.OURS:
        from json import dumps

        content = dumps(content, indent=2) + "\n"
    return Setup(*host.HOME, (Piece(*host.FILES, content),), host.AFTER, host.BELOW)


def folder_of(host: Host, environ: Environ) -> str:
    """Return a host's own folder, absolute."""
    folder, variable = host.HOME
    configs = environ.get("XDG_CONFIG_HOME", "")
    if folder.startswith(".config/") and configs[:1] == "/":
        own = f"{configs}/{folder.removeprefix('.config/')}"
    else:
        own = f"{environ.get('HOME', '')}/{folder}".removesuffix("/")
    return environ.get(variable) or own
