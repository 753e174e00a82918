"""Add truepath's hooks to a host's settings, and remove them.

A hook is truepath's if its whole command is one of those that the caller gives as `ours`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from json import dumps, loads
from typing import Any

from truepath.hook.beside import loosely
from truepath.hook.installed import handlers, label
from truepath.install import InstallError

_HOOKS = "hooks"
_MARK = "\ufeff"
"""A byte order mark, which PowerShell 5.1 writes."""
_PIECE = r'(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"/]+'


def opened(text: str) -> dict[str, Any]:
    """Return the settings in a text; empty settings for an empty text.

    Raises:
        InstallError: The text is not a JSON object; one line that says where.
    """
    try:
        value = loosely(text.removeprefix(_MARK), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise InstallError(f"is not JSON ({error})") from error
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
    """Return settings as text, with the indentation and line ends of the text `like`.

    Raises:
        InstallError: `like` has comments, which would be lost.
    """
    mark = _MARK if like.startswith(_MARK) else ""
    try:
        loads(like.removeprefix(mark) or "{}")
    except ValueError as error:
        raise InstallError(f"has comments ({error})") from error
    end = _line(like, 0) if like.endswith("\n") or not like else ""
    return mark + _spelled(value, like) + end


def added(text: str, content: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return a text with the entries of `content` inserted, so that it means `new`, and all else as
    it was spelled; where that is impossible, `new` as `written`.
    """
    after = text if text.removeprefix(_MARK).strip() else f"{text}{{}}\n"
    with suppress(ValueError, KeyError, InstallError):
        for event, items in content[_HOOKS].items():
            after = _with(after, text, (_HOOKS, event), items)
        for key in content.keys() - opened(after).keys():
            after = _with(after, text, (key,), content[key])
        if opened(after) == new:
            return after
    return written(new, text)


def _with(text: str, like: str, keys: tuple[str, ...], value: Any) -> str:
    """Return a text with a value at `keys`, or with the items of a list added to the list there,
    spelled as in the text `like`.
    """
    places = _places(text)
    while keys not in places:
        value, keys = {keys[-1]: value}, keys[:-1]
    before, at, closing = places[keys]
    inner = _spelled(value, like, len(keys))[1:-1].rstrip()
    end = len(text[:closing].rstrip())
    comma = "" if before in ("{", "[", ",") else ","
    rest = text[end:] if "\n" in text[end:closing] else _line(like, len(keys)) + text[closing:]
    return text[:at] + comma + text[at:end] + inner + rest


def _places(text: str) -> dict[tuple[str, ...], tuple[str, int, int]]:
    """Return, for each object and list by its keys, its last sign, where that ends, and where the
    closing bracket is.
    """
    places: dict[tuple[str, ...], tuple[str, int, int]] = {}
    path, key, before, end = list[str](), "", "", 0
    for token in re.finditer(_PIECE, text):
        sign = token[0]
        if sign.startswith(("//", "/*")):
            continue
        if sign in ("{", "["):
            path.append(key if before == ":" else "")
        elif sign == ":":
            key = loads(before)
        elif sign in ("}", "]"):
            places.setdefault(tuple(path[1:]), (before, end, token.start()))
            path.pop()
        before, end = sign, token.end()
    return places


def _spelled(value: Any, like: str, depth: int = 0) -> str:
    """Return a value as text, as a text `like` spells it at that depth."""
    text = dumps(value, indent=_line(like, 1).strip("\r\n"), ensure_ascii=like.isascii())
    return text.replace("\n", _line(like, depth))


def _line(like: str, depth: int) -> str:
    """Return the end of a line of `like`, and the indentation of the next at that depth."""
    indented = re.search(r'(?m)^([ \t]+)"', like)
    return ("\r\n" if "\r\n" in like else "\n") + (indented[1] if indented else "  ") * depth


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
