"""Other work trees of the same repository: what lies in one exists, and is still the wrong file."""

from __future__ import annotations

import os

from truepath.paths import LONGEST, native, relative_to
from truepath.project.git_folder import common_folder, enclosing, git_folder


def other_checkout(absolute: str, root: str) -> tuple[str, str] | None:
    """Return another work tree of the repository around `root` that a path lies in.

    Args:
        absolute: A path outside `root`; it need not exist.
        root: The project, the top of a work tree or a folder in one.

    Returns:
        Its top, and the path relative to what is `root` in it, with `/`; None where the path lies
        in none, or among git's own files.
    """
    if len(absolute) > LONGEST:
        return None
    other, own = enclosing(_existing(absolute)), enclosing(root)
    if other is None or own is None or os.path.realpath(other) == os.path.realpath(own):
        return None
    theirs, ours = git_folder(other), git_folder(own)
    if theirs is None or ours is None or common_folder(theirs) != common_folder(ours):
        return None
    inner = relative_to(os.path.normpath(absolute), other, native())
    prefix = relative_to(root, own, native())
    if inner is None or inner.partition("/")[0] == ".git":
        return None
    if not prefix:
        return other, inner
    return (other, inner[len(prefix) + 1 :]) if inner.startswith(prefix + "/") else None


def _existing(path: str) -> str:
    """Return the nearest folder at or above a path that exists."""
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path
