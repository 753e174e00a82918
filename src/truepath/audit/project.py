"""The files that a project had at one moment of a transcript."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from math import inf

from truepath.audit.misses import flavour_of
from truepath.audit.transcript import Call, Named, Transcript
from truepath.paths import join, normalise, relative_to
from truepath.project.git import GitError, git, zsplit
from truepath.project.history import WITHHELD, Fate, History
from truepath.project.secrets import is_secret
from truepath.project.tree import Tree
from truepath.resolve.workspace import Workspace
from truepath.types import Kind

EPOCH = 1e8
"""Seconds; a smaller time is not a date (1973), but relative to the session's start."""

_GIT_S = 60.0
"""Seconds that git may take to list a commit, or to read a history."""

_EXTENSION = re.compile(r"\.[A-Za-z]\w*$")
"""The end of a file's name; that of `v1.2` is none."""

_BRANCHES = 20
"""The latest branches that are tried if HEAD does not have what was opened."""


class Project:
    """The names of a project, which change as the agent makes and deletes files."""

    def __init__(
        self, root: str, names: Iterable[str] = (), top: str = "", commit: str = ""
    ) -> None:
        """Take the names, relative to `root`, that are known when the session begins,
        if any; they are those of a commit of the repository at `top`.
        """
        self.root = root
        self.names = set(names)
        self.known = bool(self.names)
        self._top = top
        self._commit = commit
        self._flavour = flavour_of(root)
        self._space: Workspace | None = None

    def workspace(self) -> Workspace:
        """Return a workspace of the names that are known so far, with the history until
        then.
        """
        if self._space is None:
            self._space = Workspace.from_names(
                self.names, root=self.root, flavour=self._flavour
            )
            names = self._space.tree.names()
            past = _Past(names, self.root, self._flavour)
            past.top = self._top
            past.commit = self._commit
            self._space.tree = past
        return self._space

    def inside(self, target: str) -> str | None:
        """Return a normalised target relative to the root; None if it is outside.

        Without a known working directory, the agent counts as being at the root.
        """
        whole = target if target[:1] == "~" else join(self.root, target, self._flavour)
        return relative_to(whole, self.root, self._flavour)

    def shown(self, target: str) -> str:
        """Return a target relative to the root, or unchanged if it is outside."""
        inside = self.inside(target)
        return target if inside is None else inside

    def has(self, rel: str) -> bool:
        """Return whether a file or folder of this name is known."""
        below = f"{rel}/"
        known = not rel or rel in self.names
        return known or any(name.startswith(below) for name in self.names)

    def learn(self, paths: Sequence[Named]) -> None:
        """Add the paths that a call shows to exist, and remove those that it deleted or
        moved.
        """
        if not self.known:
            return
        for path in paths:
            rel = self.inside(path.target)
            if not rel or not path.there:
                continue
            if path.mention.argument.operation in ("delete", "move"):
                self._space = None
                self.names = {
                    name for name in self.names if not f"{name}/".startswith(f"{rel}/")
                }
            elif not self.has(rel):
                self._space = None
                self._add(rel, path.mention.argument.kind)

    def _add(self, rel: str, kind: Kind) -> None:
        is_file = kind == "file" or (kind == "any" and _EXTENSION.search(rel))
        self.names.add(rel if is_file else f"{rel}/")
        # What has something below it is a folder, whatever its name looked like.
        self.names.difference_update(rel[:end] for end in _ends(rel))


def project_of(transcript: Transcript, repo: str) -> Project:
    """Return the project as it was when a session began.

    Its names are those of the first commit that has every file that the session opened
    and none that it missed; else of the commit with most of them, if that is half.
    `repo` is a folder in its repository; by default the session's folder.
    """
    here = transcript.cwd
    top = top_of(repo or here)
    opened, missed = _opened(transcript.calls)
    best = Project(here or "/workspace")
    most = (False, -1)
    for commit in _commits(top, transcript):
        names = _names(top, commit)
        if not names:
            continue
        root, is_above = _root(here, top, names, opened)
        project = Project(root, names, top, commit)
        inside = [*filter(None, map(project.inside, opened))]
        held = sum(rel in names for rel in inside)
        right = held - sum(project.inside(path) in names for path in missed)
        if (is_above, right) > most and 2 * held >= len(inside):
            best = project
            most = (is_above, right)
        if is_above and right == len(inside):
            break
    return best


def _opened(calls: Sequence[Call]) -> tuple[list[str], list[str]]:
    """Return the files that a session opened without creating them, and those that it
    missed.
    """
    opened = dict[str, bool]()
    missed = list[str]()
    for path in chain.from_iterable(call.paths for call in calls):
        argument = path.mention.argument
        if path.there:
            existed = argument.kind == "file" and argument.operation in ("read", "edit")
            opened.setdefault(path.target, existed)
        elif path.missed and path.target not in opened:
            missed.append(path.target)
    return [path for path, existed in opened.items() if existed], missed


