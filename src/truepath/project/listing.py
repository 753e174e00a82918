"""List the names of a project: each repository's with git, else by a walk.

A listing tells the same as long as it is kept: a thread that has it has one view of the
project, whatever others list meanwhile. What is asked of it once is kept in it, whole.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Sequence
from zlib import crc32

from truepath import TYPE_CHECKING, Late
from truepath.config.files import old_ns, read
from truepath.project.faults import known_fault
from truepath.project.git import GitError, git, zsplit
from truepath.project.git_folder import enclosing, is_checkout, is_linked
from truepath.project.names import Names
from truepath.project.walk import GENERATED, has_rules, too_high, walk
from truepath.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from truepath.project import untracked
else:
    untracked = Late("truepath.project.untracked")

_MANY = 20_000_000
"""Bytes of tracked names, about 300,000, from which no answer waits for untracked ones:
git takes half a second of CPU for them, 6 times as long as for the tracked ones, and a
larger project would never have them in time. So their number decides, and not how busy
the machine is."""

_BEHIND_S = 900.0
"""Seconds in which all are listed behind, or not at all."""

_KEPT_FROM = 200_000
"""Bytes of tracked names, about 4,000, or of untracked ones, from which these are kept:
git needs 4 ms for those of a smaller repository, and to keep them costs as much."""

_SLOW_S = 3600.0
"""Seconds in which untracked names that git did not list in time are listed behind at
once, such as those of a tree of 4,000 levels."""

_AT_WORK_S = 0.1
"""Seconds of CPU from which a git that is not done in time is at work: one that hangs,
on a pipe in place of `.gitignore`, would not be done behind either."""

KEEPS = sys.platform == "linux"
"""Whether names on the disk are those that git has: macOS has other forms of them."""

_REPOSITORIES = 50
"""Repositories to list, at most, nested ones included: each takes two processes, of 3
ms each."""

_MODULE = rb'(?m)^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t\r]*$'
"""The folder of a submodule in `.gitmodules`; not compiled, for few have any."""

_MODULES_BYTES = 1 << 20
"""Bytes of `.gitmodules`, at most."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of a project at one time."""

    names: Names
    repositories: tuple[str, ...] = ()
    """The repositories that git listed, each with a slash at its end; "" is that of the
    root. One inside another comes after it."""
    missing_modules: tuple[str, ...] = ()
    """The submodules in git's index that are not checked out."""
    taken: float = 0.0
    """When it was begun, on the monotonic clock."""
    children: dict[str, Sequence[str]] = field(default_factory=dict)
    """Folder -> its entries that may be named, of those that were asked about; each is
    complete when it is put here."""
    _empty: dict[str, Sequence[str]] = field(default_factory=dict)
    """Folder -> the empty ones in it, likewise."""

    def repository_of(self, path: str) -> str:
        """Return the innermost listed repository around a path, with a slash; "" for
        that of the root.
        """
        around = [top for top in self.repositories if path.startswith(top)]
        return around[-1] if around else ""

    def empty_folders(self, root: str, folder: str, ends: float) -> Sequence[str]:
        """Return the empty folders in a folder that git does not ignore.

        Git is asked only once there is one: it does not list them. A walk has listed
        its own.
        """
        if folder in self._empty:
            return self._empty[folder]
        start = f"{folder}/" if folder else ""
        place = os.path.join(root, folder)
        paths = [start + name for name in entries(place)]
        empty = [path for path in paths if is_empty(os.path.join(root, path))]
        listed: _Listed | None = None
        top = self.repository_of(start)
        if empty and any(start.startswith(top) for top in self.repositories):
            only = ("--directory", "--", *(path.removeprefix(top) for path in empty))
            listed = _listed_by_git(os.path.join(root, top).rstrip("/"), ends, *only)
        inner = zsplit(listed.untracked) if listed else []
        self._empty[folder] = [top + path[:-1] for path in inner]
        return self._empty[folder]


