"""A question: a path, the operation on it, and the project.

Knows no answer; `resolve` gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, get_args

from truepath.errors import ConfigError, not_known
from truepath.records import dataclass
from truepath.types import OPERATION_KINDS, Contents, EntryKind, Kind, Operation

if TYPE_CHECKING:
    from truepath.project.contents import Files
    from truepath.project.layered_names import ProjectNames
    from truepath.resolve.history_evidence import Past


class Tree(Protocol):
    """A project as resolution sees it: a disk, or names alone."""

    def entry_kind_at(self, absolute: str) -> EntryKind:
        """Return the kind of entry at an absolute path, wherever it is, following links."""

    def inside(self, absolute: str) -> str | None:
        """Return an absolute path relative to the root; None when it lies outside."""

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path."""

    def search(
        self, path: str | None, other: str | None = None, /
    ) -> tuple[ProjectNames, Past | None]:
        """Return the names of the project, and its history, asked about a path that is gone.

        Where that never was, it is asked about another reading of what was written.
        """

    def dangles(self, path: str) -> bool:
        """Return whether a link is at a root-relative path, and leads nowhere."""

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown: neither secret, denied, nor reached outside."""

    def protects(self, path: str) -> bool:
        """Return whether a root-relative path is denied, whatever is there."""

    def contents(self) -> Files | None:
        """Return what looks into its files, for one question; None where they cannot be read."""

    def folders(self, path: str) -> Sequence[str]:
        """Return the names of the folders directly in a root-relative folder."""

    def in_other_checkout(self, absolute: str) -> str | None:
        """Return a path relative to the other checkout of this repository that it lies in."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one written path."""

    written: str
    operation: Operation
    kind: Kind
    threshold: float | None = None
    """The confidence (0 to 1) at which it is resolved; by default the fitted one."""
    contents: Contents | None = None
    """What the call says about the contents of the file."""


def question(
    written: str,
    operation: Operation = "read",
    *,
    kind: Kind | None = None,
    threshold: float | None = None,
    contents: Contents | None = None,
) -> Question:
    """Return the question, with the kind that the operation needs where none is given.

    Raises:
        ConfigError: There is no such operation or kind, or the threshold is not from 0 to 1.
    """
    if operation not in OPERATION_KINDS:
        raise ConfigError(not_known("operation", operation, OPERATION_KINDS))
    if kind is not None and kind not in get_args(Kind):
        raise ConfigError(not_known("kind", kind, get_args(Kind)))
    if threshold is not None and not 0 <= threshold <= 1:
        raise ConfigError(f"threshold is {threshold!r}; use a number from 0 to 1")
    return Question(written, operation, kind or OPERATION_KINDS[operation], threshold, contents)
