"""One repository as a look-up sees it: where it is, what HEAD is, and a clock that runs out."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from truepath.files.git import GitError, git, zsplit

_UNDER_WAY = (
    "rebase-merge",
    "rebase-apply",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
)
"""Files in the git folder while HEAD is not where the work will end up."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository is and what it has checked out."""

    top: str
    """The work tree, absolute."""
    prefix: str
    """The asked root inside the work tree: empty, or `packages/app/`."""
    folder: str
    """The work tree's own git folder."""
    common: str
    """The git folder that all its work trees share, links resolved: the repository's identity."""
    head: str
    """The commit that is checked out."""
    shallow: bool

    @property
    def doubtful(self) -> bool:
        """Whether HEAD does not reach all that the project has been: no absence can be claimed."""
        return self.shallow or any(
            os.path.lexists(os.path.join(self.folder, name)) for name in _UNDER_WAY
        )


def locate(root: str, *, timeout: float) -> Place | None:
    """Return the repository around `root`; None without one, without git, without a commit."""
    ask = ("--show-toplevel", "--show-prefix", "--absolute-git-dir", "--git-common-dir")
    try:
        out = git(root, "rev-parse", *ask, "--is-shallow-repository", "HEAD", timeout=timeout)
    except GitError as error:
        if error.timed_out:
            raise
        return None
    lines = os.fsdecode(out).split("\n")
    if len(lines) != 7:  # a folder with a line break in its name
        return None
    top, prefix, folder, common, shallow, head, _ = lines
    shared = os.path.realpath(os.path.join(root, common))
    return Place(top, prefix, folder, shared, head, shallow == "true")


@dataclass(slots=True)
class Look:
    """One look-up under way: the repository, and git's answers while time remains."""

    place: Place
    end: float
    """When it must be over, on `time.monotonic`'s clock."""
    _in_head: dict[str, str] = field(default_factory=dict)

    def left(self) -> float:
        """Return the seconds that remain, at least 0."""
        return max(0.0, self.end - time.monotonic())

    def ask(self, *args: str, stdin: bytes | None = None, ok: tuple[int, ...] = (0,)) -> bytes:
        """Run git at the top of the work tree, paths taken literally.

        Raises:
            GitError: it failed, or time is over.
        """
        seconds = self.left()
        if not seconds:
            raise GitError("out of time", timed_out=True)
        literal = "--literal-pathspecs"
        return git(self.place.top, literal, *args, timeout=seconds, stdin=stdin, ok=ok)

    def head_kind(self, path: str) -> str:
        """Return what HEAD has at a path: `blob`, `tree`, `commit` (a submodule) or nothing."""
        if path not in self._in_head:
            out = zsplit(self.ask("ls-tree", "-z", self.place.head, "--", path))
            entry = next((line for line in out if line.endswith(f"\t{path}")), "")
            self._in_head[path] = entry.split(" ")[1] if entry else ""
        return self._in_head[path]

    def on_disk(self, path: str) -> bool:
        """Return whether the work tree has something at a path."""
        return os.path.lexists(os.path.join(self.place.top, path))

    def lives(self, path: str) -> bool:
        """Return whether a path exists today: in the work tree, or in HEAD."""
        return self.on_disk(path) or bool(self.head_kind(path))


def index_entries(look: Look, path: str) -> Mapping[str, str]:
    """Return the index's blob ids by path, of one file or of all in a folder."""
    entries = {}
    for line in zsplit(look.ask("ls-files", "-s", "-z", "--", path)):
        meta, _, name = line.partition("\t")
        entries[name] = meta.split(" ")[1]
    return entries
