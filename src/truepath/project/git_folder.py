"""Where a work tree begins, where its git folder lies and what it has checked out: files tell.

No process is started.

Two questions have two answers. `git_folder` says where git finds a repository it can read: what it
answers can be asked of git. `is_checkout` says where a checkout begins, though git may be unable to
read it, as in a container that has the work tree and not the repository: a project ends there. The
hook's first look (`hook.presence`) takes any `.git` for one, which only makes it ask the engine.
"""

from __future__ import annotations

import os

from truepath.config.regular_file import is_regular_or_absent, read

_LONGEST = 1 << 16
"""Bytes of HEAD, settings, or a file that names a folder; a path has 4,096 at most on Linux."""

_PACKED = 1 << 22
"""Bytes of a file of packed branches, some 60,000 of them; where there are more, git is asked."""


def git_folder(folder: str) -> str | None:
    """Return the git folder of the work tree that begins at `folder`; None if none begins there.

    What git itself would not take for a repository (an empty or broken `.git`) is none here, nor is
    one where git would wait for ever: for a pipe that nobody fills.
    """
    own = os.path.join(folder, ".git")
    found = named_folder(folder) if os.path.isfile(own) else own
    if found is None or not _has_head(found):
        return None
    shared = common_folder(found)
    parts = (os.path.join(shared, name) for name in ("objects", "refs"))
    if not all(map(os.path.isdir, parts)):
        return None
    opened = (os.path.join(found, "index"), os.path.join(shared, "config"))
    return found if all(map(is_regular_or_absent, opened)) else None


def is_checkout(folder: str) -> bool:
    """Return whether a checkout begins at `folder`, whether or not git can read its repository.

    A linked work tree and a submodule have a file `.git`; an empty folder of that name is nothing.
    """
    own = os.path.join(folder, ".git")
    return os.path.isfile(own) or os.path.isfile(os.path.join(own, "HEAD"))


def common_folder(git_folder: str) -> str:
    """Return the git folder that all work trees of a repository share: its identity."""
    named = _first_line(os.path.join(git_folder, "commondir"))
    return os.path.realpath(os.path.join(git_folder, named) if named else git_folder)


def repository_at(folder: str) -> str | None:
    """Return the identity of the repository whose work tree begins at a folder; None for none."""
    place = git_folder(folder)
    return None if place is None else common_folder(place)


def named_folder(folder: str) -> str | None:
    """Return the git folder that the `.git` file of a submodule or a linked work tree names."""
    line = _first_line(os.path.join(folder, ".git"))
    if line is None or not line.startswith("gitdir:"):
        return None
    return os.path.join(folder, line.removeprefix("gitdir:").strip())


def enclosing(folder: str) -> str | None:
    """Return the nearest folder at or above `folder` where a work tree begins."""
    while git_folder(folder) is None:
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def head_of(git_folder: str) -> str | None:
    """Return the id of the commit that a git folder has checked out; None where only git can tell.

    That is the case where HEAD is no branch that has a commit, and where branches are not kept in
    files (git's reftable).
    """
    line = _first_line(os.path.join(git_folder, "HEAD")) or ""
    if not line.startswith("ref:"):
        return line.lower() if _is_id(line) else None
    branch, shared = line[4:].strip(), common_folder(git_folder)
    if not branch.startswith("refs/heads/"):
        return None
    own = os.path.join(shared, branch)
    found = _first_line(own) if os.path.lexists(own) else _packed(shared, branch)
    return found.lower() if found is not None and _is_id(found) else None


def _packed(shared: str, branch: str) -> str | None:
    """Return the commit of a branch that has no file of its own."""
    try:
        text = os.fsdecode(read(os.path.join(shared, "packed-refs"), _PACKED))
    except (OSError, ValueError):
        return None
    before, line, _ = text.partition(f" {branch}\n")
    return before.rpartition("\n")[2] if line else None


def settings_of(git_folder: str) -> str | None:
    """Return the text of a repository's own settings; None where it cannot be read."""
    try:
        return os.fsdecode(read(os.path.join(common_folder(git_folder), "config"), _LONGEST))
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def is_sparse(git_folder: str) -> bool:
    """Return whether files that git's index has may be left out of the work tree on purpose."""
    return os.path.exists(os.path.join(git_folder, "info", "sparse-checkout"))


def index_of(root: str) -> tuple[str, str] | None:
    """Return where the work tree around a root begins, and where its index is, there or not."""
    top = enclosing(root)
    # A linked work tree has an index of its own beside the others.
    return None if top is None else (top, f"{git_folder(top)}/index")


def stamp_of(index: str) -> str:
    """Return what tells a git index from what was there before; "" where there is none."""
    try:
        found = os.stat(index)
    except OSError:
        return ""
    times = f"{found.st_ctime_ns}-{found.st_mtime_ns}"
    return f"{found.st_dev}-{found.st_ino}-{found.st_size}-{times}"


def _has_head(folder: str) -> bool:
    """Tell whether HEAD names a branch or a commit; git looks further up where it does not."""
    line = _first_line(os.path.join(folder, "HEAD")) or ""
    if line.startswith("ref:"):
        return line[4:].strip().startswith("refs/")
    return _is_id(line)


def _is_id(line: str) -> bool:
    return len(line) in (40, 64) and set(line) <= set("0123456789abcdefABCDEF")


def _first_line(file: str) -> str | None:
    try:
        return os.fsdecode(read(file, _LONGEST).partition(b"\n")[0]).rstrip("\r")
    except (OSError, ValueError):
        return None
