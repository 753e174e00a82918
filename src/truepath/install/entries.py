"""Which entries of a host's settings are truepath's, and the settings with and without them. Pure.

An entry of truepath is known by its command: it calls the hook for the host, whichever client that
is and wherever it lies. So an entry of an older version is found too, and one that was moved.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from json import dumps, loads
from typing import Any

from truepath.hook.beside import calls_truepath
from truepath.install import InstallError

Place = tuple[str | int, ...]
"""Keys and positions that lead to a value."""

_INDENT = "  "


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


def written(value: Mapping[str, Any], like: str) -> str:
    """Return settings as text, with the indentation and the line ends of the text `like`."""
    indented = re.search(r'(?m)^([ \t]+)"', like)
    indent = indented[1] if indented else _INDENT
    text = dumps(value, indent=indent, ensure_ascii=like.isascii())
    text += "\n" if like.endswith("\n") or not like else ""
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def merge(settings: Mapping[str, Any], content: Mapping[str, Any], host: str) -> dict[str, Any]:
    """Return settings with all entries of `content` and no others of truepath.

    An entry that is there stays where it is, and an older one of truepath gives it its place.

    Raises:
        InstallError: The settings hold something else where entries belong.
    """
    new = dict(settings)
    full = dict(lists(content))
    for place, items in full.items():
        holder: dict[str, Any] = new
        for step in place[:-1]:
            holder[step] = dict(_checked(holder, step, dict))
            holder = holder[step]
        holder[place[-1]] = _filled(_checked(holder, place[-1], list), items, host)
    for key, wanted in content.items():
        if not isinstance(wanted, (dict, list)) and new.setdefault(key, wanted) != wanted:
            raise InstallError(f"{key!r} is {new[key]!r}, and {wanted!r} is all that is known here")
    return _without(new, content, host, full=full)


def unmerge(
    settings: Mapping[str, Any],
    content: Mapping[str, Any],
    host: str,
    before: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return settings without any entry of truepath.

    Args:
        settings: The settings as they are.
        content: What we put in, or something like it: its keys are where entries are looked for.
        host: The host.
        before: The settings before truepath's first entry; None if unknown. What became empty goes
            unless it was there then; nothing else comes back.
    """
    new = _without(settings, content, host, before=before)
    for key, wanted in content.items():
        if before is not None and key not in before and new.get(key) == wanted:
            del new[key]
    return new


def is_call(command: str, host: str) -> bool:
    """Whether a command calls our hook for `host`, by whichever client, and does nothing else."""
    return calls_truepath(command, host)


def calls(value: Any, host: str) -> Iterator[tuple[Place, str]]:
    """Yield every text in a value that calls the hook, and its place."""
    if isinstance(value, str):
        if is_call(value, host):
            yield (), value
    elif isinstance(value, (dict, list)):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            for place, command in calls(inner, host):
                yield (step, *place), command


def lists(content: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield each list that `content` fills, and the items it is to hold."""
    for step, inner in content.items():
        if isinstance(inner, list):
            yield (step,), inner
        elif isinstance(inner, Mapping):
            for place, items in lists(inner):
                yield (step, *place), items


def table_of(content: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return what a host is given as a table; an empty one for a script."""
    try:
        return opened(content) if isinstance(content, str) else content
    except InstallError:
        return {}


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it holds the key {twice!r} twice")
    return found


def _checked(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return what is under a key, an empty container where nothing is."""
    value = holder.get(key, kind()) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        should = "an object" if kind is dict else "a list"
        raise InstallError(f"{key!r} is not {should}")
    return value


def _filled(there: Sequence[Any], items: Sequence[Any], host: str) -> list[Any]:
    """Return a list with `items` in it, and no other entries of truepath."""
    missing = [item for item in items if item not in there]
    filled: list[Any] = []
    for item in there:
        if not _is_ours(item, host) or (item in items and item not in filled):
            filled.append(item)
        elif missing:
            filled.append(missing.pop(0))
    return filled + missing


def _without(
    settings: Mapping[str, Any],
    content: Mapping[str, Any],
    host: str,
    *,
    before: Mapping[str, Any] | None = None,
    full: Collection[Place] = (),
) -> dict[str, Any]:
    """Return settings without our entries below the keys of `content`, and without what is empty
    then, but for lists that are `full` of them and what was there `before`.
    """
    ours = {key: value for key, value in settings.items() if key in content}
    freed = _freed(ours, host, before, full)
    there = (key for key in settings if key in freed or key not in content)
    return {key: freed.get(key, settings[key]) for key in there}


def _freed(
    value: Any, host: str, before: Any = None, full: Collection[Place] = (), place: Place = ()
) -> Any:
    if isinstance(value, dict):
        known = before if isinstance(before, dict) else {}
        inner = {
            key: _freed(each, host, known.get(key), full, (*place, key))
            for key, each in value.items()
        }
        return {
            key: each for key, each in inner.items() if each or each == value[key] or key in known
        }
    if isinstance(value, list):
        kept = [each for each in value if place in full or not _is_ours(each, host)]
        freed = [each if _is_ours(each, host) else _freed(each, host) for each in kept]
        return [new for new, each in zip(freed, kept, strict=True) if new or new == each]
    return value


def _is_ours(item: Any, host: str) -> bool:
    """Whether an item of a list calls the hook and holds nothing of others."""
    if isinstance(item, str):
        return is_call(item, host)
    if not isinstance(item, dict):
        return False
    if any(isinstance(value, str) and is_call(value, host) for value in item.values()):
        return True
    handlers = [each for value in item.values() if isinstance(value, list) for each in value]
    return bool(handlers) and all(_is_ours(each, host) for each in handlers)
