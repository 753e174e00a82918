"""Cases out of a repository's own history: what was renamed or deleted, asked about afterwards.

Reads with git and writes only into the folder it is given. It must not know how answers are judged.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from truepath.errors import Error
from truepath.evaluation.cases import Case
from truepath.evaluation.departures import (
    Commit,
    End,
    departures,
    follow,
    overlaps,
    renamed_on_branches,
)
from truepath.evaluation.run import Progress
from truepath.paths import fold
from truepath.project.git import GitError, git, zsplit
from truepath.project.names import split_extension
from truepath.resolve.candidates import GENERATED_FOLDERS
from truepath.resolve.features import INDEX_STEMS

STATES = 40
"""States of the repository that are asked about: each costs a listing and an index."""

_A_COMMIT = 60
"""Cases of one commit at most: one large move is one event, told many times."""

_ALIKE = 8
"""Files of a deleted one's name that are compared with it."""

_SAME_NAME, _OTHER_NAME = 50, 70
"""How much of a file must have stayed (percent, as git counts) to be a rename at all: a changed
name needs more, for git pairs up what merely looks alike."""

_COPIED, _OTHER = 0.6, 0.25
"""Share of a deleted file's lines in a file of its name: above, it had been moved there by hand;
below, that is another file; between, nobody can tell, and it is no case."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """A path that a state has not, and an earlier one had."""

    state: str
    written: str
    truth: str | None
    kind: str
    blob: str = ""
    """What a deleted file held."""
    alike: Mapping[str, str] = field(default_factory=dict)
    """Files of the same name, path to what they hold."""


def mine(
    repo: str,
    folder: str,
    *,
    since: str | None = None,
    limit: int = 1000,
    states: int = STATES,
    progress: Progress | None = None,
) -> list[Case]:
    """Return cases from a repository's first-parent history, and write their trees.

    Args:
        repo: A folder in the repository.
        folder: Where the trees go: for each state, a file named by its commit.
        since: Leave out what is older, in git's words for a date.
        limit: The most cases, taken evenly.
        states: The most states that are asked about.
        progress: Told how many states are read.

    Raises:
        Error: there is no repository with a commit at `repo`, or git fails.
    """
    top = _top(repo)
    with _whole(repo, top):
        chosen = list(windows(departures(top, since=since), states))
        gone: list[_Gone] = []
        for done, window in enumerate(chosen, 1):
            state = window[0].id
            files = tree(top, state)
            _write(os.path.join(folder, f"{state}.txt"), files)
            gone += _at(state, window, files)
            if progress:
                progress(done, len(chosen))
        unsure = renamed_on_branches(top, since=since)
        sure = [each for each in gone if each.truth is not None or each.written not in unsure]
        thinned = _evenly(sure, limit)
        return [_case(os.path.basename(top), each) for each in _settled(top, thinned)]


@contextmanager
def _whole(repo: str, top: str) -> Iterator[None]:
    """Say what is wrong where git fails: for want of contents, or of a commit."""
    try:
        yield
    except GitError as error:
        why = str(error)
        if _is_partial(top):
            why = "it is a clone without all contents, by which renames are known; clone it whole"
        raise Error(f"cannot mine {repo!r}: {why}") from error


def _is_partial(top: str) -> bool:
    try:
        return bool(git(top, "config", "--get-regexp", r"^remote\..*\.promisor$"))
    except GitError:
        return False


def _top(repo: str) -> str:
    try:
        if git(repo, "rev-parse", "--is-bare-repository").strip() == b"true":
            return os.path.abspath(repo)
        return os.fsdecode(git(repo, "rev-parse", "--show-toplevel")).rstrip("\n")
    except GitError as error:
        raise Error(f"cannot mine {repo!r}: {error}") from error


def windows(commits: Sequence[Commit], most: int) -> Iterator[Sequence[Commit]]:
    """Split commits, youngest first, into at most `most` runs with about as many departures."""
    share = max(1, -(-sum(len(each.departures) for each in commits) // most))
    start = held = 0
    for at, commit in enumerate(commits):
        held += len(commit.departures)
        if held >= share or at == len(commits) - 1:
            yield commits[start : at + 1]
            start, held = at + 1, 0


def tree(top: str, commit: str) -> dict[str, str]:
    """Return the files of a commit: path to what they hold. Submodules are none."""
    entries = {}
    for line in zsplit(git(top, "ls-tree", "-r", "-z", commit, timeout=60)):
        meta, _, path = line.partition("\t")
        _, kind, blob = meta.split(" ")[:3]
        if kind == "blob":
            entries[path] = blob
    return entries


def _write(path: str, names: Iterable[str]) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.writelines(f"{name}\n" for name in names if "\n" not in name)


def _at(state: str, window: Sequence[Commit], files: Mapping[str, str]) -> list[_Gone]:
    """Return what went away in a window, as its last state sees it."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in files:
        by_name[path.rpartition("/")[2]].append(path)
    found: dict[str, list[_Gone]] = defaultdict(list)
    for commit, written, end in follow(window):
        if written in files or not _worth_asking(written, end):
            continue
        alike = by_name[written.rpartition("/")[2]]
        if end.path is None:
            kind = ("no_same_basename", "lookalike_unique", "lookalike_other")[min(len(alike), 2)]
        elif end.path in files:
            kind = move_kind(written, end.path, alike=len(alike))
        else:
            continue
        contents = {path: files[path] for path in alike[:_ALIKE]} if end.path is None else {}
        found[commit].append(_Gone(state, written, end.path, kind, end.blob, contents))
    return [each for gone in found.values() for each in _evenly(gone, _A_COMMIT)]


