"""What left a repository, commit by commit along first parents, so every state between is exact.

It asks git as `project.history.log` does, and for the ids of the contents as well, by which a made
case is judged. Nothing is written.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from truepath.project.git import GitError, git, zsplit
from truepath.project.history.log import PLAIN, RENAMES

_LOG = ("log", "--root", "--raw", "-z", "--no-abbrev", *PLAIN, "--format=%x01%H", *RENAMES)

_TIMEOUT = 900.0
"""Seconds; the longest histories take some minutes."""

_LARGEST = 1_000_000
"""Bytes of a file whose lines are compared."""


@dataclass(frozen=True, slots=True)
class Departure:
    """One path that went away in one commit."""

    old: str
    new: str
    """Where it went; empty when it was deleted."""
    score: int
    """How much stayed the same, in percent."""
    blob: str
    """What it held."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit in which something went away."""

    id: str
    departures: tuple[Departure, ...]


@dataclass(frozen=True, slots=True)
class End:
    """What became of a path."""

    path: str | None
    """Where it is; None when it is deleted."""
    score: int
    """The least of the similarities on the way, in percent."""
    blob: str
    """What it held when it left."""


def departures(top: str, *, since: str | None = None) -> list[Commit]:
    """Return the commits in which something went away, youngest first.

    Where contents are absent (a partial clone), git stops early; what it told until then counts.

    Raises:
        GitError: git failed before it told anything.
    """
    return list(_commits(_log(top, since, "--first-parent", "-m", "--diff-filter=RD")))


def renamed_on_branches(top: str, *, since: str | None = None) -> set[str]:
    """Return the paths that any single commit renamed, also one that was merged with others.

    Where a merge says `deleted`, a file may have been renamed and then rewritten.
    """
    commits = _commits(_log(top, since, "--no-merges", "--diff-filter=R"))
    return {one.old for commit in commits for one in commit.departures}


def _log(top: str, since: str | None, *which: str) -> bytes:
    limits = [f"--since={since}"] if since else []
    try:
        return git(top, *_LOG, *which, *limits, "HEAD", "--", timeout=_TIMEOUT)
    except GitError as error:
        if error.timed_out or not error.output:
            raise
        return error.output


def _commits(out: bytes) -> Iterator[Commit]:
    commit, found = "", list[Departure]()
    tokens = iter(zsplit(out))
    for token in tokens:
        word = token.lstrip("\n")
        if word.startswith("\x01"):
            if found:
                yield Commit(commit, tuple(found))
            commit, found = word[1:], []
        elif word.startswith(":"):
            one = _departure(word, tokens)
            if one:
                found.append(one)
    if found:
        yield Commit(commit, tuple(found))


def _departure(word: str, names: Iterator[str]) -> Departure | None:
    """Read one raw line and its names; None for what is no file."""
    mode, _, blob, _, status = word[1:].split(" ")
    old = next(names, "")
    new = next(names, "") if status[0] == "R" else ""
    if mode == "160000" or not old or (status[0] == "R" and not new):
        return None
    return Departure(old, new, int(status[1:] or 0), blob)


def follow(window: Sequence[Commit]) -> Iterator[tuple[str, str, End]]:
    """Yield (commit, path, what became of it) for each path that left, by its last departure.

    Args:
        window: Commits, youngest first; the ends are those after the first of them.
    """
    ends: dict[str, End] = {}
    for commit in window:
        # All at once: two files may have changed places.
        here = {one.old: _end(one, ends) for one in commit.departures}
        for old, end in here.items():
            if old not in ends:
                yield commit.id, old, end
        ends |= here


def _end(one: Departure, ends: Mapping[str, End]) -> End:
    if not one.new:
        return End(None, 0, one.blob)
    later = ends.get(one.new)
    if later is None:
        return End(one.new, one.score, one.blob)
    return End(later.path, min(one.score, later.score), one.blob)


def overlaps(top: str, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float | None]:
    """Return, for each pair of contents, the share of the first one's lines in the second.

    None where one of them is absent, too large or has no lines.
    """
    lines = _lines(top, sorted({blob for pair in pairs for blob in pair}))
    return {pair: _overlap(*(lines.get(blob) for blob in pair)) for pair in pairs}


def _overlap(old: Counter[bytes] | None, new: Counter[bytes] | None) -> float | None:
    if not old or new is None:
        return None
    return (old & new).total() / old.total()


def _lines(top: str, blobs: Sequence[str]) -> dict[str, Counter[bytes]]:
    ask = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    told = git(top, "cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=ask, timeout=60)
    sizes = [line.split(" ") for line in os.fsdecode(told).splitlines()]
    fit = [name for name, size in sizes if size.isdigit() and int(size) <= _LARGEST]
    found: dict[str, Counter[bytes]] = {}
    for start in range(0, len(fit), 200):  # so that not all contents are held at once
        found |= _read(top, fit[start : start + 200])
    return found


def _read(top: str, blobs: Sequence[str]) -> dict[str, Counter[bytes]]:
    ask = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    out = git(top, "cat-file", "--batch=%(objectsize)", stdin=ask, timeout=60)
    found, at = {}, 0
    for blob in blobs:
        size, _, _ = out[at : at + 24].partition(b"\n")
        start = at + len(size) + 1
        at = start + int(size) + 1
        stripped = (line.strip() for line in out[start : at - 1].split(b"\n"))
        found[blob] = Counter(line for line in stripped if line)
    return found
