"""Build the index of one project: its tracked names first, then what git does not track."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Sequence
from contextlib import suppress

from truepath.project import background
from truepath.project.git import GitError
from truepath.project.git_folder import common_folder, git_folder, index_of, stamp_of
from truepath.project.git_listing import Answer, Question
from truepath.project.index.explore import explore
from truepath.project.index.folders import Folders, rules_of, settled, state_of
from truepath.project.index.mapped import MappedNames
from truepath.project.index.pack import Progress, pack
from truepath.project.index.store import IndexStore, Proof

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

    Only one process builds at a time; a project outside every repository has none.
    """
    kept = IndexStore(store, root)
    lock = kept.path("lock")
    with background.only_one(lock) as mine:
        return mine and background.attempt(lock, lambda: _build(kept, progress))


def _build(kept: IndexStore, progress: Progress) -> bool:
    place = index_of(kept.root)
    if place is None:
        return False
    top, index = place
    _remove_unfinished(kept)
    stamp = stamp_of(index)
    answer = _tracked(kept.root, top)
    if answer is None or not answer[0] or len(answer[0]) > LIMIT:
        kept.remove()
        return False
    paths, submodules = answer
    try:
        found = _names(kept, paths, progress)
        if found is None:
            return False
        names, identity = found
        kept.save_proof(Proof(identity, stamp, tuple(submodules)))
        seen = None if submodules else _seen(kept, top, identity, names)
        kept.save_folders(b"" if seen is None else seen.pack())
    except (OSError, ValueError):
        return False
    return True


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
    kept: IndexStore, paths: Sequence[str], progress: Progress
) -> tuple[MappedNames, str] | None:
    """Return the names as they are kept now, written anew unless they are the same."""
    known = kept.names()
    if known is not None and known[0].is_whole and known[0].holds_exactly(paths):
        return known
    if len(paths) >= _AT_ONCE:
        kept.save_names(pack(paths, root=kept.root, source="git", near=False))
    kept.save_names(pack(paths, root=kept.root, source="git", progress=progress))
    return kept.names()


def _seen(kept: IndexStore, top: str, identity: str, names: MappedNames) -> Folders | None:
    """Return what git does not track now, and the folders that will tell of more."""
    rules = rules_of(kept.root, top)
    # On Windows a folder's time of change is not to be had, and rules may be in the environment.
    if not rules or os.name == "nt" or "GIT_CONFIG_COUNT" in os.environ:
        return None
    now = time.time()
    states = {path: settled(state_of(path), now) for path in rules}
    others = _untracked(kept.root, top)
    if others is None:
        return None
    untracked, trees = others
    files = [*names.files, *untracked]
    folders = {"", *names.folders, *_folders_of(untracked)}
    watched = {*folders, *trees}
    found = explore(kept.root, top, folders, _children(files), watched, most=_MOST_IGNORED)
    if found is None:
        return None
    for path in (f"{kept.root}/{name}" for name in found.ignore_files):
        states[path] = settled(state_of(path), now)
    return Folders(identity, [*untracked, *found.files], states, found.states)


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