@dataclass(frozen=True, slots=True)
class _Listed:
    """The names of one repository or folder, each ended by a NUL, after one."""

    tracked: bytes
    untracked: bytes = b""
    cut_short: bool = False

    def below(self, top: str) -> bytes:
        """Return the names, each ended by a NUL, as they are called above `top`; those
        of the root, which come first, begin with a NUL too.
        """
        names = self.tracked + self.untracked  # without untracked ones, no copy
        if not top:
            return names
        start = os.fsencode(top)
        return names.replace(b"\0", b"\0" + start)[1 : -len(start)]


def listed(root: str, *, limit: int, ends: float, store: str | None) -> Listing:
    """List the names below a folder by `ends`, on the monotonic clock.

    Of more names than `limit`, none is listed. The untracked ones of a large repository
    are kept in the private folder `store`.
    """
    taken = time.monotonic()
    parts: list[bytes] = []
    by_git: list[str] = []
    missing: list[str] = []
    tops = [""]
    cut_short = False
    for top in tops:  # which grows meanwhile
        place = os.path.join(root, top).removesuffix("/") if top else root
        found = _listed_by_git(place, ends, store=store)
        if found is None:
            names = walk(place, limit=limit)
            found = _Listed(b"\0", names.blob[1:], names.cut_short)
        else:
            by_git.append(top)
        parts.append(found.below(top))
        modules = _modules(place, found.tracked)
        missing += [top + path for path in modules if _is_missing(place, path)]
        tops += [f"{top}{path}/" for path in _nested(place, found, modules)]
        # When time is up, the root's own names are better than none.
        most = _REPOSITORIES if time.monotonic() < ends else 1
        cut_short |= found.cut_short or len(tops) > most
        del tops[most:]
    all_names = Names(b"".join(parts), cut_short=cut_short)
    if len(all_names) > limit:
        all_names = Names(b"", cut_short=True)
    return Listing(all_names, tuple(by_git), tuple(missing), taken)


def list_behind(root: str, store: str) -> None:
    """List the names below a folder however long that takes, for what is kept."""
    ends = time.monotonic() + _BEHIND_S
    listed(root, limit=sys.maxsize, ends=ends, store=store)


def _listed_by_git(
    root: str, ends: float, *only: str, store: str | None = None
) -> _Listed | None:
    """Return the names that git lists by `ends`; None if git lists none.

    A listing that was cut is not used. Of what `only` asks for, as git's arguments, it
    lists that.
    """
    top = enclosing(root)
    if top is None or known_fault(root, store):
        return None
    # A repository's configuration can name another work tree; this one is meant.
    ask = (root, f"--work-tree={top}", "ls-files", "-z")
    tracked = b""
    others: bytes | None = None
    try:
        tracked = git(*ask, "-c", *only, ends=ends, before=b"\0")
        if not too_high(root):  # of a home folder, the tracked files are the project
            others = _others(ask, only, top, tracked, ends, store)
    except GitError as error:
        if not error.timed_out:
            return None
    listing = _Listed(tracked, others or b"", others is None)
    # Of a folder that it ignores, git lists nothing, and a walk tells what is there.
    is_ignored = top != root and (tracked, others) == (b"\0", b"")
    # Git prints no empty name; another program may.
    begins = (tracked[:4096], b"\0" + listing.untracked[:4096])
    is_odd = any(b"\0\0" in names for names in begins)
    return None if is_ignored or is_odd else listing


def _others(
    ask: Sequence[str],
    only: Sequence[str],
    top: str,
    tracked: bytes,
    ends: float,
    store: str | None,
) -> bytes | None:
    """Return the untracked names that git lists if it is asked so, or that are kept in
    `store`, where they are many; None if they are not to be waited for.

    Raises:
        GitError: They are not listed in time.
    """
    root = ask[0]
    generated = [] if has_rules(top) else sorted(GENERATED)

    def listed() -> bytes:
        left_out = [f"--exclude={name}/" for name in generated]
        return git(*ask, "-o", "--exclude-standard", *left_out, *only, ends=ends)

    name = f"untracked-{crc32(os.fsencode(root)):08x}"
    file = os.path.join(store, name) if KEEPS and store is not None else ""
    about = (root, top, tracked, generated, file, ends)
    # What lists the names behind has long enough for any number.
    is_behind = ends - time.monotonic() > _BEHIND_S / 2
    if not is_behind and (len(tracked) > _MANY or _was_slow(file)):
        return untracked.Untracked(*about).names(None) if file else None
    if not file:
        return listed()
    if len(tracked) >= _KEPT_FROM or os.path.exists(file):
        return untracked.Untracked(*about).names(listed)
    return _first(listed, about)


