"""Look through folders for files that are not known and that are not ignored."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from contextlib import suppress
from stat import S_ISDIR

from truepath.project.git_listing import left
from truepath.project.index.finder import Finder
from truepath.project.index.folders import Folders, State, settled
from truepath.project.walk import is_file, is_folder

MOST_NEW = 2_000
"""Unknown names in changed folders that are judged one by one; of more, all is listed anew."""

Known = Callable[[str], Collection[str]]
"""Given a folder, the names of the known files that are directly in it; it may have those of known
folders too, which end in `/`."""


class Explored:
    """What folders hold."""

    __slots__ = ("files", "ignore_files", "states", "trees")

    def __init__(self) -> None:
        """Begin with nothing."""
        self.files: list[str] = []
        """Files that were not known, and that are not ignored."""
        self.ignore_files: list[str] = []
        """Every `.gitignore`, relative to the root."""
        self.trees: list[str] = []
        """Folders that are left out: another work tree of the repository begins there."""
        self.states: dict[str, State] = {}
        """The folders, those in them that were not known included."""


def explore(
    finder: Finder,
    folders: Iterable[str],
    known: Known,
    watched: Container[str] | None,
    *,
    most: int,
    ends: float | None = None,
) -> Explored | None:
    """Look through folders of a project.

    Args:
        finder: Who says what is ignored; all paths are relative to its root.
        folders: Where to look.
        known: Tells which files are known.
        watched: The known folders; others that are met are looked through. None: no others are.
        most: How many unknown names are judged.
        ends: When to stop, on the monotonic clock.

    Returns:
        None where there is more, another repository begins, or it is not known what is ignored.
        Outside a repository also where a known file or folder is gone, or something else now.
    """
    found = Explored()
    pending = sorted(folders)  # what lies close together on disk is looked through sooner
    while pending:
        met = _visit_each(finder, pending, known, watched, found, ends)
        if met is None:
            return None
        files = met[0]
        new = [] if watched is None else [path for path in met[1] if path not in watched]
        most -= len(files) + len(new)
        kept = finder.not_ignored(files, new, left(ends)) if most >= 0 else None
        if kept is None:
            return None
        pending = list(set(kept).intersection(new))
        found.files += set(kept).difference(new)
    return found


def look_into(
    finder: Finder, folders: Iterable[str], known: Known, seen: Folders, ends: float
) -> list[str] | None:
    """Return the files in changed folders that were not there before, and are not ignored.

    Args:
        finder: Who says what is ignored.
        folders: The changed folders.
        known: Tells which files are known.
        seen: The folders and rules as they were.
        ends: When to stop, on the monotonic clock.

    Returns:
        None where they must be listed, for what `explore` says or a rule that is new.
    """
    root = finder.root
    found = explore(finder, folders, known, seen.states, most=MOST_NEW, ends=ends)
    if found is None or any(f"{root}/{path}" not in seen.rules for path in found.ignore_files):
        return None
    return found.files


def _visit_each(
    finder: Finder,
    folders: Iterable[str],
    known: Known,
    watched: Container[str] | None,
    found: Explored,
    ends: float | None,
) -> tuple[list[str], list[str]] | None:
    """Return the files that are not known, and the folders, in some folders.

    None where that is not known in time, another repository begins, or outside a repository one of
    the `watched` folders or a known file is gone, or something else now.
    """
    lasting = watched if finder.is_outside else None
    files: list[str] = []
    inner: list[str] = []
    for folder in folders:
        if ends is not None and time.monotonic() >= ends:
            return None
        names, prefix = known(folder), f"{folder}/" if folder else ""
        entries = _visit(finder.root, folder, found)
        if entries is None:
            if folder in (watched or ()) or not finder.is_own_tree(folder):
                return None
            found.trees.append(folder)
            continue
        if lasting is not None and _has_lost(entries, names):
            return None
        for entry in _unknown(entries, names):
            path, is_known = prefix + entry.name, entry.name in names
            if lasting is not None and _has_turned(entry, is_known, path in lasting):
                return None
            if is_folder(entry):
                inner.append(path)
            elif not is_known and is_file(entry):
                files.append(path)
    return files, inner


def _unknown(
    entries: Sequence[os.DirEntry[str]], names: Container[str]
) -> Sequence[os.DirEntry[str]]:
    """Leave out the known files, which are nearly all entries."""
    try:
        return [
            entry
            for entry in entries
            if entry.name not in names or not entry.is_file(follow_symlinks=False)
        ]
    except OSError:
        return entries


def _has_lost(entries: Iterable[os.DirEntry[str]], names: Iterable[str]) -> bool:
    """Return whether something known is gone; git goes on to list a tracked file, nobody another.

    Names of what is gone would count where names are compared.
    """
    return not {name.rstrip("/") for name in names}.issubset(entry.name for entry in entries)


def _has_turned(entry: os.DirEntry[str], was_file: bool, was_folder: bool) -> bool:
    """Return whether an entry that was a file or a folder is something else now."""
    return not is_file(entry) if was_file else was_folder and not is_folder(entry)


def _visit(root: str, folder: str, found: Explored) -> list[os.DirEntry[str]] | None:
    """Return what is in a folder, and take note of its state; None for another repository."""
    place = f"{root}/{folder}" if folder else root
    entries: list[os.DirEntry[str]] = []
    state: State | None = None
    # What may not be looked into is empty to git as well, and so is what lies behind a link.
    with suppress(OSError):
        now, status = time.time(), os.lstat(place)
        state = settled((status.st_ino, status.st_ctime_ns), now)
        if not folder or S_ISDIR(status.st_mode):
            with os.scandir(place) as listed:
                entries = list(listed)
    names = [entry.name for entry in entries]
    if folder and ".git" in names:
        return None
    if state is not None:
        found.states[folder] = state
    if ".gitignore" in names:
        found.ignore_files.append(f"{folder}/.gitignore" if folder else ".gitignore")
    return [entry for entry in entries if entry.name != ".git"] if ".git" in names else entries
