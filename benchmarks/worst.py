"""Ask the surest wrong corrections again: each in its repository, at its time, with the history.

    python benchmarks/worst.py EVAL JUDGED --repos CLONES [--count N] [--operation edit]
        [--timeout SECONDS] [--no-map]

JUDGED is what `benchmarks/fit.py EVAL --judged JUDGED` writes. A case's `commit` says when it was.
CLONES holds a whole clone of each repository as `owner+name`, which is only read: one without
contents (blob:none) knows no rename that changed the file. A line says what
the path was told with and taken for by names alone, what was meant, and what truepath does with
history: by default with all of it, however long that takes.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from history import read_cases
from rows import FILES, real_cases

from truepath.cli.terminal import plain
from truepath.evaluation.cases import Case, tree_names, workspace
from truepath.evaluation.replay import State
from truepath.evaluation.score import judge, outcome
from truepath.project.git import GitError
from truepath.project.history import History
from truepath.resolve.workspace import Workspace
from truepath.types import Resolution


@dataclass(frozen=True, slots=True)
class Mistake:
    """One wrong correction by names alone."""

    case: Case
    commit: str
    taken: str
    """What the path was taken for."""
    told: float
    """The cross-validated confidence of that."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="EVAL", type=Path)
    parser.add_argument("judged", metavar="JUDGED", type=Path)
    parser.add_argument("--repos", required=True, help="folder of the clones")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--operation", help="ask as if this were done to every path")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds it may wait")
    parser.add_argument("--no-map", action="store_true", help="ask git anew for each path")
    options = parser.parse_args()
    groups: dict[tuple[str, str], list[Case]] = defaultdict(list)
    mistakes = worst(options.folder, options.judged, options.count)
    for one in mistakes:
        groups[one.case.repo, one.commit].append(one.case)
    answers: dict[str, Resolution] = {}
    for (repo, commit), cases in groups.items():
        answers |= again(repo, commit, cases, options)
    asked = [one for one in mistakes if one.case.id in answers]
    results = [outcome(each.case, judge(each.case.truth, answers[each.case.id])) for each in asked]
    for one, result in zip(asked, results, strict=True):
        print(plain(line(one, answers[one.case.id], result)))
    counts = Counter(results).most_common()
    told = ", ".join(f"{count} {result}" for result, count in counts)
    print(f"{len(asked)} asked: {told.replace('_', ' ')}")


def worst(folder: Path, judged: Path, count: int) -> list[Mistake]:
    """Return the wrong corrections that were told with the highest confidence, surest first."""
    cases = {case.id: case for case in real_cases(folder)}
    with judged.open(encoding="utf-8") as file:
        told = sorted(map(json.loads, file), key=lambda one: -one["confidence"])
    trees = str(folder / "trees")
    wrong = (one for one in told if not one["right"] and one["path"] and one["id"] in cases)
    acts = (one for one in wrong if fits(cases[one["id"]], one["path"], trees))
    files = [str(folder / name) for name in FILES if (folder / name).exists()]
    commits = {raw.get("id"): raw.get("commit") for name in files for raw in read_cases(name)}
    return [
        Mistake(cases[one["id"]], commits.get(one["id"]) or "", one["path"], one["confidence"])
        for one in islice(acts, count)
    ]


def fits(case: Case, path: str, trees: str) -> bool:
    """Return whether a path is of the kind asked for: no other is ever corrected to."""
    return case.kind in ("any", workspace(trees, case.tree, case.add, case.root).kind(path))


def again(
    repo: str, commit: str, cases: Sequence[Case], options: argparse.Namespace
) -> dict[str, Resolution]:
    """Return the answers by id; none, and say why, where the repository cannot be asked."""
    clone = os.path.join(options.repos, repo.replace("/", "+"))
    why = "no clone"
    if os.path.isdir(clone):
        try:
            return at_its_time(clone, commit, cases, options)
        except GitError as error:
            why = str(error)
    print(plain(f"left out, {len(cases)} of {repo} at {commit[:12] or 'no commit'}: {why}"))
    return {}


def at_its_time(
    clone: str, commit: str, cases: Sequence[Case], options: argparse.Namespace
) -> dict[str, Resolution]:
    """Return the answers by id, asked where the cases' names are, and the history to a commit."""
    answers: dict[str, Resolution] = {}
    with TemporaryDirectory(prefix="truepath-worst-") as folder:
        state = State(clone, os.path.join(folder, "state"))
        store = None if options.no_map else os.path.join(folder, "store")
        for case in cases:
            names = tree_names(str(options.folder / "trees"), case.tree)
            state.move_to(commit, (*names, *case.add))
            if store and not answers and not History(state.place, store=store).build():
                raise GitError("no map of its history can be built")
            space = Workspace(state.place, timeout_s=options.timeout, store=store)
            inside = case.written.startswith(f"{case.root}/")
            written = state.place + case.written[len(case.root) :] if inside else case.written
            asked = options.operation or case.operation
            answers[case.id] = space.resolve(written, asked, cwd=case.cwd, kind=case.kind)
    return answers


def line(one: Mistake, answer: Resolution, result: str) -> str:
    said = {
        "right": f"corrected to {answer.path}, right",
        "wrong": f"corrected to {answer.path}, wrong",
        "refused": "named, not corrected",
    }.get(result, result.replace("_", ", "))
    known = answer.note if answer.searched.history else "without history"
    case = one.case
    return (
        f"{one.told:.4f} {case.repo}: {case.written} -> {one.taken}, "
        f"not {case.truth or 'anything'}; {said}{f' ({known})' if known else ''}"
    )


if __name__ == "__main__":
    main()
