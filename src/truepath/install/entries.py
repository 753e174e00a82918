"""Which entries of a host's settings are ours, and the settings with and without them. Pure.

What is ours is known by the command: it calls truepath's hook for the host, whichever client that
is and wherever it lies. So an entry of an older version is found too, and one that was moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truepath.install import InstallError
from truepath.install.jsonc import Document, JsonError, Node, Path, Step, read
from truepath.install.splice import add, copied, remove, replace

_EDITS = 200
"""Edits at most; each brings the text one entry nearer to what is wanted, and there are ten."""

_CLIENTS = (
    r"\btruepath(?:\.exe)?['\"]?\s+['\"]?hook"
    r"|\btruepath-(?:hook|native)(?:\.exe)?"
    r"|\btruepath[/\\]hook[/\\]script\.py"
)
"""The ends of our clients' names: the command, the native one, and the file for an interpreter."""

Place = tuple[Step, ...]


def is_call(command: str, host: str) -> bool:
    """Whether a command calls our hook for `host`, by whichever client."""
    pattern = rf"(?:{_CLIENTS})['\"]?\s+['\"]?{re.escape(host)}(?![\w-])"
    return re.search(pattern, command) is not None


def calls(value: Any, host: str) -> Iterator[tuple[Place, str]]:
    """Yield every text in a value that calls the hook, and its place."""
    if isinstance(value, str):
        if is_call(value, host):
            yield (), value
        return
    for step, inner in _steps(value):
        for place, command in calls(inner, host):
            yield (step, *place), command


def ours(value: Any, host: str) -> Iterator[Place]:
    """Yield the place of each list item that is ours and holds nothing of others."""
    for step, inner in _steps(value):
        if isinstance(step, int) and _is_ours(inner, host):
            yield (step,)
        else:
            for place in ours(inner, host):
                yield (step, *place)


def merge(text: str, content: Mapping[str, Any], host: str) -> str:
    """Return settings with all entries of `content` and no others of truepath.

    Nothing else changes: a place that is there is filled, entries that are there stay where they
    are, and only what differs in them is written anew.

    Raises:
        InstallError: The settings are no JSON, or hold something else where entries belong.
    """
    for _ in range(_EDITS):
        document = opened(text)
        _check_shape(document, content)
        changed = _step_to(document, content, host)
        if changed is None:
            return text
        text = changed
    raise InstallError("the settings do not settle")


def unmerge(text: str, content: Mapping[str, Any], host: str, before: str | None) -> str:
    """Return settings without any entry of truepath.

    Args:
        text: The settings as they are.
        content: What we put in, or something like it: its keys are where entries are looked for.
        host: The host.
        before: The settings before truepath's first entry, "" for none at all; None if unknown.
            Places that became empty go unless they were there then; nothing else comes back.
    """
    while found := [*_found(opened(text), content, host)]:
        text = _without(text, found[-1], before)
    if before is None:
        return text
    for place, wanted in _scalars(content):
        node, there = opened(text).find(place), opened(before).find(place)
        if node is not None and there is None and node.value == wanted:
            text = _without(text, place, before)
    # Nothing but blanks may differ now from what was there: then the blanks are those too.
    source = opened(before)
    words = source.words if source.root else [*source.words, "{", "}"]
    return before if opened(text).words == words else text


def opened(text: str) -> Document:
    """Read settings; raises InstallError where they are no JSON."""
    try:
        return read(text)
    except JsonError as error:
        raise InstallError(f"is not valid JSON ({error})") from error


