"""The files that a project had at one moment of a transcript: git's, or those that were shown."""

from __future__ import annotations

import os
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal

from truepath.audit.misses import Named, flavour_of
from truepath.audit.transcript import Step, Transcript
from truepath.calls.tools import is_discovery
from truepath.paths import is_absolute, join, normalise, relative_to
from truepath.project.git import GitError, git, zsplit
from truepath.types import ToolCall

Tree = Literal["git", "partial"]

EPOCH = 1e8
"""Seconds; a smaller time is no date (1973) but counts from the session's start."""

_SECONDS = 60.0
"""What git may take to list a commit."""

_PATH_LINE = re.compile(r"^(?:\./)?([\w@.+-]*(?:/[\w@.+-]+)+)(?=$|[:\s])", re.MULTILINE)


class Known:
    """The names of a project, which grow as the agent makes and shows files."""

    def __init__(self, root: str, names: Iterable[str], tree: Tree) -> None:
        """Take the names, relative to `root`, that are known when the session begins."""
        self.root, self.tree = root, tree
        self.names = set(names)
        self._flavour = flavour_of(root)
        self._folders: set[str] = set()
        self._below = f"{normalise(root, self._flavour) or '.'}/"
        self._inside: dict[str, str | None] = {}
        for name in self.names:
            self._add_folders(name)

    def inside(self, target: str) -> str | None:
        """Return a normalised target relative to the root; None where it lies outside.

        Where a format does not say where the agent is, it is taken to be at the root.
        """
        if target not in self._inside:
            whole = target if target[:1] == "/" else join(self.root, target, self._flavour)
            below = whole.startswith(self._below)
            self._inside[target] = (
                whole[len(self._below) :] if below else relative_to(whole, self.root, self._flavour)
            )
        return self._inside[target]

    def has(self, rel: str) -> bool:
        """Tell whether a file or folder of this name is known."""
        return not rel or rel in self.names or rel in self._folders

    def learn(self, step: Step, paths: Sequence[Named], cwd: str) -> None:
        """Take in what a step shows to be there, and what it took away."""
        for path in paths:
            rel = self.inside(path.target)
            if path.there and rel:
                self._take(rel, path)
        said = step.answer or ""
        if self.tree == "partial" and "/" in said and _looks_around(step, cwd):
            self._show(said, step.cwd or cwd)

    def _take(self, rel: str, path: Named) -> None:
        operation, kind = path.mention.argument.operation, path.mention.argument.kind
        if operation in ("delete", "move"):
            self.names = {name for name in self.names if not f"{name}/".startswith(f"{rel}/")}
            self._folders.discard(rel)
        elif kind == "file" or (kind == "any" and "." in os.path.basename(rel)):
            self._add(rel)
        elif not self.has(rel):
            self.names.add(f"{rel}/")
            self._add_folders(f"{rel}/.")

    def _add(self, rel: str) -> None:
        if rel not in self._folders:
            self.names.add(rel)
            self._add_folders(rel)

    def _add_folders(self, rel: str) -> None:
        folder = rel.rstrip("/").rpartition("/")[0]
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

    def _show(self, answer: str, cwd: str) -> None:
        for path in _PATH_LINE.findall(answer):
            flavour = self._flavour
            rooted = is_absolute(path, flavour)
            rel = self.inside(normalise(path, flavour) if rooted else join(cwd, path, flavour))
            if rel and "." in os.path.basename(rel):
                self._add(rel)


def _looks_around(step: Step, cwd: str) -> bool:
    return is_discovery(ToolCall(step.tool, step.arguments, cwd=cwd))


