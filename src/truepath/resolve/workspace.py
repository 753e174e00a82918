"""A project that resolves paths: a folder, a list of names, or a folder in a sandbox.

It must not know hosts or policies.
"""

from __future__ import annotations

import os
import sys

from truepath import TYPE_CHECKING, Late
from truepath.errors import ConfigError, WorkspaceError, not_known
from truepath.paths import Flavour, is_absolute, join, normalise, relative_to
from truepath.patience import CLOCK_S, check
from truepath.project.disk import Disk
from truepath.project.names import Names
from truepath.project.tree import Tree
from truepath.records import replace
from truepath.resolve.question import Question, answer, with_blanks
from truepath.resolve.spellings import Frame, absolute_of, flaw_of
from truepath.types import OPERATION_KINDS, Candidate, Kind, Operation, Resolution

if TYPE_CHECKING or "typing" in sys.modules:  # as in `truepath.types`
    from collections.abc import Iterable, Mapping, Sequence

if TYPE_CHECKING:
    from truepath.project.remote import tree as remote_tree
    from truepath.project.remote.sandbox import Runner
    from truepath.project.tree import Tree
else:
    remote_tree = Late("truepath.project.remote.tree")

_QUOTES = "\"'` \n"
"""Around a written path, signs that are no part of it."""


