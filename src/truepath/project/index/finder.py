"""Who finds a project's names, so that what was made since is left out by the same rules.

Git in the repository around a project; git outside of every repository; a walk, where git is not
installed or refuses the folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from truepath.project.git import USERS_OWN, GitError, git, program
from truepath.project.git_folder import named_folder, repository_at, stamp_of
from truepath.project.index.store import OUTSIDE
from truepath.project.walk import GENERATED, has_rules, not_ignored

if TYPE_CHECKING:
    from typing import Literal

    Way = Literal["repository", "git", "walk"]

_SETTINGS = ("HOME", "XDG_CONFIG_HOME", "SUDO_UID")
"""Variables by which git finds its settings or trusts a folder, beside its own."""

_GIT_SECONDS = 60.0
"""Seconds for git to say what of some names it ignores, where there is no other limit."""


class Finder:
    """What finds the names of one project."""

    __slots__ = ("root", "top", "way")

    def __init__(self, root: str, top: str, way: Way) -> None:
        """Take a project.

        Args:
            root: The project's folder.
            top: Where the work tree around it begins; "" where none does.
            way: Who lists it: git in the repository, git outside of it, or a walk.
        """
        self.root, self.way = root, way
        self.top = top or root

    @property
    def is_outside(self) -> bool:
        """Whether no repository is asked for the names."""
        return self.way != "repository"

    def is_own_tree(self, folder: str) -> bool:
        """Return whether another work tree of the project's own repository begins at a folder.

        It is left out: it holds every name once more.
        """
        place = os.path.join(self.root, folder)
        own = None if self.is_outside or named_folder(place) is None else repository_at(self.top)
        return own is not None and repository_at(place) == own

    def files_of_tree(self, folder: str) -> list[str]:
        """Return the files, absolute, by which another work tree begins at a folder."""
        place = os.path.join(self.root, folder)
        return [os.path.join(place, ".git"), os.path.join(named_folder(place) or "", "commondir")]

    def not_ignored(
        self, files: Sequence[str], folders: Sequence[str], seconds: float | None
    ) -> list[str] | None:
        """Return those of some paths that are not left out of the names.

        Args:
            files: Files and links relative to the root, in folders that are not left out.
            folders: Folders, as the files.
            seconds: How long it may take; None: a minute.

        Returns:
            None where that is not known.
        """
        limit = _GIT_SECONDS if seconds is None else seconds
        if self.way == "walk":
            return not_ignored(self.root, files, folders, ends=time.monotonic() + limit)
        paths = self._not_generated([*files, *(f"{path}/" for path in folders)])
        if not paths:
            return []
        try:
            if self.way == "repository":
                return self._not_ignored(paths, limit, f"--work-tree={self.top}")
            from truepath.project.git_listing import empty_repository

            with empty_repository(self.root) as where:
                return self._not_ignored(paths, limit, *where)
        except (GitError, OSError):
            return None

    def _not_generated(self, paths: Sequence[str]) -> list[str]:
        """Return the paths outside folders of what tools make, where these are left out.

        Args:
            paths: Relative to the root; those of folders end in `/`, and are returned without.
        """
        top = self.top if self.way == "repository" else self.root
        above = os.path.relpath(os.path.realpath(self.root), os.path.realpath(top)).split(os.sep)
        kept = [
            path
            for path in paths
            if GENERATED.isdisjoint(above) and GENERATED.isdisjoint(path.split("/")[:-1])
        ]
        if len(kept) < len(paths) and has_rules(top):
            kept = [*paths]
        return [path.rstrip("/") for path in kept]

    def _not_ignored(self, paths: Sequence[str], limit: float, *where: str) -> list[str] | None:
        how = ("check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
        # A name may begin with a colon, as what git takes for more than a name does.
        given = b"".join(b"./%b\0" % os.fsencode(path) for path in paths)
        printed = git(self.root, *where, *how, timeout=limit, stdin=given, ok=(0, 1))
        # Four words a path: the file of the rule, its line, its pattern, the path.
        patterns = printed.split(b"\0")[2:-1:4]
        if len(patterns) != len(paths):
            return None
        return [
            path
            for path, pattern in zip(paths, patterns, strict=True)
            if not pattern or pattern.startswith(b"!")
        ]


def outside_stamp(top: str, index: str) -> str:
    """Return what tells by whom a project outside would be listed now.

    Names that were listed without a repository hold only while this is the same: git may be
    installed, be removed or find the folder to be its user's, and a repository may begin around it.

    Args:
        top: Where a work tree around the project begins; "" where none does.
        index: Git's index there; "" where there is none.
    """
    from _blake2 import blake2b  # hashlib itself would load OpenSSL

    place = ""
    with suppress(GitError):
        place = program()
    words = [place, stamp_of(place) if place else ""]
    if top:
        words += (
            os.path.realpath(top),
            stamp_of(index),
            *map(_owner, (top, index, os.path.dirname(index))),
        )
    words += (f"{name}={os.environ[name]}" for name in sorted(os.environ) if _is_setting(name))
    # A setting in the environment may be secret.
    told = blake2b(os.fsencode("\0".join(words)), digest_size=16)
    return f"{OUTSIDE}-{told.hexdigest()}"


def _is_setting(name: str) -> bool:
    return name in _SETTINGS or name.startswith(USERS_OWN)


def _owner(path: str) -> str:
    """Return whose a folder is: git reads no repository of another user's."""
    try:
        return str(os.stat(path).st_uid)
    except OSError:
        return ""
