"""Add truepath's hooks to a host's settings, and remove them.

A hook is truepath's if its whole command is one of those that the caller gives as `ours`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from json import dumps, loads
from typing import Any

from truepath.hook.beside import loosely
from truepath.hook.installed import handlers, label
from truepath.install import InstallError

_HOOKS = "hooks"


def opened(text: str) -> dict[str, Any]:
    """Return the settings in a text; empty settings for an empty text.

    Raises:
        InstallError: The text has comments or is not a JSON object; one line that says where.
    """
    try:
        value = loads(text, object_pairs_hook=_object) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InstallError(f"has comments or is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise InstallError("is not a JSON object")
    return value


def looked_at(data: bytes | None) -> dict[str, Any] | None:
    """Return settings with or without comments; None if they are invalid."""
    try:
        value = loosely((data or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def written(value: Mapping[str, Any], like: str) -> str:
    """Return settings as text, with the indentation and line ends of the text `like`."""
    indented = re.search(r'(?m)^([ \t]+)"', like)
    text = dumps(value, indent=indented[1] if indented else "  ", ensure_ascii=like.isascii())
    text += "\n" if like.endswith("\n") or not like else ""
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def ours_in(settings: Mapping[str, Any], ours: Collection[str]) -> list[tuple[str, str]]:
    """Return the event and command of each hook that is truepath's."""
    table = settings.get(_HOOKS)
    events = table.items() if isinstance(table, dict) else ()
    found = ((event, label(each)) for event, entries in events for each in handlers(entries))
    return [(event, line) for event, line in found if line in ours]


def is_there(
    settings: Mapping[str, Any], content: Mapping[str, Any], ours: Collection[str]
) -> bool:
    """Return whether settings have all entries of `content` and no other hook of truepath."""
    if sorted(ours_in(settings, ours)) != sorted(ours_in(content, ours)):
        return False
    table = settings[_HOOKS]
    return all(each in table[event] for event, items in content[_HOOKS].items() for each in items)


def with_hooks(settings: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the entries of `content` appended.

    Raises:
        InstallError: The settings have something else in their place.
    """
    table = dict(_checked(settings, _HOOKS, dict))
    for event, items in content[_HOOKS].items():
        table[event] = [*_checked(table, event, list), *items]
    new = {**settings, _HOOKS: table}
    for key, wanted in content.items():
        if key != _HOOKS and new.setdefault(key, wanted) != wanted:
            raise InstallError(f"{key!r} is {new[key]!r}, but only {wanted!r} is supported")
    return new


def freed(settings: Mapping[str, Any], ours: Collection[str]) -> dict[str, Any]:
    """Return settings without truepath's hooks and what they leave empty."""
    new = dict(settings)
    table = new.get(_HOOKS)
    if isinstance(table, dict):
        left = {event: _without(entries, ours) for event, entries in table.items()}
        kept = {event: each for event, each in left.items() if each or each == table[event]}
        new[_HOOKS] = kept
        if table and not kept:
            del new[_HOOKS]
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
        raise ValueError(f"it has the key {twice!r} twice")
    return found


def _checked(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return the value of a key; an empty container if there is none."""
    value = holder.get(key, kind())
    if not isinstance(value, kind):
        raise InstallError(f"{key!r} is not {'an object' if kind is dict else 'a list'}")
    return value
