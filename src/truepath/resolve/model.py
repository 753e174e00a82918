"""How much the evidence weighs: from candidates to the probability that each is what was meant.

Every candidate and the answer "nothing here" get a score, the sum of the weights of their
evidence; the scores compete (a multinomial logit), so a rival takes from the best and a weak
best loses to nothing. Pure Python; the numbers live in `confidence.json` with their provenance.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import TYPE_CHECKING

from truepath.resolve.candidates import Found

if TYPE_CHECKING:
    from truepath.project.history.outcome import PathHistory

_SHAPES = frozenset(
    "exact look-alike same-folder folder-case folder-words extra-leading extra-middle extra-last "
    "missing-leading missing-middle missing-last folder-slip folder-replaced moved".split()
)
_NAMES = frozenset(
    "same-name name-case same-format sibling-extension other-extension separators plural "
    "test-affix one-edit two-edits word-added word-dropped same-words close-name package-file "
    "module-file".split()
)
_CHARACTER = frozenset(
    "only-one few-of-name many-of-name generic-name specific-name ordinary-name plain-name "
    "crosses-tests into-edition out-of-edition is-code is-text is-data is-folder left-there "
    "left-gone".split()
)


Curve = Sequence[Sequence[float]]
"""Shares, rising, and the probability that each stands for."""


@dataclass(frozen=True)
class Model:
    """The fitted numbers."""

    weights: Mapping[str, float]
    """Evidence of a candidate, or two kinds of it joined by `&`, to its weight."""
    nothing: Mapping[str, float]
    """Circumstances that speak for "nothing here", to their weight."""
    calibration: Mapping[str, Curve]
    """What the best candidate's share of the competition stands for: by what it is, `exact` (the
    very path, but for a beginning that was wrong, or for case) or `other`.
    """
    session: Mapping[str, float]
    """What a candidate's weight is multiplied by, against its rivals', for what a session does."""
    plausible: float
    """Below this a candidate is not worth naming as what was meant."""
    provenance: Mapping[str, object]


@cache
def fitted() -> Model:
    """Return the model that ships with the package."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "confidence.json"), encoding="utf-8") as file:
        data = json.load(file)
    return Model(
        weights=data["weights"],
        nothing=data["nothing"],
        calibration=data["calibration"],
        session=data["session"],
        plausible=data["plausible"],
        provenance=data["provenance"],
    )


def features(evidence: Iterable[str], context: Iterable[str]) -> list[str]:
    """Return the weighed features of one candidate: its evidence, and the pairs that interact.

    A name alone says little without the folder it was found under, and both say less when the
    name is common; those are the pairs.
    """
    alone = [each for each in dict.fromkeys(evidence) if each not in _BOUNDS]
    shape = [each for each in alone if each in _SHAPES]
    name = [each for each in alone if each in _NAMES]
    rarity = [each for each in alone if each in _CHARACTER]
    shared = [each for each in alone if each.startswith(("shared-", "same-parent", "same-top"))]
    around = [each for each in context if each in _CONTEXT_PAIRS]
    pairs = [f"{a}&{b}" for a in name for b in shape]
    pairs += [f"{a}&{b}" for a in shape for b in (*rarity, *shared, *around)]
    pairs += [f"{a}&{b}" for a in name for b in (*rarity, *around)]
    pairs += [f"{a}&{b}" for a in rarity if a in _COUNTS for b in rarity if b in _SPECIFIC]
    return alone + pairs


_BOUNDS = frozenset(
    "renumbered of-series settings-at-root misspelt another-word wrong-number opposite "
    "folder-stands".split()
)
"""Evidence that only bounds what is told or done (see `ceiling`, `NEVER`, `permission`):
the cases know numbered folders as renamed ones, and would have `v2-notes` mean `v3-notes` near
certainty."""

_COUNTS = frozenset({"only-one", "few-of-name", "many-of-name"})
_SPECIFIC = frozenset({"generic-name", "specific-name", "ordinary-name", "plain-name"})
_CONTEXT_PAIRS = frozenset({"bare", "folder-there", "folder-gone"})