class Workspace:
    """A project that resolves paths. `tree` tells what exists. Questions are
    thread-safe.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        cwd: str | None = None,
        deny: Iterable[str] = (),
        limit: int = 2_000_000,
        timeout_s: float = CLOCK_S,
        store: str | None = None,
        roots: Mapping[str, str] | None = None,
    ) -> None:
        """Take a real folder as the project.

        Args:
            root: The project's folder.
            cwd: The agent's working directory, absolute or relative to the root.
            deny: Globs as in .gitignore; paths that match are never named.
            limit: Names to list, at most.
            timeout_s: Seconds that a miss waits, in all, for a git or a disk that
                hangs.
            store: A private folder for what is kept of the history, else read anew, and
                for what the user has marked as wrong.
            roots: Folders of containers, absolute, and those of the project that they
                are; beside what files of the project say.

        Raises:
            WorkspaceError: `root` is not a folder that can be read.
        """
        path = os.path.abspath(os.fspath(root))
        if not os.path.isdir(path):
            what = "does not exist"
            if os.path.exists(path):
                what = "is a file"
            raise WorkspaceError(f"{path!r} {what}; give the project's folder")
        tree = Disk(
            path,
            deny=tuple(deny),
            limit=limit,
            timeout_s=timeout_s,
            store=store,
            roots=roots,
        )
        self._set(tree, cwd, on_disk=True)

    @classmethod
    def from_names(
        cls,
        names: Iterable[str],
        *,
        root: str = "/workspace",
        cwd: str | None = None,
        flavour: Flavour = "posix",
        cut_short: bool = False,
        deny: Iterable[str] = (),
    ) -> Workspace:
        """Make a workspace of a list of names, without a disk or git.

        Args:
            names: The project's files, relative to its root; a name ending in `/` is a
                folder.
            root: The project's folder on the agent's machine.
            flavour: The rules of paths there: `posix`, `windows` or `macos`.
            cut_short: Whether the names are incomplete.
            cwd, deny: As for a folder.
        """
        listed = Names.of(names, cut_short=cut_short)
        tree = Tree(listed, normalise(root, flavour), flavour, tuple(deny))
        self = cls.__new__(cls)
        self._set(tree, cwd)
        return self

    @classmethod
    def remote(
        cls,
        runner: Runner,
        *,
        root: str = "/workspace",
        cwd: str | None = None,
        deny: Iterable[str] = (),
        limit: int = 2_000_000,
        timeout_s: float = 10.0,
    ) -> Workspace:
        """Make a workspace of a folder in a sandbox, which is read by commands.

        Args:
            runner: Runs a command: `runner(command, timeout_s)` returns its output, as
                text or bytes. `ShellRunner` is one for docker and ssh.
            root: The project's folder in the sandbox, absolute.
            timeout_s: Seconds for one command; after that, questions raise
                SandboxError.
            cwd, deny, limit: As for a folder.

        Raises:
            ConfigError: `root` is not absolute, or is `/`.
        """
        place = normalise(root, "posix")
        # All of a machine is no project.
        if not is_absolute(place, "posix") or place == "/" or "\0" in root:
            raise ConfigError(
                f"root is {root!r}; use the project's folder, as in /workspace"
            )
        self = cls.__new__(cls)
        tree = remote_tree.RemoteTree(
            runner, place, deny=tuple(deny), limit=limit, timeout_s=timeout_s
        )
        self._set(tree, cwd)
        return self

    def _set(self, tree: Tree, cwd: str | None, *, on_disk: bool = False) -> None:
        self.tree = tree
        self.root = tree.root
        self.on_disk = on_disk
        here = join(tree.root, cwd or "", tree.flavour)
        self._frame = Frame(tree.root, here, tree.flavour, tree.home, tree.inside)

    def __repr__(self) -> str:
        """Return the root, for debugging."""
        return f"Workspace({self.root!r})"

    def resolve(
        self,
        written: str | bytes | os.PathLike[str] | os.PathLike[bytes],
        operation: Operation = "read",
        *,
        cwd: str | None = None,
        kind: Kind | None = None,
        texts: Sequence[str] = (),
        received: str = "",
        others: Sequence[str] = (),
    ) -> Resolution:
        """Return what is known about a written path.

        A path that is denied, or a secret that exists, in any spelling, is `outside`
        with the note "protected": nothing is told about it, and the call runs
        unchanged.

        Args:
            written: The path exactly as the agent wrote it.
            operation: What is to be done to it.
            cwd: The agent's working directory; by default the workspace's.
            kind: What the path must be; by default what the operation needs.
            texts: Texts that the meant file contains, such as what an edit replaces;
                they are compared line by line, without indentation.
            received: What the program receives if a shell removes backslashes from the
                path.
            others: Paths that the same command names besides, as written, which are
                not meant.

        Raises:
            ConfigError: There is no such operation or kind.
            SandboxError: The project is in a sandbox that gives no answer.
        """
        if operation not in OPERATION_KINDS:
            raise ConfigError(not_known("operation", operation, OPERATION_KINDS))
        kind = kind or OPERATION_KINDS[operation]
        if kind not in OPERATION_KINDS.values():
            raise ConfigError(
                not_known("kind", kind, sorted({*OPERATION_KINDS.values()}))
            )
        if not isinstance(written, str):
            written = os.fsdecode(written)  # one that is not UTF-8 keeps its bytes
        self.tree.begin()
        check()
        frame = self.frame(cwd)
        if flaw_of(written) is None and not received:
            absolute = absolute_of(written, frame)
            entry = self.tree.entry_kind_at(absolute)
            is_there = entry is not None and kind in ("any", entry)
            inside = self.tree.inside(absolute) if is_there else None
            if inside is not None:  # as nearly all do
                return Resolution(
                    written, "exists", operation, path=inside, target=inside
                )
        beside = (join(frame.cwd, other, frame.flavour) for other in others)
        names = frozenset(filter(None, map(self.tree.inside, beside)))
        question = Question(frame, operation, kind, texts, received, names)
        return answer(self.tree, written, question)

    def with_blanks(
        self, line: str, start: int, end: int, operation: Operation, cwd: str | None
    ) -> Resolution | None:
        """Return the resolution of an existing path with blanks that has no quotes in a
        command line, so that one of its words, from `start` to `end`, is missing; None
        if there is none.
        """
        frame = self.frame(cwd)
        path = with_blanks(self.tree, frame, line, start, end)
        if path is None:
            return None
        text, inside = path
        meant = (Candidate(inside, 1.0, "spelling"),)
        return Resolution(
            text,
            "ambiguous",
            operation,
            candidates=meant,
            target=inside,
            cause="blanks",
        )

    def why(self, resolution: Resolution) -> dict[str, dict[str, float]]:
        """Return the parts of each candidate's score by feature, and those of "nothing
        here" at "".

        Empty for a path without a search: one that exists, is new, or is left alone
        outside.
        """
        why: dict[str, dict[str, float]] = {}
        operation = resolution.operation
        self.tree.begin()
        kind = OPERATION_KINDS[operation]
        question = Question(self._frame, operation, kind, why=why)
        answer(self.tree, resolution.written, question)
        return why

    def changed(self) -> None:
        """Drop the listed names: files may be created or removed."""
        self.tree.changed()

    def spell(self, path: str, written: str, *, cwd: str | None = None) -> str:
        """Return a root-relative path in the form of `written`: absolute, or relative
        to the agent.

        A path that is not below the agent's folder, or was written from the home
        folder, is absolute. One that was written in another work tree is named there,
        if it exists there.
        """
        frame = self.frame(cwd)
        absolute = join(self.checkout(path, written, cwd=cwd), path, frame.flavour)
        slash = ""
        if written.rstrip().endswith("/") and self.tree.kind(path) == "folder":
            slash = "/"
        plain = written.strip(_QUOTES)
        is_from_home = plain.startswith(("~", "$HOME", "${HOME}"))
        if is_from_home or is_absolute(plain, frame.flavour):
            return absolute + slash
        relative = relative_to(absolute, frame.cwd, frame.flavour)
        if relative is None:
            return absolute + slash
        return (relative or ".") + slash

    def checkout(self, path: str, written: str, *, cwd: str | None = None) -> str:
        """Return the linked work tree that `written` points into, if it has `path`;
        else the root.

        An agent in a linked work tree that writes a path in the main one means its own.
        """
        frame = self.frame(cwd)
        plain = join(frame.cwd, written.strip(_QUOTES), frame.flavour)
        checkout = self.tree.checkout(plain)
        if checkout is None:
            return frame.root
        other_root, other_path = checkout
        # The same path, missing there: this project's own copy is meant.
        if other_path == path:
            return frame.root
        # In a linked work tree, `.git` is a file; in the main one, a folder.
        is_linked = self.tree.entry_kind_at(f"{other_root}/.git") == "file"
        if is_linked and self.tree.entry_kind_at(f"{other_root}/{path}"):
            return other_root
        return frame.root

    def frame(self, cwd: str | None = None) -> Frame:
        """Return what a written path is relative to, for an agent in `cwd`."""
        frame = self._frame
        if cwd is None:
            return frame
        here = join(frame.root, cwd, frame.flavour)
        # The agent may have come to the project through a link.
        inside = self.tree.inside(here)
        if inside is not None:
            here = join(frame.root, inside, frame.flavour)
        return replace(frame, cwd=here)
