"""Find where a path of HEAD or of the index went without a commit.

Contents are compared by the index's own ids, computed here: asking git to compare the work tree
would start a repository's filters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from truepath.project.git import zsplit
from truepath.project.history.log import PLAIN, left
from truepath.project.history.renames import common_folder
from truepath.project.history.repository import GitQuery, entries, index_entries
from truepath.records import dataclass

_MOST_FILES = 4000
"""Untracked files looked at."""

_SAMPLE = 40
"""Files of a folder whose twins are looked for."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a path is now, without a commit saying so."""

    path: str | None
    evidence: str
    """`renamed-uncommitted`, `moved-uncommitted`, `deleted-uncommitted` or `not-checked-out`."""


def moved(look: GitQuery, path: str) -> Moved:
    """Return where a path went that HEAD or the index has and the work tree has not."""
    staged = _staged(look, path)
    if staged is not None and look.on_disk(staged):
        return Moved(staged, "renamed-uncommitted")
    here = staged if staged is not None else path
    entries = index_entries(look, here)
    if entries and _skipped(look, here):
        return Moved(None, "not-checked-out")
    twin = _twin(look, here, entries or _head_entries(look, here))
    if twin is not None:
        return Moved(twin, "moved-uncommitted")
    return Moved(None, "deleted-uncommitted")


def _staged(look: GitQuery, path: str) -> str | None:
    """Return where the index has a path of HEAD, or a folder's files."""
    pairs = [pair for pair in _staged_renames(look) if _at_or_under(pair[0], path)]
    for old, new in pairs:
        if old == path:
            return new
    held = len(_head_entries(look, path)) if pairs else 0
    return common_folder(pairs, path, held=held, new=lambda folder: not look.head_kind(folder))


def _staged_renames(look: GitQuery) -> list[tuple[str, str]]:
    ask = ("diff-index", "--cached", "--diff-filter=R", "--name-status", "-z", *PLAIN)
    out = zsplit(look.ask_for_renames(*ask, then=(look.place.head, "--")))
    return list(zip(out[1::3], out[2::3], strict=False))


def _skipped(look: GitQuery, path: str) -> bool:
    """Return whether the index says a path is left out of the work tree on purpose."""
    out = look.ask("ls-files", "-t", "-z", "--", path)
    return any(line.startswith("S ") for line in zsplit(out))


def _head_entries(look: GitQuery, path: str) -> Mapping[str, str]:
    out = zsplit(look.ask("ls-tree", "-r", "-z", look.place.head, "--", path))
    return {name: blob for _, _, blob, name in entries(out)}


def _twin(look: GitQuery, path: str, entries: Mapping[str, str]) -> str | None:
    """Return the untracked file, or folder of files, with the same contents."""
    gone = {name: blob for name, blob in entries.items() if not look.on_disk(name)}
    wanted = dict(list(gone.items())[:_SAMPLE])
    if not wanted:
        return None
    pairs = _twins(look, wanted)
    if path in pairs:
        return pairs[path]
    # Where the whole folder is gone, a sample speaks for the rest of a large one.
    held = len(wanted) if len(gone) == len(entries) else len(entries)
    return common_folder(
        list(pairs.items()), path, held=held, new=lambda folder: not look.head_kind(folder)
    )


def _twins(look: GitQuery, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the one untracked twin of each wanted file, where there is exactly one by name."""
    sizes = _sizes(look, wanted.values())
    alike: dict[str, list[str]] = {}
    for name in _untracked(look):
        left(look.end)
        for blob in look.ids(name, sizes):
            alike.setdefault(blob, []).append(name)
    found = {}
    for old, blob in wanted.items():
        names = alike.get(blob, [])
        same_name = [name for name in names if _base(name) == _base(old)]
        choice = same_name or names
        if len(choice) == 1:
            found[old] = choice[0]
    return found


def _untracked(look: GitQuery) -> list[str]:
    out = look.ask("ls-files", "--others", "--exclude-standard", "-z")
    return zsplit(out)[:_MOST_FILES]


def _sizes(look: GitQuery, blobs: Iterable[str]) -> Mapping[int, int]:
    """Return the sizes of these contents, and how long an id is for each."""
    names = "".join(f"{blob}\n" for blob in set(blobs)).encode("ascii", "replace")
    out = look.ask("cat-file", "--batch-check=%(objectsize) %(objectname)", stdin=names)
    found = re.findall(_SIZE, out)
    return {int(size): len(name) for size, name in found if int(size)}


_SIZE = rb"(?m)^([0-9]{1,15}) ([0-9a-f]{40}|[0-9a-f]{64})$"


def _at_or_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _base(path: str) -> str:
    return path.rpartition("/")[2]
