"""A project on disk: the disk tells what exists; git lists the names and the history."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property

from truepath.config.files import entry_kind
from truepath.paths import fold, native, relative_to
from truepath.project.git import GitError, git, is_revision, zsplit
from truepath.project.git_folder import (
    enclosing,
    is_checkout,
    is_linked,
    other_checkout,
)
from truepath.project.names import Names
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.types import TYPE_CHECKING, EntryKind

if TYPE_CHECKING:
    from truepath.project.history import Fate, History

_MANY = 20_000_000
"""Bytes of tracked names, about 300,000, from which git is not asked for untracked
ones: it takes half a second of CPU for that, 6 times as long as for the tracked ones,
and a larger project would never have them in time. So their number decides, and not how
busy the machine is."""

_FRESH_S = 0.5
"""Seconds for which a listing is reused by later answers; each answer is checked on the
disk."""

_REPOSITORIES = 50
"""Repositories to list, at most, nested ones included: each takes two processes, of 3
ms each."""

_UP = re.compile(r"[/\\]\.\.(?=[/\\]|\Z)" if os.sep == "\\" else r"/\.\.(?=/|\Z)")
_MODULE = re.compile(rb'(?m)^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t\r]*$')
"""The folder of a submodule in `.gitmodules`."""


class Disk(Tree):
    """A project's folder. Thread-safe: at worst, two threads both list the names."""

    def __init__(
        self,
        root: str,
        *,
        deny: Sequence[str] = (),
        limit: int,
        timeout_s: float,
        store: str | None = None,
    ) -> None:
        """Take a folder; nothing is read yet.

        Args:
            root: The folder, absolute.
            deny: Globs of paths that are never named.
            limit: Names to list, at most; of more, none is used.
            timeout_s: Seconds for all questions of one answer, which only a program
                that hangs, or a disk, takes.
            store: As `Tree.store`; without one, the history is read each time.
        """
        super().__init__(Names(b""), root, native(), deny)
        self._limit, self._timeout_s, self.store = limit, timeout_s, store
        self._ends: float | None = None
        self._kept: tuple[float, Names] | None = None
        self._by_git: list[
            str
        ] = []  # the repositories that git listed, each with a slash
        self._empty: dict[str, list[str]] = {}
        self.home = os.path.expanduser("~")

    def begin(self) -> None:
        self._ends, kept = None, self._kept
        if kept is not None and time.monotonic() - kept[0] > _FRESH_S:
            self._kept = None

    def changed(self) -> None:
        self._kept = None

    def entry_kind_at(self, absolute: str) -> EntryKind:
        try:
            return entry_kind(absolute)
        except OSError:
            return None

    def is_hidden(self, absolute: str) -> bool:
        try:
            entry_kind(absolute)
        except OSError:
            return True
        return False

    def inside(self, absolute: str) -> str | None:
        if ".." in absolute.replace(os.sep, "/").split("/"):
            # After a symbolic link, `..` leads elsewhere than the text suggests; after
            # what is no folder, or is one in another case, nowhere.
            try:
                if any(
                    _is_odd(absolute[: at.start()]) for at in _UP.finditer(absolute)
                ):
                    return None
                return relative_to(
                    os.path.realpath(absolute), self._real_root, self.flavour
                )
            except ValueError:
                return None
        return relative_to(absolute, self.root, self.flavour)

    def kind(self, path: str) -> EntryKind:
        return self.entry_kind_at(self._absolute(path))

    def dangles(self, path: str) -> bool:
        return os.path.islink(self._absolute(path)) and self.kind(path) is None

    def names(self) -> Names:
        ends, kept = self._time(), self._kept
        if kept is None:
            names = self._listed(ends)
            kept = self._kept = (time.monotonic(), names)  # also if that took long
        return kept[1]

    def children(self, folder: str) -> list[str]:
        real, found = self._real(folder), []
        prefix = f"{folder}/" if folder else ""
        known = {name.rstrip("/") for name in self.names().children(folder)}
        for name in _entries(self._absolute(folder)) if real is not None else ():
            path = prefix + name
            is_folder, place = self.kind(path) == "folder", self._absolute(path)
            if name not in known and not (is_folder and _is_empty(place)):
                continue
            is_plain = name in known and real == folder and not os.path.islink(place)
            if super().may_name(path) and (is_plain or self.may_name(path)):
                found.append(f"{name}/" if is_folder else name)
        return sorted(found)

    def entries(self, folder: str) -> Sequence[str]:
        return _entries(self._absolute(folder))

    def fate(self, path: str) -> Fate | None:
        from truepath.project.history import UNKNOWN

        if self._history is None:
            return None
        fate = self._history.fate(path, self._time())
        # A renamed path may be in the index again, or may have gone on from its new
        # place.
        is_followed = fate.kind == "renamed" and not self.names().kind(path)
        there = fate.path if is_followed else path
        if self.names().kind(there) and not os.path.lexists(self._absolute(there)):
            from truepath.project.uncommitted import moved

            fate = moved(self.root, there, self.names(), self._time()) or fate
        if fate.path and not self.may_name(fate.path):
            return UNKNOWN
        return self._compared(fate)

    def _compared(self, fate: Fate) -> Fate:
        """Return a fate with whether the file that was renamed is still there."""
        if not fate.blob:
            return fate
        from truepath.project.likeness import is_replaced

        replaced = is_replaced(
            self.root, fate.path, fate.commit, fate.blob, self._time()
        )
        return replace(fate, replaced=replaced)

    def ignores(self, paths: Iterable[str]) -> bool | None:
        if self._history is None:
            return False
        asked: dict[str, list[str]] = {}  # by repository: of another, git tells nothing
        for path in paths:
            real = self._real(path)
            if real is None:
                return None
            top = self._repository_of(real)
            asked.setdefault(top, []).append(f"./{real[len(top) :]}/")
        answers = [self._ignored(top, some) for top, some in asked.items()]
        if any(answers):
            return True
        return None if None in answers else False

    def is_revision(self, word: str, cwd: str) -> bool:
        return is_revision(cwd, word, self._time())

    def may_name(self, path: str) -> bool:
        if not super().may_name(path):
            return False
        real = self._real(path)
        if real is None or not super().may_name(real):
            return False
        place = self._absolute(real)
        if (
            not real
            or not os.path.lexists(place)
            or self.names().kind(real, self.flavour)
        ):
            return True
        return _is_empty(place) and real in self._empty_in(real.rpartition("/")[0])

    def holders(self, texts: Sequence[str]) -> list[str] | None:
        from truepath.project.contents import holders

        found = holders(self.root, texts, super().may_name, self._time())
        return (
            None if found is None else [path for path in found if self.may_name(path)]
        )

    def checkout(self, absolute: str) -> tuple[str, str] | None:
        return other_checkout(absolute, self.root)

    @property
    def _real_root(self) -> str:
        return os.path.realpath(self.root)

    def _real(self, path: str) -> str | None:
        """Return where a path's links lead, relative to the root; None if outside, or
        in a loop.
        """
        place = self._absolute(path)
        try:
            target = os.path.realpath(place, strict=True)
        except (FileNotFoundError, NotADirectoryError):
            target = os.path.realpath(place)
        except (OSError, ValueError):
            return None
        return relative_to(target, self._real_root, self.flavour)

    def _repository_of(self, path: str) -> str:
        """Return the innermost listed repository around a path, with a slash; "" for
        that of the root.
        """
        self.names()
        around = [top for top in self._by_git if path.startswith(top)]
        return around[-1] if around else ""

    def _ignored(self, top: str, paths: Sequence[str]) -> bool | None:
        """Return whether a repository ignores one of some paths below its top."""
        ask = ("--no-literal-pathspecs", "check-ignore", "--", *paths)
        try:
            return bool(git(self._absolute(top), *ask, ends=self._time(), ok=(0, 1)))
        except GitError:
            return None

    def _empty_in(self, folder: str) -> list[str]:
        """Return the empty folders in a folder that git does not ignore.

        Git is asked only once there is one: it does not list them. A walk has listed
        its own.
        """
        if folder not in self._empty:
            start, self._empty[folder] = f"{folder}/" if folder else "", []
            paths = [start + name for name in _entries(self._absolute(folder))]
            empty = [path for path in paths if _is_empty(self._absolute(path))]
            tops = [
                top for top in self._by_git if start.startswith(top)
            ]  # the nearest is the last
            if empty and tops:
                asked = (
                    "--directory",
                    "--",
                    *(path[len(tops[-1]) :] for path in empty),
                )
                listed = _listed_by_git(self._absolute(tops[-1]), self._time(), *asked)
                found = zsplit(listed[1]) if listed else []
                self._empty[folder] = [tops[-1] + path[:-1] for path in found]
        return self._empty[folder]

    def _time(self) -> float:
        """Return when the answer is due; a question long after that begins another
        answer.
        """
        now = time.monotonic()
        if self._ends is not None and now > self._ends + _FRESH_S:
            self.begin()
        if self._ends is None:
            self._ends = now + self._timeout_s
        return self._ends

    @cached_property
    def _history(self) -> History | None:
        from truepath.project.history import History

        return History(self.root, self.store) if enclosing(self.root) else None

    def _listed(self, ends: float) -> Names:
        """List the names of each repository with git, else by a walk."""
        from truepath.project.walk import walk

        if self._history is not None:
            self._history.begin()
        self._by_git, self._empty = [], {}
        blobs, repositories, cut_short = [], [""], False
        for start in repositories:
            place = self._absolute(start)
            listed = _listed_by_git(place, ends)
            self._by_git += [start] if listed else []
            if listed is None:
                names = walk(place, limit=self._limit)
                listed = names.blob, names.blob, names.cut_short
            blob, others, is_cut = listed
            blobs.append(blob[:-1].replace(b"\0", b"\0" + os.fsencode(start)))
            repositories += [f"{start}{path}/" for path in _nested(place, blob, others)]
            most = _REPOSITORIES if time.monotonic() < ends else 1
            cut_short |= is_cut or len(repositories) > most
            del repositories[most:]
        names = Names(b"".join(blobs) + b"\0", cut_short=cut_short)
        return names if len(names) <= self._limit else Names(b"", cut_short=True)