def scores(
    found: Sequence[Found], context: Sequence[str], model: Model
) -> tuple[list[float], float]:
    """Return the score of each candidate, and that of "nothing here"."""
    weights = model.weights
    each = [
        sum(weights.get(name, 0.0) for name in features(one.evidence, context)) for one in found
    ]
    return each, sum(model.nothing.get(name, 0.0) for name in ("always", *context))


def weigh(found: Sequence[Found], context: Sequence[str], model: Model) -> list[float]:
    """Return, for each candidate, the probability (0 to 1) that it is what was meant."""
    evidence = [each.evidence for each in found]
    return confidences(shares(found, context, model), evidence, model.calibration)


def confidences(
    shares: Sequence[float], evidence: Sequence[Sequence[str]], curves: Mapping[str, Curve]
) -> list[float]:
    """Return the probabilities (0 to 1) of candidates with these shares of the competition.

    The best one's is calibrated; its rivals and "nothing here" keep what is left, in proportion.
    """
    if not shares:
        return []
    best = max(shares)
    curve = curve_of(evidence[shares.index(best)])
    top = calibrated(best, curves[curve])
    top = top if curve == "exact" else min(top, SURE)
    scale = (1 - top) / max(1 - best, 1e-9)
    chances = [top if share == best else min(share * scale, top) for share in shares]
    chances = [min(one, ceiling(known)) for one, known in zip(chances, evidence, strict=True)]
    return bounded(_sole_look_alike(evidence, chances))


def bounded(chances: Sequence[float]) -> list[float]:
    """Return probabilities that together are at most 1: what the best gains its rivals lose."""
    best = max(chances, default=0.0)
    top = [chance for chance in chances if chance == best]
    rest = sum(chances) - best * len(top)
    if best * len(top) + rest <= 1:
        return list(chances)
    if best * len(top) >= 1:
        return [1 / len(top) if chance == best else 0.0 for chance in chances]
    scale = (1 - best * len(top)) / rest
    return [chance if chance == best else chance * scale for chance in chances]


LOOK_ALIKE = 0.985
"""The confidence of the one path that differs from what was written by case alone, at least: sure
enough to read. Of 2,335 such in the evaluation, 11 were wrong, nearly all of them deleted twins in
other letters, `Readme.md` beside `README.md`; those history knows (`NEVER`)."""

OTHER_FORM = 0.995
"""The same where more than case differs: spaces, accents, quotes. Nobody keeps two such files."""

SURE = 0.994
"""What names alone can say of a path that is not the very one, at most: of 727 that were surer,
cross-validated, 6 were wrong, so that none is moved or deleted for its name."""


def _sole_look_alike(evidence: Sequence[Sequence[str]], chances: list[float]) -> list[float]:
    """Raise the one candidate that looks the same as the written path, where there is one."""
    told = {("look-alike",): LOOK_ALIKE, ("look-alike", "other-form"): OTHER_FORM}
    alike = [at for at, each in enumerate(evidence) if (*each,) in told]
    if len(alike) == 1:
        chances[alike[0]] = max(chances[alike[0]], told[tuple(evidence[alike[0]])])
    return chances


CEILING = 0.9
"""Below every threshold: worth naming, never acted on."""

TWICE = 0.5
"""The same for what is right only if two guesses are."""


