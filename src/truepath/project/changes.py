"""Whether a rename that git reports is the only one possible, given the files of its
commit.

Git pairs removed and added files by similarity. If a commit moves `prod` and `staging`,
deletes `dev`, and all three are similar, git reports that `dev` became `prod`; if it
replaces a script for staging by one for production, that the one became the other. So a
rename is certain only if the content is identical, no copy of it is left, and either

- no other file of that name or content was removed or added, and its folder was not
given up, or
- a whole folder of two files or more moved: every file removed below it was added below
  another under the same path, nothing of it is left, and at least one of its files has
  content of its own.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from posixpath import basename, dirname

from truepath.project.git import GitError, git

_DIFF = (
    "diff-tree -r --root --no-renames --diff-filter=AD --raw -z --no-commit-id "
    "--full-index --no-ext-diff --no-relative -O/dev/null"
).split()

_MOST_COMPARED = 50
"""Files of a folder whose contents are compared with all others, at most."""


def is_certain(
    top: str, commit: str, old: str, new: str, ends: float, *, folder: bool = False
) -> bool:
    """Return whether a commit can only have renamed `old` to `new`; a file must keep
    its name.
    """
    if not folder and basename(old) != basename(new):
        return False
    try:
        files = _Commit(top, commit, ends)
    except GitError:
        return False
    return files.moved(old, new) if folder else files.renamed(old, new)


class _Commit:
    """The files that a commit removed and added, with the ids of their contents, and
    its tree.
    """

    def __init__(self, top: str, commit: str, ends: float) -> None:
        self._removed: dict[str, bytes] = {}
        self._added: dict[str, bytes] = {}
        words = iter(git(top, *_DIFF, commit, ends=ends).split(b"\0"))
        for word in words:
            fields = word.split(b" ")  # ":100644 000000 OLD NEW D"
            path = os.fsdecode(next(words, b""))
            if fields[4:] == [b"D"]:
                self._removed[path] = fields[2]
            elif fields[4:] == [b"A"]:
                self._added[path] = fields[3]
        paths = (*self._removed, *self._added)
        self._names = Counter(map(basename, paths))
        self._contents = Counter((*self._removed.values(), *self._added.values()))
        self._files = git(top, "ls-tree", "-r", "-z", "--full-tree", commit, ends=ends)

    def renamed(self, old: str, new: str) -> bool:
        """Return whether a file moved unchanged, and no other can have become `new`."""
        if not self._is_same(old, new):
            return False
        # Two of the name: the one that was removed, and the one that was added.
        is_alone = self._names[basename(old)] == 2 and self._is_unlike(old)
        if is_alone and not self._is_given_up(dirname(old)):
            return True
        return any(self.moved(*pair) for pair in _folders(old, new))

    def moved(self, folder: str, target: str) -> bool:
        """Return whether a whole folder moved, and no other can have become
        `target`.
        """
        if self._is_left(folder):
            return False
        removed = [path for path in self._removed if path.startswith(f"{folder}/")]
        rests = sorted(path.removeprefix(folder) for path in removed)
        if len(rests) < 2 or not all(target + rest in self._added for rest in rests):
            return False
        for rest in rests[:_MOST_COMPARED]:
            old, new = folder + rest, target + rest
            if self._is_same(old, new) and self._is_unlike(old):
                return True
        return False

    def _is_left(self, folder: str) -> bool:
        """Return whether the commit has something in a folder."""
        return b"\t%s/" % os.fsencode(folder) in self._files

    def _is_same(self, old: str, new: str) -> bool:
        return old in self._removed and self._removed[old] == self._added.get(new)

    def _is_given_up(self, folder: str) -> bool:
        """Return whether nothing of a folder is left, and one of its files went
        nowhere.
        """
        if self._is_left(folder):
            return False
        names = {*map(basename, self._added)}
        contents = {*self._added.values()}
        for path, content in self._removed.items():
            went = basename(path) in names or content in contents
            if path.startswith(f"{folder}/") and not went:
                return True
        return False

    def _is_unlike(self, old: str) -> bool:
        """Return whether no other file, removed, added or unchanged, has the content of
        a file.
        """
        content = self._removed[old]
        left = self._files.count(b" %s\t" % content)
        return self._contents[content] == 2 and left == 1


def _folders(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of folders that the move of a file may be part of, innermost
    first.
    """
    name = other = ""
    while name == other and "/" in old and "/" in new:
        old, _, _ = old.rpartition("/")
        new, _, _ = new.rpartition("/")
        yield old, new
        name, other = basename(old), basename(new)