def known_at_start(transcript: Transcript, paths: Sequence[Sequence[Named]], repo: str) -> Known:
    """Return what is known of a project when a session begins.

    Args:
        transcript: The session.
        paths: The paths that each of its steps named.
        repo: A folder in the project's repository; empty: the session's own folder, if it is
            in a repository on this machine.
    """
    times = (step.time for step in transcript.steps)
    started = next((time for time in times if time and time > EPOCH), None)
    here = _first_folder(transcript, paths)
    top = top_of(repo or here)
    names = tree_at(top, started, transcript.about.commit) if top else ()
    if not names:
        return Known(transcript.about.root or here or "/workspace", (), "partial")
    return Known(_root(here, top, set(names), paths), names, "git")


def _first_folder(transcript: Transcript, paths: Sequence[Sequence[Named]]) -> str:
    given = next((step.cwd for step in transcript.steps if step.cwd), "") or transcript.about.cwd
    if given:
        return given
    opened = [path.target for found in paths for path in found if path.there]
    folders = [os.path.dirname(path) for path in opened if path.startswith("/")]
    shared = os.path.commonpath(folders) if folders else ""
    return shared if shared.count("/") > 1 else ""


def _root(here: str, top: str, names: set[str], paths: Sequence[Sequence[Named]]) -> str:
    """Return where the tree hangs on the agent's machine: the folder that makes most of the paths
    it opened names of the tree.
    """
    opened = {path.target for found in paths for path in found if path.there}
    hits = Counter(path[:end] for path in opened for end in _ends(path) if path[end + 1 :] in names)
    if hits:
        return min(hits, key=lambda folder: (-hits[folder], len(folder), folder))
    return top if here.startswith(top) else here or "/workspace"


def _ends(path: str) -> Iterator[int]:
    """Yield where the folders end that a path lies in; the root itself is none of them."""
    end = path.rfind("/")
    while end > 0:
        yield end
        end = path.rfind("/", 0, end)


@lru_cache(maxsize=256)
def top_of(folder: str) -> str:
    """Return the top of the work tree or the bare repository at a folder; "" where is none."""
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return ""
    try:
        return os.fsdecode(git(folder, "rev-parse", "--show-toplevel")).rstrip("\n")
    except GitError:
        try:
            return os.fsdecode(git(folder, "rev-parse", "--absolute-git-dir")).rstrip("\n")
        except GitError:
            return ""


def tree_at(top: str, time: float | None, commit: str) -> tuple[str, ...]:
    """Return the names of a commit: the one that is given, else the last before a moment.

    Args:
        top: A repository.
        time: Seconds since the epoch; None for now.
        commit: What the transcript says was checked out.
    """
    given = re.fullmatch(r"[0-9a-f]{7,64}", commit) and _names(top, commit)
    return given or _names(top, _commit_at(top, time))


def _commit_at(top: str, time: float | None) -> str:
    """Return the last commit before a moment, of those that HEAD was in turn."""
    history = _history(top)
    if time is None:
        return history[-1][1] if history else ""
    at = bisect(history, time, key=_moment)
    return history[at - 1][1] if at else ""


def _moment(commit: tuple[float, str]) -> float:
    return commit[0]


@lru_cache(maxsize=64)
def _history(top: str) -> Sequence[tuple[float, str]]:
    """Return the time and the name of each commit that HEAD was, the oldest first.

    Times that a clock set wrong never fall: a commit is not older than the one before it.
    """
    try:
        told = git(top, "log", "--first-parent", "--format=%ct %H", "HEAD", "--", timeout=_SECONDS)
    except GitError as error:
        told = error.output
    commits = [line.split() for line in reversed(os.fsdecode(told).splitlines())]
    times = accumulate((float(words[0]) for words in commits), max)
    return [(time, words[1]) for time, words in zip(times, commits, strict=True)]


@lru_cache(maxsize=32)
def _names(top: str, commit: str) -> tuple[str, ...]:
    listing = ("ls-tree", "-r", "-z", "--full-tree", "--name-only")
    try:
        return tuple(zsplit(git(top, *listing, commit, timeout=_SECONDS))) if commit else ()
    except GitError:
        return ()
