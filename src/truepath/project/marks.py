"""Corrections that a user has marked as wrong: pairs of a written path and the path
used for it.

One file has the marks of all projects, one a line. An invalid file or line is ignored.
"""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late
from truepath.config.files import Lock, read_own, write
from truepath.config.user_dirs import make_private

if TYPE_CHECKING:
    import json
else:
    json = Late("json")

_NAME = "wrong.jsonl"
_LARGEST_MARKS = 4 * 1024 * 1024
"""Bytes of the file, at most; a mark has some hundred."""


def is_wrong(store: str, root: str, path: str, *targets: str) -> bool:
    """Return whether a mark in the private folder `store` keeps one of the targets from
    a path.
    """
    lines = _lines(store)
    if not lines:
        return False
    marks = {_line(root, target, path) for target in targets}
    return not marks.isdisjoint(lines)


def mark(store: str, root: str, path: str, target: str, *, wrong: bool) -> None:
    """Mark a pair, or remove the mark; raise OSError if it cannot be written."""
    marked = _line(root, target, path)
    file = os.path.join(store, _NAME)
    make_private(store)
    with Lock(f"{file}.lock", wait=5.0):
        lines = [line for line in _lines(store) if line != marked]
        if wrong:
            lines.append(marked)
        write(file, [line + b"\n" for line in lines])


def _lines(store: str) -> list[bytes]:
    try:
        return read_own(os.path.join(store, _NAME), _LARGEST_MARKS).splitlines()
    except OSError:
        return []


def _line(root: str, target: str, path: str) -> bytes:

    # Absolute, so that a guard of a folder in the project knows the pair too.
    real = os.path.realpath(root)
    pair = [os.path.join(real, target), os.path.join(real, path)]
    return json.dumps(pair).encode()
