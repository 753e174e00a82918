"""One repository as a look-up sees it: where it is, what HEAD is, and a clock that runs out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from truepath.project.git import GitError, git, program, zsplit
from truepath.project.git_folder import common_folder, git_folder, head_of, settings_of
from truepath.project.history.log import EXACT, RENAMES, is_id
from truepath.records import dataclass, field

Tracks = Callable[[str], bool]
"""Says whether git's index has a file at or below a path, relative to the project's root."""

UNDER_WAY = (
    "rebase-merge",
    "rebase-apply",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
)
"""Files in the git folder while HEAD is not where the work will end up."""

_LISTED = (
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard"),
    *("--directory", "--no-empty-directory", "--"),
)
"""Asks for what is tracked, or not ignored; a folder that is not tracked is one name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository is and what it has checked out."""

    top: str
    """The work tree, absolute."""
    prefix: str
    """The asked root inside the work tree: empty, or `packages/app/`."""
    common: str
    """The git folder that all its work trees share, links resolved: the repository's identity."""
    head: str
    """The commit that is checked out."""
    doubtful: bool
    """Whether HEAD does not reach all that the project has been: no absence can be claimed."""


_NOTHING_THERE = (
    "not a git repository",
    "must be run in a work tree",
    "ambiguous argument 'HEAD'",
    "cannot change to",
)
"""What git says where there is no history to ask (git 2.39)."""


def locate(root: str, *, timeout: float) -> Place | None:
    """Return the repository around `root`; None without one, without git, without a commit.

    Raises:
        GitError: git does not tell: out of time, another user's repository, no process to be had.
    """
    try:
        program()
    except GitError:
        return None
    return _read(root) or located_by_git(root, timeout=timeout)


def _read(root: str) -> Place | None:
    """Return the repository whose work tree begins at a root; None where only git can tell.

    It is read from its own files, which starts no process.
    """
    top = os.path.realpath(root)
    folder = git_folder(top) if os.name == "posix" and "\n" not in top else None
    head = None if folder is None else head_of(folder)
    if folder is None or head is None or not _begins_here(settings_of(folder)):
        return None
    shared = common_folder(folder)
    return Place(top, "", shared, head, _is_doubtful(folder, shared))


def _begins_here(settings: str | None) -> bool:
    """Return whether a repository's own settings leave its work tree where its git folder is."""
    if settings is None:
        return False
    lines = [line.replace(" ", "").replace("\t", "") for line in settings.lower().split("\n")]
    moved = ("worktree", "bare")  # git takes neither from a file that these settings include
    return not any(word in line for line in lines for word in moved if line != "bare=false")


def _is_doubtful(folder: str, shared: str) -> bool:
    names = (*(os.path.join(folder, name) for name in UNDER_WAY), os.path.join(shared, "shallow"))
    return any(map(os.path.lexists, names))


def located_by_git(root: str, *, timeout: float) -> Place | None:
    """Return the same as `locate`, as git alone tells it."""
    ask = ("--show-toplevel", "--show-prefix", "--absolute-git-dir", "--git-common-dir")
    try:
        out = git(root, "rev-parse", *ask, "HEAD", timeout=timeout)
    except GitError as error:
        if error.timed_out or not any(word in str(error) for word in _NOTHING_THERE):
            raise
        return None
    lines = os.fsdecode(out).split("\n")
    if len(lines) != 6 or b"\0" in out:
        raise GitError("a folder with a line break in its name")
    top, prefix, folder, common, head, _ = lines
    if not is_id(head):
        raise GitError("git printed what is no commit")
    shared = os.path.realpath(os.path.join(root, common))
    return Place(top, prefix, shared, head, _is_doubtful(folder, shared))


