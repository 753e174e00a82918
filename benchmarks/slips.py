"""Measure false alarms: how many folders that people really made would be refused as slips.

    python benchmarks/slips.py REPO... [--show N] [--missed]

Replays the main line of each clone, by names alone. Whenever a commit adds a file in a folder that
never was before, the write of that file is resolved against the tree as it stood then, the
commit's earlier files included. People meant these folders, so each refusal is false. A refusal
whose look-alike is gone after the same commit is a rename; done by `mv` it is not asked at all.

With --missed, letters of folders that are there are got wrong on purpose, and what is caught of
those is counted too.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from truepath.evaluation.interval import clopper_pearson
from truepath.project.git import git, zsplit
from truepath.project.names import Names
from truepath.resolve.anchors import Frame
from truepath.resolve.question import question
from truepath.resolve.resolver import resolve
from truepath.types import EntryKind

HOUR = 3600.0

Change = tuple[str, str]
"""`A` or `D`, and a path."""


@dataclass(frozen=True)
class Alarm:
    """One folder that would have been refused."""

    written: str
    meant: str
    evidence: str
    renamed: bool


@dataclass
class Tally:
    """What one repository, or all of them, came to."""

    made: int = 0
    """Folders that were made for the first time."""
    asked: int = 0
    """Writes that made them: one may make several, one in another."""
    alarms: list[Alarm] = field(default_factory=list)
    slips: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.made += other.made
        self.asked += other.asked
        self.alarms += other.alarms
        self.slips += other.slips

    def line(self, name: str) -> str:
        count, renames = len(self.alarms), sum(alarm.renamed for alarm in self.alarms)
        return (
            f"{name:34s} {self.made:8,} {self.asked:8,} {count:8,} {renames:8,} "
            f"{_percent(count, self.made)} {_percent(count, self.asked)}"
        )


class Growing:
    """A project of names that grows and shrinks, as resolution sees it."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._files: set[str] = set()
        self._within: Counter[str] = Counter()
        self._children: dict[str, set[str]] = defaultdict(set)

    def entry_kind_at(self, absolute: str) -> EntryKind:
        inside = self.inside(absolute)
        return None if inside is None else self.kind(inside)

    def inside(self, absolute: str) -> str | None:
        if absolute == self.root:
            return ""
        prefix = self.root + "/"
        return absolute[len(prefix) :] if absolute.startswith(prefix) else None

    def kind(self, path: str) -> EntryKind:
        if path in self._files:
            return "file"
        return "folder" if path == "" or self._within[path] > 0 else None

    def search(self, *_: str | None) -> tuple[Names, None]:
        raise NotImplementedError("a write is resolved without listing any names")

    def may_name(self, path: str) -> bool:  # noqa: ARG002
        return True

    def protects(self, path: str) -> bool:  # noqa: ARG002
        return False

    def folders(self, path: str) -> Sequence[str]:
        return sorted(self._children.get(path, ()))

    def in_other_checkout(self, absolute: str) -> str | None:  # noqa: ARG002
        return None

    def dangles(self, path: str) -> bool:  # noqa: ARG002
        return False

    def contents(self) -> None:
        return None

    def add(self, path: str) -> None:
        self._files.add(path)
        for folder in _above(path):
            self._within[folder] += 1
            if self._within[folder] == 1:
                parent, _, name = folder.rpartition("/")
                self._children[parent].add(name)

    def drop(self, path: str) -> None:
        self._files.discard(path)
        for folder in _above(path):
            self._within[folder] -= 1
            if self._within[folder] == 0:
                parent, _, name = folder.rpartition("/")
                self._children[parent].discard(name)

    def all(self) -> list[str]:
        return sorted(folder for folder, files in self._within.items() if files > 0)

    def taken_for(self, path: str) -> tuple[str, str] | None:
        """Return where the write of a new file is thought to be meant, and why."""
        frame = Frame(self.root, self.root, "posix", "/home/ada")
        resolution = resolve(self, frame, question(path, "write"))
        if resolution.status != "ambiguous":
            return None
        best = resolution.candidates[0]
        return best.path, " ".join(best.evidence)


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


def replay(repo: str, *, missed: bool) -> Tally:
    """Ask of every folder that was ever newly made in `repo`."""
    tally, tree = Tally(), Growing(f"/home/ada/{_name(repo).rpartition('+')[2]}")
    ever: set[str] = set()
    for changes in commits(repo):
        gone = {path for status, path in changes if status == "D"}
        for path in sorted(path for status, path in changes if status == "A"):
            new = [folder for folder in _above(path) if folder not in ever]
            if new:
                tally.made += len(new)
                tally.asked += 1
                found = tree.taken_for(path)
                if found:
                    renamed = _emptied(found[0].rpartition("/")[0], tree, gone)
                    tally.alarms.append(Alarm(path, *found, renamed=renamed))
            ever.update(new)
            tree.add(path)
        for path in gone:
            tree.drop(path)
    if missed:
        _slip(tally, tree)
    return tally


def _emptied(folder: str, tree: Growing, gone: set[str]) -> bool:
    """Return whether the commit leaves nothing of a folder."""
    left = any(_below(tree, folder) - gone)
    return bool(folder) and not left


def _below(tree: Growing, folder: str) -> set[str]:
    return {path for path in tree._files if path.startswith(folder + "/")}  # noqa: SLF001


def _slip(tally: Tally, tree: Growing, *, limit: int = 300) -> None:
    """Get folders that are there wrong by a letter, and count which slips are caught."""
    chance = random.Random(1)
    every = [folder for folder in tree.all() if len(folder.rpartition("/")[2]) >= 4]
    for folder in chance.sample(every, min(limit, len(every))):
        for what, wrong in _wrong(folder, chance):
            if tree.kind(wrong) is None:
                found = tree.taken_for(f"{wrong}/new.txt")
                caught = found is not None and found[0] == f"{folder}/new.txt"
                tally.slips[f"{what}: {'caught' if caught else 'missed'}"] += 1


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--show", type=int, default=0, help="refusals printed, a repository")
    parser.add_argument("--missed", action="store_true")
    options = parser.parse_args()
    total = Tally()
    print(
        f"{'':34s} {'folders':>8s} {'writes':>8s} {'refused':>8s} {'renames':>8s} "
        f"{'of folders':>9s} {'of writes':>9s}"
    )
    for repo in options.repos:
        tally = replay(repo, missed=options.missed)
        total.add(tally)
        print(tally.line(_name(repo)), flush=True)
        for alarm in random.Random(1).sample(tally.alarms, min(options.show, len(tally.alarms))):
            print(f"    {alarm.evidence}: {alarm.written}  taken for  {alarm.meant}")
    print(total.line(f"{len(options.repos)} repositories"))
    for what, of in (("folders", total.made), ("writes", total.asked)):
        high = clopper_pearson(len(total.alarms), of)[1]
        print(f"    at most {100 * high:.3f} % of {what} (95 %)")
    kinds = Counter(alarm.evidence for alarm in total.alarms)
    print("    " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    for what, count in sorted(total.slips.items()):
        print(f"    {what:34s} {count:8,}")


def _name(repo: str) -> str:
    here = os.path.abspath(repo)
    return os.path.basename(os.path.dirname(here) if here.endswith("/repo") else here)


if __name__ == "__main__":
    main()
