"""List the files below a folder without git, respecting ignore files.

For machines without git and for folders that git refuses. It starts no process and
follows no link. Ignore files are read by pathspec, which differs from git in a few
cases: reversed ranges, blanks at the end of a line, files right in the folder of
`a/**/`; and a `!` also applies to everything below the path.
"""

from __future__ import annotations

import os
import re
import time
from functools import cached_property

from truepath import TYPE_CHECKING, Late
from truepath.config.files import read
from truepath.config.user_dirs import home
from truepath.errors import suppress
from truepath.project.git_folder import is_checkout
from truepath.project.names import Names
from truepath.records import dataclass

if TYPE_CHECKING:
    import warnings

    import pathspec
    from pathspec import GitIgnoreSpec

    from truepath.types import Any

    Scope = tuple["RulesIn", ...]
    """Rules, the outermost first."""
else:
    pathspec = Late("pathspec")
    warnings = Late("warnings")

GENERATED = frozenset(
    "node_modules bower_components .next .nuxt .svelte-kit .parcel-cache .venv venv "
    "__pycache__ .tox .nox .eggs .ipynb_checkpoints .mypy_cache .ruff_cache "
    ".pytest_cache .hypothesis .gradle "
    ".terraform .turbo .dart_tool .bundle .hg .svn .jj".split()
)
"""Generated and installed folders, left out of a project that has no ignore file.

Only names that no folder of sources has: not `build`, `dist`, `target` or `vendor`."""

_SHARED = frozenset(
    "home users usr var mnt media volumes proc sys dev nix system library "
    "windows".split()
)
"""Folders directly below a file system's root that are too large to search."""

_IGNORE_FILE_BYTES = 1 << 20
"""Bytes of an ignore file, at most; real ones have a few kilobytes."""

_WALK_CPU_S = 1.0
"""Seconds of CPU for a walk: 200,000 files."""

_CHOICES = 2
"""Stars of a pattern that can backtrack, at most: each multiplies the time by the
length of a name. Of the 5,214 patterns in GitHub's collection of ignore files, 2 have
more."""


def walk(root: str, *, limit: int) -> Names:
    """List the files below `root`, an absolute folder, that no ignore file excludes.

    Of an empty folder and of a repository, only the folder is listed, with a trailing
    `/`. It stops after `limit` entries, or after `_WALK_CPU_S`.
    """
    walked = _FolderWalk(root, limit)
    is_whole = not too_high(root) and walked.run()
    return Names.of(walked.found, cut_short=not is_whole)


class _FolderWalk:
    def __init__(self, root: str, limit: int) -> None:
        self.found: list[str] = []
        self._root = root
        self._left = limit
        self._ends = time.thread_time() + _WALK_CPU_S
        self._prune = not has_rules(root)
        self._scopes: dict[str, Scope] = {"": ()}
        """Folder -> the rules that apply in it."""

    def run(self) -> bool:
        """Walk; return whether all files were listed."""
        for place, folders, files in os.walk(self._root):
            inner = place[len(self._root) :].replace(os.sep, "/").strip("/")
            start = f"{inner}/".lstrip("/")
            scope = self._scopes.pop(start)
            is_empty = not (folders or files)
            if start and (is_empty or _is_repository(place, folders, files)):
                self.found.append(start)
                folders.clear()  # `os.walk` goes into what is left
                continue
            if ".gitignore" in files:
                scope = (*scope, RulesIn(len(start), _rules(place)))
            folders[:] = self._wanted(scope, start, folders, folder=True)
            self._scopes.update((f"{start}{name}/", scope) for name in folders)
            wanted = self._wanted(scope, start, files, folder=False)
            self.found += [start + name for name in wanted]
            self._left -= len(folders) + len(files)
            if self._left < 0 or time.thread_time() > self._ends:
                return False
        return True

    def _wanted(
        self, scope: Scope, start: str, names: list[str], *, folder: bool
    ) -> list[str]:
        return [
            name for name in names if self._wants(scope, start + name, folder=folder)
        ]

    def _wants(self, scope: Scope, path: str, *, folder: bool) -> bool:
        """Return whether no rule excludes an entry, and time remains: patterns can be
        slow.
        """
        name = path.rpartition("/")[2]
        if name == ".git" or (self._prune and folder and name in GENERATED):
            return False
        for inner in reversed(scope):
            verdict = inner.rules.verdict(path[inner.start :], folder=folder)
            if verdict is not None:
                return not verdict and time.thread_time() < self._ends
        return True


