"""The names of a project's files: from git where git is there, else by a walk.

It says how complete a list is. It must not know what the names are for.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import ExitStack, closing
from itertools import islice
from operator import lt
from typing import Literal

from truepath.project.git import GitError
from truepath.project.git_folder import common_folder, enclosing, git_folder
from truepath.project.git_listing import Answer, Question, is_ignored, left, unversioned
from truepath.project.walk import walk
from truepath.records import dataclass, replace

_ABREAST = 4
"""How many nested repositories are asked at once; each takes two processes."""

_TIMEOUT_S = 10.0
"""Seconds that git may take over a folder that is no repository if there is no deadline: it
would wait for ever for a pipe named `.gitignore`. If there is one, git has half of the time and
the walk the rest, because git tells nothing of a folder that it has not seen to its end.
"""


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of a project's files."""

    paths: list[str]
    """Relative to the root with `/`, sorted. A tracked file may be gone from the disk."""
    source: Literal["git", "walk"]
    """Who found them: git, in a repository or not, or a walk without it."""
    cut_short: bool
    """Whether a limit stopped it, so that a name's absence proves nothing."""
    untracked: bool
    """Whether files that git does not track yet are among them."""


def begin(
    root: str,
    *,
    limit: int,
    deadline: float | None = None,
    untracked_s: float | None = None,
    known: Sequence[str] | None = None,
) -> closing[Begun]:
    """Begin to list the files below `root`, without what its ignore files leave out.

    Args:
        root: The folder; it may lie inside a repository.
        limit: How many names are listed.
        deadline: How many seconds it may take. Untracked names take several times longer
            than tracked ones; if only they are late, the list is not cut short without them.
        untracked_s: Seconds to wait for untracked names once the tracked ones are listed. None:
            until the deadline, 0: not at all. Outside repositories it means nothing.
        known: Where the tracked names of the repository around the root are known already: the
            submodules below the root. Then only what is not among them is listed.

    Submodules, nested repositories and their untracked files are in it, by their own ignore
    rules; other work trees of the same repository are not: they hold every name once more.
    """
    ends = None if deadline is None else time.monotonic() + deadline
    return closing(Begun(os.path.abspath(root), limit, ends, untracked_s, known))


