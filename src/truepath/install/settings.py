"""A host's settings with truepath's hooks and relays, and without them. Pure.

Which hooks are ours is told by their commands, compared whole with those that the caller knows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from json import dumps, loads
from typing import Any

from truepath.hook.beside import loosely
from truepath.hook.installed import handlers, label
from truepath.install import InstallError
from truepath.mcp.command import names_files

RELAY = '"$0" --version </dev/null >/dev/null 2>&1 && exec "$0" relay -- "$@"; exec "$@"'
"""Starts a server without the relay where truepath is gone or broken: `$0` is truepath's program,
`$@` the server's command. Nothing else has it word for word, so by it a relay is known."""

_BEFORE = ["sh", "-c", RELAY]

_HOOKS, _SERVERS = "hooks", "mcpServers"


def opened(text: str) -> dict[str, Any]:
    """Return the settings in a text, none in an empty one.

    Raises:
        InstallError: They are no plain JSON, or no object; one line that says where.
    """
    try:
        value = loads(text, object_pairs_hook=_object) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InstallError(f"is no plain JSON ({error})") from error
    if not isinstance(value, dict):
        raise InstallError("is no JSON object")
    return value


def looked_at(data: bytes | None) -> dict[str, Any] | None:
    """Return what settings hold, with comments or without; None where nobody can tell."""
    try:
        value = loosely((data or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def written(value: Mapping[str, Any], like: str) -> str:
    """Return settings as text, with the indentation and the line ends of the text `like`."""
    indented = re.search(r'(?m)^([ \t]+)"', like)
    text = dumps(value, indent=indented[1] if indented else "  ", ensure_ascii=like.isascii())
    text += "\n" if like.endswith("\n") or not like else ""
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def ours_in(settings: Mapping[str, Any], ours: Collection[str]) -> list[tuple[str, str]]:
    """Return the event and the command of each hook that is ours."""
    table = settings.get(_HOOKS)
    events = table.items() if isinstance(table, dict) else ()
    found = ((event, label(each)) for event, entries in events for each in handlers(entries))
    return [(event, line) for event, line in found if line in ours]


def is_there(
    settings: Mapping[str, Any], content: Mapping[str, Any], ours: Collection[str]
) -> bool:
    """Whether settings hold all entries of `content` and no other hook of truepath."""
    if sorted(ours_in(settings, ours)) != sorted(ours_in(content, ours)):
        return False
    table = settings[_HOOKS]
    return all(each in table[event] for event, items in content[_HOOKS].items() for each in items)


def with_hooks(settings: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the entries of `content` behind those that are there.

    Raises:
        InstallError: The settings hold something else where entries belong.
    """
    table = dict(_checked(settings, _HOOKS, dict))
    for event, items in content[_HOOKS].items():
        table[event] = [*_checked(table, event, list), *items]
    new = {**settings, _HOOKS: table}
    for key, wanted in content.items():
        if key != _HOOKS and new.setdefault(key, wanted) != wanted:
            raise InstallError(f"{key!r} is {new[key]!r}, and {wanted!r} is all that is known here")
    return new


def with_relays(settings: Mapping[str, Any], program: str) -> dict[str, Any]:
    """Return settings with the relay before each file server; `program` is truepath there."""
    new = dict(settings)
    for name in unchecked(settings):
        args = [*_BEFORE[1:], program, *_servers(settings)[name]]
        entry = {**settings[_SERVERS][name], "command": "sh", "args": args}
        new[_SERVERS] = {**new[_SERVERS], name: entry}
    return new


def relayed(settings: Mapping[str, Any]) -> list[str]:
    """Return the names of the servers behind truepath's relay."""
    return [
        name
        for name, words in _servers(settings).items()
        if words[:3] == _BEFORE and len(words) > 4  # the program and the server's
    ]


def unchecked(settings: Mapping[str, Any]) -> list[str]:
    """Return the names of the file servers without a relay, be it put there by hand."""
    return [
        name
        for name, words in _servers(settings).items()
        if RELAY not in words and os.path.basename(words[0]) != "truepath" and names_files(words)
    ]


def freed(settings: Mapping[str, Any], ours: Collection[str]) -> dict[str, Any]:
    """Return settings without truepath's hooks and relays, and without what is empty then."""
    new = dict(settings)
    table = new.get(_HOOKS)
    if isinstance(table, dict):
        left = {event: _without(entries, ours) for event, entries in table.items()}
        kept = {event: each for event, each in left.items() if each or each == table[event]}
        new[_HOOKS] = kept
        if table and not kept:
            del new[_HOOKS]
    for name in relayed(settings):
        command, *args = _servers(settings)[name][4:]
        bare = {**settings[_SERVERS][name], "command": command, "args": args}
        if not args:
            del bare["args"]
        new[_SERVERS] = {**new[_SERVERS], name: bare}
    return new


def _without(entries: Any, ours: Collection[str]) -> Any:
    if not isinstance(entries, list):
        return entries
    left = []
    for entry in entries:
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        if isinstance(inner, list):
            rest = [each for each in inner if not _is_ours(each, ours)]
            if rest or rest == inner:
                left.append({**entry, "hooks": rest})
        elif not _is_ours(entry, ours):
            left.append(entry)
    return left


def _is_ours(handler: Any, ours: Collection[str]) -> bool:
    return isinstance(handler, dict) and label(handler) in ours


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it holds the key {twice!r} twice")
    return found


def _checked(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return what is under a key, an empty container where nothing is."""
    value = holder.get(key, kind())
    if not isinstance(value, kind):
        raise InstallError(f"{key!r} is not {'an object' if kind is dict else 'a list'}")
    return value


def _servers(settings: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the commands of the MCP servers that are started by one."""
    value = settings.get(_SERVERS)
    listed = value.items() if isinstance(value, dict) else ()
    found = {}
    for name, entry in listed:
        args = entry.get("args", []) if isinstance(entry, dict) else None
        words: list[Any] = [entry.get("command"), *args] if isinstance(args, list) else [None]
        if all(isinstance(word, str) for word in words):
            found[name] = words
    return found
