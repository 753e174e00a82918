"""Look through folders for files that are not known, and ask git which of them it ignores."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress

from truepath.project.git import GitError, git
from truepath.project.git_listing import left
from truepath.project.index.folders import Folders, State, settled
from truepath.project.walk import GENERATED, has_rules, is_file, is_folder

MOST_NEW = 2_000
"""Unknown names in changed folders that git is asked about; where there are more it lists anew."""

Known = Callable[[str], Container[str]]
"""Given a folder, the names of the known files that are directly in it."""


class Explored:
    """What folders hold."""

    __slots__ = ("files", "ignore_files", "states")

    def __init__(self) -> None:
        """Begin with nothing."""
        self.files: list[str] = []
        """Files that were not known, and that git does not ignore."""
        self.ignore_files: list[str] = []
        """Every `.gitignore`, relative to the root."""
        self.states: dict[str, State] = {}
        """The folders, those in them that were not known included."""


def explore(
    root: str,
    top: str,
    folders: Iterable[str],
    known: Known,
    watched: Container[str] | None,
    *,
    most: int,
    ends: float | None = None,
) -> Explored | None:
    """Look through folders of a work tree.

    Args:
        root: The project's folder; all paths are relative to it.
        top: Where the work tree around it begins.
        folders: Where to look.
        known: Tells which files are known.
        watched: The known folders; others that are met are looked through. None: no others are.
        most: How many unknown names git is asked about.
        ends: When to stop, on the monotonic clock.

    Returns:
        None where there is more, another repository begins, or git does not tell.
    """
    found = Explored()
    pending = list(folders)
    while pending:
        met = _visit_each(root, pending, known, found, ends)
        if met is None:
            return None
        files, new = met[0], _unwatched(met[1], watched, top)
        most -= len(files) + len(new)
        if most < 0:
            return None
        kept = _not_ignored(root, top, [*files, *new], left(ends))
        if kept is None:
            return None
        pending = list(set(kept).intersection(new))
        found.files += set(kept).difference(new)
    return found


def _unwatched(folders: Iterable[str], watched: Container[str] | None, top: str) -> list[str]:
    """Return the folders that are to be looked through: those that are not known."""
    new = [] if watched is None else [path for path in folders if path not in watched]
    if not new or has_rules(top):
        return new
    return [path for path in new if path.rpartition("/")[2] not in GENERATED]


def look_into(
    root: str, top: str, folders: Iterable[str], known: Known, seen: Folders, ends: float
) -> list[str] | None:
    """Return the files in changed folders that were not there before, and are not ignored.

    Args:
        root: The project's folder.
        top: Where the work tree around it begins.
        folders: The changed folders.
        known: Tells which files are known.
        seen: The folders and rules as they were.
        ends: When to stop, on the monotonic clock.

    Returns:
        None where git must list them, for what `explore` says or a rule that is new.
    """
    found = explore(root, top, folders, known, seen.states, most=MOST_NEW, ends=ends)
    if found is None or any(f"{root}/{path}" not in seen.rules for path in found.ignore_files):
        return None
    return found.files


def _visit_each(
    root: str, folders: Iterable[str], known: Known, found: Explored, ends: float | None
) -> tuple[list[str], list[str]] | None:
    """Return the files that are not known, and the folders, in some folders; None where that is not
    known in time.
    """
    files: list[str] = []
    inner: list[str] = []
    for folder in folders:
        if ends is not None and time.monotonic() >= ends:
            return None
        names, prefix = known(folder), f"{folder}/" if folder else ""
        entries = _visit(root, folder, found)
        if entries is None:
            return None
        for entry in entries:
            if is_folder(entry):
                inner.append(prefix + entry.name)
            elif entry.name not in names and is_file(entry):
                files.append(prefix + entry.name)
    return files, inner


def _visit(root: str, folder: str, found: Explored) -> list[os.DirEntry[str]] | None:
    """Return what is in a folder, and take note of its state; None for another repository."""
    place = f"{root}/{folder}" if folder else root
    entries: list[os.DirEntry[str]] = []
    # What may not be looked into is empty to git as well.
    with suppress(OSError):
        now, state = time.time(), os.lstat(place)
        found.states[folder] = settled((state.st_ino, state.st_ctime_ns), now)
        with os.scandir(place) as listed:
            entries = list(listed)
    prefix = f"{folder}/" if folder else ""
    names = {entry.name for entry in entries}
    if folder and ".git" in names:
        return None
    found.ignore_files += [f"{prefix}.gitignore"] if ".gitignore" in names else []
    return [entry for entry in entries if entry.name != ".git"]


def _not_ignored(
    root: str, top: str, paths: Sequence[str], timeout: float | None
) -> list[str] | None:
    """Return those of some paths that git does not ignore; None where it does not tell."""
    if not paths:
        return []
    how = ("check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
    # A name may begin with a colon, as what git takes for more than a name does.
    given = b"".join(b"./%b\0" % os.fsencode(path) for path in paths)
    seconds = 60.0 if timeout is None else timeout
    try:
        told = git(root, f"--work-tree={top}", *how, timeout=seconds, stdin=given, ok=(0, 1)).split(
            b"\0"
        )
    except GitError:
        return None
    # Four words a path: the file of the rule, its line, its pattern, the path.
    patterns = told[2:-1:4]
    if len(patterns) != len(paths):
        return None
    return [
        path
        for path, pattern in zip(paths, patterns, strict=True)
        if not pattern or pattern.startswith(b"!")
    ]
