"""Measure how much it says that a session works with a file, or beside it.

    python benchmarks/together.py REPO... [--commits 150] [--seed 1]

Transcripts of whole sessions are too few, so histories stand in: the files of one commit are what
one session works with, and those that its author changed in the day before are what it has used.
Of a commit's files, each that shares its name with others of the project is taken for the one that
is meant, and the others of that name for its rivals. Printed is how often each is so of the one
that is meant and of its rivals, the ratio of the two (the likelihood ratio), and that ratio
against the one of files that are neither, with the lower end of its 95 % interval when
repositories are drawn anew.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from truepath.project.git import git, zsplit

MOST_FILES = 20
"""A commit of more is no piece of work but a sweep."""

MOST_RIVALS = 20
DAY = 86_400

KINDS = ("used", "beside", "neither")


@dataclass(frozen=True)
class Commit:
    """What one commit changed."""

    id: str
    author: str
    time: int
    files: tuple[str, ...]


Rates = dict[str, tuple[float, float]]
"""A kind, to how many of those meant and how many of their rivals are so, a rival being worth its
share of all rivals of one."""


def history(repo: str) -> list[Commit]:
    """Return the commits without merges that changed files which were there, youngest first."""
    words = ("log", "--no-merges", "--name-only", "--no-renames", "--diff-filter=M", "-z")
    out = git(repo, *words, "-n6000", "--format=%x01%H %ct %ae%x01", "HEAD", timeout=600)
    found = []
    _, *parts = out.decode("utf-8", "surrogateescape").split("\x01")
    for head, body in zip(parts[::2], parts[1::2], strict=True):
        commit, time, author = head.split(" ", 2)
        files = tuple(name for name in body.replace("\n", "").split("\0") if name)
        found.append(Commit(commit, author, int(time), files))
    return found


def before(commits: Sequence[Commit], at: int) -> frozenset[str]:
    """Return what the author of one commit changed in the day before it."""
    own = commits[at]
    used: set[str] = set()
    for other in commits[at + 1 : at + 200]:
        if other.author == own.author and 0 <= own.time - other.time <= DAY:
            used.update(other.files)
    return frozenset(used)


def kind(path: str, used: Collection[str], folders: Collection[str]) -> str:
    if path in used:
        return "used"
    return "beside" if path.rpartition("/")[0] in folders else "neither"


def observed(repo: str, most: int, chance: random.Random) -> Iterator[tuple[str, list[str]]]:
    """Yield, for each file taken for meant, of which kind it is and of which its rivals are."""
    commits = history(repo)
    places = [at for at, each in enumerate(commits) if 2 <= len(each.files) <= MOST_FILES]
    for at in chance.sample(places, min(most, len(places))):
        commit, used = commits[at], before(commits, at)
        tree = zsplit(git(repo, "ls-tree", "-r", "-z", "--name-only", commit.id, timeout=60))
        namesakes: dict[str, list[str]] = defaultdict(list)
        for path in tree:
            namesakes[path.rpartition("/")[2]].append(path)
        for meant in commit.files:
            rivals = [each for each in namesakes[meant.rpartition("/")[2]] if each != meant]
            work = {*commit.files, *used} - {meant}
            if 0 < len(rivals) <= MOST_RIVALS:
                # A file lends its folder to others, not to itself.
                folders = {each.rpartition("/")[0] for each in work} - {""}
                seen = [kind(each, used, folders) for each in rivals]
                yield kind(meant, used, folders), seen


def rates(seen: Sequence[tuple[str, list[str]]]) -> Rates:
    meant, rivals = Counter[str](), Counter[str]()
    for own, others in seen:
        meant[own] += 1
        for other in others:
            rivals[other] += 1 / len(others)  # type: ignore[assignment]
    return {each: (meant[each], rivals[each]) for each in KINDS}


def ratio(found: Sequence[Rates], name: str) -> float:
    """Return the likelihood ratio; half a case is added to each side."""
    meant, rivals = (sum(each[name][side] for each in found) + 0.5 for side in (0, 1))
    return meant / rivals


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--commits", type=int, default=150, help="of each repository at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    found = []
    for repo in options.repos:
        seen = rates([*observed(repo, options.commits, chance)])
        total = sum(meant for meant, _ in seen.values())
        if total:
            found.append(seen)
            told = ", ".join(f"{name} {ratio([seen], name):.1f}" for name in KINDS)
            print(f"{repo}: {total:,.0f} files; {told}")
    everything = sum(meant for each in found for meant, _ in each.values())
    print(f"\n{everything:,.0f} files of {len(found)} repositories")
    print("          meant  rivals  ratio  against neither  at least")
    for name in KINDS:
        meant, rivals = (sum(each[name][side] for each in found) for side in (0, 1))
        shares = f"{meant / everything:6.1%}  {rivals / everything:6.1%}"
        again = sorted(against(chance.choices(found, k=len(found)), name) for _ in range(2000))
        told = f"{ratio(found, name):5.2f}  {against(found, name):15.2f}  {again[50]:8.2f}"
        print(f"{name:8} {shares}  {told}")


def against(found: Sequence[Rates], name: str) -> float:
    return ratio(found, name) / ratio(found, "neither")


if __name__ == "__main__":
    main()
