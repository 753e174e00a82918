"""A project: its root, the agent's folder, the names of its files, and what may be shown."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from truepath.errors import ConfigError, WorkspaceError
from truepath.paths import Flavour, is_absolute, join, native, normalise, relative_to
from truepath.project.current_names import Limits
from truepath.project.names import Names
from truepath.project.tree import Disk, NameListTree
from truepath.resolve.anchors import Frame
from truepath.resolve.likely import marked
from truepath.resolve.question import question
from truepath.resolve.resolver import resolve
from truepath.types import Contents, EntryKind, Kind, Operation, Resolution

if TYPE_CHECKING:
    from truepath.project.layered_names import ProjectNames
    from truepath.project.remote.sandbox import Runner
    from truepath.project.remote.tree import RemoteTree

TIMEOUT_S = 0.25
"""Seconds; small repositories tell a path's history in a tenth of it, and in all of it on a loaded
machine. Shorter waits lost answers there. A hook waits longer."""


class Workspace:
    """One project, asked about paths.

    Thread-safe for questions: the worst that two threads do at once is list twice.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        cwd: str | None = None,
        deny: Iterable[str] = (),
        limit: int = 2_000_000,
        deadline: float | None = None,
        timeout_s: float = TIMEOUT_S,
        store: str | None = None,
    ) -> None:
        """Take a real folder as the project.

        Args:
            root: The project's folder.
            cwd: The agent's working directory, absolute or relative to the root.
            deny: Globs in .gitignore's syntax; what matches is never named.
            limit: The most names to list.
            deadline: Seconds a listing may take; a listing cut short proves no absence.
            timeout_s: Seconds that a miss waits, in all, for the history and for names that git
                does not track yet; what is later is left out of the answer.
            store: A private folder for the index of names and the map of renames; without one,
                names are listed and history is asked anew, in a project of more than 20,000 files
                only with a timeout of 0.3 and more.

        Raises:
            WorkspaceError: `root` is not a folder that can be read.
        """
        path = os.path.abspath(os.fspath(root))
        if not os.path.isdir(path):
            what = "is a file" if os.path.exists(path) else "does not exist"
            raise WorkspaceError(f"{path!r} {what}; give the project's folder")
        tree = Disk(
            path,
            deny=tuple(deny),
            limits=Limits(limit=limit, deadline=deadline, timeout_s=timeout_s),
            store=store,
            prepare=_load_what_judges,
        )
        self._set(tree, path, native(), cwd, home=os.path.expanduser("~"))

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
        """Make a workspace out of names alone: no disk, no git.

        Args:
            names: The project's files, relative to its root; a name ending in `/` is a folder.
            root: Where they hang on the agent's machine, for absolute written paths.
            cwd: The agent's working directory, absolute or relative to the root.
            flavour: The path rules of the agent's machine.
            cut_short: Whether the names are incomplete.
            deny: Globs of what is never named.
        """
        self = cls.__new__(cls)
        place = normalise(root, flavour)
        tree = NameListTree(Names(names, cut_short=cut_short), place, flavour, tuple(deny))
        self._set(tree, place, flavour, cwd, home=None)
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
        """Make a workspace of a folder in a sandbox, which is seen through commands alone.

        Nothing is run before the first question. No file of this machine is looked at.

        Args:
            runner: Runs a command: `runner(command, timeout_s)` returns what it printed, as text or
                bytes, and may be a coroutine function. `ShellRunner` is one for docker and ssh.
            root: The project's folder in the sandbox, absolute.
            cwd: The agent's working directory, absolute or relative to the root.
            deny: Globs in .gitignore's syntax; what matches is never named.
            limit: The most names to list.
            timeout_s: Seconds that one command may take. Where one takes longer, or fails,
                questions raise SandboxError, a guarded call runs as it came, and the sandbox is
                left alone for half a minute.

        Raises:
            ConfigError: `root` is not absolute, or holds a whole machine.
        """
        from truepath.project.remote.sandbox import Sandbox
        from truepath.project.remote.tree import RemoteTree
        from truepath.project.secrets import Deny
        from truepath.project.walk import holds_machine

        place = normalise(root, "posix")
        if not is_absolute(place, "posix") or holds_machine(place) or "\0" in root:
            raise ConfigError(f"root is {root!r}; use the project's folder, as in /workspace")
        self = cls.__new__(cls)
        tree = RemoteTree(Sandbox(runner, timeout_s), place, Deny(deny), limit)
        self._set(tree, place, "posix", cwd, home=None)
        return self

    def _set(
        self,
        tree: Disk | NameListTree | RemoteTree,
        root: str,
        flavour: Flavour,
        cwd: str | None,
        *,
        home: str | None,
    ) -> None:
        self._tree = tree
        self._frame = Frame(
            root=root, cwd=join(root, cwd or "", flavour), flavour=flavour, home=home
        )
        self.root = root
        self.on_disk = isinstance(tree, Disk)
        """Whether the project is a folder of this machine."""

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
        threshold: float | None = None,
        contents: Contents | None = None,
    ) -> Resolution:
        """Say what is true of a written path.

        Args:
            written: The path exactly as the agent wrote it.
            operation: What is to be done to it.
            cwd: The agent's working directory, absolute or relative to the root; by default the
                workspace's own.
            kind: What the path must be; by default what the operation needs.
            threshold: The confidence (0 to 1) that counts as sure; by default the operation's.
                With one, nothing is merely `likely`: the caller has said how sure it must be.
            contents: What is known of the contents of the file that is meant. A candidate without
                it is not taken for that file; the only file of the project with it may be edited.

        Raises:
            ConfigError: There is no such operation or kind, or the threshold is not from 0 to 1.
            SandboxError: The project is in a sandbox that gives no answer.
        """
        text = written if isinstance(written, str) else os.fsdecode(written)
        asked = question(text, operation, kind=kind, threshold=threshold, contents=contents)
        frame = self.frame(cwd)
        if isinstance(self._tree, (Disk, NameListTree)):
            found = resolve(self._tree, frame, asked)
        else:
            found = self._tree.settled(lambda tree: resolve(tree, frame, asked))
        return marked(found, asked.kind) if threshold is None else found

    def names(self) -> ProjectNames:
        """Return the names of the project, listed now if they were not or have aged."""
        return self._tree.search(None)[0]

    def children(self, folder: str) -> list[str]:
        """Return what is directly in a folder of the project, sorted; folders end in `/`.

        Git goes on to list a tracked file that was removed: what is not there is left out.
        """
        there = set(self._tree.entries(folder)) if isinstance(self._tree, Disk) else set()
        return [
            entry
            for entry in self.names().children(folder)
            if (name := entry.rstrip("/")) in there or self.kind(f"{folder}/{name}".lstrip("/"))
        ]

    def changed(self) -> None:
        """Take note that files may come or go just now: names listed before are not believed."""
        if not isinstance(self._tree, NameListTree):
            self._tree.changed()

    def kind(self, path: str) -> EntryKind:
        """Return the kind of entry at a root-relative path: a file, a folder, or nothing."""
        return self._tree.kind(path)

    def is_folder(self, absolute: str) -> bool:
        """Return whether a folder is at an absolute path, in the project or not."""
        return self._tree.entry_kind_at(absolute) == "folder"

    def real(self, absolute: str) -> str:
        """Return an absolute path with links followed, as far as it is there."""
        if isinstance(self._tree, Disk):
            return os.path.realpath(absolute)
        if isinstance(self._tree, NameListTree):
            return normalise(absolute, self._frame.flavour)
        return self._tree.real(absolute)

    def may_name(self, path: str) -> bool:
        """Return whether a path may be shown to an agent."""
        return self._tree.may_name(path)

    def protects(self, path: str) -> bool:
        """Return whether a path, as `Resolution.target` has it, is denied, whatever is there."""
        return self._tree.protects(path)

    def spell(self, path: str, written: str, *, cwd: str | None = None) -> str:
        """Write a root-relative path the way `written` was: absolute, or relative to the agent.

        A path that is not below the agent's folder is given absolute, which is right anywhere; so
        is one that was written from the home folder. What was written in another checkout is named
        there, if it is there.
        """
        frame = self.frame(cwd)
        absolute = join(self.checkout(path, written, cwd=cwd), path, frame.flavour)
        slash = "/" if written.rstrip().endswith("/") and self.kind(path) == "folder" else ""
        plain = written.strip("\"'` \n")
        if is_absolute(plain, frame.flavour) or plain.startswith(("~", "$HOME", "${HOME}")):
            return absolute + slash
        relative = relative_to(absolute, frame.cwd, frame.flavour)
        return (absolute if relative is None else relative or ".") + slash

    def checkout(self, path: str, written: str, *, cwd: str | None = None) -> str:
        """Return the checkout of this project that `written` points into, where `path` is there
        and another one; else the root.
        """
        frame = self.frame(cwd)
        pointed = join(frame.cwd, written.strip("\"'` \n"), frame.flavour)
        inner = self._tree.in_other_checkout(pointed)
        if not inner or inner == path:
            return frame.root
        top = pointed.removesuffix("/" + inner)
        return top if self._tree.entry_kind_at(f"{top}/{path}") else frame.root

    def frame(self, cwd: str | None = None) -> Frame:
        """Return what a written path is relative to, for an agent in `cwd`."""
        frame = self._frame
        if cwd is None:
            return frame
        return Frame(frame.root, join(frame.root, cwd, frame.flavour), frame.flavour, frame.home)


def _load_what_judges() -> None:
    """Import what a miss among many names needs."""
    import rapidfuzz  # noqa: F401

    from truepath.resolve.model import fitted

    fitted()
