"""Whether a rename that git supposes is the only one possible, by the files of its commit.

Git pairs what a commit removed and added by likeness. Where prod and staging move, dev goes, and
all three are alike, it says that dev became prod; where a script for staging goes and one for
production comes, that the one became the other. So a pair is certain only where the content is the
same to the last byte, no copy of it is left, and

- no other file of that name or content was removed or added: or
- a whole folder moved: every file that was removed below it was added below another under the same
  path, nothing of it is left, and a file that is like no other went with it.
"""

from __future__ import annotations

import os
import time
from collections import Counter

from truepath.project.git import GitError, git

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Pair = tuple[str, str]

_DIFF = (
    *("diff-tree", "-r", "--root", "--no-renames", "--diff-filter=AD", "--raw", "-z"),
    *("--no-commit-id", "--full-index", "--no-ext-diff", "--no-relative", "-O/dev/null"),
)

_MOST = 50
"""Files of a folder whose contents are compared with all others."""


def is_certain(
    top: str, commit: str, old: str, new: str, ends: float, *, folder: bool = False
) -> bool:
    """Return whether a commit renamed a file to one of the same name, or a folder, and no other."""
    if not folder and _name(old) != _name(new):
        return False
    try:
        files = _Commit(top, commit, ends)
    except GitError:
        return False
    return files.moved(old, new) if folder else files.renamed(old, new)


class _Commit:
    """The files that a commit removed and added, with the ids of their contents, and all it has."""

    def __init__(self, top: str, commit: str, ends: float) -> None:
        def asked(*args: str) -> bytes:
            return git(top, *args, timeout=ends - time.monotonic())

        self.removed: dict[str, bytes] = {}
        self.added: dict[str, bytes] = {}
        words = iter(asked(*_DIFF, commit).split(b"\0"))
        for word in words:
            said = word.split(b" ")  # ":100644 000000 OLD NEW D"
            path = os.fsdecode(next(words, b""))
            if said[4:] == [b"D"]:
                self.removed[path] = said[2]
            elif said[4:] == [b"A"]:
                self.added[path] = said[3]
        self._contents = Counter((*self.removed.values(), *self.added.values()))
        self._files = asked("ls-tree", "-r", "-z", "--full-tree", commit)

    def renamed(self, old: str, new: str) -> bool:
        """Return whether a file went to another place as it was, and no other could have."""
        folders = _folders(old, new)
        return self._is_same(old, new) and (
            self._is_alone(old, new) or any(self.moved(*pair) for pair in folders)
        )

    def _is_same(self, old: str, new: str) -> bool:
        """Return whether a file that was removed was added elsewhere as it was."""
        return old in self.removed and self.removed[old] == self.added.get(new)

    def _is_alone(self, old: str, new: str) -> bool:
        """Return whether no other file could have been one of a pair."""
        name, content = _name(old), self.removed[old]
        others = [each for each in self.removed.items() if each[0] != old]
        others += [each for each in self.added.items() if each[0] != new]
        if any(_name(path) == name or other == content for path, other in others):
            return False
        return self._has_no_copy(old)

    def moved(self, folder: str, target: str) -> bool:
        """Return whether a whole folder went to another as it was, and no other could have."""
        gone, new = _below(self.removed, folder), _below(self.added, target)
        if not gone or not gone <= new or b"\t%s/" % os.fsencode(folder) in self._files:
            return False
        pairs = [(f"{folder}/{rest}", f"{target}/{rest}") for rest in sorted(gone)[:_MOST]]
        same = [old for old, new in pairs if self._is_same(old, new)]
        if len(pairs) == 1:
            return bool(same) and self._is_alone(*pairs[0])
        return any(
            self._contents[self.removed[old]] == 2 and self._has_no_copy(old) for old in same
        )

    def _has_no_copy(self, old: str) -> bool:
        """Return whether the content of a file that was removed is at one path alone now."""
        return self._files.count(b" %s\t" % self.removed[old]) == 1


def _folders(old: str, new: str) -> Iterator[Pair]:
    """Yield the pairs of folders of which one may have become the other, the innermost first."""
    name = other = ""
    while name == other and "/" in old and "/" in new:
        old, _, _ = old.rpartition("/")
        new, _, _ = new.rpartition("/")
        yield old, new
        name, other = old.rpartition("/")[2], new.rpartition("/")[2]


def _below(paths: Iterable[str], folder: str) -> set[str]:
    """Return the paths below a folder, relative to it."""
    start = f"{folder}/"
    return {path[len(start) :] for path in paths if path.startswith(start)}


def _name(path: str) -> str:
    return path.rpartition("/")[2]