def _worth_asking(written: str, end: End) -> bool:
    if "\n" in written or GENERATED_FOLDERS.intersection(written.split("/")[:-1]):
        return False
    if end.path is None:
        return True
    same_name = written.rpartition("/")[2] == end.path.rpartition("/")[2]
    return end.score >= (_SAME_NAME if same_name else _OTHER_NAME)


def move_kind(old: str, new: str, *, alike: int) -> str:
    """Name a rename by what it changed.

    Args:
        old: Where the file was.
        new: Where it is.
        alike: How many files have the old name now.
    """
    folder, _, name = old.rpartition("/")
    new_folder, _, new_name = new.rpartition("/")
    if name == new_name:
        changed_case = fold(old) == fold(new)
        unique = "moved_unique_basename" if alike == 1 else "moved_shared_basename"
        return "case_only" if changed_case else unique
    if fold(old) == fold(new):
        return "case_only"
    stem, new_stem = split_extension(name)[0], split_extension(new_name)[0]
    if new_stem in INDEX_STEMS and new_folder.rpartition("/")[2] == stem:
        return "module_to_package"
    if stem == new_stem:
        return "extension_changed" if folder == new_folder else "moved_and_extension_changed"
    return "renamed_in_place" if folder == new_folder else "moved_and_renamed"


def _evenly(gone: Sequence[_Gone], most: int) -> list[_Gone]:
    """Return at most so many, from everywhere in the sequence."""
    if len(gone) <= most:
        return list(gone)
    return [gone[at * len(gone) // most] for at in range(most)]


def _settled(top: str, gone: Sequence[_Gone]) -> Iterator[_Gone]:
    """Yield the cases, deletions only where the files of the same name are other files."""
    pairs = [(each.blob, blob) for each in gone for blob in each.alike.values()]
    shares = overlaps(top, pairs) if pairs else {}
    for each in gone:
        near = {path: shares[each.blob, blob] for path, blob in each.alike.items()}
        most = max((share or 0.0 for share in near.values()), default=0.0)
        if most >= _COPIED:
            moved = max(near, key=lambda path: near[path] or 0.0)
            yield replace(each, truth=moved, kind="copied_then_deleted")
        elif most < _OTHER and None not in near.values():
            yield each


def _case(repo: str, each: _Gone) -> Case:
    return Case(
        id=f"{each.state[:12]}:{each.written}",
        set="deletions" if each.truth is None else "renames",
        repo=repo,
        cause=each.kind,
        written=each.written,
        truth=each.truth,
        cwd=None,
        root="/repo",
        operation="read",
        kind="file",
        tree=f"{each.state}.txt",
        add=(),
    )
