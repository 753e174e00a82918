"""The files that a project had at one moment of a transcript."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from truepath.audit.misses import Named, flavour_of
from truepath.audit.transcript import Transcript
from truepath.paths import join, relative_to
from truepath.project.git import GitError, git, zsplit

EPOCH = 1e8
"""Seconds; a smaller time is no date (1973) but counts from the session's start."""

_SECONDS = 60.0
"""What git may take to list a commit."""

_BRANCHES = 20
"""Branches, the last changed, that are tried where the main line has not what was opened."""


class Project:
    """The names of a project, which change as the agent makes and deletes files."""

    def __init__(self, root: str, names: Iterable[str] = ()) -> None:
        """Take the names, relative to `root`, that are known when the session begins, if any."""
        self.root, self.names = root, set(names)
        self.known = bool(self.names)
        self._flavour = flavour_of(root)

    def inside(self, target: str) -> str | None:
        """Return a normalised target relative to the root; None where it lies outside.

        Where a format does not say where the agent is, it is taken to be at the root.
        """
        whole = target if target[:1] == "~" else join(self.root, target, self._flavour)
        return relative_to(whole, self.root, self._flavour)

    def shown(self, target: str) -> str:
        """Return a target relative to the root, or as it is where it lies outside."""
        inside = self.inside(target)
        return target if inside is None else inside

    def has(self, rel: str) -> bool:
        """Tell whether a file or folder of this name is known."""
        below = f"{rel}/"
        known = not rel or rel in self.names
        return known or any(name.startswith(below) for name in self.names)

    def learn(self, paths: Sequence[Named]) -> None:
        """Take in what a call shows to be there, and what it took away."""
        for path in paths if self.known else ():
            argument, rel = path.mention.argument, self.inside(path.target)
            if not rel or not path.there:
                continue
            if argument.operation in ("delete", "move"):
                self.names = {name for name in self.names if not f"{name}/".startswith(f"{rel}/")}
            elif not self.has(rel):
                dotted = argument.kind == "any" and "." in os.path.basename(rel)
                self.names.add(rel if dotted or argument.kind == "file" else f"{rel}/")


def project_of(transcript: Transcript, paths: Sequence[Sequence[Named]], repo: str) -> Project:
    """Return what is known of a project when a session begins.

    The first commit that has every file which the session found there, and none that it missed, is
    taken; else the one with most, if that is half of them. Without one, nothing is known of it.

    Args:
        transcript: The session.
        paths: The paths that each of its calls named.
        repo: A folder in the project's repository; empty: the session's own folder, if it is
            in a repository on this machine.
    """
    here = next((call.cwd for call in transcript.calls if call.cwd), transcript.cwd)
    top = top_of(repo or here)
    opened, missed = _opened(paths)
    best, most = Project(here or "/workspace"), -1
    for commit in _commits(top, transcript) if top else ():
        names = _names(top, commit)
        project = Project(_root(here, top, names, opened))
        inside = [rel for path in opened if (rel := project.inside(path))]
        held = sum(rel in names for rel in inside)
        right = held - sum(project.inside(path) in names for path in missed)
        if names and right > most and 2 * held >= len(inside):
            best, most = Project(project.root, names), right
        if names and right == len(inside):
            break
    return best


def _opened(paths: Sequence[Sequence[Named]]) -> tuple[list[str], list[str]]:
    """Return the files that a session read or changed before it made them, and those it missed."""
    opened, missed = dict[str, bool](), list[str]()
    for path in (path for named in paths for path in named):
        argument = path.mention.argument
        if path.there:
            old = argument.kind == "file" and argument.operation in ("read", "edit")
            opened.setdefault(path.target, old)
        elif path.missed and path.target not in opened:
            missed.append(path.target)
    return [path for path, old in opened.items() if old], missed


def _root(here: str, top: str, names: frozenset[str], opened: Sequence[str]) -> str:
    """Return where the tree hangs on the agent's machine: the folder that makes most of the paths
    it opened names of the tree.
    """
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
    asks = ("--show-toplevel", "--absolute-git-dir")
    return next((line for ask in asks for line in _lines(folder, "rev-parse", ask)), "")


def is_project(path: str) -> bool:
    """Tell whether a path is the top of a work tree, or a bare repository."""
    top = top_of(os.path.abspath(path)) if os.path.isdir(path) else ""
    return bool(top) and os.path.samefile(top, path)


def _commits(top: str, transcript: Transcript) -> Iterator[str]:
    """Yield the commits that a session may have begun with, the likeliest first.

    These are the one that it names; the last before it, of those that HEAD was in turn; the last
    before it on every branch; and the next one, to which the files of a session are often added.
    """
    if re.fullmatch(r"[0-9a-f]{7,64}", transcript.commit):
        yield transcript.commit
    times = (call.time for call in transcript.calls)
    began = next((time for time in times if time and time > EPOCH), None)
    history = _history(top, "HEAD")
    yield from _last(history, began)
    if began is None:
        return
    for branch in _branches(top):
        yield from _last(_history(top, branch), began)
    yield from [commit for time, commit in history if time > began][-1:]


def _last(history: Sequence[tuple[float, str]], until: float | None) -> list[str]:
    return [commit for time, commit in history if until is None or time <= until][:1]


@lru_cache(maxsize=64)
def _branches(top: str) -> Sequence[str]:
    listing = ("--sort=-committerdate", f"--count={_BRANCHES}", "--format=%(refname)")
    return _lines(top, "for-each-ref", *listing, "refs/heads", "refs/remotes")


@lru_cache(maxsize=256)
def _history(top: str, ref: str) -> Sequence[tuple[float, str]]:
    """Return the time and the name of each commit that a branch was, the last first."""
    words = ("log", "--first-parent", "--format=%ct %H", ref, "--")
    return [(float(time), commit) for time, commit in map(str.split, _lines(top, *words))]


@lru_cache(maxsize=32)
def _names(top: str, commit: str) -> frozenset[str]:
    listing = ("ls-tree", "-r", "-z", "--full-tree", "--name-only")
    try:
        return frozenset(zsplit(git(top, *listing, commit, timeout=_SECONDS)))
    except GitError:
        return frozenset()


def _lines(top: str, *words: str) -> list[str]:
    try:
        told = git(top, *words, timeout=_SECONDS)
    except GitError as error:
        told = error.output
    return [line for line in os.fsdecode(told).splitlines() if line]
