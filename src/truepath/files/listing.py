"""The names of a project's files: from git where git is there, else by a walk.

It says how complete a list is. It must not know what the names are for.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from truepath.files.git import GitError
from truepath.files.gitfolder import common_folder, enclosing, git_folder
from truepath.files.gitnames import Answer, Question, is_ignored, left, unversioned
from truepath.files.walk import walk

_ABREAST = 4
"""How many nested repositories are asked at once; each takes two processes."""

_PATIENCE = 10.0
"""Seconds that git may take over a folder that is no repository if there is no deadline: it
would wait for ever for a pipe named `.gitignore`. If there is one, git has half of the time and
the walk the rest, because git tells nothing of a folder that it has not seen to its end.
"""


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of a project's files."""

    paths: list[str]
    """Relative to the root with `/`, sorted. A tracked file may be gone from the disk."""
    source: Literal["git", "walk", "given"]
    """Who found them: git, in a repository or not, or a walk without it."""
    cut_short: bool
    """Whether a limit stopped it, so that a name's absence proves nothing."""
    untracked: bool
    """Whether files that git does not track yet are among them."""


def list_names(
    root: str,
    *,
    limit: int = 2_000_000,
    deadline: float | None = None,
    grace: float | None = None,
) -> Listing:
    """List the files below `root`, without what its ignore files leave out.

    Args:
        root: The folder; it may lie inside a repository.
        limit: How many names are listed.
        deadline: How many seconds it may take. Untracked names take several times longer
            than tracked ones; if only they are late, the list is not cut short without them.
        grace: How many seconds untracked names are waited for when the tracked ones are there;
            None: until the deadline, 0: not at all. Outside repositories it means nothing.

    Submodules, nested repositories and their untracked files are in it, by their own ignore
    rules; other work trees of the same repository are not: they hold every name once more.
    """
    root = os.path.abspath(root)
    ends = None if deadline is None else time.monotonic() + deadline
    listing = _Listed(root, limit, ends, grace).from_git()
    if listing is not None:
        return listing
    walked = walk(root, limit=limit, deadline=left(ends))
    return Listing(walked.paths, "walk", walked.cut_short, untracked=True)


class _Listed:
    """A listing that grows: the repository around a root, then those nested in it."""

    def __init__(self, root: str, limit: int, ends: float | None, grace: float | None) -> None:
        self._root, self._limit, self._ends, self._grace = root, limit, ends, grace
        self._paths: list[str] = []
        self._nested: list[str] = []
        """Where repositories lie that are still to be listed, each ending in `/`."""
        self._cut_short = False
        self._untracked = True

    def from_git(self) -> Listing | None:
        """Return the names as git has them; None if it has none to give."""
        top = enclosing(self._root)
        if top is None:
            return self._from_outside()
        if not self._ask(top):
            return None
        listing = self._listing()
        if listing.paths or listing.cut_short or top == self._root:
            return listing
        # Nothing at all below the top may be an ignored folder: who works there means it.
        return self._from_outside() if is_ignored(self._root, top, self._share()) else None

    def _ask(self, top: str) -> bool:
        try:
            question = Question(self._root, top, untracked=self._grace != 0)
        except GitError:
            return False
        with ExitStack() as running:
            running.callback(question.end)
            answer = question.answer(self._ends, self._grace)
        if answer is not None:
            self._take("", answer, question.repository)
            self._read_nested()
        return answer is not None

    def _from_outside(self) -> Listing | None:
        answer = unversioned(self._root, self._share())
        if answer is None:
            return None
        self._untracked = True
        self._take("", answer, "")
        self._read_nested()
        return self._listing()

    def _share(self) -> float:
        seconds = left(self._ends)
        return _PATIENCE if seconds is None else seconds / 2

    def _over(self) -> bool:
        return self._cut_short or len(self._paths) > self._limit

    def _listing(self) -> Listing:
        paths = sorted(self._paths)
        if len(set(paths)) < len(paths):  # a file in conflict is tracked up to three times
            paths = sorted(set(paths))
        cut_short = self._cut_short or bool(self._nested) or len(paths) > self._limit
        return Listing(paths[: self._limit], "git", cut_short, self._untracked)

    def _read_nested(self) -> None:
        while self._nested and not self._over():
            batch, self._nested = self._nested[:_ABREAST], self._nested[_ABREAST:]
            self._read(batch)

    def _read(self, prefixes: list[str]) -> None:
        """List the repositories at `prefixes`, side by side."""
        with ExitStack() as running:
            questions = []
            for prefix in prefixes:
                folder = os.path.join(self._root, prefix)
                try:
                    question = Question(folder, folder, untracked=self._grace != 0)
                except GitError:
                    self._walk(prefix)
                    continue
                running.callback(question.end)
                questions.append((prefix, question))
            for prefix, question in questions:
                answer = question.answer(self._ends, self._grace)
                if answer is None:
                    self._walk(prefix)
                else:
                    self._take(prefix, answer, question.repository)

    def _take(self, prefix: str, answer: Answer, repository: str) -> None:
        self._paths += [prefix + name for name in answer.files] if prefix else answer.files
        self._cut_short |= answer.cut_short
        self._untracked &= answer.untracked
        for name in answer.repositories:
            inner = git_folder(os.path.join(self._root, prefix, name))
            if inner is not None and common_folder(inner) != repository:
                self._nested.append(f"{prefix}{name}/")
            elif inner is None and name != ".":  # "." is the root itself, a link gone empty
                self._walk(f"{prefix}{name}/")

    def _walk(self, prefix: str) -> None:
        """List a folder that git takes for a repository and will not read: it may be broken."""
        limit = max(0, self._limit - len(self._paths))
        walked = walk(os.path.join(self._root, prefix), limit=limit, deadline=left(self._ends))
        self._paths += [prefix + path for path in walked.paths]
        self._cut_short |= walked.cut_short
