"""A project in a sandbox as resolution sees it: names that were listed, and single looks.

A look is a command in the sandbox, and takes longer than all else. So resolution runs on what is
known, and what it asked in vain is looked at together, until it asks nothing new. Nothing is said
to be absent, and nothing is named, without a look.
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from truepath.errors import SandboxError
from truepath.paths import relative_to
from truepath.project.names import Names
from truepath.project.remote.listing import Listing, listed
from truepath.project.remote.sandbox import Sandbox
from truepath.project.remote.scripts import LOOK
from truepath.records import dataclass
from truepath.types import EntryKind, Resolution

if TYPE_CHECKING:
    from truepath.project.remote.history import RemoteHistory
    from truepath.resolve.history_evidence import Past
    from truepath.resolve.question import Tree

_FRESH = 10.0
"""Seconds for which names are believed. What is named was looked at; a file that another program
made meanwhile is not offered, which costs less than listing at each miss."""

_LOOKED = 2.0
"""Seconds for which a look is believed, as a listing of a disk is."""

_ROUNDS = 8
"""How often resolution runs at most; a miss takes four: for the path, the names, the candidates,
and the answer."""

_AT_ONCE = 60_000
"""Characters of paths in one command; Linux takes no argument of over 131,072."""

_MOST_LOOKS = 500
"""Paths that one answer looks at; a path of more folders than that is looked at without them."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is at one path."""

    kind: EntryKind
    dangles: bool
    real: str
    """Where it is, links followed; empty where it is not there or cannot be known."""


_NOTHING = _Entry(None, dangles=False, real="")


