"""List the files below a folder by looking into every folder, ignore files honoured.

For machines without git and for folders that git refuses. It starts no process and follows
no link.
"""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Iterable
from itertools import islice

from truepath.project.git_folder import common_folder, enclosing, git_folder, repository_at
from truepath.project.ignore import Rules
from truepath.records import dataclass, replace

GENERATED = frozenset(
    (
        *("node_modules", "bower_components", ".next", ".nuxt", ".svelte-kit", ".parcel-cache"),
        *(".venv", "venv", "__pycache__", ".tox", ".nox", ".eggs", ".ipynb_checkpoints"),
        *(".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
        *(".gradle", ".terraform", ".turbo", ".dart_tool", ".bundle", ".hg", ".svn", ".jj"),
    )
)
"""Folders of what tools make or fetch, left out of a project that has not said what to ignore.

Only names that nobody gives to a folder of sources: no `build`, `dist`, `target`, `vendor`.
"""

_SHARED = frozenset(
    (
        *("home", "users", "usr", "var", "mnt", "media", "volumes", "proc", "sys", "dev", "nix"),
        *("system", "library", "windows", "program files", "program files (x86)"),
    )
)
"""Folders directly below a file system's root that hold whole machines' worth of files."""

_IGNORE_FILE_BYTES = 1 << 16
"""Beyond this an ignore file is an attack or a mistake; real ones have a few kilobytes."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk found."""

    paths: list[str]
    """Files and links, relative to the root with `/`, sorted."""
    cut_short: bool
    """Whether the limit or the deadline ended it, or it was refused: names may be missing."""
    entries: int
    """How many folder entries were looked at, ignored ones included."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What holds in a folder and is handed down to the folders in it."""

    rules: tuple[tuple[int, Rules], ...] = ()
    """Outermost first, each with how much of a path lies before its own folder."""
    prune: bool = False
    repository: str | None = None

    def ignores(self, path: str, *, folder: bool) -> bool:
        for start, rules in reversed(self.rules):
            verdict = rules.verdict(path[start:], folder=folder)
            if verdict is not None:
                return verdict
        return False

    def below(self, start: int, rules: Rules) -> _Scope:
        return replace(self, rules=(*self.rules, (start, rules))) if rules else self


def walk(root: str, *, limit: int = 2_000_000, deadline: float | None = None) -> Walked:
    """List the files below `root`, without what its ignore files leave out.

    Args:
        root: The folder; of a repository, the ignore files above it hold too.
        limit: How many folder entries are looked at.
        deadline: How many seconds it may take.

    Folders that cannot be read are passed over. A root that holds more than a project (a file
    system's root, the home folder) is refused: empty and cut short.
    """
    root = os.path.abspath(root)
    if too_high(root):
        return Walked([], cut_short=True, entries=0)
    ends = None if deadline is None else time.monotonic() + deadline
    base, start, scope = _origin(root)
    return _Walk(base, start, limit, ends).run(scope)


def not_ignored(
    root: str, files: Iterable[str], folders: Iterable[str], *, ends: float | None = None
) -> list[str] | None:
    """Return those of some paths that a walk of `root` does not leave out.

    Args:
        root: The folder, absolute.
        files: Files and links relative to it; the folders around them are not left out.
        folders: Folders, as the files.
        ends: When to stop, on the monotonic clock.

    Returns:
        None where it is not known in time: patterns can be slow on purpose.
    """
    base, start, scope = _origin(root)
    scopes = {"": _below(base, start, scope)}
    found: list[str] = []
    for path, is_inner in (*((path, False) for path in files), *((path, True) for path in folders)):
        if ends is not None and time.monotonic() > ends:
            return None
        above, _, name = path.rpartition("/")
        if above not in scopes:
            inner, place = scopes[""], start
            for part in above.split("/"):
                place += f"{part}/"
                inner = _below(base, place, inner)
            scopes[above] = inner
        generated = is_inner and scope.prune and name in GENERATED
        if not generated and not scopes[above].ignores(start + path, folder=is_inner):
            found.append(path)
    return found


def _below(base: str, folder: str, scope: _Scope) -> _Scope:
    """Return what holds inside a folder, whose path is empty or ends in `/`."""
    return scope.below(len(folder), Rules(_read(os.path.join(base, folder, ".gitignore"))))


def too_high(root: str) -> bool:
    """Tell whether a folder holds so much more than one project that no search of it would end."""
    real = os.path.realpath(root)
    above, name = os.path.split(real)
    home = os.path.realpath(os.path.expanduser("~"))
    holds_home = (home + os.sep).startswith(real + os.sep)
    at_root = os.path.dirname(above) == above
    return above == real or holds_home or (at_root and name.lower() in _SHARED)


def holds_machine(path: str) -> bool:
    """Tell by its name alone whether a POSIX folder holds a whole machine's worth of files."""
    names = path.strip("/").split("/")
    return names == [""] or (len(names) == 1 and names[0].lower() in _SHARED)


def has_rules(top: str) -> bool:
    """Tell whether a project says at its top, or in its git folder, what to ignore."""
    own = Rules(_read(os.path.join(top, ".gitignore")))
    return bool(own) or bool(_excluded(git_folder(top)))


class _Walk:
    """One walk under way. Paths are relative to `base`; names of folders end in `/`."""

    def __init__(self, base: str, start: str, limit: int, ends: float | None) -> None:
        self._base, self._start = base, start
        self._limit, self._ends = limit, ends
        self._found: list[str] = []
        self._entries = 0
        self._folders: deque[tuple[str, _Scope]] = deque()
        self._late = False

    def run(self, scope: _Scope) -> Walked:
        # Breadth first: cut short, it has the names near the root.
        self._folders.append((self._start, scope))
        while self._folders and not self._over():
            self._visit(*self._folders.popleft())
        cut = len(self._start)
        paths = sorted(path[cut:] for path in self._found)
        cut_short = self._late or bool(self._folders) or self._entries > self._limit
        return Walked(paths, cut_short, min(self._entries, self._limit))

    def _over(self) -> bool:
        return self._is_late() or self._entries > self._limit

    def _is_late(self) -> bool:
        self._late = self._ends is not None and time.monotonic() > self._ends
        return self._late

    def _visit(self, folder: str, scope: _Scope) -> None:
        entries = self._look_into(folder)
        inner = self._scope_of(folder, entries, scope)
        if inner is None:
            return
        for name, entry in entries.items():
            if name == ".git":
                continue
            # Patterns can be slow on purpose, and one folder can hold a whole tree's names.
            if inner.rules and self._is_late():
                return
            path = folder + name
            if is_folder(entry):
                generated = inner.prune and name in GENERATED
                if not generated and not inner.ignores(path, folder=True):
                    self._folders.append((path + "/", inner))
            elif is_file(entry) and not inner.ignores(path, folder=False):
                self._found.append(path)

    def _look_into(self, folder: str) -> dict[str, os.DirEntry[str]]:
        left = self._limit - self._entries
        try:
            with os.scandir(os.path.join(self._base, folder)) as listed:
                entries = list(islice(listed, left + 1))
        except OSError:
            return {}
        self._entries += len(entries)
        return {entry.name: entry for entry in entries[:left]}

    def _scope_of(
        self, folder: str, entries: dict[str, os.DirEntry[str]], scope: _Scope
    ) -> _Scope | None:
        """Return what holds inside a folder; None for another work tree of this repository."""
        if ".git" in entries and folder != self._start:
            path = os.path.join(self._base, folder)
            inner = repository_at(path)
            if inner is not None:
                if inner == scope.repository:
                    return None
                scope = _fresh(path, len(folder))
        if ".gitignore" not in entries:
            return scope
        return scope.below(len(folder), Rules(_read(entries[".gitignore"].path)))


def _origin(root: str) -> tuple[str, str, _Scope]:
    """Return the folder paths are judged from, the way from there to `root`, and what holds."""
    top = enclosing(root)
    if top is None or top == root:
        return root, "", _fresh(root, 0)
    scope = _fresh(top, 0)
    path = ""
    for name in os.path.relpath(root, top).split(os.sep):
        own = Rules(_read(os.path.join(top, path, ".gitignore")))
        scope = scope.below(len(path), own)
        path += name
        if scope.ignores(path, folder=True):
            # Whoever works in an ignored folder means that folder: only its own rules hold.
            return root, "", _fresh(root, 0)
        path += "/"
    return top, path, scope


def _fresh(top: str, start: int) -> _Scope:
    """Return what holds at the top of a project; its own `.gitignore` is read when it is met."""
    scope = _Scope(prune=not has_rules(top), repository=repository_at(top))
    return scope.below(start, _excluded(git_folder(top)))


def _excluded(folder: str | None) -> Rules:
    if folder is None:
        return Rules("")
    return Rules(_read(os.path.join(common_folder(folder), "info", "exclude")))


def _read(path: str) -> str:
    try:
        # Not through a link and not from a pipe: git reads neither as an ignore file.
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        with open(path, "rb") as opened:
            text = opened.read(_IGNORE_FILE_BYTES)
    except OSError:
        return ""
    return text.decode("utf-8-sig", "surrogateescape")


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder to look into: no link, and no Windows junction."""
    try:
        return entry.is_dir(follow_symlinks=False) and not _is_junction(entry)
    except OSError:
        return False


def is_file(entry: os.DirEntry[str]) -> bool:
    """Tell whether git would list it: a file or a link, no pipe, socket or device."""
    try:
        return entry.is_file(follow_symlinks=False) or entry.is_symlink()
    except OSError:
        return False


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Tell a Windows junction, which counts as a folder though it leads elsewhere."""
    if os.name != "nt":
        return False
    tag = getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0)
    return tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)
