"""Ask truepath and other rules about the same wrong paths in one run.

    python benchmarks/rivals.py [--unseen] [--save] [--sixty]

The cases are those of `cases.py`. Each rule is written from its described behaviour: it
answers with one path or not at all, and gets what truepath gets, the path, relative to
the project, and the names. A rule that only suggests is judged by its first suggestion.
The interval is that of the share of wrong answers. Fuse.js (through node), fzf
and the tools of `peers.py` are left out where they are not there.

With --sixty, 60 paths that agents got wrong are asked, 40 whose file exists and 20 that
mean none: the first ones by a hash of their names. What counts is where a rule leads
if its first answer is opened."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from accuracy import decided, unseen
from cases import Case, load
from finders import RANKING, Finder, NotHereError
from peers import PEERS, Peer, materialise, running
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler, Levenshtein
from results import save

from truepath.cli.terminal import table
from truepath.paths import join, normalise, relative_to

KINDS = {
    "paths that agents got wrong": ("first", "second"),
    "dead links in Markdown": ("links",),
}
NAMED = "truepath, named first"
RUNS = "truepath, ran on"
CORRECTED = "truepath, corrected"
"""Each of these has what the next has."""


class Project:
    """The names of a project, files alone or with their folders."""

    def __init__(self, case: Case) -> None:
        paths = {path for path in case.names if not path.endswith("/")}
        if case.is_dir:
            paths |= {parent for path in paths for parent in _parents(path)}
        self.paths: Sequence[str] = sorted(paths)
        self.by_name: Mapping[str, list[str]] = defaultdict(list)
        self.by_folder: Mapping[str, list[str]] = defaultdict(list)
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self.by_name[name].append(path)
            self.by_folder[folder].append(path)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


@cache
def _project(tree: str, add: tuple[str, ...], is_dir: bool) -> Project:
    return Project(Case("", "", "", "", "", tree=tree, add=add, is_dir=is_dir))


class Question:
    """One wrong path, read as any tool does: relative to the working directory."""

    def __init__(self, case: Case) -> None:
        self.project = _project(case.tree, case.add, case.is_dir)
        place = normalise(case.root, "posix")
        absolute = join(join(place, case.cwd or "", "posix"), case.written, "posix")
        relative = relative_to(absolute, place, "posix")
        self.inside = relative is not None
        self.written = case.written
        self.path = normalise(case.written, "posix") if relative is None else relative
        self.folder, _, self.name = self.path.rpartition("/")

    @property
    def beside(self) -> list[str]:
        """The files of the folder that the path is in."""
        return self.project.by_folder.get(self.folder, []) if self.inside else []


def unique_name(question: Question) -> str | None:
    """The usual rule: exactly one file in the project has that name."""
    found = question.project.by_name.get(question.name, [])
    return found[0] if len(found) == 1 else None


def substring_in_folder(question: Question) -> str | None:
    """OpenCode and Crush: of the same folder's names, in order, the first that contains
    the wanted one or is contained in it, case aside."""
    wanted = question.name.lower()
    names = ((path.rpartition("/")[2].lower(), path) for path in question.beside)
    return next(
        (path for name, path in names if wanted and (name in wanted or wanted in name)),
        None,
    )


def three_edits_in_folder(question: Question) -> str | None:
    """tilth: the nearest name of the same folder, at most three edits away."""
    near = [
        (
            Levenshtein.distance(
                question.name, path.rpartition("/")[2], score_cutoff=3
            ),
            path,
        )
        for path in question.beside
    ]
    edits, path = min(near, default=(4, ""))
    return path if edits <= 3 else None


def suffix_match(question: Question) -> str | None:
    """oh-my-pi: `**/<path as written>` matches exactly once."""
    suffix = question.written.replace("\\", "/").removeprefix("./").strip("/")
    same = question.project.by_name.get(suffix.rpartition("/")[2], [])
    found = [path for path in same if f"/{path}".endswith(f"/{suffix}")]
    return found[0] if len(found) == 1 else None


def jaro_winkler(question: Question) -> str | None:
    """vtcode: the likest path or name in the project, with something for equal names
    and ends.

    A bare name is first tried in the usual folders of sources.
    """
    wanted, name = question.path, question.name
    paths = question.project.paths[:20_000]
    usual = _in_usual_folder(question)
    if usual:
        return usual
    whole = process.cdist([wanted], paths, scorer=JaroWinkler.similarity)[0]
    names = [path.rpartition("/")[2] for path in paths]
    ends = process.cdist([name], names, scorer=JaroWinkler.similarity)[0]
    best: tuple[float, str] = (0.0, "")
    for path, last, by_path, by_name in zip(paths, names, whole, ends, strict=True):
        score = max(by_path, 0.85 * by_name) + 0.20 * (last == name)
        if score >= 0.60:  # the rest is worth 0.18 at most, and 0.78 is needed
            if wanted in path or path in wanted:
                score += 0.06
            if path.endswith(wanted):
                score += 0.12
            best = max(best, (score, path))
    return best[1] if best[0] >= 0.78 else None


def _in_usual_folder(question: Question) -> str:
    if "/" in question.path:
        return ""
    for folder in ("src", "lib", "bin", "app", "tests"):
        path = f"{folder}/{question.name}"
        if path in question.project.by_folder.get(folder, []):
            return path
    return ""


RULES: Mapping[str, Callable[[Question], str | None]] = {
    "unique name": unique_name,
    "substring in folder": substring_in_folder,
    "3 edits in folder": three_edits_in_folder,
    "suffix match": suffix_match,
    "Jaro-Winkler": jaro_winkler,
}


@dataclass
class Row:
    """How one rule did."""

    rule: str
    right: int = 0
    wrong: int = 0
    none: int = 0

    def add(self, truth: str | None, path: str | None) -> None:
        if path is None:
            self.none += 1
        elif truth is not None and path.rstrip("/") == truth.rstrip("/"):
            self.right += 1
        else:
            self.wrong += 1

    def counts(self) -> Iterator[tuple[str, int]]:
        yield f"{self.rule}, right", self.right
        yield f"{self.rule}, none", self.none
        yield f"{self.rule}, wrong", self.wrong

    def cells(self) -> list[str]:
        answers = self.right + self.wrong
        cases = answers + self.none
        low, high = _interval(self.wrong, answers)
        return [
            self.rule,
            *(f"{number:,}" for number in (self.right, self.wrong, self.none)),
            f"{self.right / cases:.1%}",
            f"{self.wrong / max(answers, 1):.1%}",
            f"{low:.1%} to {high:.1%}",
        ]


_HEAD = (
    "first answer of",
    "right",
    "wrong",
    "none",
    "right, of all",
    "wrong, of answers",
    "95% interval",
)


def _interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Clopper-Pearson)."""
    from scipy.stats import beta

    low = float(beta.ppf(0.025, count, of - count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, of - count)) if count < of else 1.0
    return low, high


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--unseen", action="store_true", help="weights that saw other repositories"
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the results for `make plots`"
    )
    parser.add_argument("--sixty", action="store_true", help="one small table")
    options = parser.parse_args()
    if options.sixty:
        print(_table_of_sixty(by_unseen=options.unseen))
        return
    sentences, tables, figures = list[str](), list[str](), dict[str, float]()
    for name, sets in KINDS.items():
        cases = [case for each in sets for case in load(each) if case.tree]
        rivals = _shown(_rivals(cases))
        ours = _shown(_by_truepath(cases, by_unseen=options.unseen))
        exist = sum(case.truth is not None for case in cases)
        rows = [*rivals, *ours]
        asked = f"Of {len(cases):,} {name} ({exist:,} have a file)"
        sentences.append(f"{asked}, {_sentence(rivals, ours[1])}")
        tables.append(f"{name}:\n{table(_HEAD, [row.cells() for row in rows])}")
        for row in rows:
            figures |= {f"{name}, {each}": count for each, count in row.counts()}
        figures[f"{name}, file exists"] = exist
    text = "\n\n".join(("\n".join(sentences), *tables))
    print(text)
    if options.save:
        save("rivals", text, figures)