class RemoteTree:
    """A project in a sandbox. Each question that is not answered yet is a command."""

    def __init__(
        self, sandbox: Sandbox, root: str, deny: Callable[[str], bool], limit: int
    ) -> None:
        """Take a folder of a sandbox, absolute; nothing is read yet."""
        self.root = root
        self._sandbox, self._denied, self._limit = sandbox, deny, limit
        self._looked: dict[str, tuple[float, _Entry]] = {}
        self._listing: Listing | None = None
        self._listed_at = self._changed_at = -1e9
        self._past: RemoteHistory | None = None

    # What `Tree` asks.

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, following links."""
        steps = {"", ".", ".."}.intersection(absolute[1:].split("/"))
        inside = None if steps else relative_to(absolute, self.root, "posix")
        known = None if inside is None else self._by_name(inside)
        return known or self._entry(absolute).kind

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""
        if ".." in absolute.split("/"):
            real, root = self._entry(absolute).real, self._entry(self.root).real
            if real and root:
                return relative_to(real, root, "posix")
        return relative_to(absolute, self.root, "posix")

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path, following links."""
        return self._by_name(path) or self._entry(self._absolute(path)).kind

    def search(self, path: str | None, other: str | None = None) -> tuple[Names, Past | None]:
        """Return the names, and what history says of `path`."""
        if not self._is_fresh():
            self.list()
        names = Names(()) if self._listing is None else self._listing.names
        return names, self.past(path, other)

    def dangles(self, path: str) -> bool:
        """Return whether a link is at a root-relative path, and leads nowhere."""
        return self._entry(self._absolute(path)).dangles

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: neither secret, denied, nor reached outside."""
        from truepath.project.secrets import is_secret

        if is_secret(path) or self._denied(path):
            return False
        if self._absolute(path) not in self._looked and self._by_name(path):
            return True
        real, root = self.real(self._absolute(path)), self._entry(self.root).real
        inner = relative_to(real, root, "posix") if root else None
        if inner is None or inner == path:
            return inner is not None
        names = self._listing.names if self._listing else Names(())
        nameable = not is_secret(inner) and not self._denied(inner)
        return nameable and names.kind(inner) is not None

    def protects(self, path: str) -> bool:
        """Return whether a root-relative path is denied, whatever is there."""
        return self._denied(path)

    def contents(self) -> None:
        """Return None: files in a sandbox are not read."""

    def folders(self, path: str) -> Sequence[str]:
        """Return the names of the listed folders directly in a root-relative folder."""
        children = self.search(None)[0].children(path)
        return [name[:-1] for name in children if name.endswith("/")]

    def in_other_checkout(self, absolute: str) -> str | None:
        """Return None: other checkouts in a sandbox are not looked for."""

    # What the workspace asks.

    def settled(self, ask: Callable[[Tree], Resolution]) -> Resolution:
        """Return what resolution says once all that it asks is known.

        Raises:
            SandboxError: The sandbox does not answer, or changes all the time.
        """
        oldest = time.monotonic() - _LOOKED
        # What was not there may have been made since: that is looked at for each call.
        self._looked = {
            path: (seen, entry)
            for path, (seen, entry) in self._looked.items()
            if seen > oldest and entry.kind
        }
        for _ in range(_ROUNDS):
            view = _View(self)
            found = ask(view)
            unseen = self._unseen(found, view)
            if not unseen and not view.wants_names:
                return found
            if unseen:
                self.look(unseen)
            if view.wants_names and not view.unknown:
                self.list()
        raise SandboxError("the files in the sandbox keep changing")

    def real(self, absolute: str) -> str:
        """Return an absolute path with links followed, as far as it is there."""
        for above in (absolute, *_above(absolute)):
            if real := self._entry(above).real:
                return posixpath.normpath(real + absolute[len(above) :])
        return posixpath.normpath(absolute)

    def changed(self) -> None:
        """Take note that files may come or go just now."""
        self._changed_at = time.monotonic()
        self._looked = {}

    def look(self, paths: Iterable[str]) -> None:
        """Look at absolute paths, and at the folders above them, with few commands."""
        wanted: dict[str, None] = dict.fromkeys(paths)
        for path in [*wanted]:
            if len(wanted) < _MOST_LOOKS:
                wanted.update(dict.fromkeys(_above(path)))
        wanted[self.root] = None
        some: list[str] = []
        size = 0
        for path in wanted:
            length = 5 * len(path.encode("utf-8", "surrogateescape")) + 60
            if some and size + length > _AT_ONCE:
                self._look_at(some)
                some, size = [], 0
            some.append(path)
            size += length
        self._look_at(some)

    def list(self) -> None:
        """List the names anew."""
        begun = time.monotonic()
        listing = listed(self._sandbox, self.root, self._limit)
        before = None if self._listing is None else self._listing.place
        if listing.place != before:
            self._past = None
        self._listing, self._listed_at = listing, begun

    def _look_at(self, paths: Sequence[str]) -> None:
        from truepath.project.git import zsplit

        now = time.monotonic()
        said = zsplit(self._sandbox.output(LOOK, *paths))
        if len(said) != len(paths):
            raise SandboxError("the sandbox does not say what is there")
        for path, one in zip(paths, said, strict=True):
            kind, _, real = one.partition("=")
            entry: EntryKind = {"d": "folder", "f": "file"}.get(kind)  # type: ignore[assignment]
            self._looked[path] = now, _Entry(entry, kind == "l", real)

    def _by_name(self, path: str) -> EntryKind:
        """Return the kind of a listed entry that is no link, unless a look has shown otherwise."""
        listing = self._listing
        if listing is None or self._changed_at >= self._listed_at:
            return None
        if listing.links and not listing.links.isdisjoint((path, *_above(path))):
            return None
        if (seen := self._looked.get(self._absolute(path))) is not None:
            return seen[1].kind
        return listing.names.kind(path)

    def _entry(self, absolute: str) -> _Entry:
        """Return what is at an absolute path: known, or looked at now."""
        if "\0" in absolute:
            return _NOTHING
        if (seen := self._looked.get(absolute)) is None or seen[0] < time.monotonic() - _LOOKED:
            self.look([absolute])
            seen = self._looked[absolute]
        return seen[1]

    def past(self, path: str | None, other: str | None) -> Past | None:
        place = self._listing.place if self._listing else None
        if not path or place is None:
            return None
        from truepath.project.lookup import HistoryView
        from truepath.project.remote.history import RemoteHistory

        if self._past is None:
            self._past = RemoteHistory(self._sandbox, place)
        read, fate = path, self._past.fate(path)
        if other is not None and fate.kind == "never":
            second = self._past.fate(other)
            if second.kind not in ("never", "none", "unknown"):
                read, fate = other, second
        ends = time.monotonic() + self._sandbox.timeout_s
        return HistoryView(fate, read, self._past, ends, small=True)

    def _is_fresh(self) -> bool:
        old = time.monotonic() - self._listed_at > _FRESH
        return self._listing is not None and not old and self._changed_at < self._listed_at

    def _unseen(self, found: Resolution, view: _View) -> set[str]:
        """Return what an answer rests on and was not looked at."""
        named = {one.path for one in found.candidates}
        if found.path is not None and found.status != "exists":
            named.add(found.path)
        if found.note:
            named |= {path for path in view.named if path in found.note}
        absolute = {self._absolute(path) for path in named}
        return (view.unknown | absolute) - self._looked.keys()

    def _absolute(self, path: str) -> str:
        return posixpath.join(self.root, path) if path else self.root


class _View(RemoteTree):
    """What is known of a sandbox; it notes what is not, and asks nothing."""

    def __init__(self, tree: RemoteTree) -> None:
        self.__dict__.update(tree.__dict__)
        self._tree = tree
        self.unknown: set[str] = set()
        """Absolute paths that were asked about in vain."""
        self.named: set[str] = set()
        """Root-relative paths that were said to be nameable."""
        self.wants_names = False

    def may_name(self, path: str) -> bool:
        may = super().may_name(path)
        if may:
            self.named.add(path)
        return may

    def list(self) -> None:
        self.wants_names = True

    def _entry(self, absolute: str) -> _Entry:
        if "\0" in absolute:
            return _NOTHING
        if absolute in self._looked:
            return self._looked[absolute][1]
        self.unknown.add(absolute)
        return _NOTHING

    def past(self, path: str | None, other: str | None) -> Past | None:
        # The folders of a missing path are looked at first, and then it may not be missing.
        return None if self.unknown or self.wants_names else self._tree.past(path, other)


def _above(path: str) -> Sequence[str]:
    """Return the folders above a path, the nearest first."""
    names = path.split("/")
    if len(names) > _MOST_LOOKS:
        return ()
    return [above for count in range(len(names) - 1, 0, -1) if (above := "/".join(names[:count]))]
