"""Find the folder of the project, for every host."""

from __future__ import annotations

import os

from truepath.config.user_dirs import home
from truepath.project.git_folder import (
    common_folder,
    git_folder,
    is_checkout,
    is_linked,
)


def find_root(cwd: str | None, project: str | None = None) -> str | None:
    """Return the project's root, absolute; None if neither folder exists.

    That is the nearest git work tree around `cwd`, else around `project` (the folder
    the host names), else `project`, else `cwd`. A repository nested in the project (a
    submodule, a vendored clone) is part of it, so a shell in there does not move the
    root; a linked work tree does. A home folder under git is a project only if it is
    `cwd` or `project` itself.
    """
    here = _folder(cwd)
    there = _folder(project)
    around_project = _work_tree(there) if there else None
    around_cwd = _work_tree(here) if here else None
    if not (around_cwd and around_project):
        return around_cwd or around_project or there or here
    around = around_project.rstrip(os.sep) + os.sep
    is_below = around_cwd != around_project and around_cwd.startswith(around)
    is_nested = is_below and not is_linked(around_cwd)
    return around_project if is_nested else around_cwd


def main_checkout(root: str) -> str:
    """Return the main work tree of a linked one; `root` itself for any other folder.

    Files there that are not committed, such as a user's own rules, also apply to the
    linked one.
    """
    own = git_folder(root)
    above, name = os.path.split(common_folder(own) if own else "")
    return above if name == ".git" else root


def _folder(path: str | None) -> str | None:
    if not path or "\0" in path or not os.path.isabs(path):
        return None
    return os.path.normpath(path) if os.path.isdir(path) else None


def _work_tree(folder: str) -> str | None:
    place = folder
    while not is_checkout(place):
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above
    return place if place != home(os.environ) or place == folder else None