def _first(
    listed: Callable[[], bytes], about: tuple[str, str, bytes, list[str], str, float]
) -> bytes:
    """Return the names that `listed` lists; where they are many, or take long, they are
    kept from now on.
    """
    old = old_ns()
    before_s = _cpu_of_children()
    try:
        others = listed()
    except GitError as error:
        is_at_work = _cpu_of_children() - before_s >= _AT_WORK_S
        if error.timed_out and is_at_work:
            untracked.Untracked(*about).list_behind()
        raise
    if len(others) >= _KEPT_FROM or os.path.exists(f"{about[4]}.log"):
        untracked.Untracked(*about).keep(others, old)
    return others


def _was_slow(file: str) -> bool:
    """Return whether the untracked names have lately been listed behind."""
    try:
        return bool(file) and time.time() - os.stat(f"{file}.log").st_mtime < _SLOW_S
    except OSError:
        return False


def _cpu_of_children() -> float:
    """Return the seconds of CPU of the programs that this process has waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _modules(root: str, tracked: bytes) -> Sequence[str]:
    """Return the submodules that git tracks."""
    try:
        text = read(f"{root}/.gitmodules", _MODULES_BYTES)
    except OSError:
        return ()
    paths = re.findall(_MODULE, text)
    # The file may name what is no submodule any more.
    tracked_ones = [path for path in paths if b"\0%s\0" % path in tracked]
    return [*map(os.fsdecode, tracked_ones)]


def _nested(root: str, found: _Listed, modules: Sequence[str]) -> list[str]:
    """Return the repositories inside, of whose files a listing has none.

    In a repository, linked work trees are left out: they hold every name once more.
    """
    folders: list[bytes] = []
    if b"/\0" in found.untracked:
        folders = re.findall(rb"(?<=\0)([^\0]+)/(?=\0)", b"\0" + found.untracked)
    if not (folders or modules):
        return []
    real = os.path.realpath(root)
    own = enclosing(root)
    nested: list[str] = []
    for path in dict.fromkeys((*map(os.fsdecode, folders), *modules)):
        place = os.path.join(root, path)
        is_part = is_checkout(place) and not (own and is_linked(place))
        # Behind a link, it may be anywhere.
        if is_part and os.path.realpath(place) == os.path.join(real, path):
            nested.append(path)
    return nested


def _is_missing(root: str, module: str) -> bool:
    """Return whether a submodule is not checked out: its folder is empty, or none."""
    folder = os.path.join(root, module)
    return not os.path.lexists(folder) or is_empty(folder)


def entries(folder: str) -> list[str]:
    """Return the names in a folder, but for `.git`."""
    try:
        return [name for name in os.listdir(folder) if name != ".git"]
    except (OSError, ValueError):
        return []


def kinds(folder: str) -> dict[str, Literal["link", "folder", "file"]]:
    """Return what is in a folder by name, but for `.git`; links are not followed."""
    found: dict[str, Literal["link", "folder", "file"]] = {}
    try:
        for entry in os.scandir(folder):
            if entry.is_symlink():
                found[entry.name] = "link"
            else:
                is_folder = entry.is_dir(follow_symlinks=False)
                found[entry.name] = "folder" if is_folder else "file"
    except (OSError, ValueError):
        return {}
    found.pop(".git", None)
    return found


def is_empty(folder: str) -> bool:
    """Return whether a folder is empty, so that git does not list it."""
    try:
        return not os.listdir(folder)
    except (OSError, ValueError):
        return False
