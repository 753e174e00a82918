"""Where programs are looked for: the folders of PATH that nobody else fills.

A project's own folders are in PATH more often than one thinks: npx adds
`node_modules/.bin`, an activated environment `.venv/bin`. A program in there comes from
a repository or a package, and is not run, whatever it is called.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from truepath.config.user_dirs import home
from truepath.errors import suppress
from truepath.project.root import main_checkout

_MOST_KEPT = 64
"""Projects whose search paths are kept: one has some, such as nested repositories."""

_kept: dict[tuple[str, ...], tuple[str, ...]] = {}

_Folder = tuple[int, int]
"""What identifies a folder, under whatever name: its device and its number."""


def found(name: str, root: str) -> str | None:
    """Return the first program of a name on the search path of a project; None for
    none.
    """
    for folder in folders(root):
        path = os.path.join(folder, name)
        if is_program(path):
            return path
    return None


def is_program(path: str) -> bool:
    """Return whether there is a program at a path, and not all users may write it."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    may_run = stat.S_ISREG(mode) and os.access(path, os.X_OK)
    return may_run and not _is_open(mode)


def folders(root: str) -> tuple[str, ...]:
    """Return the folders of PATH whose programs may be run for the project at `root`.

    Left out are relative ones, those inside the project, also by a link, and those in
    or above which every user may write.
    """
    path = os.environ.get("PATH", os.defpath)
    key = (path, *_roots(root))
    if key not in _kept:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        named = dict.fromkeys(path.split(os.pathsep))
        _kept[key] = tuple(_allowed(named, root))
    return _kept[key]


def allows(program: str, root: str) -> bool:
    """Return whether a program may be run for the project at `root`."""
    return any(_allowed([os.path.dirname(program)], root)) and is_program(program)


def _allowed(named: Iterable[str], root: str) -> Iterator[str]:
    """Yield those of some folders whose programs may be run."""
    project = set().union(*map(_project, _roots(root)))
    apart: dict[str, bool] = {}
    for folder in named:
        if not os.path.isabs(folder):  # another one wherever this process runs
            continue
        real = os.path.realpath(folder)
        with suppress(OSError, ValueError):
            is_open = _is_open(os.stat(real).st_mode)
            if not is_open and _is_apart(real, project, apart):
                yield folder


def _is_apart(folder: str, project: set[_Folder], known: dict[str, bool]) -> bool:
    """Return whether a folder is not in the project, and no other user can put another
    one in its place.
    """
    if folder not in known:
        status = os.stat(folder)
        # In a sticky folder such as /tmp, each user has entries of his own.
        is_firm = bool(status.st_mode & stat.S_ISVTX) or not _is_open(status.st_mode)
        is_apart = is_firm and (status.st_dev, status.st_ino) not in project
        above = os.path.dirname(folder)
        known[folder] = is_apart and (
            above == folder or _is_apart(above, project, known)
        )
    return known[folder]


def _is_open(mode: int) -> bool:
    """Return whether every user may write an entry of a mode; Windows has no modes."""
    return os.name != "nt" and bool(mode & stat.S_IWOTH)


def _roots(root: str) -> tuple[str, ...]:
    """Return a project's root, the folder of this process, and those that the agent
    program names as its project: what is asked about may be elsewhere.
    """
    roots = [root]
    for name, folder in os.environ.items():
        if name.endswith("_PROJECT_DIR") and os.path.isabs(folder):
            roots.append(folder)
    with suppress(OSError):  # it is gone
        roots.append(os.getcwd())
    return tuple(roots)


def _project(root: str) -> set[_Folder]:
    """Return the folders that a project's programs are in: the root, the outermost
    work tree around it, and the main one of a linked work tree.

    The home folder, also one under git, is none, nor is `/`.
    """
    users_own = os.path.realpath(home(os.environ))
    folder = top = os.path.realpath(root)
    tops = [top]
    while folder != users_own and (above := os.path.dirname(folder)) != folder:
        own = os.path.join(folder, ".git")
        if os.path.lexists(own):
            top = folder
        if os.path.isfile(own):
            tops.append(os.path.realpath(main_checkout(folder)))
        folder = above
    identities = set()
    for each in (*tops, top):
        is_none = each == users_own or os.path.dirname(each) == each
        with suppress(OSError, ValueError):
            if not is_none:
                status = os.stat(each)
                identities.add((status.st_dev, status.st_ino))
    return identities
