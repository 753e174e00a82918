"""Build the index of one project: its tracked names first, then what git does not track.

Of a project outside every repository, and of one that git does not read, all names are in it.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, compress
from operator import ne
from typing import Literal

from truepath.project import background
from truepath.project.git import GitError, git
from truepath.project.git_folder import index_of, stamp_of
from truepath.project.git_listing import Question
from truepath.project.index.explore import Explored, explore
from truepath.project.index.finder import Finder, outside_stamp
from truepath.project.index.folders import Folders, State, rules_of, settled, state_of
from truepath.project.index.mapped import MappedNames
from truepath.project.index.pack import Progress, pack
from truepath.project.index.store import IndexStore, Proof, is_intact
from truepath.project.listing import begin
from truepath.project.names import Names
from truepath.project.walk import too_high

LIMIT = 4_000_000
"""Files of an index; twice as many as are listed."""

_MOST_UNKNOWN = 250_000
"""Names that are not known, in folders that are not ignored: it is asked which are ignored."""

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
    with background.only_one(lock) as mine, _without_collector():
        return mine and background.attempt(lock, lambda: _build(kept, progress))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Have nobody look for cycles: there are millions of names in lists, and none among them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _build(kept: IndexStore, progress: Progress) -> bool:
    top, index = index_of(kept.root) or ("", "")
    _remove_unfinished(kept)
    try:
        is_refused = _is_refused(kept.root)
    except GitError:
        return False
    stamp = stamp_of(index)
    answer = _tracked(kept.root, top) if top else None
    if answer is None or not answer[0]:
        return _build_outside(kept, (top, index), progress, is_refused=is_refused)
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
        seen = None if submodules else _seen(kept, top, identity, paths, names.folders)
        kept.save_folders(b"" if seen is None else seen.pack())
    except (OSError, ValueError):
        return False
    return True


def _build_outside(
    kept: IndexStore, place: tuple[str, str], progress: Progress, *, is_refused: bool
) -> bool:
    """Build the index of a project of which no repository is asked for the names."""
    top, stamp, now = place[0], outside_stamp(*place), time.time()
    states = {path: settled(state_of(path), now) for path in rules_of(kept.root, top or kept.root)}
    with begin(kept.root, limit=LIMIT, deadline=background.BUILD_SECONDS) as begun:
        listing = begun.finished()
    files = listing.paths
    found = None
    is_outside = begun.outside and (not top or listing.source == "git" or is_refused)
    if files and is_outside and not listing.cut_short and _told_by_folders():
        finder = Finder(kept.root, top, listing.source)
        found = _explored(finder, files, {"", *Names(files, in_order=True).folders}, states, now)
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
    """Return whether git is not installed, or reads no repository here, whatever it is asked.

    Raises:
        GitError: It does not say so in time.
    """
    try:
        git(root, "rev-parse", "--git-dir", timeout=background.ANSWER_SECONDS)
    except GitError as error:
        if error.timed_out:
            raise
        return True
    return False


def _told_by_folders() -> bool:
    """Return whether folders and ignore files tell of what changes."""
    # On Windows a folder's time of change is not to be had, and rules may be in the environment.
    return os.name != "nt" and "GIT_CONFIG_COUNT" not in os.environ


def _tracked(root: str, top: str) -> tuple[list[str], list[str]] | None:
    """Return the tracked files in the order of their bytes, each once, and the submodules."""
    try:
        question = Question(root, top, untracked=False)
    except GitError:
        return None
    try:
        answer = question.answer(time.monotonic() + background.BUILD_SECONDS)
    finally:
        question.end()
    if answer is None or answer.cut_short:
        return None
    # A file in conflict is listed once for each version of it, one after another.
    files = answer.files
    return [*compress(files, map(ne, files, chain(("",), files)))], answer.repositories


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
        and is_intact(kept.path("names"))
    ):
        return known
    early = kept.save_names if len(paths) >= _AT_ONCE else None
    kept.save_names(pack(paths, root=kept.root, source=source, early=early, progress=progress))
    return kept.names()


def _seen(
    kept: IndexStore, top: str, identity: str, paths: Sequence[str], tracked: Iterable[str]
) -> Folders | None:
    """Return what git does not track now, and the folders that will tell of more.

    Args:
        kept: Where the index is kept.
        top: Where the work tree around the project begins.
        identity: The file of the tracked names.
        paths: The tracked files.
        tracked: The folders that hold them.
    """
    if not _told_by_folders() or too_high(kept.root):
        return None
    now = time.time()
    states = {path: settled(state_of(path), now) for path in rules_of(kept.root, top)}
    finder = Finder(kept.root, top, "repository")
    found = _explored(finder, paths, {"", *tracked}, states, now)
    if found is None or len(found.files) > _MOST_UNTRACKED:
        return None
    return Folders(identity, sorted(found.files), states, found.states)


def _explored(
    finder: Finder,
    files: Iterable[str],
    folders: set[str],
    states: dict[str, State],
    now: float,
) -> Explored | None:
    """Look through the folders of a project; None where they do not tell of more.

    Args:
        finder: Who found the files.
        files: All files that are known.
        folders: The folders around them.
        states: Takes the state of each ignore file, and of what makes another work tree.
        now: When the files began to be listed, in seconds since the epoch.
    """
    found = explore(finder, folders, _children(files), folders, most=_MOST_UNKNOWN)
    if found is not None:
        rules = [f"{finder.root}/{name}" for name in found.ignore_files]
        trees = chain.from_iterable(map(finder.files_of_tree, found.trees))
        for path in (*rules, *trees):
            states[path] = settled(state_of(path), now)
    return found


def _children(files: Iterable[str]) -> Callable[[str], Collection[str]]:
    """Return what tells the names of the files directly in a folder."""
    table: dict[str, list[str]] = {}
    last, names = "", table.setdefault("", [])
    for path in files:
        folder, _, name = path.rpartition("/")
        if folder != last:  # files of one folder mostly follow one another
            last, names = folder, table.setdefault(folder, [])
        names.append(name)
    return lambda folder: frozenset(table.get(folder, ()))


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