def ceiling(evidence: Iterable[str]) -> float:
    """Return the highest confidence that such evidence can give.

    A generic name in another folder, and a file in another edition (a version, a translation, an
    archive, another number of a series), exist beside what was asked for, not in place of it. So do
    a word that is a letter away, `trail.py` beside `trial.py`, and the other of two sides. The fit
    sees too few of them going wrong to learn it; each is a reported mistake of tools that took the
    only match. Out of an edition: of 56 files near certainty, 10 were wrong, most of them
    `sandbox/x` for `x`. A bare name that is missing where the agent stands and is there in the root
    says nothing of the root: `uv.lock` of an example that was deleted is not the project's. It may
    be read, not changed. What a spelling only may mean is neither moved nor deleted: some disks
    have a `report.pdf:Zone.Identifier`. A doubled folder undone, and then another name or place: of
    59 at 0.9 and more, 41 were wrong.
    """
    known = set(evidence)
    elsewhere = not known.isdisjoint(("folder-replaced", "moved", "from-root"))
    generic = "generic-name" in known and elsewhere
    edition = not known.isdisjoint(("into-edition", "out-of-edition", "of-series"))
    twice = "doubled" in known and _EXACT.isdisjoint(known)
    if twice:
        return TWICE
    other = not known.isdisjoint(("another-word", "opposite"))
    if generic or edition or other:
        return CEILING
    if "bare-name" in known:
        return LOOK_ALIKE
    return SURE if "guessed-spelling" in known else 1.0


def shares(found: Sequence[Found], context: Sequence[str], model: Model) -> list[float]:
    """Return each candidate's share of the competition, before calibration."""
    each, nothing = scores(found, context, model)
    top = max([nothing, *each])
    masses = [exp(score - top) for score in each]
    total = sum(masses) + exp(nothing - top)
    return [mass / total for mass in masses]


def curve_of(evidence: Sequence[str]) -> str:
    """Return which curve calibrates a candidate with this evidence."""
    return "other" if _EXACT.isdisjoint(evidence) else "exact"


_EXACT = frozenset({"exact", "look-alike"})


def calibrated(share: float, curve: Curve) -> float:
    """Return the probability that the best candidate's share of the competition stands for.

    Near certainty as at low odds the sum of weights says too much or too little. A rising curve
    puts it right, fitted on repositories that the weights had not seen; more curves, by kind of
    correction, fitted those better and did worse on others.
    """
    x, y = ([_odds(each) for each in line] for line in curve)
    at = min(max(_odds(share), x[0]), x[-1])
    low = min(bisect_right(x, at), len(x) - 1) - 1
    way = (at - x[low]) / (x[low + 1] - x[low])
    return 1 / (1 + exp(-(y[low] + way * (y[low + 1] - y[low]))))


def _odds(chance: float) -> float:
    return log(max(chance, 1e-9) / max(1 - chance, 1e-9))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What history's word is worth."""

    named: float
    """The confidence (0 to 1) of the path that history names."""
    others: float
    """What every other candidate's confidence is multiplied by."""


RENAMED = 0.9975
"""The confidence of a recorded rename that kept the name, the surest that history can name: moved,
not deleted. Of 2,287 all were right, and so at most 0.16 % are wrong; deletions allow 0.05 %."""

GONE_TOO = Verdict(0.8, 0.1)
"""The same where the path itself never was, and what left explains it at least as well as what is
there: what that became is named, no more, for it is a guess; lower where names alone say less of
what left. What is there was right in 11 of 56 such cases near certainty (0.9), says
`benchmarks/fit.py`."""

_FATES: Mapping[str, Verdict] = {
    "renamed": Verdict(RENAMED, 1 - RENAMED),
    "renamed-uncommitted": Verdict(0.9965, 0.0035),
    "new-name": Verdict(0.994, 0.006),
    "moved-uncommitted": Verdict(0.99, 0.01),
    "changed": Verdict(0.985, 0.015),
    "folder-renamed": Verdict(0.985, 0.015),
    "rewritten": Verdict(0.3, 0.1),
    "copied": Verdict(0.8, 0.1),
    "recreated": Verdict(0.8, 0.1),
    "partly": Verdict(0.8, 0.1),
    "deleted": Verdict(0.0, 0.02),
    "elsewhere": Verdict(0.0, 0.1),
    "lost": Verdict(0.0, 0.9),
}
"""Measured on 8,710 renames and deletions of 12 repositories with their history. Where the name
was kept, a recorded rename was right in all of 2,287 cases. Where it was changed: in 1,532 of 1,564
with nine tenths of the content alike, and the 32 others are renames that git records commit by
commit, where the cases were made merge by merge; in 244 of 254 with seven tenths; below, in 1 of 9,
and in 62 other repositories in 16 of 60 (`benchmarks/unseen.py --history`). A copy or a path that
was created anew was right far less often. A file that came after its folder had moved is no case in
histories that kept the path: the 5 there were are too few to be edited for."""


