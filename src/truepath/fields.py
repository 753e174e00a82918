"""Read fields of a program's JSON, any of which may be missing or of another type.

A dot in a name leads into a table, or into a list by a number: `tool_call.name`,
`roots.0`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_ASIDE = r'(?s)//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|("(?:[^"\\]|\\.)*(?:"|\\?\Z)|/\*.*)'
"""Comments and trailing commas, which some hosts allow in JSON. An unterminated text or
comment matches up to the end, so the time stays linear."""


def field(entry: object, name: str) -> Any:
    """Return the value of a field; None if there is none."""
    if "." not in name:  # nearly every one
        return entry.get(name) if isinstance(entry, dict) else None
    for part in name.split("."):
        if isinstance(entry, list) and part.isdigit():
            entry = dict(enumerate(entry)).get(int(part))  # None behind the end
        else:
            entry = entry.get(part) if isinstance(entry, dict) else None
    return entry


def text(entry: Mapping[str, Any], name: str) -> str:
    """Return the text of a field; "" if there is none."""
    value = field(entry, name)
    return value if isinstance(value, str) else ""


def texts(entry: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts in a list; none if there is no list."""
    value = field(entry, name)
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, str)]


def tables(entry: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list; none if there is no list."""
    value = field(entry, name)
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def table(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object in a field; an empty one if there is none."""
    value = field(entry, name)
    return value if isinstance(value, dict) else {}


def line_of(record: bytes | str) -> Mapping[str, Any]:
    """Return the JSON object in a line; an empty one if it is invalid."""
    from json import loads

    if isinstance(record, str):
        record = record.encode("utf-8", "replace")  # half a surrogate pair, too
    try:
        entry = loads(record)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def loosely(text: str, **how: Any) -> Any:
    """Parse JSON settings with or without comments; raise ValueError if they are
    invalid.

    `how` are arguments of `json.loads`.
    """
    import re
    from json import loads

    if not text.strip():
        return {}
    try:
        return loads(text, **how)
    except ValueError:
        for _ in range(2):  # a comma may be before a comment
            text = re.sub(_ASIDE, lambda aside: aside[1] or "", text)
        return loads(text, **how)


def settings_of(text: str) -> Mapping[str, Any]:
    """Return the JSON object of settings with or without comments; an empty one if it
    is invalid.
    """
    try:
        settings = loosely(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}