def _is_repository(place: str, folders: list[str], files: list[str]) -> bool:
    return ".git" in (*folders, *files) and is_checkout(place)


@dataclass(frozen=True, slots=True)
class RulesIn:
    """The rules of an ignore file, which apply below its folder."""

    start: int
    """The length of its folder's path, with a slash."""
    rules: IgnoreRules


def has_rules(top: str) -> bool:
    """Return whether a project has an ignore file at its top."""
    return bool(_rules(top))


def too_high(root: str) -> bool:
    """Return whether a folder is far more than a project, such as `/`, `/usr` or above
    the home.

    A work tree with the home below it is a project: CI puts it there.
    """
    real = os.path.realpath(root)
    users_own = os.path.realpath(home(os.environ))
    if real == users_own:
        return True
    is_above = users_own.startswith(f"{real}{os.sep}")
    if is_above and not is_checkout(real):
        return True
    below_drive = os.path.splitdrive(real)[1].replace("\\", "/").strip("/")
    return not below_drive or below_drive.lower() in _SHARED


def _rules(folder: str) -> IgnoreRules:
    """Return the rules of a folder's ignore file; like git, follow no link to one."""
    path = os.path.join(folder, ".gitignore")
    text = b""
    with suppress(OSError):
        if os.path.isfile(path) and not os.path.islink(path):
            text = read(path, _IGNORE_FILE_BYTES)
    return IgnoreRules(text.decode("utf-8-sig", "surrogateescape"))


class IgnoreRules:
    """The patterns of one ignore file; the last one that matches a path decides."""

    def __init__(self, text: str) -> None:
        """Take the text of an ignore file; it is compiled at the first question."""
        lines = (line for line in text.split("\n") if not line.startswith("#"))
        self._lines = [line for line in lines if line.strip("!/ \t\r")]

    def __bool__(self) -> bool:
        """Return whether there is any pattern."""
        return bool(self._lines)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Return whether `path` is ignored: True, False (by a `!`), or None if no
        pattern matches.

        `path` is relative to the ignore file's folder. The caller does not ask about
        paths below an ignored folder, which are ignored too.
        """
        if not self._lines:
            return None
        if not folder:
            return self._spec.check_file(path).include
        # `check_file` is for files only: for a folder, it would rank `*` above `!*/`.
        for pattern in reversed(self._spec.patterns):
            is_rule = pattern.include is not None  # a comment is none
            if is_rule and pattern.match_file(f"{path}/") is not None:
                return pattern.include
        return None

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        return _compiled([_bounded(line) for line in self._lines])


def _compiled(lines: list[str]) -> GitIgnoreSpec:
    """Compile patterns, without the invalid ones."""
    with warnings.catch_warnings():
        # For sets like `[[a]`, which git allows and `re` may give another meaning one
        # day.
        warnings.simplefilter("ignore", FutureWarning)
        with suppress(ValueError, re.error):
            # The other backends reject names that are not UTF-8.
            return pathspec.GitIgnoreSpec.from_lines(lines, backend="simple")
    patterns: list[Any] = []
    if len(lines) > 1:  # a single one is the invalid one
        for line in lines:
            patterns += _compiled([line]).patterns
    return pathspec.GitIgnoreSpec(patterns, backend="simple")


def _bounded(line: str) -> str:
    """Return a pattern that is fast and matches no less, or nothing for one that takes
    back.

    It is cut off, and the rest matches anything, at the first star that could backtrack
    once too often (the first one between two slashes cannot), and at a bracket that may
    have a class or a backslash in it, which pathspec reads otherwise than git.
    """
    # Where the first bracket that no backslash escapes begins.
    unescaped = re.sub(r"\\\\", "..", line)
    bracket = len(re.split(r"(?<!\\)\[", unescaped, maxsplit=1)[0])
    is_odd = "\\" in line[bracket + 1 :] or "[:" in line[bracket:]
    ends = [bracket] if is_odd else []
    choices = stars = 0
    for token in re.finditer(r"\*|/", line):
        stars = stars + 1 if token[0] == "*" else 0
        choices += 1 if stars > 1 else 0
        if choices > _CHOICES:
            ends.append(token.start())
            break
    if not ends:
        return line
    return "" if line.startswith("!") else f"{line[: min(ends)]}*"