@dataclass(slots=True)
class GitQuery:
    """One look-up under way: the repository, and git's answers while time remains."""

    place: Place
    end: float
    """When it must be over, on `time.monotonic`'s clock."""
    tracks: Tracks | None = None
    """Knows git's index without git."""
    _in_head: dict[str, str] = field(default_factory=dict)

    def in_index(self, path: str) -> bool:
        """Return whether git's index has a file at a path or below it."""
        if self.tracks is not None and path.startswith(self.place.prefix):
            with suppress(GitError):
                return self.tracks(path[len(self.place.prefix) :])
        return bool(index_entries(self, path))

    def left(self) -> float:
        """Return the seconds that remain, at least 0."""
        return max(0.0, self.end - time.monotonic())

    def ask(
        self,
        *args: str,
        stdin: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        share: float = 1.0,
    ) -> bytes:
        """Run git at the top of the work tree, paths taken literally.

        Args:
            args: The command.
            stdin: What it reads.
            ok: Exit codes that count as success.
            share: How much of the time that remains it may take.

        Raises:
            GitError: it failed, or time is over.
        """
        seconds = self.left() * share
        if not seconds:
            raise GitError("out of time", timed_out=True)
        literal = "--literal-pathspecs"
        return git(self.place.top, literal, *args, timeout=seconds, stdin=stdin, ok=ok)

    def ask_for_renames(self, *args: str, then: tuple[str, ...]) -> bytes:
        """Run git as `ask` does, with `then` behind how renames are to be known.

        By what two files have in common; where contents are absent, by the same content alone.
        """
        try:
            return self.ask(*args, *RENAMES, *then)
        except GitError as error:
            if error.timed_out:
                raise
        return self.ask(*args, *EXACT, *then)

    def head_kind(self, path: str, *more: str) -> str:
        """Return what HEAD has at a path: `blob`, `tree`, `commit` (a submodule) or nothing.

        What it has at `more` paths is found out with it, for the questions to come.
        """
        if not path:
            return "tree"
        if path not in self._in_head:
            asked = [each for each in (path, *more) if each]
            # With -t a folder is reported even where what it holds is asked for too.
            out = zsplit(self.ask("ls-tree", "-t", "-z", self.place.head, "--", *asked))
            kinds = {name: kind for _, kind, _, name in entries(out)}
            self._in_head.update((each, kinds.get(each, "")) for each in asked)
        return self._in_head[path]

    def had(self, revision: str, paths: Sequence[str]) -> set[str]:
        """Return which of these paths a revision has, the top among them."""
        asked = [path for path in paths if path]
        out = self.ask("ls-tree", "-z", "--name-only", revision, "--", *asked) if asked else b""
        return {*zsplit(out)}.intersection(asked).union(path for path in paths if not path)

    def on_disk(self, path: str) -> bool:
        """Return whether the work tree has something at a path."""
        return os.path.lexists(os.path.join(self.place.top, path))

    def ids(self, path: str, sizes: Mapping[int, int]) -> Sequence[str]:
        """Return the ids that git would give the file at a path, if it has one of these sizes.

        Args:
            path: The file, in the work tree.
            sizes: Bytes of a file that is sought, and how long an id is for it.
        """
        from truepath.project.committed import ids

        return ids(os.path.join(self.place.top, path), sizes)

    def exists_now(self, path: str) -> bool:
        """Return whether a path exists today: in HEAD, or in the work tree and not ignored."""
        return bool(self.head_kind(path)) or (self.on_disk(path) and self._is_listed(path))

    def _is_listed(self, path: str) -> bool:
        """Return whether git lists what HEAD has not: it is in the index, or not ignored.

        What lies in a repository of its own is listed there, if that one is listed here.
        """
        names = path.split("/")
        above = ("/".join(names[:count]) for count in range(1, len(names)))
        inner = next((folder for folder in above if self.on_disk(f"{folder}/.git")), None)
        if inner is None:
            return bool(self.ask(*_LISTED, path))
        return self.exists_now(inner) and bool(
            self.ask("-C", inner, *_LISTED, path[len(inner) + 1 :])
        )


def index_entries(look: GitQuery, path: str) -> Mapping[str, str]:
    """Return the index's blob ids by path, of one file or of all in a folder."""
    out = zsplit(look.ask("ls-files", "-s", "-z", "--", path))
    return {name: blob for _, blob, _, name in entries(out)}


def entries(printed: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the three words before each name that `ls-tree` or `ls-files -s` printed, and it.

    Git's output is read as hostile text: what has another form is passed over.
    """
    for line in printed:
        meta, _, name = line.partition("\t")
        words = meta.split(" ")
        if len(words) == 3 and name:
            yield words[0], words[1], words[2], name