def _listed_by_git(
    root: str, ends: float, *only: str
) -> tuple[bytes, bytes, bool] | None:
    """Return all names that git lists by `ends`, the untracked ones among them, and
    whether some may be missing; None if git lists none.

    A listing that was cut is not used. Of what `only` asks for, as git's arguments, it
    lists that.
    """
    from truepath.project.walk import GENERATED, has_rules, too_high

    top = enclosing(root)
    if top is None or too_high(root):
        return None
    generated = () if has_rules(top) else [f"--exclude={name}/" for name in GENERATED]
    # A repository's configuration can name another work tree; this one is meant.
    ask = (root, f"--work-tree={top}", "ls-files", "-z")
    tracked, others = b"", None
    try:
        tracked = git(*ask, "-c", *only, ends=ends, before=b"\0")
        if len(tracked) <= _MANY:
            others = git(*ask, "-o", "--exclude-standard", *generated, *only, ends=ends)
    except GitError as error:
        if not error.timed_out:
            return None
    blob = tracked + others if others else tracked
    is_ignored = top != root and (tracked, others) == (b"\0", b"")
    if is_ignored or b"\0\0" in blob[:4096]:  # no name is empty
        return None
    return blob, others or b"", others is None


def _nested(root: str, blob: bytes, others: bytes) -> list[str]:
    """Return the repositories inside, of whose files a listing has none.

    A submodule counts if git tracks it. In a repository, linked work trees are left
    out: they hold every name once more.
    """
    from truepath.config.files import read

    found = re.findall(rb"(?<=\0)([^\0]+)/(?=\0)", b"\0" + others)
    with suppress(OSError):
        modules = _MODULE.findall(read(f"{root}/.gitmodules", 1 << 20))
        found += (path for path in modules if b"\0%s\0" % path in blob)
    real, own, nested = os.path.realpath(root), enclosing(root), []
    for path in dict.fromkeys(map(os.fsdecode, found)):
        place = os.path.join(root, path)
        is_part = is_checkout(place) and not (own and is_linked(place))
        if is_part and os.path.realpath(place) == os.path.join(real, path):
            nested.append(path)
    return nested


def _entries(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name != ".git"]
    except (OSError, ValueError):
        return []


def _is_odd(path: str) -> bool:
    """Return whether there is something else than a folder at a path, or one in another
    case.
    """
    name = fold(os.path.basename(path))
    return not os.path.isdir(path) and name in map(
        fold, _entries(os.path.dirname(path))
    )


def _is_empty(folder: str) -> bool:
    """Return whether a folder is empty, so that git does not list it."""
    try:
        return not os.listdir(folder)
    except (OSError, ValueError):
        return False