def table_of(content: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return what a host is given as a table; an empty one for a script."""
    if not isinstance(content, str):
        return content
    try:
        root = read(content).root
    except JsonError:
        return {}
    return root.value if root and root.kind == "object" else {}


def lists(content: Mapping[str, Any]) -> Iterator[tuple[Place, list[Any]]]:
    """Yield each list that `content` fills, and the items it is to hold."""
    for step, inner in content.items():
        if isinstance(inner, list):
            yield (step,), inner
        elif isinstance(inner, Mapping):
            for place, items in lists(inner):
                yield (step, *place), items


def _steps(value: Any) -> Iterator[tuple[Step, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value)


def _is_ours(item: Any, host: str) -> bool:
    if isinstance(item, str):
        return is_call(item, host)
    if not isinstance(item, Mapping):
        return False
    if any(isinstance(value, str) and is_call(value, host) for value in item.values()):
        return True
    handlers = [each for value in item.values() if isinstance(value, list) for each in value]
    return bool(handlers) and all(_is_ours(each, host) for each in handlers)


def _found(document: Document, content: Mapping[str, Any], host: str) -> Iterator[Place]:
    """Yield the places of our entries, below the keys that `content` has."""
    for key in content:
        node = document.find((key,))
        for place in ours(node.value if node else None, host):
            yield (key, *place)
    for place, items in lists(content):
        there = _value(document, place)
        for at, each in enumerate(there if isinstance(there, list) else ()):
            if each in items and not _is_ours(each, host):  # an entry without a command
                yield (*place, at)


def _scalars(content: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    for step, inner in content.items():
        if isinstance(inner, Mapping):
            for place, value in _scalars(inner):
                yield (step, *place), value
        elif not isinstance(inner, list):
            yield (step,), inner


def _step_to(document: Document, content: Mapping[str, Any], host: str) -> str | None:
    """Return the text one edit nearer to what is wanted; None where nothing is missing."""
    found = [*_found(document, content, host)]
    for place, items in lists(content):
        there = [each for each in found if each[:-1] == place]
        edit = _filled(document, place, items, there)
        if edit is not None:
            return edit
        found = [each for each in found if each not in there]
    if found:
        return _without(document.text, found[-1], None)
    for place, value in _scalars(content):
        if document.find(place) is None:
            return _added(document, place, value)
    return None


def _filled(
    document: Document, place: Place, items: Sequence[Any], there: Sequence[Place]
) -> str | None:
    """Return the text with one entry of a list changed, removed or added; None if all are right."""
    wanted, odd = [*items], []
    for each in there:
        value = _value(document, each)
        if value in wanted:
            wanted.remove(value)
        else:
            odd.append(each)
    if odd and wanted:
        return _updated(document, odd[0], wanted[0])
    if odd:
        return _without(document.text, odd[-1], None)
    return _added(document, (*place, -1), wanted[0]) if wanted else None


def _updated(document: Document, place: Place, wanted: Any) -> str:
    """Return the text with the first difference to `wanted` at `place` made good."""
    value = _value(document, place)
    steps = [*_steps(value)]
    if steps and [step for step, _ in steps] == [step for step, _ in _steps(wanted)]:
        for step, inner in steps:
            if inner != wanted[step]:
                return _updated(document, (*place, step), wanted[step])
    return replace(document.text, place, wanted)


def _added(document: Document, place: Place, value: Any) -> str:
    """Return the text with `value` at `place`, and with the containers that lead there."""
    for depth, step in enumerate(place):
        if document.root is not None and document.find(place[: depth + 1]) is not None:
            continue
        key = step if isinstance(step, str) else None
        return add(document.text, place[:depth], key, _nested(place[depth + 1 :], value))
    raise KeyError(place)


def _nested(place: Sequence[Step], value: Any) -> Any:
    for step in reversed(place):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _without(text: str, place: Place, before: str | None) -> str:
    """Return the text without the item at `place`, and without what is empty then.

    A container that was empty before is written as it was; one that was there stays.
    """
    text = remove(text, place)
    source = opened(before) if before else None
    while place := place[:-1]:
        node, was = opened(text).find(place), source.find(place) if source else None
        if node is None or node.kind == "scalar" or node.items or not _is_bare(text, node):
            return text
        if before and was is not None:
            return text if was.items else copied(text, place, before)
        shorter = remove(text, place)
        if _comments(shorter) != _comments(text):
            return text
        text = shorter
    return text


def _comments(text: str) -> int:
    return sum(token.kind in ("line", "block") for token in read(text).tokens)


def _is_bare(text: str, node: Node) -> bool:
    return not text[node.start + 1 : node.end - 1].strip()


def _value(document: Document, place: Path) -> Any:
    node = document.find(place)
    return None if node is None else node.value


def _check_shape(document: Document, content: Mapping[str, Any]) -> None:
    """Raise InstallError where something else is in the place of a container, or two are."""
    if document.root is None:
        return
    for place, _ in lists(content):
        for depth in range(len(place) + 1):
            node = document.find(place[:depth])
            if node is None:
                break
            _check_kind(document, node, place[:depth], "array" if depth == len(place) else "object")
    for place, wanted in _scalars(content):
        node = document.find(place)
        if node is not None and node.value != wanted:
            raise InstallError(
                f"line {document.line(node.start)}: {place[-1]!r} is {node.value!r}, "
                f"and {wanted!r} is all that is known here"
            )


def _check_kind(document: Document, node: Node, place: Place, kind: str) -> None:
    name = repr(place[-1]) if place else "the whole"
    where = f"line {document.line(node.start)}: {name}"
    if node.kind != kind:
        is_now = {"object": "an object", "array": "a list"}.get(node.kind, "no container")
        should = "an object" if kind == "object" else "a list"
        raise InstallError(f"{where} is {is_now} where {should} belongs")
    keys = [item.key for item in node.items if item.key is not None]
    for key in keys:
        if keys.count(key) > 1:
            raise InstallError(f"{where} holds the key {key!r} twice")
