"""Measure false alarms: how many folders that people really made would be refused as slips.

    python benchmarks/slips.py REPO... [--at-once] [--show N] [--missed]

Replays the main line of each clone. Every folder that a commit made for the first time is asked
of `find_slip`, just before its first file is written: against the tree before the commit and what
the commit wrote earlier, or with --at-once against the tree before the commit alone. People meant
these folders, so each refusal is false. With --missed, letters of folders that were there are got
wrong on purpose, to see how many of such slips are caught.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from truepath.evaluation.interval import clopper_pearson
from truepath.files.git import git, zsplit
from truepath.slips import Slip, find_slip

HOUR = 3600.0

Change = tuple[str, str]
"""`A` or `D`, and a path."""


@dataclass
class Tally:
    """What one repository, or all of them, came to."""

    made: int = 0
    beside: int = 0
    """Of those, how many had a folder beside them to be taken for."""
    refused: list[tuple[str, Slip]] = field(default_factory=list)
    slips: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.made += other.made
        self.beside += other.beside
        self.refused += other.refused
        self.slips += other.slips

    def line(self, name: str) -> str:
        count = len(self.refused)
        return (
            f"{name:34s} {self.made:8,} {self.beside:8,} {count:6,} "
            f"{_percent(count, self.made)} {_percent(count, self.beside)}"
        )


class Folders:
    """The folders of a tree that grows and shrinks."""

    def __init__(self) -> None:
        self._files: Counter[str] = Counter()
        self._children: dict[str, set[str]] = defaultdict(set)

    def __call__(self, folder: str) -> Sequence[str]:
        return sorted(self._children.get(folder, ()))

    def __contains__(self, folder: str) -> bool:
        return self._files[folder] > 0

    def add(self, path: str) -> None:
        for folder in _above(path):
            self._files[folder] += 1
            if self._files[folder] == 1:
                parent, _, name = folder.rpartition("/")
                self._children[parent].add(name)

    def drop(self, path: str) -> None:
        for folder in _above(path):
            self._files[folder] -= 1
            if self._files[folder] == 0:
                parent, _, name = folder.rpartition("/")
                self._children[parent].discard(name)

    def all(self) -> list[str]:
        return sorted(folder for folder, files in self._files.items() if files > 0)


def commits(repo: str) -> Iterator[list[Change]]:
    """Return what each commit of the main line added and deleted, oldest first."""
    marker = "commit:"
    out = git(
        repo,
        "log",
        "--first-parent",
        "--diff-merges=first-parent",
        "--reverse",
        "--no-renames",
        "--diff-filter=AD",
        "--name-status",
        "-z",
        f"--format=%x00{marker}%H",
        timeout=HOUR,
    )
    changes: list[Change] = []
    words = iter(zsplit(out))
    for word in words:
        status = word.lstrip("\n")
        if status in ("A", "D"):
            changes.append((status, next(words)))
        elif status.startswith(marker) and changes:
            yield changes
            changes = []
    if changes:
        yield changes


def replay(repo: str, *, at_once: bool, missed: bool) -> Tally:
    """Ask of every folder that was ever newly made in `repo`."""
    tally, folders = Tally(), Folders()
    ever: set[str] = set()
    for changes in commits(repo):
        added = sorted(path for status, path in changes if status == "A")
        asked = {folder: path for path in reversed(added) for folder in _above(path)}
        new = sorted(folder for folder in asked if folder not in ever)
        if at_once:
            _ask(tally, folders, [(folder, asked[folder]) for folder in new])
        for path in added:
            if not at_once:
                first = [folder for folder in _above(path) if folder not in ever]
                _ask(tally, folders, [(folder, path) for folder in first])
            ever.update(_above(path))
            folders.add(path)
        for status, path in changes:
            if status == "D":
                folders.drop(path)
    if missed:
        _slip(tally, folders)
    return tally


def _ask(tally: Tally, folders: Folders, new: Sequence[tuple[str, str]]) -> None:
    for folder, path in new:
        tally.made += 1
        parent = folder.rpartition("/")[0]
        if not folders(parent):
            continue
        tally.beside += 1
        slip = find_slip(path, folders, last_is_folder=False)
        if slip is not None and slip.made == folder:
            tally.refused.append((path, slip))


def _slip(tally: Tally, folders: Folders, *, limit: int = 300) -> None:
    """Get folders that are there wrong by a letter, and count which slips are caught."""
    chance = random.Random(1)
    every = [folder for folder in folders.all() if len(folder.rpartition("/")[2]) >= 4]
    for folder in chance.sample(every, min(limit, len(every))):
        for what, wrong in _wrong(folder, chance):
            if wrong in folders or wrong == folder:
                continue
            slip = find_slip(f"{wrong}/new.txt", folders, last_is_folder=False)
            found = slip is not None and slip.meant == folder
            tally.slips[f"{what}: {'caught' if found else 'missed'}"] += 1


def _wrong(folder: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    parent, _, name = folder.rpartition("/")
    at = chance.randrange(1, len(name) - 1)
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    prefix = f"{parent}/" if parent else ""
    yield "a letter lost", f"{prefix}{name[:at]}{name[at + 1 :]}"
    yield "a letter doubled", f"{prefix}{name[:at]}{name[at]}{name[at:]}"
    yield "two letters swapped", f"{prefix}{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}"
    yield "another letter", f"{prefix}{name[:at]}{letter}{name[at + 1 :]}"
    yield "another case", prefix + name.swapcase()


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:7.3f} %" if whole else "      - %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="refusals printed, a repository")
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args()
    total = Tally()
    print(f"{'':34s} {'made':>8s} {'beside':>8s} {'refused':>6s}")
    for repo in options.repos:
        tally = replay(repo, at_once=options.at_once, missed=options.missed)
        total.add(tally)
        print(tally.line(_name(repo)), flush=True)
        chosen = random.Random(1).sample(tally.refused, min(options.show, len(tally.refused)))
        for path, slip in chosen:
            print(f"    {slip.evidence}: {path}  taken for  {slip.meant}")
    print(total.line(f"{len(options.repos)} repositories"))
    for of in (total.made, total.beside):
        high = clopper_pearson(len(total.refused), of)[1]
        print(f"{'':34s} of {of:,}: at most {100 * high:.3f} % (95 %)")
    kinds = Counter(slip.evidence for _, slip in total.refused)
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    for what, count in sorted(total.slips.items()):
        print(f"    {what:34s} {count:8,}")


def _name(repo: str) -> str:
    here = os.path.abspath(repo)
    return os.path.basename(os.path.dirname(here) if here.endswith("/repo") else here)


if __name__ == "__main__":
    main()
