"""Find a work tree's top, its git folder and its checked-out commit by reading files.

No process is started. A file or link named `.git` can point to any repository, whose
contents would then be revealed. So it counts only if that repository also names the
folder.
"""

from __future__ import annotations

import os
import re

from truepath.config.files import is_regular_or_absent, read
from truepath.paths import LONGEST, native, relative_to

_MOST_BYTES = 1 << 16
"""Bytes of HEAD, a configuration, or a file that names a folder."""

_ID = "[0-9a-fA-F]{40,64}"


def git_folder(folder: str) -> str | None:
    """Return the git folder of the work tree whose top is `folder`, or None.

    None also where git itself finds no repository (an empty or broken `.git`), where it
    would block on a pipe, and where the repository belongs to another folder.
    """
    own = os.path.join(folder, ".git")
    inner = named_folder(folder) if os.path.isfile(own) else own
    if inner is None or not _has_head(inner) or not _is_mutual(folder, inner):
        return None
    shared = common_folder(inner)
    for name in ("objects", "refs"):
        part = os.path.join(shared, name)
        if not os.path.isdir(part) or os.path.islink(part):
            return None
    # Git would wait for the other end of a pipe.
    for opened in (os.path.join(inner, "index"), os.path.join(shared, "config")):
        if not is_regular_or_absent(opened):
            return None
    return inner


def _is_mutual(folder: str, inner: str) -> bool:
    """Return whether a git folder also names the folder that names it."""
    own = os.path.join(folder, ".git")
    if not os.path.isfile(own):
        is_linked_in = os.path.lexists(os.path.join(own, "commondir"))
        return not os.path.islink(own) and not is_linked_in
    back = _text(os.path.join(inner, "gitdir")).partition("\n")[0]
    if back:  # a linked work tree
        shared = os.path.realpath(os.path.join(inner, os.pardir, os.pardir))
        return _same(os.path.join(inner, back), own) and shared == common_folder(inner)
    # A submodule's configuration names its work tree.
    tops = []
    for line in _text(os.path.join(inner, "config")).split("\n"):
        name, _, top = line.partition("=")
        if name.strip().lower() == "worktree":
            tops.append(top.strip())
    return len(tops) == 1 and _same(os.path.join(inner, tops[0]), folder)


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def is_checkout(folder: str) -> bool:
    """Return whether `folder` is the top of a checkout, even if its repository cannot
    be read.

    A linked work tree and a submodule have a file `.git`; an empty folder of that name
    does not count. A container may have the work tree without its repository: the
    project ends there too.
    """
    own = os.path.join(folder, ".git")
    return os.path.isfile(own) or os.path.isfile(os.path.join(own, "HEAD"))


def named_folder(folder: str) -> str | None:
    """Return the git folder that the `.git` file of a submodule or a linked work tree
    names.
    """
    line = _text(os.path.join(folder, ".git")).partition("\n")[0]
    if not line.startswith("gitdir:"):
        return None
    return os.path.join(folder, line.removeprefix("gitdir:").strip())


def is_linked(folder: str) -> bool:
    """Return whether a folder is a linked work tree: its `.git` file points into
    `worktrees`.
    """
    return "/worktrees/" in (named_folder(folder) or "").replace("\\", "/")


def common_folder(git_folder: str) -> str:
    """Return the git folder that all work trees of a repository share."""
    named = _text(os.path.join(git_folder, "commondir")).strip()
    return os.path.realpath(os.path.join(git_folder, named))


def enclosing(folder: str, top: str | None = None) -> str | None:
    """Return the nearest top of a work tree at or above `folder`; `top` is known to be
    one.

    None if there is a checkout in between whose repository does not count here.
    """
    while folder != top and git_folder(folder) is None:
        above = os.path.dirname(folder)
        if above == folder or is_checkout(folder):
            return None
        folder = above
    return folder


def other_checkout(absolute: str, root: str) -> tuple[str, str] | None:
    """Return another work tree of the repository around `root` that contains a path.

    That is its top, and the path relative to the counterpart of `root` in it, with `/`;
    None if there is none, or the path is in `.git`. A file there exists, and is still
    the wrong one.
    """
    if len(absolute) > LONGEST:
        return None
    there = absolute
    while not os.path.isdir(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    own = enclosing(root)
    if own is None:
        return None
    # The search stops at our own top, as most paths are below it.
    other = enclosing(there, own)
    if other is None or _same(other, own):
        return None
    theirs = git_folder(other)
    ours = git_folder(own)
    if theirs is None or ours is None or common_folder(theirs) != common_folder(ours):
        return None
    inner = relative_to(os.path.normpath(absolute), other, native())
    prefix = relative_to(root, own, native())
    if inner is None or inner.partition("/")[0] == ".git":
        return None
    if not prefix:
        return other, inner
    is_counterpart = inner.startswith(f"{prefix}/")
    return (other, inner.removeprefix(f"{prefix}/")) if is_counterpart else None


def checkout_of(path: str, own: str) -> tuple[str, str] | None:
    """Return the work tree of the repository of `own`, a top, that has a path without
    links, and the path in it; None for the git folder, and outside all of them.
    """
    other = other_checkout(path, own)
    if other is not None:
        return other
    top = os.path.realpath(own)
    inner = relative_to(path, top, native())
    if inner is None or inner.partition("/")[0] == ".git":
        return None
    return top, inner


def head_of(git_folder: str) -> str | None:
    """Return the id of the checked-out commit; None where only git can tell.

    That is so for a packed branch and in a repository without a commit.
    """
    line = _text(os.path.join(git_folder, "HEAD")).strip()
    branch = line.removeprefix("ref:").strip()
    if branch != line and branch.startswith("refs/heads/") and ".." not in branch:
        line = _text(os.path.join(common_folder(git_folder), branch)).strip()
    return line.lower() if re.fullmatch(_ID, line) else None


def _has_head(folder: str) -> bool:
    """Return whether HEAD names a branch or a commit; otherwise git searches further
    up.
    """
    line = _text(os.path.join(folder, "HEAD")).strip()
    if line.startswith("ref: refs/") and "\n" not in line:  # as nearly all do
        return True
    return re.fullmatch(rf"ref:\s*refs/.*|{_ID}", line) is not None


def _text(file: str) -> str:
    """Return the contents of a small file; "" if it cannot be read."""
    try:
        return os.fsdecode(read(file, _MOST_BYTES)).replace("\r\n", "\n")
    except (OSError, ValueError):
        return ""
