"""Convert paths given as objects or bytes to text, and back for the tool."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from truepath.paths import LONGEST
from truepath.types import Any


def as_text(value: Any, levels: int = 20) -> Any:
    """Return a value with path objects, in so many levels, as text; itself if it has
    none.
    """
    if isinstance(value, (str, int, float)) or value is None or not levels:
        return value
    if isinstance(value, (list, tuple)):
        items = [as_text(item, levels - 1) for item in value]
        # A copy would look like a change to the caller.
        return value if _are_the_same(items, value) else items
    if isinstance(value, Mapping):
        texts = {name: as_text(item, levels - 1) for name, item in value.items()}
        return value if _are_the_same(texts.values(), value.values()) else texts
    is_path = isinstance(value, os.PathLike)
    if isinstance(value, bytes):  # longer ones are content that a tool writes
        is_path = 0 < len(value) <= LONGEST
    return os.fsdecode(value) if is_path else value


def _are_the_same(texts: Iterable[Any], values: Iterable[Any]) -> bool:
    """Return whether each item is the same object in both."""
    return all(text is value for text, value in zip(texts, values, strict=True))


def like(old: Any, text: Any, new: Any) -> Any:
    """Return the corrected value `new` in the types of `old`.

    Args:
        old: The value as the caller gave it.
        text: `as_text(old)`.
        new: The value that replaces it, as text.

    Raises:
        TypeError: A path class in it cannot be made from text.
    """
    # What was not corrected stays the object that it was.
    if new is text:
        return old
    if isinstance(old, (list, tuple)):
        items = [like(*three) for three in zip(old, text, new, strict=True)]
        return tuple(items) if isinstance(old, tuple) else items
    if isinstance(old, Mapping):
        return {name: like(old[name], text[name], new[name]) for name in new}
    if isinstance(old, bytes):
        return os.fsencode(new)
    if isinstance(old, os.PathLike):
        path_class: Any = type(old)
        return path_class(new)
    return new
