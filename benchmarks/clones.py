"""Read the history of clones: what each commit added, renamed or deleted, as data.

    python benchmarks/clones.py CLONE ... [--out FOLDER] [--most N]

A clone is the folder of a repository, or a bare one. Of each, the last N commits that
rename or delete are kept, on the line of first parents, as a file of `histories.py`. Of
contents, only which are the same, and how alike a renamed file was, is written."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from histories import FOLDER

_CHANGES = (
    "-m --first-parent --raw --full-index -z -l1000 --no-rename-empty --no-ext-diff "
    "-O/dev/null --format=%x01%h%x20%cs"
).split()
"""As the product asks git for renames."""

_EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

_PLAIN = frozenset({"100644", "100755", "000000"})
"""Modes of files; links and submodules are left out."""


@dataclass(frozen=True)
class Change:
    """One path of a commit: A(dded), M(odified), D(eleted), or R(enamed) from `old`."""

    status: str
    path: str
    digest: str
    old: str = ""
    likeness: int = 100


@dataclass(frozen=True)
class Commit:
    """A commit, and what it did to files."""

    name: str
    date: str
    changes: Sequence[Change]

    @property
    def departs(self) -> bool:
        return any(change.status in "RD" for change in self.changes)


@dataclass
class Contents:
    """Which files have the same content: each content is a number."""

    numbers: dict[str, int] = field(default_factory=dict)
    """Path -> the number of what it holds."""
    digests: dict[str, str] = field(default_factory=dict)
    """Path -> git's digest of what it holds."""
    last: int = 0

    def new(self) -> int:
        self.last += 1
        return self.last

    def of(self, digest: str, before: dict[str, int]) -> int:
        """Return the number of a content; that of a file that holds it already."""
        if digest == _EMPTY:
            return 0
        return before.get(digest) or self.new()

    def by_digest(self) -> dict[str, int]:
        return {self.digests[path]: number for path, number in self.numbers.items()}

    def put(self, path: str, digest: str, number: int) -> None:
        self.numbers[path] = number
        self.digests[path] = digest

    def drop(self, path: str) -> None:
        self.numbers.pop(path, None)
        self.digests.pop(path, None)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--most", type=int, default=250)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for clone in options.clones:
        name = name_of(clone)
        lines = [json.dumps(each) for each in records(clone, name, options.most)]
        data = "".join(f"{line}\n" for line in lines).encode()
        # Without a time, the same history is the same file.
        (options.out / f"{name}.jsonl.gz").write_bytes(gzip.compress(data, 9, mtime=0))
        print(f"{name}: {len(lines) - 1:,} commits")


def name_of(clone: Path) -> str:
    """Return `owner+repository` of a mirror, else the folder's name."""
    whole = clone.resolve()
    is_bare = whole.name in ("repo", ".git")
    return whole.parent.name if is_bare else whole.name.removesuffix(".git")


def records(clone: Path, name: str, most: int) -> Iterator[dict[str, Any]]:
    """Yield the head of a file and its commits: the first one adds what there was."""
    commits = [*read(clone)]
    departing = [at for at, commit in enumerate(commits) if commit.departs]
    start = departing[-most] if len(departing) > most else 0
    contents = Contents()
    yield {"repo": name}
    for commit in commits[:start]:
        follow(contents, commit)
    if contents.numbers:
        there = [["A", *each] for each in sorted(contents.numbers.items())]
        yield {"commit": "", "date": commits[start - 1].date, "changes": there}
    for commit in commits[start:]:
        changes = follow(contents, commit)
        if changes:
            yield {"commit": commit.name, "date": commit.date, "changes": changes}


def read(clone: Path) -> Iterator[Commit]:
    """Yield the commits of a clone, the oldest first."""
    printed = _printed(clone, "log", "--reverse", "-M50%")
    if not printed:
        # A partial clone lacks contents; there, a commit that needs them is compared
        # by digests alone.
        names = _printed(clone, "rev-list", "--reverse", "--first-parent", "HEAD")
        for name in names.decode().split():
            printed += _printed(clone, "show", "-M50%", name) or _printed(
                clone, "show", "-M100%", name
            )
    for part in printed.decode("utf-8", "surrogateescape").split("\1")[1:]:
        head, *words = part.split("\0")
        name, date = head.split(" ")
        yield Commit(name, date.strip(), [*_changes(words)])


def _printed(clone: Path, verb: str, *words: str) -> bytes:
    """Return what git prints; nothing if it fails."""
    options = [] if verb == "rev-list" else _CHANGES
    command = ["git", "-C", os.fspath(clone), verb, *options, *words]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        env=os.environ | {"GIT_NO_LAZY_FETCH": "1"},
    )
    return b"" if done.returncode else done.stdout


def _changes(words: Sequence[str]) -> Iterator[Change]:
    rest = iter(words)
    for word in rest:
        entry = word.strip()
        if not entry.startswith(":"):
            continue
        before, after, _, digest, status = entry[1:].split(" ")
        path = next(rest)
        old = ""
        if status[0] in "RC":
            old, path = path, next(rest)
        is_plain = {before, after} <= _PLAIN and (old + path).isprintable()
        if is_plain and status[0] in "AMDR":
            yield Change(status[0], path, digest, old, int(status[1:] or 100))


def follow(contents: Contents, commit: Commit) -> list[list[Any]]:
    """Return the changes of a commit as data, and keep them in `contents`."""
    before = contents.by_digest()
    shared = Counter(contents.numbers.values())
    # Two files may change places: all leave before one arrives.
    left = {change.old: contents.numbers.get(change.old) for change in commit.changes}
    changes = _gone(contents, commit)
    for change in commit.changes:
        number = left[change.old]
        if change.status == "R" and number is not None:
            if change.likeness < 100:
                number = contents.of(change.digest, before)
            contents.put(change.path, change.digest, number)
            data = [change.likeness, number]
            changes.append(["R", change.old, change.path, *data])
        elif change.status == "A":
            number = contents.of(change.digest, before)
            before[change.digest] = number
            contents.put(change.path, change.digest, number)
            changes.append(["A", change.path, number])
        elif change.status == "M":
            changes += _modified(contents, change, before, shared)
    return changes


def _gone(contents: Contents, commit: Commit) -> list[list[Any]]:
    """Drop what a commit takes away; return what it deletes."""
    changes: list[list[Any]] = []
    for change in commit.changes:
        if change.status == "D" and change.path in contents.numbers:
            changes.append(["D", change.path])
        if change.status in "DR":
            contents.drop(change.old or change.path)
    return changes


def _modified(
    contents: Contents, change: Change, before: dict[str, int], shared: Counter[int]
) -> Iterator[list[Any]]:
    """Yield a file that was written where that matters: it was, or is now, the same as
    another.
    """
    number = contents.numbers.get(change.path)
    if number is None:
        return
    is_same_now = change.digest in before or change.digest == _EMPTY
    if number and shared[number] < 2 and not is_same_now:
        contents.digests[change.path] = change.digest
        return
    new = contents.of(change.digest, before)
    contents.put(change.path, change.digest, new)
    yield ["M", change.path, new]


if __name__ == "__main__":
    main()