class Begun:
    """A listing under way: the repository around a root, then those nested in it.

    Git starts at once. The caller closes the listing.
    """

    def __init__(
        self,
        root: str,
        limit: int,
        ends: float | None,
        untracked_s: float | None,
        known: Sequence[str] | None,
    ) -> None:
        """Take an absolute root, and when all must be done; what it costs `begin` tells."""
        self._root, self._limit, self._ends = root, limit, ends
        self._untracked_s, self._known = untracked_s, known
        self.tracked: Sequence[str] | None = None
        """Once it is finished: the tracked files of the repository around the root, as git orders
        them. None where they are known already, or not all were listed."""
        self._has_all = True
        """Whether all of git's index is among the tracked files: no submodule, nothing sparse."""
        self._listed = allocate_lock()
        self._listed.acquire()
        self._is_listed = False
        self.outside = False
        """Whether the names are of a folder by its own rules: no repository is asked for them."""
        self._running = ExitStack()
        self._top = enclosing(root)
        self._question = None if self._top is None else self._asked(root, self._top)
        self._paths: list[str] = []
        self._nested: list[str] = []
        """Where repositories lie that are still to be listed, each ending in `/`."""
        self._cut_short = False
        self._untracked = True

    def close(self) -> None:
        """Stop what still runs."""
        self._running.close()
        self._let_go()

    def tracks(self, path: str) -> bool:
        """Return whether git's index has a file at a path or below it, once that is listed.

        For another thread than the one that lists.

        Raises:
            GitError: Not all that is tracked was listed, and this is not among it.
        """
        with self._listed:
            tracked = self.tracked
        if tracked is None:
            raise GitError("not all tracked files are listed")
        below = f"{path}/"
        if _first_from(tracked, path) == path or _first_from(tracked, below).startswith(below):
            return True
        if not self._has_all:
            raise GitError("submodules and what is left out of a checkout are not listed")
        return False

    def _let_go(self) -> None:
        """Let who waits for the tracked files go on."""
        if not self._is_listed:  # the lock may be held by who waited
            self._is_listed = True
            self._listed.release()

    def finished(self) -> Listing:
        """Wait for the names: as git has them, else by a walk."""
        listing = self._from_git()
        if listing is not None:
            return listing
        if self._known is not None:
            return Listing([], "git", cut_short=False, untracked=False)
        self.outside = True
        walked = walk(self._root, limit=self._limit, deadline=left(self._ends))
        return Listing(walked.paths, "walk", walked.cut_short, untracked=True)

    def _asked(self, folder: str, top: str) -> Question | None:
        try:
            tracked = self._known is None or folder != self._root
            question = Question(folder, top, tracked=tracked, untracked=self._untracked_s != 0)
        except GitError:
            return None
        self._running.callback(question.end)
        return question

    def _from_git(self) -> Listing | None:
        """Return the names as git has them; None if it has none to give."""
        if self._top is None:
            return self._from_outside()
        if not self._from_around():
            return None
        listing = self._listing()
        known = self._known is not None or listing.paths or listing.cut_short
        if known or self._top == self._root:
            return listing
        # Nothing at all below the top may be an ignored folder: who works there means it.
        return self._from_outside() if is_ignored(self._root, self._top, self._share()) else None

    def _from_around(self) -> bool:
        """Take in the repository around the root; tell whether git knows it."""
        question = self._question
        answer = None if question is None else question.answer(self._ends, self._untracked_s)
        self._running.close()
        if question is None or answer is None:
            return False
        if self._known is not None:
            answer = replace(answer, repositories=[*answer.repositories, *self._known])
        elif not answer.cut_short:
            self.tracked = answer.files[: answer.tracked]
            self._has_all = not question.is_detailed
        self._let_go()
        self._take("", answer, question.repository)
        self._read_nested()
        return True

    def _from_outside(self) -> Listing | None:
        answer = unversioned(self._root, self._share())
        if answer is None:
            return None
        self.outside = self._untracked = True
        self._take("", answer, "")
        self._read_nested()
        return self._listing()

    def _share(self) -> float:
        seconds = left(self._ends)
        return _TIMEOUT_S if seconds is None else seconds / 2

    def _over(self) -> bool:
        return self._cut_short or len(self._paths) > self._limit

    def _listing(self) -> Listing:
        paths = self._paths
        if not all(map(lt, paths, islice(paths, 1, None))):
            # Several lists, or bytes that are no text; a file in conflict is tracked three times.
            paths = sorted(set(paths))
        cut_short = self._cut_short or bool(self._nested) or len(paths) > self._limit
        return Listing(paths[: self._limit], "git", cut_short, self._untracked)

    def _read_nested(self) -> None:
        while self._nested and not self._over():
            batch, self._nested = self._nested[:_ABREAST], self._nested[_ABREAST:]
            self._read(batch)

    def _read(self, prefixes: list[str]) -> None:
        """List the repositories at `prefixes`, side by side."""
        folders = [os.path.join(self._root, prefix) for prefix in prefixes]
        questions = [self._asked(folder, folder) for folder in folders]
        for prefix, question in zip(prefixes, questions, strict=True):
            answer = None if question is None else question.answer(self._ends, self._untracked_s)
            if question is None or answer is None:
                self._walk(prefix)
            else:
                self._take(prefix, answer, question.repository)
        self._running.close()

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


def _first_from(names: Sequence[str], start: str) -> str:
    """Return the first of some names, in the order of their bytes, that is not before another."""
    at = bisect_left(names, os.fsencode(start), key=os.fsencode)
    return names[at] if at < len(names) else ""