def _root(
    here: str, top: str, names: frozenset[str], opened: Sequence[str]
) -> tuple[str, bool]:
    """Return the root on the agent's machine, and whether the session was in it.

    On this machine it is the top of the session's work tree. Elsewhere it is a folder
    below which most of the opened paths are names: the session's, or one above it,
    before any other.
    """
    if top == top_of(here) and f"{here}/".startswith(f"{top}/"):
        return top, True
    place = normalise(here, flavour_of(here))
    hits = Counter(
        path[:end] for path in opened for end in _ends(path) if path[end + 1 :] in names
    )
    below = Counter(path[:end] for path in opened for end in _ends(path))
    above = [
        folder
        for folder in hits
        if f"{place}/".startswith(f"{folder}/") and 2 * hits[folder] > below[folder]
    ]
    outer = _outer(place, names)
    if outer and not any(_is_deep(path, place, names) for path in opened):
        return outer, True
    if hits:
        root = min(
            above or hits, key=lambda folder: (-hits[folder], len(folder), folder)
        )
        return root, bool(above)
    return here or "/workspace", True


def _outer(place: str, names: frozenset[str]) -> str:
    """Return the folder below which a session's folder is one that the project has, at
    least two deep; "" if there is none.

    A session in `.../shop/web/admin` is one of `shop`, although a README is in both.
    """
    folders = _folders(names)
    for end in [*_ends(place)][::-1]:
        within = place[end + 1 :]
        # Its own folder may be too new to be known; the one above it then tells.
        for folder in (within, within.rpartition("/")[0]):
            if "/" in folder and folder in folders:
                return place[:end]
    return ""


def _is_deep(path: str, root: str, names: frozenset[str]) -> bool:
    """Return whether a path below a root is a name, and too deep to be so by chance."""
    within = path.removeprefix(f"{root}/")
    return within != path and within.count("/") > 1 and within in names


@lru_cache(maxsize=32)
def _folders(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name[:end] for name in names for end in _ends(name))


def _ends(path: str) -> Iterator[int]:
    """Yield where the folders of a path end, except the root."""
    end = path.rfind("/")
    while end > 0:
        yield end
        end = path.rfind("/", 0, end)


@lru_cache(maxsize=256)
def top_of(folder: str) -> str:
    """Return the top of the work tree or the bare repository at a folder; "" if there
    is none.
    """
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return ""
    asks = ("--show-toplevel", "--absolute-git-dir")
    return next((line for ask in asks for line in _lines(folder, "rev-parse", ask)), "")


def is_project(path: str) -> bool:
    """Return whether a path is the top of a work tree, or a bare repository."""
    top = top_of(os.path.abspath(path)) if os.path.isdir(path) else ""
    return bool(top) and os.path.samefile(top, path)


def _commits(top: str, transcript: Transcript) -> Iterator[str]:
    """Yield the commits that a session may have begun with, most likely first.

    They are the one that it names; the last one before it on HEAD and on each branch,
    or at all if it has no dates; and the next one, which often has the session's files.
    """
    if not top:
        return
    if re.fullmatch(r"[0-9a-f]{7,64}", transcript.commit):
        yield transcript.commit
    times = (call.time for call in transcript.calls)
    began = next((time for time in times if time and time > EPOCH), inf)
    for branch in ("HEAD", *_branches(top)):
        before = [commit for time, commit in _history(top, branch) if time <= began]
        yield from before[:1]
    after = [commit for time, commit in _history(top, "HEAD") if time > began]
    yield from after[-1:]


@lru_cache(maxsize=64)
def _branches(top: str) -> Sequence[str]:
    listing = ("--sort=-committerdate", f"--count={_BRANCHES}", "--format=%(refname)")
    return _lines(top, "for-each-ref", *listing, "refs/heads", "refs/remotes")


@lru_cache(maxsize=256)
def _history(top: str, ref: str) -> Sequence[tuple[float, str]]:
    """Return the time and id of each commit of a branch, latest first."""
    words = ("log", "--first-parent", "--format=%ct %H", ref, "--")
    return [
        (float(time), commit) for time, commit in map(str.split, _lines(top, *words))
    ]


@lru_cache(maxsize=32)
def _names(top: str, commit: str) -> frozenset[str]:
    listing = ("ls-tree", "-r", "-z", "--full-tree", "--name-only")
    try:
        return frozenset(
            zsplit(git(top, *listing, commit, ends=time.monotonic() + _GIT_S))
        )
    except GitError:
        return frozenset()


def _lines(top: str, *words: str) -> list[str]:
    try:
        told = git(top, *words, ends=time.monotonic() + _GIT_S)
    except GitError:
        return []
    return [line for line in os.fsdecode(told).splitlines() if line]


class _Past(Tree):
    """A project as it was at a commit, with the renames and deletions until then."""

    top = commit = ""

    def fate(self, path: str) -> Fate | None:
        history = _history_of(self.top)
        history.commit = self.commit
        history.there = lambda path: self.kind(path) is not None
        fate = history.fate(path, time.monotonic() + _GIT_S)
        is_hidden = is_secret(path) or not self.may_name(fate.path)
        return WITHHELD if fate.path and is_hidden else fate


_history_of = lru_cache(maxsize=4)(History)
"""Top -> its history, which is read on from one commit to the next."""
