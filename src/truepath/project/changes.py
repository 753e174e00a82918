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

With another name it is certain only if no other file of the commit, or of its tree, has
the old name, the new one or the content.

And no two folders that it went between may be made from one template: a file that is
dropped from `pkg/a` and comes with a new `pkg/b` is not renamed.
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

_EMPTY = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
"""Git's ids of no content, in both of its formats."""

_OF_ANY_FOLDER = frozenset({"__init__", "index", "mod"})
"""Names, without extension, of files that say nothing about what a folder is like."""

_MOST_COMPARED = 50
"""Files of a folder whose contents are compared with all others, at most."""


def renamed_blob(top: str, commit: str, old: str, new: str, ends: float) -> str:
    """Return git's id of the content of a file, if a commit can only have renamed it
    from `old` to `new`; else "".
    """
    try:
        files = _Commit(top, commit, ends)
    except GitError:
        return ""
    keeps_name = basename(old) == basename(new)
    is_only = files.renamed(old, new) if keeps_name else files.named_anew(old, new)
    return files.content(old) if is_only else ""


def has_moved(top: str, commit: str, old: str, new: str, ends: float) -> bool:
    """Return whether a commit can only have renamed a folder from `old` to `new`."""
    try:
        return _Commit(top, commit, ends).moved(old, new)
    except GitError:
        return False


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
        # As it is printed: a table of 50,000 files takes longer than the searches.
        self._files = git(top, "ls-tree", "-r", "-z", "--full-tree", commit, ends=ends)

    def content(self, old: str) -> str:
        """Return git's id of what a removed file held."""
        return self._removed[old].decode()

    def renamed(self, old: str, new: str) -> bool:
        """Return whether a file moved unchanged, and no other can have become `new`."""
        if not self._is_same(old, new):
            return False
        # Instances of one kind (`envs/dev`, `envs/prod`) share names and texts.
        pairs = [*_folders(old, new)]
        if any(self._are_alike(*pair) for pair in pairs):
            return False
        if self._is_new_sister(dirname(old), dirname(new)):
            return False
        # Two of the name: the one that was removed, and the one that was added.
        is_alone = self._names[basename(old)] == 2 and self._is_unlike(old)
        if is_alone and not self._is_given_up(dirname(old)):
            return True
        return any(self._moved_whole(*pair) for pair in pairs)

    def named_anew(self, old: str, new: str) -> bool:
        """Return whether a file got another name, unchanged, and no other file of the
        commit or its tree has the old name, the new one, or the content.
        """
        if not self._is_same(old, new) or not self._is_unlike(old):
            return False
        if self._removed[old] in _EMPTY:
            return False  # any two empty files are the same
        of_commit = (self._names[basename(old)], self._names[basename(new)])
        return of_commit == (1, 1) and self._count(old) == 0 and self._count(new) == 1

    def _count(self, path: str) -> int:
        """Return how many files the commit has of the name of a path."""
        name = os.fsencode(basename(path))
        return sum(self._files.count(sign + name + b"\0") for sign in (b"/", b"\t"))

    def moved(self, folder: str, target: str) -> bool:
        """Return whether a whole folder moved, and no other can be `target` now."""
        around = [(folder, target), *_folders(folder, target)]
        if any(self._are_alike(*pair) for pair in around):
            return False
        return self._moved_whole(folder, target)

    def _moved_whole(self, folder: str, target: str) -> bool:
        if self._is_left(folder):
            return False
        removed = [path for path in self._removed if path.startswith(f"{folder}/")]
        rests = sorted(path.removeprefix(folder) for path in removed)
        # One file may have gone anywhere; two under the same names have moved together.
        if len(rests) < 2 or not all(target + rest in self._added for rest in rests):
            return False
        for rest in rests[:_MOST_COMPARED]:
            old = folder + rest
            new = target + rest
            if self._is_same(old, new) and self._is_unlike(old):
                return True
        return False

    def _is_left(self, folder: str) -> bool:
        """Return whether the commit has something in a folder."""
        return b"\t%s/" % os.fsencode(folder) in self._files

    def _are_alike(self, folder: str, other: str) -> bool:
        """Return whether two folders may be made from one template: neither is in
        the other, the first is still there, and they have a file of one name.
        """
        if not _are_apart(folder, other):
            return False
        kept = self._below(folder)
        got = self._below(other)
        # Files of some names, and empty ones, say nothing about what a folder is like.
        return any(
            basename(name).partition(".")[0] not in _OF_ANY_FOLDER
            and kept[name] not in _EMPTY
            for name in kept.keys() & got.keys()
        )

    def _is_new_sister(self, folder: str, other: str) -> bool:
        """Return whether a folder is new beside one that is still there, and has files
        that did not come from that.
        """
        if dirname(folder) != dirname(other) or not _are_apart(folder, other):
            return False
        got = self._below(other)
        is_new = all(f"{other}/{name}" in self._added for name in got)
        if not is_new or not self._below(folder):
            return False
        removed = {*self._removed.values()}
        return any(
            f"{folder}/{name}" not in self._removed and content not in removed
            for name, content in got.items()
        )

    def _below(self, folder: str) -> dict[str, bytes]:
        """Return the contents of the files below a folder after the commit."""
        start = b"\t%s/" % os.fsencode(folder)
        contents: dict[str, bytes] = {}
        at = self._files.find(start)
        while at >= 0:
            # An entry is `MODE TYPE CONTENT TAB PATH NUL`.
            content = self._files[self._files.rfind(b" ", 0, at) + 1 : at]
            end = self._files.find(b"\0", at)
            name = self._files[at + len(start) : end]
            contents[os.fsdecode(name)] = content
            at = self._files.find(start, end)
        return contents

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
        name = basename(old)
        other = basename(new)


def _are_apart(folder: str, other: str) -> bool:
    """Return whether neither of two folders is in the other."""
    if not folder or not other:
        return False
    one = f"{folder}/"
    two = f"{other}/"
    return not one.startswith(two) and not two.startswith(one)