NEVER = {
    "one-edit": 2.0,
    "look-alike": 1.5,
    "specific-name": 8.0,
    "ordinary-name": 4.0,
    "plain-name": 4.0,
    "same-format": 4.0,
}
"""What a candidate's odds are multiplied by when the path asked for never existed, and nothing that
left is like it: by the slip that leads to it, or by its name, which is the one that was written.

The weights come mostly from files that were moved or deleted, and those history knows. Each is at
or below the lower end of what `benchmarks/fit.py` prints for it, of cases told as if their past had
been asked, but for two: of `look-alike` 2 of 2,293 were wrong where 5.8 were foretold, too few to
be sure; of `same-format` there are no such cases, and it is taken for a name.

Not where the candidate lies in another folder in place of one that is there (`left-there`), or of
one with other numbers (`renumbered`), nor for a tool's settings that are looked for in the root
(`settings-at-root`), where they may be left out. By names alone that is likely because folders are
renamed and files move, and what never was did not move. A path made after the pattern of the next
folder names a file that nobody wrote. Hardly any case that `benchmarks/fit.py` counts is such."""

ONLY_TAIL = 8.0
"""The same for the only path that ends in all of what was written, folders and name."""

LIKELY = 0.8
"""Only what names alone say as much of is raised: for these the factors were measured."""

LIKE_GONE = 2.0
"""How much less (in log-odds) a path that left may explain what was written, and nothing else is
acted on: near certainty (0.9) the best candidate was right in 14 of 64 such cases, and in all but 2
of 20,159 without, says `benchmarks/fit.py`."""

DECORATED = 0.9995
"""The confidence of a path that is there once quotes, line numbers and the like are undone."""


def unseen(chance: float, evidence: Iterable[str]) -> float:
    """Return a candidate's confidence (0 to 1) for a path that never existed, nor one like it.

    What is one slip of the hand from it, and likely, is as sure as names can be: of 477 such all
    were right, so that at most 0.63 % are wrong.
    """
    known = set(evidence)
    factor = never_factor(known)
    if chance < LIKELY or factor == 1:
        return chance
    raised = min(chance * factor / (chance * factor + 1 - chance), SURE)
    if "one-edit" in known:
        raised = SURE
    return max(chance, min(raised, ceiling(known)))


def never_factor(evidence: Collection[str]) -> float:
    """Return what the odds of a candidate with this evidence are multiplied by: see `NEVER`."""
    known = set(evidence)
    if not known.isdisjoint(("left-there", "renumbered", "settings-at-root")):
        return 1.0
    slip = known & {"one-edit", "same-format", "look-alike"}
    said = slip or (known & NEVER.keys() if "same-name" in known else set())
    factor = max((NEVER[each] for each in said), default=1.0)
    if {"same-name", "missing-leading", "only-one"} <= known and "shared-0" not in known:
        factor = max(factor, ONLY_TAIL)
    return factor


def from_history(fate: PathHistory) -> Verdict:
    """Return how much history's word about a missing path weighs against names alone."""
    if fate.kind in ("deleted", "elsewhere"):
        return _FATES[fate.kind]
    if fate.kind == "renamed":
        known = [_FATES[each] for each in fate.evidence if each in _FATES]
        return min(known, key=lambda verdict: verdict.named, default=_FATES["copied"])
    # It was there and left, and time ended before it was found: what looks like it is in doubt.
    return _FATES["lost"] if fate.commit else Verdict(0.0, 1.0)