_SIXTY = {"whose file exists": (True, 40), "that mean no file": (False, 20)}
"""The paths of the small table: whether a file is meant, and how many."""


def _table_of_sixty(*, by_unseen: bool) -> str:
    """Return where each rule leads on 60 paths, as a table of Markdown."""
    sets = KINDS["paths that agents got wrong"]
    cases = [case for each in sets for case in load(each) if case.tree]
    cases.sort(key=lambda case: hashlib.sha256(case.id.encode()).digest())
    halves: list[Sequence[Row]] = []
    for has_file, count in _SIXTY.values():
        some = [case for case in cases if (case.truth is not None) == has_file]
        of_rules = chain(
            _rivals(some[:count]), _by_truepath(some[:count], by_unseen=by_unseen)
        )
        halves.append(_shown(of_rules))
    head = "first answer of | right, of 40 | another file, of 40"
    lines = [f"| {head} | a file where none is meant, of 20 |", "|---|---|---|---|"]
    for found, absent in zip(*halves, strict=True):
        cells = [found.rule, *map(str, (found.right, found.wrong, absent.wrong))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _rivals(cases: Sequence[Case]) -> Iterator[Row]:
    """Yield how each rule did, and each program that is installed."""
    yield from (_by_rule(rule, cases) for rule in RULES)
    programs = (_by_program(finder, cases) for finder in RANKING)
    peers = (_by_peer(peer, cases) for peer in PEERS)
    yield from filter(None, chain(programs, peers))


def _shown(rows: Iterable[Row]) -> Sequence[Row]:
    """Return the rows, each shown when it is there, for the slowest take a minute."""
    all_of_them: list[Row] = []
    for row in rows:
        told = f"{row.right:,} right, {row.wrong:,} wrong, {row.none:,} without one"
        print(f"{row.rule}: {told}", file=sys.stderr, flush=True)
        all_of_them.append(row)
    return all_of_them


def _sentence(rivals: Sequence[Row], ran: Row) -> str:
    """Return what truepath ran on, beside the first answers of the best rule."""
    best = max(rivals, key=lambda row: row.right)
    return (
        "the call that truepath "
        f"changed ran on the right file in {ran.right:,} and on a wrong one in "
        f"{ran.wrong:,}; the first answer of {best.rule} is right in "
        f"{best.right:,} and wrong in {best.wrong:,}."
    )


def _by_rule(rule: str, cases: Sequence[Case]) -> Row:
    row = Row(rule)
    for case in cases:
        row.add(case.truth, RULES[rule](Question(case)))
    return row


def _by_program(finder: Finder, cases: Sequence[Case]) -> Row | None:
    """Begin a program once for each run of cases with the same names; None where it is
    not here.
    """
    row = Row(finder.name)
    asked = ((case, Question(case)) for case in cases)
    try:
        for project, group in groupby(asked, lambda pair: pair[1].project):
            with (
                TemporaryDirectory() as scratch,
                finder.begin("", project.paths, Path(scratch)) as ask,
            ):
                for case, question in group:
                    found, _ = ask(question.path)
                    row.add(case.truth, next(filter(None, found), None))
    except NotHereError as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return None
    return row


def _by_peer(peer: Peer, cases: Sequence[Case]) -> Row | None:
    """Ask a tool, in a folder that has the names of each case; None where it is not
    here.
    """
    row = Row(peer.name)
    asked = ((case, Question(case)) for case in cases)
    try:
        with running(peer) as tool:
            for project, group in groupby(asked, lambda pair: pair[1].project):
                with TemporaryDirectory() as scratch:
                    root = Path(scratch).resolve()
                    materialise(root, project.paths)
                    for case, question in group:
                        row.add(case.truth, tool.first(root, question.path))
    except NotHereError as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return None
    return row


def _by_truepath(cases: Sequence[Case], *, by_unseen: bool) -> Sequence[Row]:
    """Return how the guard did under `careful`: by what it names first, uses, and
    corrects to.
    """
    first, runs, corrected = Row(NAMED), Row(RUNS), Row(CORRECTED)
    weights = unseen() if by_unseen else {}
    for case in cases:
        told = decided(case, "careful", weights)
        used = told["path"] if told["action"] == "rewrite" else None
        named = used or next(iter(told["candidates"]), None)
        if told["status"] in ("exists", "absent", "outside"):
            named = None
        first.add(case.truth, named)
        runs.add(case.truth, used)
        corrected.add(case.truth, None if told["status"] == "likely" else used)
    return first, runs, corrected


if __name__ == "__main__":
    main()
