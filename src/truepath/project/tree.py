"""What resolution sees of a project; by itself, one that is made of names alone."""

from __future__ import annotations

from truepath.paths import relative_to
from truepath.project.secrets import Deny, is_secret

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from truepath.paths import Flavour
    from truepath.project.history import Fate
    from truepath.project.names import Names
    from truepath.types import EntryKind


class Tree:
    """A project: what is there, what it is called, and what became of what is not.

    Paths are root-relative with `/`, or absolute where the argument says so. After `begin`, all
    questions together take no longer than the tree's time. This one has no disk, no history, no
    contents and no links; others know more.
    """

    home: str | None = None
    store: str | None = None
    """A private folder for the history, and for what the user has marked as wrong."""

    def __init__(self, names: Names, root: str, flavour: Flavour, deny: Sequence[str] = ()) -> None:
        """Take names that hang below `root` on a machine of that flavour; `deny` has globs."""
        self.root, self.flavour = root, flavour
        self._names, self._denied = names, Deny(deny)

    def begin(self) -> None:
        """Take note that one answer begins: the time runs from its first question."""

    def changed(self) -> None:
        """Take note that files may have come or gone."""

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, links followed."""
        inside = self.inside(absolute)
        kind = None if inside is None else self.kind(inside)
        return None if kind == "file" and absolute.endswith("/") else kind

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""
        return relative_to(absolute, self.root, self.flavour)

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a path, links followed."""
        return self._names.kind(path, self.flavour)

    def dangles(self, path: str) -> bool:
        """Return whether a link is at a path, and leads nowhere."""
        del path
        return False

    def names(self) -> Names:
        """Return the names of what is not ignored; one of them may be gone from the disk."""
        return self._names

    def children(self, folder: str) -> list[str]:
        """Return what is directly in a folder and may be named, sorted; folders end in `/`."""
        prefix = f"{folder}/" if folder else ""
        return [name for name in self._names.children(folder) if self.may_name(prefix + name)]

    def fate(self, path: str) -> Fate | None:
        """Return what git records of a path that is gone; None without a history.

        Where it became one that must not be named, nothing is known of it.
        """

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: not secret, denied, ignored, nor a link's way out."""
        return not is_secret(path) and not self._denied(path)

    def protects(self, path: str) -> bool:
        """Return whether nothing is said of a path: it is denied, or a secret that is there."""
        return self._denied(path) or (is_secret(path) and self.kind(path) is not None)

    def holders(self, texts: Sequence[str]) -> list[str] | None:
        """Return the files that hold all texts; None where that is not known in time."""

    def checkout(self, absolute: str) -> tuple[str, str] | None:
        """Return another work tree of this repository that a path lies in, and the path in it."""
