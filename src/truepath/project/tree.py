"""The interface of a project to resolution; by itself, a project that is only a list of
names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from truepath import TYPE_CHECKING
from truepath.paths import Flavour, relative_to
from truepath.project.names import Names
from truepath.project.secrets import Deny, is_secret
from truepath.types import EntryKind

if TYPE_CHECKING:
    from truepath.project.history import Fate


class Tree:
    """A project: which paths exist, what they are called, and what happened to missing
    ones.

    Paths are root-relative with `/`, or absolute where the argument is called so. After
    `begin`, all questions together take no longer than the tree's time. This class has
    no disk, history, contents or links; subclasses do.
    """

    home: str | None = None
    store: str | None = None
    """A private folder for the history, and for what the user has marked as wrong."""

    def __init__(
        self, names: Names, root: str, flavour: Flavour, deny: Sequence[str] = ()
    ) -> None:
        """Take names below `root` on a machine of that flavour; `deny` are globs."""
        self.root = root
        self.flavour = flavour
        self._names = names
        self._denied = Deny(deny)

    def begin(self) -> None:
        """Begin an answer: its time runs from the first question."""

    def changed(self) -> None:
        """Drop what is remembered: files may have been created or removed."""

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, links followed."""
        inside = self.inside(absolute)
        kind = None if inside is None else self.kind(inside)
        return None if kind == "file" and absolute.endswith("/") else kind

    def is_hidden(self, absolute: str) -> bool:  # noqa: ARG002
        """Return whether it is not known if an absolute path exists: it may not be
        looked at.
        """
        return False

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None if it is outside."""
        return relative_to(absolute, self.root, self.flavour)

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a path, links followed."""
        return self._names.kind(path, self.flavour)

    def broken_link_target(self, path: str) -> str | None:  # noqa: ARG002
        """Return where a link at a missing path, or above it, that leads nowhere would
        lead, "" for outside or if that is not known; None if there is none.
        """
        return None

    def mapped(self, absolute: str) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Return what a path outside is in the project, if a file of the project or a
        setting maps a folder of a container, each with the file that says so.
        """
        return ()

    def names(self) -> Names:
        """Return the names that are not ignored; some may not exist on the disk."""
        return self._names

    def missing_modules(self) -> Sequence[str]:
        """Return the submodules in git's index that are not checked out."""
        return ()

    def children(self, folder: str) -> Sequence[str]:
        """Return the entries of a folder that may be named, sorted; folders end in
        `/`.
        """
        prefix = f"{folder}/" if folder else ""
        return [
            name
            for name in self._names.children(folder)
            if self.may_name(prefix + name)
        ]

    def entries(self, folder: str) -> Sequence[str]:
        """Return the names in a folder, also those that may not be told."""
        return [name.rstrip("/") for name in self.names().children(folder)]

    def fate(self, path: str) -> Fate | None:
        """Return what happened to a path that does not exist; None without a history.

        The fate of a path that was renamed to one that must not be named is withheld,
        and so is where a secret went: it is one there too.
        """

    def ignores(self, paths: Iterable[str]) -> bool | None:  # noqa: ARG002
        """Return whether git ignores one of some missing paths; None if git gives no
        answer.
        """
        return False

    def fault(self) -> str:
        """Return why git tells nothing of the project, in words; "" if it works."""
        return ""

    def is_revision(self, word: str, cwd: str) -> bool:  # noqa: ARG002
        """Return whether git takes a word for a revision in an absolute folder, or
        cannot tell.
        """
        return True

    def ever_had(self, path: str) -> bool:  # noqa: ARG002
        """Return whether git's index, or a commit of any branch, has a path that the
        disk has not, or git cannot tell.
        """
        return True

    def written_since(self, time_s: float) -> bool:  # noqa: ARG002
        """Return whether a file of the project, which git does not ignore, was written
        or removed since a time, in seconds since the epoch, or that cannot be told.
        """
        return True

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: not secret, denied, ignored, or a link to
        outside.
        """
        return not is_secret(path) and not self._denied(path)

    def was_secret(self, path: str) -> bool:  # noqa: ARG002
        """Return whether a path may have been renamed from a secret."""
        return False

    def protects(self, path: str) -> bool:
        """Return whether nothing is told about a path: it is denied, or a secret that
        exists.
        """
        return self._denied(path) or (is_secret(path) and self.kind(path) is not None)

    def _absolute(self, path: str) -> str:
        return f"{self.root.rstrip('/')}/{path}" if path else self.root

    def holders(
        self,
        texts: Sequence[str],  # noqa: ARG002
        among: Sequence[str] | None = None,  # noqa: ARG002
    ) -> list[str] | None:
        """Return the files, of all or `among` some, that contain all texts; None if
        that is not known.
        """
        return None

    def in_main_checkout(self, path: str) -> str:  # noqa: ARG002
        """Return where the main checkout has a path that this work tree has not,
        absolute; "" if it has it not, or it must not be named.
        """
        return ""

    def checkout(self, absolute: str) -> tuple[str, str] | None:
        """Return another work tree of this repository that contains a path, and the
        path in it.
        """
