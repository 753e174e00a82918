"""Count what each policy saves an agent on recorded calls that missed a path, and its errors.

    python benchmarks/turns.py CASES... --trees DIR... [--unseen WEIGHTS] [--plot FILE]

CASES and DIR are those of `replay.py`, which decides on each call by names alone. With `--unseen`,
each call is judged by weights that have not seen its repository. Where the right
file is before the agent in the same call, the turns of the search are saved (`SEARCH`); an answer
that names it among the first three saves one less. `--plot` draws help against error: a point each
for the policies, and for other rules (`rivals`), which answer with one path or not at all.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from replay import Raw, asked, loaded, of_miss
from rivals import RULES
from rivals.question import Project, question
from unseen_weights import Weights, read, use

from truepath import Decision
from truepath.cli.terminal import share, table
from truepath.config.presets import Policy
from truepath.evaluation.cases import tree_names
from truepath.events.statistics import SEARCH
from truepath.types import READS


@dataclass
class Row:
    """How one policy or rule did on all misses."""

    name: str
    outcomes: list[str] = field(default_factory=list)

    def count(self, *outcomes: str) -> int:
        return sum(each.startswith(outcomes) for each in self.outcomes)

    @property
    def shown(self) -> int:
        """Calls that ran on the right file."""
        return self.count("corrected right", "assumed right")

    @property
    def wrong(self) -> int:
        """Calls that ran on another file, also where none was meant."""
        return self.count("corrected", "assumed") - self.shown

    @property
    def named(self) -> int:
        return sum(each.endswith(", named") for each in self.outcomes)

    @property
    def saved(self) -> int:
        return SEARCH * self.shown + (SEARCH - 1) * self.named


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--trees", required=True, nargs="+", type=Path)
    parser.add_argument("--unseen", type=Path, help="weights that fit.py --unseen wrote")
    parser.add_argument("--plot", type=Path, help="an image of help against error")
    options = parser.parse_args()
    cases = [raw for raw in loaded(options.cases) if "written" in raw]
    if not cases:
        raise SystemExit("turns.py: no case of a call that missed a path")
    trees = [_folder(raw, options.trees) for raw in cases]
    unseen = read(options.unseen) if options.unseen else ()
    policies, reads = [], [False] * len(cases)
    for name in get_args(Policy):
        decided = [_asked(raw, each, name, unseen) for raw, each in zip(cases, trees, strict=True)]
        outcomes = [of_miss(raw, decision) for raw, decision in zip(cases, decided, strict=True)]
        reads = [all(one.operation in READS for one in each.resolutions) for each in decided]
        policies.append(Row(name, outcomes))
    rules = list(_rules(cases, trees))
    findable = sum(bool(raw.get("truth")) for raw in cases)
    print(
        f"{len(cases)} calls that missed a path; of {findable} the right file is in the project\n"
    )
    print(table(_HEAD, [_cells(row, findable) for row in (*policies, *rules)]))
    print("\nshares of `careful`, with the 95 % interval when repositories are drawn anew:")
    told = [*zip(cases, policies[0].outcomes, reads, strict=True)]
    meant = [each for each in told if each[0].get("truth")]
    assumed = [each for each in told if each[1].startswith("assumed")]
    for what, some in (
        ("right file in the call, all", meant),
        ("right file in the call, reads", [each for each in meant if each[2]]),
        ("assumptions that are right", assumed),
    ):
        print(f"  {what}: {_by_repository(some)}")
    if options.plot:
        draw(options.plot, policies, rules, len(cases), findable)


_HEAD = (
    *("policy or rule", "corrected right", "wrong", "assumed right", "wrong"),
    *("named", "right in the call", "turns saved"),
)


def _cells(row: Row, findable: int) -> Sequence[str]:
    corrected, assumed = row.count("corrected right"), row.count("assumed right")
    return (
        row.name,
        str(corrected),
        str(row.count("corrected") - corrected),
        str(assumed),
        str(row.count("assumed") - assumed),
        str(row.named),
        share(row.shown / findable if findable else None),
        str(row.saved),
    )


def _folder(raw: Raw, folders: Sequence[Path]) -> str:
    """Return the folder that has the names of a case's project."""
    found = (str(each) for each in folders if (each / Path(raw["tree"]).name).exists())
    folder = next(found, None)
    if folder is None:
        raise SystemExit(f"turns.py: no --trees folder has {raw['tree']}")
    return folder


def _asked(raw: Raw, trees: str, policy: Policy, unseen: Sequence[Weights]) -> Decision:
    """Return what is decided, by weights that have not seen the repository where there are some."""
    if unseen:
        use(unseen, raw.get("repo", ""))
    return asked(raw, trees, policy)


def _by_repository(told: Sequence[tuple[Raw, str, bool]]) -> str:
    """Return the share that ran on the right file, with its interval when whole repositories are
    drawn anew.
    """
    groups: Mapping[str, list[bool]] = defaultdict(list)
    for raw, outcome, _ in told:
        groups[raw.get("family") or raw.get("repo", "")].append(outcome.endswith(" right"))
    if not groups:
        return "none"
    members, draw = list(groups.values()), random.Random(0)
    shares = sorted(_mean(draw.choices(members, k=len(members))) for _ in range(_DRAWS))
    low, high = shares[_DRAWS // 40], shares[-_DRAWS // 40]
    count = sum(map(len, members))
    return f"{share(_mean(members))} of {count} ({share(low)} to {share(high)})"


def _mean(groups: Sequence[Sequence[bool]]) -> float:
    return sum(map(sum, groups)) / sum(map(len, groups))


_DRAWS = 4000


def _rules(cases: Sequence[Raw], trees: Sequence[str]) -> Iterable[Row]:
    """Yield how the rules of others would have done, had their one path been used."""
    projects: dict[str, Project] = {}
    rows = {name: Row(name) for name in RULES}
    for raw, folder in zip(cases, trees, strict=True):
        key = f"{folder} {raw['tree']} {raw.get('add')}"
        if key not in projects:
            names = [*tree_names(folder, raw["tree"]), *raw.get("add", ())]
            projects[key] = Project(names, folders=True)
        told = question(raw["written"], raw["root"], raw.get("cwd"), projects[key])
        truth = (raw.get("truth") or "").rstrip("/")
        for name, rule in RULES.items():
            path = rule(told)
            right = "right" if path == truth else "wrong"
            rows[name].outcomes.append("silent" if path is None else f"corrected {right}")
    yield from rows.values()


def draw(
    path: Path, policies: Sequence[Row], rules: Sequence[Row], cases: int, findable: int
) -> None:
    """Draw the share of misses that ran on the right file against those that ran on another."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    places: Mapping[tuple[float, float], list[str]] = defaultdict(list)
    for row in (*policies, *rules):
        places[100 * row.shown / findable, 100 * row.wrong / cases].append(row.name)
    own = {row.name for row in policies}
    for (right, wrong), names in places.items():
        is_own = not own.isdisjoint(names)
        axes.plot(right, wrong, "*" if is_own else "o", color="C0" if is_own else "C1", ms=9)
        label, near = ", ".join(names), right > 60
        axes.annotate(
            label, (right, wrong), (-8 if near else 8, 4), textcoords="offset points", fontsize=9,
            ha="right" if near else "left",
        )  # fmt: skip
    axes.set(
        xlabel="help: right file in the same call, % of misses that have one",
        ylabel="error: another file in the call, % of all misses",
    )
    axes.set_xlim(-3, 103)
    axes.set_ylim(bottom=-2)
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
