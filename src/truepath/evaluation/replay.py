"""Ask about mined cases as at the time of each case: names on disk, and the history up to then.

Each state is rebuilt in a folder of its own: the names without contents, and a git folder that
borrows the repository's objects. The repository itself is only read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import groupby

from truepath.evaluation.cases import Case, tree_names
from truepath.evaluation.run import Progress
from truepath.evaluation.score import Judged, judge
from truepath.project.git import git
from truepath.project.history import History
from truepath.resolve.workspace import Workspace
from truepath.types import Operation, Resolution

TIMEOUT_S = 1.0
"""Seconds a question may wait for history: this is to tell what it knows, not how fast."""


def replay(
    repo: str,
    cases: Sequence[Case],
    trees: str,
    folder: str,
    *,
    operation: Operation | None = None,
    progress: Progress | None = None,
) -> list[Judged]:
    """Ask about each case in the state that its tree is named by, oldest state first.

    Args:
        repo: A folder in the repository that was mined.
        cases: What `mine` returned.
        trees: The folder with their trees.
        folder: An empty folder; the states are built in it.
        operation: Ask as if this were done to every path.
        progress: Told how many cases are done.

    Raises:
        GitError: git fails.
        OSError: the folder cannot be written.
    """
    state = State(repo, os.path.join(folder, "state"))
    store = os.path.join(folder, "store")
    found: list[Judged] = []
    # Mined cases come youngest state first; the map of history grows in the other direction.
    for tree, members in groupby(reversed(cases), lambda case: case.tree):
        state.move_to(tree.partition(".")[0], tree_names(trees, tree))
        History(state.place, store=store).build()
        space = Workspace(state.place, timeout_s=TIMEOUT_S, store=store)
        for case in members:
            found.append((case, judge(case.truth, _asked(space, case, operation))))
            if progress:
                progress(len(found), len(cases))
    return found


def _asked(space: Workspace, case: Case, operation: Operation | None) -> Resolution:
    return space.resolve(case.written, operation or case.operation, kind=case.kind)


def borrow(repo: str, place: str) -> None:
    """Make an empty work tree at `place` whose git folder reads the objects of `repo`."""
    ask = ("rev-parse", "--path-format=absolute", "--git-common-dir", "--show-object-format")
    common, form = os.fsdecode(git(repo, *ask)).splitlines()
    own = os.path.join(place, ".git")
    for name in ("objects/info", "refs"):
        os.makedirs(os.path.join(own, name))
    _put(os.path.join(own, "objects", "info", "alternates"), os.path.join(common, "objects"))
    version = f"repositoryformatversion = {int(form != 'sha1')}"
    extension = f"[extensions]\n\tobjectFormat = {form}\n" if form != "sha1" else ""
    _put(os.path.join(own, "config"), f"[core]\n\t{version}\n\tbare = false\n{extension}")
    _put(os.path.join(own, "HEAD"), "ref: refs/heads/none")
    shallow = os.path.join(common, "shallow")
    if os.path.exists(shallow):
        with open(shallow, encoding="ascii") as file:
            _put(os.path.join(own, "shallow"), file.read().rstrip("\n"))


class State:
    """A work tree without contents, which borrows another repository's objects."""

    def __init__(self, repo: str, place: str) -> None:
        """Make it at `place`, with nothing checked out."""
        borrow(repo, place)
        self.place = place
        self._names: frozenset[str] = frozenset()
        self._folders = {""}
        self._blank = ""

    def move_to(self, commit: str, names: Iterable[str]) -> None:
        """Make `commit` what is checked out: its index, and its names.

        Only what differs from the last one is touched: making a file costs more than a question.
        """
        _put(os.path.join(self.place, ".git", "HEAD"), commit)
        git(self.place, "read-tree", commit, timeout=120)
        wanted = frozenset(names)
        for name in self._names - wanted:
            os.unlink(os.path.join(self.place, name))
            self._drop_empty(os.path.dirname(name))
        for name in sorted(wanted - self._names):
            folder = os.path.dirname(name)
            if folder not in self._folders:
                os.makedirs(os.path.join(self.place, folder), exist_ok=True)
                self._folders.add(folder)
            self._make(os.path.join(self.place, name))
        self._names = wanted

    def _make(self, path: str) -> None:
        """Make an empty file; another name for the last one takes a tenth of the time."""
        try:
            os.link(self._blank, path)
        except OSError:  # too many names for one file, or a disk that knows no second ones
            _put(path, "")
            self._blank = path

    def _drop_empty(self, folder: str) -> None:
        """Remove folders that have nothing left in them: git has no empty ones."""
        while folder and not os.listdir(os.path.join(self.place, folder)):
            os.rmdir(os.path.join(self.place, folder))
            self._folders.discard(folder)
            folder = os.path.dirname(folder)


def _put(path: str, line: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{line}\n" if line else "")
