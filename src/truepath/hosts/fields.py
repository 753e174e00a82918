"""Fields of what a host writes, of which nothing can be taken for granted. Imports nothing."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def text(entry: Mapping[str, Any], key: str) -> str:
    """Return the text under `key`; "" when there is none."""
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def tables(entry: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the objects in the list under `key`; none when there is no list."""
    value = entry.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def line_of(record: bytes) -> Mapping[str, Any]:
    """Return the object that a line of a record holds; an empty one for a line that was cut."""
    from json import loads

    try:
        entry = loads(record)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def table(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under `key`; an empty one when there is none."""
    value = entry.get(key)
    return value if isinstance(value, dict) else {}
