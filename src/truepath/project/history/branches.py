"""Look for a path that HEAD's history never had: on the other branches, and in the stash."""

from __future__ import annotations

import os
from collections.abc import Sequence

from truepath.project.git import GitError, zsplit
from truepath.project.history.log import PLAIN, ids, is_id
from truepath.project.history.repository import GitQuery
from truepath.records import dataclass

_MOST_BRANCHES = 200
"""The branches with the youngest commits; more are not what somebody works on."""

_MOST_STASHES = 20


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A place other than HEAD that has the path."""

    name: str
    """For a reader: `branch topic` or `stash@{0}`."""
    commit: str
    date: str
    path_here: str | None = None
    """What the file is called here, when the branch renamed it."""


def elsewhere(look: GitQuery, path: str) -> Elsewhere | None:
    """Return the first branch, the youngest first, or stash that has a path.

    Raises:
        GitError: time ran out, or git failed.
    """
    if "\n" in path:
        return None
    branches, stashed = _places(look)
    found = _first_with(look, path, branches)
    if found is None:
        return _first_with(look, path, _stashes(look)) if stashed else None
    here = _before_rename(look, found.commit, path)
    return Elsewhere(found.name, found.commit, found.date, here)


def _places(look: GitQuery) -> tuple[list[Elsewhere], bool]:
    """Return the branches, and whether there is a stash."""
    form = "--format=%(objectname) %(committerdate:short) %(refname)"
    kinds = ("refs/heads", "refs/remotes", "refs/stash")
    limit = f"--count={_MOST_BRANCHES}"
    out = look.ask("for-each-ref", "--sort=-committerdate", limit, form, *kinds)
    found: dict[str, Elsewhere] = {}
    stashed = False
    for line in os.fsdecode(out).splitlines():
        commit, date, name = (*line.split(" ", 2), "", "")[:3]
        if not is_id(commit):
            continue
        if name == "refs/stash":
            stashed = True
        elif commit != look.place.head:
            short = name.split("/", 2)[-1]
            found.setdefault(commit, Elsewhere(f"branch {short}", commit, date))
    return list(found.values()), stashed


def _stashes(look: GitQuery) -> list[Elsewhere]:
    """Return the stashes; each is two places: what was tracked, and what was not."""
    ask = ("log", "-g", f"-{_MOST_STASHES}", "--format=%H %cs %P", "-s", "refs/stash", "--")
    found: list[Elsewhere] = []
    for n, line in enumerate(os.fsdecode(look.ask(*ask)).splitlines()):
        commit, date, *parents = line.split(" ") if " " in line else ("", "")
        trees = filter(is_id, (commit, *parents[2:]))
        found.extend(Elsewhere(f"stash@{{{n}}}", tree, date) for tree in trees)
    return found


def _first_with(look: GitQuery, path: str, places: Sequence[Elsewhere]) -> Elsewhere | None:
    if not places:
        return None
    names = "".join(f"{place.commit}:{path}\n" for place in places)
    ask = ("cat-file", "--batch-check=%(objecttype)")
    out = look.ask(*ask, stdin=names.encode("utf-8", "surrogateescape"))
    for place, line in zip(places, out.split(b"\n"), strict=False):
        if line in (b"blob", b"tree", b"commit"):
            return place
    return None


def _before_rename(look: GitQuery, commit: str, path: str) -> str | None:
    """Return what a branch's path is called here, if the branch renamed it and it still is."""
    head = look.place.head
    try:
        base = "".join(ids(look.ask("merge-base", head, commit, ok=(0, 1)))[:1])
        ask = ("diff-tree", "-r", "-z", "--name-status", "--diff-filter=R", *PLAIN)
        out = zsplit(look.ask_for_renames(*ask, then=(base, commit))) if base else []
    except GitError:
        return None
    pairs = dict(zip(out[2::3], out[1::3], strict=False))
    old = pairs.get(path)
    return old if old is not None and look.on_disk(old) and look.exists_now(old) else None
