"""Corrections that a user has marked as wrong: pairs of a written path and the path used for it.

One file has the marks of all projects, one a line. An invalid file or line is ignored.
"""

from __future__ import annotations

import json
import os

from truepath.config.files import read, write
from truepath.config.user_dirs import make_private

_NAME = "wrong.jsonl"
_LARGEST = 4 * 1024 * 1024
"""Bytes of the file, at most; a mark has some hundred."""


def is_wrong(store: str, root: str, target: str, path: str) -> bool:
    """Return whether a pair in the project at `root` is marked in the private folder `store`."""
    return _line(root, target, path) in _lines(store)


def mark(store: str, root: str, target: str, path: str, *, wrong: bool) -> None:
    """Mark a pair, or remove the mark; raise OSError if it cannot be written."""
    own = _line(root, target, path)
    lines = [line for line in _lines(store) if line != own] + [own] * wrong
    make_private(store)
    write(os.path.join(store, _NAME), [line + b"\n" for line in lines])


def _lines(store: str) -> list[bytes]:
    try:
        return read(os.path.join(store, _NAME), _LARGEST).splitlines()
    except OSError:
        return []


def _line(root: str, target: str, path: str) -> bytes:
    # Absolute, so that a guard of a folder in the project knows the pair too.
    real = os.path.realpath(root)
    return json.dumps([os.path.join(real, each) for each in (target, path)]).encode()
