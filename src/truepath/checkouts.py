"""Other checkouts of the same repository: work trees beside this one, and clones of it.

A path into one of them exists, and is still the wrong file for an agent that works here.
"""

from __future__ import annotations

import os

from truepath.files.git import GitError, git
from truepath.files.gitfolder import common_folder, enclosing, git_folder

_ROOT_COMMIT_SECONDS = 0.1
"""The first commit of 80,000 takes git a second; only a short history is asked for it."""


def path_in_other(absolute: str, root: str) -> str | None:
    """Return `absolute` relative to the checkout it lies in, if that is another one of `root`'s.

    Args:
        absolute: A path outside `root`; it need not exist.
        root: The active project, the top of a work tree.

    Returns:
        The path relative to the other checkout's top, with `/`; None where `absolute` lies in no
        checkout of the same repository.
    """
    folder = absolute
    while not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    other, own = enclosing(folder), enclosing(root)
    if other is None or own is None or os.path.realpath(other) == os.path.realpath(own):
        return None
    if not _same_repository(other, own):
        return None
    inner = os.path.relpath(absolute, other).replace(os.sep, "/")
    prefix = os.path.relpath(root, own).replace(os.sep, "/")
    if prefix == ".":
        return inner
    return inner[len(prefix) + 1 :] if inner.startswith(prefix + "/") else None


def _same_repository(one: str, other: str) -> bool:
    left, right = git_folder(one), git_folder(other)
    if left is None or right is None:
        return False
    if common_folder(left) == common_folder(right):
        return True
    for question in (("config", "--get", "remote.origin.url"), _FIRST_COMMITS):
        answers = _ask(one, question), _ask(other, question)
        if answers[0] and answers[0] == answers[1]:
            return True
    return False


_FIRST_COMMITS = ("rev-list", "--max-parents=0", "HEAD")


def _ask(folder: str, question: tuple[str, ...]) -> bytes:
    try:
        return git(folder, *question, timeout=_ROOT_COMMIT_SECONDS)
    except GitError:
        return b""
