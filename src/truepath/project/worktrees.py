"""Other checkouts of the same repository: work trees beside this one, and clones of it.

A path into one of them exists, and is still the wrong file for an agent that works here.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from truepath.config.regular_file import read
from truepath.paths import LONGEST
from truepath.project.git import GitError, git
from truepath.project.git_folder import common_folder, enclosing, git_folder

_ROOT_COMMIT_SECONDS = 0.1
"""The first commit of 80,000 takes git a second; only a short history is asked for it."""

_LONGEST_CONFIG = 200_000
"""Bytes of a repository's configuration that are read; a usual one has a few hundred."""


def path_in_other(absolute: str, root: str) -> str | None:
    """Return `absolute` relative to the checkout it lies in, if that is another one of `root`'s.

    No process is started where `absolute` lies in no repository, in a work tree of this one, or in
    a clone with the same remote.

    Args:
        absolute: A path outside `root`; it need not exist.
        root: The active project, the top of a work tree or a folder in one.

    Returns:
        The path relative to what is `root` in the other checkout, with `/`; None where `absolute`
        lies in no checkout of the same repository, or among git's own files.
    """
    if len(absolute) > LONGEST:
        return None
    other, own = enclosing(_existing(absolute)), enclosing(root)
    if other is None or own is None or os.path.realpath(other) == os.path.realpath(own):
        return None
    inner = _inside(absolute, other)
    if inner is None or inner.partition("/")[0] == ".git" or not _same_repository(other, own):
        return None
    prefix = _inside(root, own) or ""
    if not prefix:
        return inner
    return inner[len(prefix) + 1 :] if inner.startswith(prefix + "/") else None


def _existing(path: str) -> str:
    """Return the nearest folder at or above `path` that exists."""
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path


def _inside(path: str, folder: str) -> str | None:
    """Return `path` relative to `folder`, with `/` and "" for itself; None for one beside it."""
    inner = os.path.relpath(path, folder).replace(os.sep, "/")
    if inner == ".":
        return ""
    return None if inner.startswith("../") or inner == ".." else inner


def _same_repository(one: str, other: str) -> bool:
    left, right = git_folder(one), git_folder(other)
    if left is None or right is None:
        return False
    if common_folder(left) == common_folder(right):
        return True
    return _is_clone(one, other, (_stamp(left), _stamp(right)))


def _stamp(folder: str) -> tuple[int, int, int]:
    """Return what tells a repository from one that was there before: when it was set up, and how.

    A program that runs for long sees folders removed, and cloned anew from somewhere else.
    """
    try:
        found = os.stat(os.path.join(common_folder(folder), "config"))
    except OSError:
        return (0, 0, 0)
    return (found.st_dev, found.st_ino, found.st_ctime_ns)


@lru_cache(maxsize=256)
def _is_clone(one: str, other: str, _: object) -> bool:
    left, right = git_folder(one), git_folder(other)
    if left is None or right is None:
        return False
    remotes = _remote(one, left), _remote(other, right)
    if remotes[0] == remotes[1] != "" or _is_at(remotes[0], other) or _is_at(remotes[1], one):
        return True
    first = _first_commits(one)
    return bool(first) and first == _first_commits(other)


def _is_at(remote: str, folder: str) -> bool:
    """Return whether a remote is the repository of `folder` itself: a clone made on this disk."""
    found = git_folder(folder) if remote.startswith("/") or remote[1:2] == ":" else None
    return found is not None and os.path.realpath(remote) in (
        os.path.realpath(folder),
        common_folder(found),
    )


_ORIGIN = r'(?im)^\s*\[\s*remote\s+"origin"\s*\]([^\[]*)'
_URL = r'(?im)^\s*url\s*=\s*"?([^"\r\n]+)'
_HOST = r"(?:\w+://)?(?:[^@/]+@)?([\w.-]+\.\w+)(?::\d+/|[:/])(.+)"


def _remote(top: str, folder: str) -> str:
    """Return where a repository was cloned from, however the address is written; "" if nowhere."""
    try:
        config = os.path.join(common_folder(folder), "config")
        text = os.fsdecode(read(config, _LONGEST_CONFIG))
    except OSError:
        return ""
    section = re.search(_ORIGIN, text)
    url = re.search(_URL, section.group(1)) if section else None
    return _address(url.group(1).strip(), top) if url else ""


def _address(url: str, top: str) -> str:
    """Return one spelling for `git@host:a/b.git`, `https://host/a/b` and their kind."""
    plain = url.removeprefix("file://").rstrip("/")
    remote = re.fullmatch(_HOST, plain) if not os.path.isabs(plain) else None
    if remote is not None:
        return f"{remote.group(1)}:{remote.group(2).lstrip('/').removesuffix('.git')}".lower()
    return os.path.normpath(os.path.join(top, plain))


def _first_commits(folder: str) -> bytes:
    try:
        return git(folder, "rev-list", "--max-parents=0", "HEAD", timeout=_ROOT_COMMIT_SECONDS)
    except GitError:
        return b""
