"""The index of a project as it was built, and what of it still holds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from truepath.project.index.layout import DamagedError
from truepath.project.index.mapped import MappedNames
from truepath.project.index.store import IndexStore, Proof
from truepath.project.names import Names

if TYPE_CHECKING:
    from truepath.project.index.finder import Way
    from truepath.project.index.folders import Folders

_MANY = 50
"""Changed folders from which their list is made anew, behind; meanwhile each is looked into."""


class KeptNames:
    """The index of one project.

    Of a project in a repository it has what git tracks, which holds while git's index is the same.
    Of one outside it has all names, which hold while the project would be listed in the same way
    and its folders are the same or have been looked into.
    """

    def __init__(self, store: IndexStore, names: MappedNames, proof: Proof) -> None:
        """Take what was found; nothing is checked yet."""
        self.store, self.names, self.proof = store, names, proof
        self.is_outside = proof.is_outside
        """Whether no repository was asked for the names."""
        self.is_outdated = False
        """Whether much has changed since it was built, besides what git tracks."""
        self._seen: Folders | None = None
        """The folders, where there was no time to look at each."""

    @staticmethod
    def find(store: str | None, root: str) -> KeptNames | None:
        """Return the index of the project at a root; None where none can be used."""
        if store is None:
            return None
        files = IndexStore(store, root)
        proof = files.proof()
        found = None if proof is None else files.names()
        if proof is None or found is None or found[1] != proof.names:
            return None
        return KeptNames(files, found[0], proof)

    def holds(self, tracked: Sequence[str], stamp: str) -> bool:
        """Return whether these are its names, and note it where git's index is another file."""
        if not self.names.holds_exactly(tracked):
            return False
        if stamp:
            with contextlib.suppress(OSError):
                self.store.save_proof(Proof(self.proof.names, stamp, self.proof.submodules))
        return True

    def tracks(self, path: str) -> bool:
        """Return whether git's index has a file at a path or below it.

        Raises:
            GitError: Not all of git's index is kept, and this is not among it; or it is damaged.
        """
        from truepath.project.git import GitError
        from truepath.project.git_folder import index_of, is_sparse

        try:
            if self.names.kind(path) is not None:
                return True
        except DamagedError as error:
            raise GitError(f"the index of names is damaged: {error}") from error
        found = index_of(self.store.root)
        if self.proof.submodules or found is None or is_sparse(os.path.dirname(found[1])):
            raise GitError("submodules and what is left out of a checkout are not kept")
        return False

    def others(self, top: str, ends: float) -> tuple[list[str], bool] | None:
        """Return the files that are not among the names, and whether these are all.

        Args:
            top: Where the work tree around the project begins; "" where none does.
            ends: When to stop, on the monotonic clock.

        Returns:
            None where they must be listed: no list of folders holds, or too much has changed.
        """
        from truepath.project.index.folders import unpacked

        seen = unpacked(self.store.folders())
        if seen is None or seen.names != self.proof.names or not seen.has_same_rules():
            self.is_outdated = not self.proof.submodules
            return None
        changed = seen.changed(self.store.root, ends)
        self._seen = seen if changed is None else None
        self.is_outdated = changed is not None and len(changed) > _MANY
        if not changed:
            return sorted(seen.untracked), changed is not None
        from truepath.project.index.explore import look_into
        from truepath.project.index.finder import Finder

        finder = Finder(self.store.root, top, self._way)
        try:
            new = look_into(finder, changed, self._children_of(seen), seen, ends)
        except DamagedError:
            return None
        if new is None:
            return None
        folders, root = set(changed), self.store.root
        old = [
            path
            for path in seen.untracked
            if path.rpartition("/")[0] not in folders or _is_file(f"{root}/{path}")
        ]
        return sorted({*old, *new}), True

    def knows_all_in(self, folder: str) -> bool:
        """Return whether a folder is as it was when the index was built, asked after `others`."""
        return self._seen is not None and self._seen.is_same(self.store.root, folder)

    @property
    def _way(self) -> Way:
        if not self.is_outside:
            return "repository"
        return "git" if self.names.source == "git" else "walk"

    def _children_of(self, seen: Folders) -> Callable[[str], Collection[str]]:
        old = Names(seen.untracked)
        return lambda folder: {*self.names.children(folder), *old.children(folder)}


def _is_file(path: str) -> bool:
    """Return whether a file or a link is at a path."""
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))
