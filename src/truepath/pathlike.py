"""Convert paths given as objects or bytes to text, and back to their type for the tool."""

from __future__ import annotations

import os
from collections.abc import Mapping

from truepath.paths import LONGEST
from truepath.types import Any


def as_text(value: Any, levels: int = 20) -> Any:
    """Return a value with path objects, in so many levels, as text; itself if it has
    none.
    """
    if isinstance(value, (str, int, float)) or value is None or not levels:
        return value
    if isinstance(value, (list, tuple)):
        items = [as_text(each, levels - 1) for each in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    if isinstance(value, Mapping):
        texts = {key: as_text(each, levels - 1) for key, each in value.items()}
        return value if all(texts[key] is value[key] for key in texts) else texts
    # Longer bytes are content that a tool writes.
    if isinstance(value, os.PathLike) or (
        isinstance(value, bytes) and 0 < len(value) <= LONGEST
    ):
        return os.fsdecode(value)
    return value


def like(old: Any, text: Any, new: Any) -> Any:
    """Return the corrected value `new` in the types of `old`.

    Args:
        old: The value as the caller gave it.
        text: `as_text(old)`.
        new: The value that replaces it, as text.

    Raises:
        TypeError: A path class in it cannot be made from text.
    """
    if new is text:
        return old
    if isinstance(old, (list, tuple)):
        each = [like(*three) for three in zip(old, text, new, strict=True)]
        return tuple(each) if isinstance(old, tuple) else each
    if isinstance(old, Mapping):
        return {key: like(old[key], text[key], new[key]) for key in new}
    if isinstance(old, bytes):
        return os.fsencode(new)
    kind: Any = type(old)
    return kind(new) if isinstance(old, os.PathLike) else new
