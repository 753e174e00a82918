"""Build the index of one project: its tracked names first, then what git does not track.

Of a project outside every repository, and of one that git does not read, all names are in it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import Literal

from truepath.project import background
from truepath.project.git import GitError, git
from truepath.project.git_folder import common_folder, git_folder, index_of, stamp_of
from truepath.project.git_listing import Answer, Question
from truepath.project.index.explore import Explored, explore
from truepath.project.index.finder import Finder, outside_stamp
from truepath.project.index.folders import Folders, State, rules_of, settled, state_of
from truepath.project.index.mapped import MappedNames
from truepath.project.index.pack import Progress, pack
from truepath.project.index.store import IndexStore, Proof
from truepath.project.listing import begin

LIMIT = 4_000_000
"""Files of an index; twice as many as are listed."""

_MOST_IGNORED = 200_000
"""Ignored names in folders that are not ignored, of which git is asked at once."""

_MOST_UNTRACKED = 50_000
"""Untracked names that are kept; of more it is not known again whether there are others."""

_AT_ONCE = 100_000
"""Files from which on an index without look-alikes is written first: making those takes seconds."""


def build(root: str, store: str, progress: Progress = lambda done, of: None) -> bool:  # noqa: ARG005
    """Build the index of a project, or bring it up to date; return whether there is one.

    Only one process builds at a time. None has a project without files or of more than `LIMIT`, a
    folder that holds more than a project, and one outside that has a repository in it.
    """
    kept = IndexStore(store, root)
    lock = kept.path("lock")
    with background.only_one(lock) as mine:
        return mine and background.attempt(lock, lambda: _build(kept, progress))


def _build(kept: IndexStore, progress: Progress) -> bool:
    top, index = index_of(kept.root) or ("", "")
    _remove_unfinished(kept)
    stamp = stamp_of(index)
    answer = _tracked(kept.root, top) if top else None
    if answer is None or not answer[0]:
        return _build_outside(kept, top, index, progress)
    if len(answer[0]) > LIMIT:
        kept.remove()
        return False
    paths, submodules = answer
    try:
        found = _names(kept, paths, progress, "git", is_outside=False)
        if found is None:
            return False
        names, identity = found
        kept.save_proof(Proof(identity, stamp, tuple(submodules)))
        seen = None if submodules else _seen(kept, top, identity, names)
        kept.save_folders(b"" if seen is None else seen.pack())
    except (OSError, ValueError):
        return False
    return True


def _build_outside(kept: IndexStore, top: str, index: str, progress: Progress) -> bool:
    """Build the index of a project of which no repository is asked for the names."""
    stamp, now = outside_stamp(top, index), time.time()
    states = {path: settled(state_of(path), now) for path in rules_of(kept.root, top or kept.root)}
    with begin(kept.root, limit=LIMIT) as begun:
        listing = begun.finished()
    files = listing.paths
    found = None
    is_outside = begun.outside and (not top or listing.source == "git" or _is_refused(kept.root))
    if files and is_outside and not listing.cut_short and _told_by_folders():
        finder = Finder(kept.root, top, listing.source)
        found = _explored(finder, files, {"", *_folders_of(files)}, states, now)
    try:
        if found is None:
            kept.remove()
            return False
        written = _names(kept, files, progress, listing.source, is_outside=True)
        if written is None:
            return False
        identity = written[1]
        kept.save_folders(Folders(identity, found.files, states, found.states).pack())
        kept.save_proof(Proof(identity, stamp, ()))
    except (OSError, ValueError):
        return False
    return True


def _is_refused(root: str) -> bool:
    """Return whether git is not installed, or reads no repository here, whatever it is asked."""
    try:
        git(root, "rev-parse", "--git-dir")
    except GitError as error:
        return not error.timed_out
    return False


def _told_by_folders() -> bool:
    """Return whether folders and ignore files tell of what changes."""
    # On Windows a folder's time of change is not to be had, and rules may be in the environment.
    return os.name != "nt" and "GIT_CONFIG_COUNT" not in os.environ


def _tracked(root: str, top: str) -> tuple[list[str], list[str]] | None:
    """Return the tracked files in the order of their bytes, each once, and the submodules."""
    answer = _answer(root, top, untracked=False)
    if answer is None or answer.cut_short:
        return None
    return list(dict.fromkeys(answer.files)), answer.repositories


def _answer(root: str, top: str, **which: bool) -> Answer | None:
    """Return what git lists, however long it takes; `which` is as for `Question`."""
    try:
        question = Question(root, top, **which)
    except GitError:
        return None
    try:
        return question.answer(None)
    finally:
        question.end()


def _names(
    kept: IndexStore,
    paths: Sequence[str],
    progress: Progress,
    source: Literal["git", "walk"],
    *,
    is_outside: bool,
) -> tuple[MappedNames, str] | None:
    """Return the names as they are kept now, written anew unless they are the same.

    Those of a repository are never those of a project outside: their folders hold otherwise.
    """
    known, proof = kept.names(), kept.proof()
    if (
        known is not None
        and known[0].is_whole
        and known[0].source == source
        and proof is not None
        and proof.is_outside == is_outside
        and known[0].holds_exactly(paths)
    ):
        return known
    if len(paths) >= _AT_ONCE:
        kept.save_names(pack(paths, root=kept.root, source=source, near=False))
    kept.save_names(pack(paths, root=kept.root, source=source, progress=progress))
    return kept.names()


def _seen(kept: IndexStore, top: str, identity: str, names: MappedNames) -> Folders | None:
    """Return what git does not track now, and the folders that will tell of more."""
    if not _told_by_folders():
        return None
    now = time.time()
    states = {path: settled(state_of(path), now) for path in rules_of(kept.root, top)}
    others = _untracked(kept.root, top)
    if others is None:
        return None
    untracked, trees = others
    files = [*names.files, *untracked]
    folders = {"", *names.folders, *_folders_of(untracked)}
    finder = Finder(kept.root, top, "repository")
    found = _explored(finder, files, folders, states, now, trees)
    if found is None:
        return None
    return Folders(identity, [*untracked, *found.files], states, found.states)


def _explored(
    finder: Finder,
    files: Sequence[str],
    folders: set[str],
    states: dict[str, State],
    now: float,
    trees: Sequence[str] = (),
) -> Explored | None:
    """Look through the folders of a project; None where they do not tell of more.

    Args:
        finder: Who found the files.
        files: All files that are known.
        folders: The folders around them.
        states: Takes the state of each ignore file.
        now: When the files began to be listed, in seconds since the epoch.
        trees: Folders that are not looked into, besides.
    """
    watched = {*folders, *trees}
    found = explore(finder, folders, _children(files), watched, most=_MOST_IGNORED)
    if found is not None:
        for path in (f"{finder.root}/{name}" for name in found.ignore_files):
            states[path] = settled(state_of(path), now)
    return found


def _untracked(root: str, top: str) -> tuple[list[str], list[str]] | None:
    """Return the files that git does not track, and the other work trees of this repository.

    None where there are too many, or other repositories.
    """
    answer = _answer(root, top, tracked=False)
    if answer is None or not answer.untracked or len(answer.files) > _MOST_UNTRACKED:
        return None
    # Other work trees of this repository are left out of every list.
    own = _repository(top)
    others = (_repository(os.path.join(root, each)) for each in answer.repositories)
    return (answer.files, answer.repositories) if all(each == own for each in others) else None


def _repository(top: str) -> str:
    """Return the git folder that the work trees of a repository share; "" where there is none."""
    place = git_folder(top)
    return "" if place is None else common_folder(place)


def _folders_of(files: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _children(files: Sequence[str]) -> Callable[[str], Container[str]]:
    """Return what tells the names of the files directly in a folder."""
    table: dict[str, set[str]] = {}
    for path in files:
        folder, _, name = path.rpartition("/")
        table.setdefault(folder, set()).add(name)
    return lambda folder: table.get(folder, ())


def _remove_unfinished(kept: IndexStore) -> None:
    """Remove what a build left that was killed while it wrote."""
    begin = os.path.basename(kept.path(""))
    try:
        left_behind = [name for name in os.listdir(kept.folder) if name.startswith(begin)]
    except OSError:
        return
    for name in left_behind:
        if name.endswith(".tmp"):
            with suppress(OSError):
                os.unlink(os.path.join(kept.folder, name))
