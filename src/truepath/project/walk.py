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

if TYPE_CHECKING:
    import warnings

    import pathspec
    from pathspec import GitIgnoreSpec

    from truepath.types import Any

    Scope = tuple[tuple[int, "IgnoreRules"], ...]
    """Rules of ignore files, the outermost first, each after the length of its folder's
    path, with a slash."""
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
    found: list[str] = []
    left = limit
    ends = time.thread_time() + _WALK_CPU_S
    pruned = frozenset() if has_rules(root) else GENERATED
    scopes: dict[str, Scope] = {"": ()}  # folder -> the rules that apply in it
    is_whole = not too_high(root)
    for place, folders, files in os.walk(root) if is_whole else ():
        inner = place[len(root) :].replace(os.sep, "/").strip("/")
        start = f"{inner}/".lstrip("/")
        scope = scopes.pop(start)
        if start and _is_closed(place, folders, files):
            found.append(start)
            folders.clear()  # `os.walk` goes into what is left
            continue
        if ".gitignore" in files:
            scope = (*scope, (len(start), _rules(place)))
        folders[:] = _wanted(scope, start, folders, ends, pruned)
        scopes.update((f"{start}{name}/", scope) for name in folders)
        found += map(start.__add__, _wanted(scope, start, files, ends, None))
        left -= len(folders) + len(files)
        if left < 0 or time.thread_time() > ends:
            is_whole = False
            break
    return Names.of(found, cut_short=not is_whole)


def _is_closed(place: str, folders: list[str], files: list[str]) -> bool:
    """Return whether nothing in a folder is listed: it is empty, or a repository."""
    has_git = ".git" in (*folders, *files)
    return is_checkout(place) if has_git else not (folders or files)


def _wanted(
    scope: Scope,
    start: str,
    names: list[str],
    ends: float,
    pruned: frozenset[str] | None,
) -> list[str]:
    """Return the names of the files, or of the folders but for the `pruned` ones, that
    no rule excludes, while time remains: patterns can be slow.
    """
    folder = pruned is not None
    wanted: list[str] = []
    for name in names:
        if name == ".git" or (pruned and name in pruned):
            continue
        path = start + name
        verdicts = (
            rules.verdict(path[above:], folder=folder)
            for above, rules in reversed(scope)
        )
        ignored = next((each for each in verdicts if each is not None), None)
        is_late = ignored is not None and time.thread_time() >= ends
        if not ignored and not is_late:
            wanted.append(name)
    return wanted


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
