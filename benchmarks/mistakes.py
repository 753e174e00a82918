"""Measure what becomes of mechanically mistaken paths, with the history of real repositories.

    python benchmarks/mistakes.py REPO... [--cases N] [--json]

Of each clone, files that stand and files that were deleted for good, as many of either, are told
with one mechanical mistake (benchmarks/frames.py), such that the path was never there. They are
asked about by names alone, and in a folder that has the names and the history, whose map is built.
A file that stands is right if it is corrected to; for one that was deleted, every correction is
wrong. The state is that of the youngest commit of the main line which took something away.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from frames import HOME, Places, mistaken, places

from truepath.cli.terminal import plain, table
from truepath.evaluation.cases import Case, tree_names
from truepath.evaluation.interval import clopper_pearson
from truepath.evaluation.mine import mine
from truepath.evaluation.replay import TIMEOUT_S, State
from truepath.evaluation.score import Answer, judge, outcome
from truepath.paths import join, relative_to
from truepath.project.git import git, zsplit
from truepath.project.history import History
from truepath.resolve.workspace import Workspace
from truepath.types import Operation

OPERATIONS: tuple[Operation, ...] = ("read", "edit", "move", "delete")
WAYS = ("with history", "by names alone")


@dataclass(frozen=True)
class Told:
    """What was answered to one mistake about what is `meant`, which stands or was deleted."""

    case: Case
    meant: str
    way: str
    operation: Operation
    answer: Answer
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repos", nargs="+", metavar="REPO")
    parser.add_argument("--cases", type=int, default=200, help="mistakes a repository, at most")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    told: list[Told] = []
    for repo in options.repos:
        began = time.monotonic()
        with TemporaryDirectory(prefix="truepath-mistakes-") as folder:
            found = list(asked(os.path.abspath(repo), options.cases, folder))
        told += found
        count = len(found) // len(WAYS) // len(OPERATIONS)
        print(f"{repo}: {count} cases, {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(as_json(told) if options.json else as_text(told))


def asked(repo: str, most: int, folder: str) -> Iterator[Told]:
    """Make a repository's mistakes, and ask about each in every way and for every operation."""
    gone = [case for case in mine(repo, folder, states=1, limit=4 * most) if case.truth is None]
    if not gone:
        return
    commit, files = gone[0].tree.partition(".")[0], tree_names(folder, gone[0].tree)
    there, ever = places(files), ever_there(repo, commit)
    living = mistakes(gone[0], sorted(files), there, ever, right=True)
    dead = mistakes(gone[0], [case.written for case in gone], there, ever)
    cases = [*islice(living, most // 2), *islice(dead, most // 2)]
    place, store = folder + HOME, os.path.join(folder, "store")
    State(repo, place).move_to(commit, files)
    History(place, store=store).build()
    asking = Workspace(place, timeout_s=TIMEOUT_S, store=store)
    for way, space in zip(WAYS, (asking, Workspace.from_names(files, root=place)), strict=True):
        for case, meant in cases:
            yield from answered(space, below(folder, case), case, meant, way)


def answered(space: Workspace, written: str, case: Case, meant: str, way: str) -> Iterator[Told]:
    """Ask for each operation; what is not sure enough for one is not for a stricter one."""
    sure = True
    for operation in OPERATIONS:
        if sure:
            began = time.perf_counter()
            found = space.resolve(written, operation, cwd=case.cwd, kind=case.kind)
            took, answer = time.perf_counter() - began, judge(case.truth, found)
            sure = answer.status == "resolved"
        yield Told(case, meant, way, operation, answer, took)


def below(top: str, case: Case) -> str:
    """Return what is written where the project is, with all that leads to it, in a folder `top`."""
    bare = case.written.lstrip("/")
    if case.cause in ("root", "home") and bare.startswith("home/"):
        return case.written.removesuffix(bare) + f"{top[1:]}/{bare}"
    return case.written


def mistakes(
    pattern: Case, paths: Sequence[str], there: Places, ever: Places, *, right: bool = False
) -> Iterator[tuple[Case, str]]:
    """Yield one mistake about each path, and the path, in an order that chance gives."""
    told: set[tuple[str, str | None]] = set()
    for path in random.Random(pattern.repo).sample(paths, len(paths)):
        one, chance = replace(pattern, id=path), random.Random(path)
        for case in mistaken(one, path, there, chance, right=right):
            absolute = join(join(HOME, case.cwd or "", "posix"), case.written, "posix")
            literal = relative_to(absolute, HOME, "posix")
            if literal not in ever.paths and (case.written, case.cwd) not in told:
                told.add((case.written, case.cwd))
                yield case, case.truth or path


def ever_there(repo: str, commit: str) -> Places:
    """Return every path that a commit or one before it had."""
    ask = ("log", "--root", "--diff-filter=A", "--no-renames", "--no-relative", "-O/dev/null")
    out = git(repo, *ask, "--name-only", "-z", "--format=", commit, "--", timeout=900)
    return places(sorted(set(zsplit(out))))


def as_text(told: Sequence[Told]) -> str:
    head = ("there", "right", "wrong", "gone", "wrong", "wrong of all", "95 % interval", "ms")
    parts = []
    for way, these in by_way(told).items():
        rows = [(each, *cells(counted(these, each))) for each in OPERATIONS]
        parts.append(table((way, *head), rows))
    lines = [line(*each) for each in wrong(told).items()]
    return "\n\n".join([*parts, "\n".join([f"wrong {WAYS[0]}: {len(lines)}", *lines])])


def by_way(told: Iterable[Told]) -> dict[str, list[Told]]:
    return {way: [one for one in told if one.way == way] for way in WAYS}


def counted(told: Iterable[Told], operation: Operation) -> dict[str, Any]:
    """Return how the answers for one operation fall."""
    these = [one for one in told if one.operation == operation]
    there = [outcome(one.case, one.answer) for one in these if one.case.truth is not None]
    gone = [outcome(one.case, one.answer) for one in these if one.case.truth is None]
    bad = (there + gone).count("wrong")
    return {
        "there": len(there),
        "there_right": there.count("right"),
        "there_wrong": there.count("wrong"),
        "gone": len(gone),
        "gone_wrong": gone.count("wrong"),
        "wrong_share": bad / (len(these) or 1),
        "wrong_share_interval": clopper_pearson(bad, len(these)),
        "median_milliseconds": 1000 * median([one.seconds for one in these] or [0.0]),
    }


def cells(counts: dict[str, Any]) -> list[str]:
    *numbers, share, (low, high), took = counts.values()
    interval = f"{share(low)} to {share(high)}"
    return [*(f"{each:,}" for each in numbers), share(share), interval, f"{took:.1f}"]


def wrong(told: Iterable[Told]) -> dict[Case, list[Told]]:
    """Return what was corrected wrongly with history, a case with all its operations."""
    found: dict[Case, list[Told]] = {}
    for one in told:
        if outcome(one.case, one.answer) == "wrong" and one.way == WAYS[0]:
            found.setdefault(one.case, []).append(one)
    return found


def line(case: Case, told: Sequence[Told]) -> str:
    answer, meant = told[0].answer, told[0].meant
    where, end = f" in {case.cwd}" * bool(case.cwd), ", which is gone" * (case.truth is None)
    said = f"{case.written}{where} -> {answer.path}, not {meant}{end}; {told[-1].operation}"
    why = f"{case.cause} {case.repo}: {', '.join(answer.evidence)}"
    return f"{answer.confidence:.4f}  {plain(said)}\n        {plain(why)}"


def as_json(told: Sequence[Told]) -> str:
    ways = by_way(told).items()
    counts = {way: {each: counted(these, each) for each in OPERATIONS} for way, these in ways}
    listed = [asdict(one) for each in wrong(told).values() for one in each]
    return json.dumps({"version": 1, **counts, "wrong": listed}, indent=1)


if __name__ == "__main__":
    main()
