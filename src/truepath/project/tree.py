"""The two projects that resolution can see: a folder on disk, and names alone."""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from truepath.paths import Flavour, key, native, relative_to
from truepath.project.current_names import CurrentNames, Limits, afterwards
from truepath.project.lookup import COLD
from truepath.project.names import Names
from truepath.types import EntryKind

if TYPE_CHECKING:
    from truepath.project.contents import Files
    from truepath.project.history import History
    from truepath.project.layered_names import ProjectNames
    from truepath.resolve.history_evidence import Past

_BUSY_SECONDS = 0.1
"""How long it is believed where the root's links lead: about as long as one answer takes."""


class Disk:
    """A project on disk: the disk says what exists, and names are listed on a miss."""

    def __init__(
        self,
        root: str,
        *,
        deny: Sequence[str],
        limits: Limits,
        store: str | None,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Take a folder; nothing is read yet.

        Args:
            root: The folder, absolute.
            deny: Globs of what is never named.
            limits: How much a search may cost.
            store: A private folder for the index of names and the map of renames.
            prepare: Loads what judges the names, while git lists them.
        """
        self.root = root
        self._patterns = deny
        self._limits, self._store = limits, store
        self._current = CurrentNames(root, limits, store, prepare)
        self._root_seen_at, self._seen_root = -math.inf, root

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, following links."""
        try:
            mode = os.stat(absolute).st_mode
        except (OSError, ValueError):
            return None
        return "folder" if stat.S_ISDIR(mode) else "file"

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""
        if ".." in absolute.replace(os.sep, "/").split("/"):
            # Behind a link `..` leads elsewhere than the text says.
            return relative_to(os.path.realpath(absolute), self._real_root, native())
        return relative_to(absolute, self.root, native())

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path, following links."""
        return self.entry_kind_at(f"{self.root}/{path}")

    def search(
        self, path: str | None, other: str | None = None
    ) -> tuple[ProjectNames, Past | None]:
        """Return the names, and what history says of `path`; the two are read side by side."""
        from truepath.project.history.outcome import UNKNOWN
        from truepath.project.lookup import Asking, HistoryView

        asking: list[Asking] = []
        ends = time.monotonic() + self._limits.timeout_s

        def ask() -> None:
            if not path or not self._current.git_index:
                return
            if self._has_time_for_history():
                asking.append(Asking(self._history, (path, other), ends, self._current.tracks))
            elif self._store is not None:
                afterwards(self._history.build_in_background)

        names = self._current.listed(path, ask)
        if not path or not self._current.git_index:
            return names, None
        read, fate = asking[0].answer() if asking else (path, UNKNOWN)
        if fate.kind == "none":
            return names, None
        return names, HistoryView(fate, read, self._history, ends, self._current.is_small)

    def dangles(self, path: str) -> bool:
        """Return whether a link is at a root-relative path, and leads nowhere."""
        return os.path.islink(f"{self.root}/{path}") and self.kind(path) is None

    def changed(self) -> None:
        """Take note that files may come or go just now."""
        self._current.changed()

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: neither secret, denied, nor reached outside."""
        from truepath.project.secrets import has_link, is_secret, leads_out

        if is_secret(path) or self._denied(path):
            return False
        if native() == "posix" and not has_link(self._real_root, path):
            return True
        if leads_out(self.root, path):
            return False
        real = relative_to(os.path.realpath(f"{self.root}/{path}"), self._real_root, native())
        if real is None or real == path:
            return real is not None
        # Behind a link, or spelled in another case: what is really there must be nameable too.
        nameable = not is_secret(real) and not self._denied(real)
        return nameable and self._current.listed().kind(real) is not None

    def protects(self, path: str) -> bool:
        """Return whether a root-relative path is denied, whatever is there."""
        return self._denied(path)

    def contents(self) -> Files:
        """Return what looks into files, for one question."""
        from truepath.project.contents import Files
        from truepath.project.secrets import is_secret

        def is_closed(path: str) -> bool:
            return is_secret(path) or self._denied(path)

        return Files(self.root, self.may_name, is_closed)

    def entries(self, path: str) -> Sequence[str]:
        """Return all names directly in a root-relative folder, as the disk has them."""
        try:
            return os.listdir(f"{self.root}/{path}")
        except OSError:
            return ()

    def folders(self, path: str) -> Sequence[str]:
        """Return the names of the folders directly in a root-relative folder."""
        try:
            with os.scandir(f"{self.root}/{path}" if path else self.root) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir())
        except OSError:
            return ()

    def in_other_checkout(self, absolute: str) -> str | None:
        """Return a path relative to the other checkout of this repository that it lies in."""
        from truepath.project.worktrees import path_in_other

        return path_in_other(absolute, self.root)

    def _has_time_for_history(self) -> bool:
        if self._current.is_small or self._limits.timeout_s >= COLD:
            return True
        return self._store is not None and self._history.has_map()

    @cached_property
    def _history(self) -> History:
        from truepath.project.history import History

        return History(self.root, store=self._store)

    @property
    def _real_root(self) -> str:
        """The root, links followed; a link to it may be turned to another folder."""
        now = time.monotonic()
        if now - self._root_seen_at > _BUSY_SECONDS:
            self._root_seen_at, self._seen_root = now, os.path.realpath(self.root)
        return self._seen_root

    @cached_property
    def _denied(self) -> Callable[[str], bool]:
        return _deny(self._patterns)


class NameListTree:
    """A project made of names alone."""

    def __init__(self, names: Names, root: str, flavour: Flavour, deny: Sequence[str]) -> None:
        """Take names that hang below `root` on a machine of that flavour."""
        self._index, self._root, self._flavour = names, root, flavour
        self._denied = _deny(deny)

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, by name."""
        inside = relative_to(absolute, self._root, self._flavour)
        if inside is None:
            return None
        kind = self.kind(inside)
        return None if kind == "file" and absolute.endswith("/") else kind

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""
        return relative_to(absolute, self._root, self._flavour)

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path, by name."""
        found = self._index.kind(path)
        if found is None and self._flavour != "posix":
            return self._by_key.get(key(path, self._flavour))
        return found

    @cached_property
    def _by_key(self) -> dict[str, EntryKind]:
        """The entries by folded path, for file systems on which two spellings are one path."""
        table: dict[str, EntryKind] = {
            key(path, self._flavour): "file" for path in self._index.files
        }
        table.update({key(path, self._flavour): "folder" for path in self._index.folders})
        return table

    def search(self, *_: str | None) -> tuple[Names, Past | None]:
        """Return the names; they have no history."""
        return self._index, None

    def dangles(self, path: str) -> bool:  # noqa: ARG002
        """Return False: names know no links."""
        return False

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: neither secret nor denied."""
        from truepath.project.secrets import is_secret

        return not is_secret(path) and not self._denied(path)

    def protects(self, path: str) -> bool:
        """Return whether a root-relative path is denied."""
        return self._denied(path)

    def contents(self) -> None:
        """Return None: names know no contents."""

    def folders(self, path: str) -> Sequence[str]:
        """Return the names of the folders directly in a root-relative folder."""
        return [name[:-1] for name in self._index.children(path) if name.endswith("/")]

    def in_other_checkout(self, absolute: str) -> str | None:  # noqa: ARG002
        """Return None: names know no other checkout."""
        return None


def _deny(patterns: Sequence[str]) -> Callable[[str], bool]:
    if not patterns:
        return lambda _: False
    from truepath.project.secrets import Deny

    return Deny(patterns)
