"""How much the evidence weighs: from candidates to the probability that each is what was meant.

Every candidate and the answer "nothing here" get a score, the sum of the weights of their
evidence; the scores compete (a multinomial logit), so a rival takes from the best and a weak
best loses to nothing. Pure Python; the numbers live in `confidence.json` with their provenance.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import TYPE_CHECKING

from truepath.call import Operation
from truepath.candidates import Found

if TYPE_CHECKING:
    from truepath.history.fate import Fate

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


@dataclass(frozen=True)
class Model:
    """The fitted numbers."""

    weights: Mapping[str, float]
    """Evidence of a candidate, or two kinds of it joined by `&`, to its weight."""
    nothing: Mapping[str, float]
    """Circumstances that speak for "nothing here", to their weight."""
    calibration: Mapping[str, tuple[float, float]]
    """A kind of correction to the offset and slope that make its log-odds true."""
    thresholds: Mapping[Operation, float]
    """The lowest probability at which a path is corrected, by operation."""
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
        calibration={kind: (line[0], line[1]) for kind, line in data["calibration"].items()},
        thresholds=data["thresholds"],
        plausible=data["plausible"],
        provenance=data["provenance"],
    )


def features(evidence: Iterable[str], context: Iterable[str]) -> list[str]:
    """Return the weighed features of one candidate: its evidence, and the pairs that interact.

    A name alone says little without the folder it was found under, and both say less when the
    name is common; those are the pairs.
    """
    alone = list(dict.fromkeys(evidence))
    shape = [each for each in alone if each in _SHAPES]
    name = [each for each in alone if each in _NAMES]
    rarity = [each for each in alone if each in _CHARACTER]
    shared = [each for each in alone if each.startswith(("shared-", "same-parent", "same-top"))]
    around = [each for each in context if each in _CONTEXT_PAIRS]
    pairs = [f"{a}&{b}" for a in name for b in shape]
    pairs += [f"{a}&{b}" for a in shape for b in (*rarity, *shared, *around)]
    pairs += [f"{a}&{b}" for a in name for b in (*rarity, *around)]
    return alone + pairs


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
    chances = [
        min(calibrated(chance, kind_of(each.evidence), model), ceiling(each.evidence))
        for each, chance in zip(found, shares(found, context, model), strict=True)
    ]
    chances = _sole_look_alike(found, chances)
    return bounded(chances)


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


LOOK_ALIKE = 0.995
"""The confidence of the one path that differs from what was written by case or Unicode form
alone: of 824 such, 8 were wrong, and those are files kept under another case."""


def _sole_look_alike(found: Sequence[Found], chances: list[float]) -> list[float]:
    """Raise the one candidate that looks the same as the written path, where there is one."""
    alike = [at for at, each in enumerate(found) if each.evidence == ("look-alike",)]
    if len(alike) == 1:
        chances[alike[0]] = max(chances[alike[0]], LOOK_ALIKE)
    return chances


CEILING = 0.9
"""Below every threshold: worth naming, never acted on."""


def ceiling(evidence: Iterable[str]) -> float:
    """Return the highest confidence that such evidence can give.

    A generic name in another folder, and a file in another edition (a version, a translation, an
    archive), exist beside what was asked for, not in place of it. The fit sees too few of them
    going wrong to learn it; each is a reported mistake of tools that took the only match.
    """
    known = set(evidence)
    generic = "generic-name" in known and not known.isdisjoint(("folder-replaced", "moved"))
    return CEILING if generic or "into-edition" in known else 1.0


def shares(found: Sequence[Found], context: Sequence[str], model: Model) -> list[float]:
    """Return each candidate's share of the competition, before calibration."""
    each, nothing = scores(found, context, model)
    top = max([nothing, *each])
    masses = [exp(score - top) for score in each]
    total = sum(masses) + exp(nothing - top)
    return [mass / total for mass in masses]


def kind_of(evidence: Iterable[str]) -> str:
    """Return the kind of correction that evidence makes: how the name and the folders differ."""
    known = list(evidence)
    name = next((each for each in known if each in _NAMES), "")
    shape = next((each for each in known if each in _SHAPES), "")
    return f"{name}&{shape}" if name else shape


def calibrated(chance: float, kind: str, model: Model) -> float:
    """Return the probability that a share of the competition stands for.

    How far the sum of weights can be trusted differs by the kind of correction, most of all near
    certainty; two numbers a kind, fitted on repositories the weights had not seen, put it right.
    """
    offset, slope = model.calibration.get(kind) or model.calibration["other"]
    odds = log(max(chance, 1e-9) / max(1 - chance, 1e-9))
    return 1 / (1 + exp(-(offset + slope * odds)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What history's word is worth."""

    named: float
    """The confidence (0 to 1) of the path that history names."""
    others: float
    """What every other candidate's confidence is multiplied by."""


_FATES: Mapping[str, Verdict] = {
    "renamed": Verdict(0.9965, 0.0035),
    "renamed-uncommitted": Verdict(0.9965, 0.0035),
    "moved-uncommitted": Verdict(0.99, 0.01),
    "folder-renamed": Verdict(0.985, 0.015),
    "copied": Verdict(0.8, 0.1),
    "recreated": Verdict(0.8, 0.1),
    "partly": Verdict(0.8, 0.1),
    "deleted": Verdict(0.0, 0.02),
    "elsewhere": Verdict(0.0, 0.1),
}
"""Measured on 8,710 renames and deletions of 12 repositories with their history: a recorded
rename was right in 4,064 of 4,075 cases, a copy or a path that was created anew far less often."""


NEVER = {
    "one-edit": 20.0,
    "two-edits": 20.0,
    "same-format": 50.0,
    "specific-name": 10.0,
    "ordinary-name": 4.0,
    "plain-name": 2.0,
}
"""What a candidate's odds are multiplied by when the path asked for never existed.

The weights come mostly from files that were moved or deleted, and those history knows: all 12
wrong typos near certainty were deleted files with a neighbour one letter away. Of 31 transcript
cases near certainty whose name was found elsewhere, the wrong ones were plain or generic names."""

DECORATED = 0.9995
"""The confidence of a path that is there once quotes, line numbers and the like are undone."""


def unseen(chance: float, evidence: Iterable[str]) -> float:
    """Return a candidate's confidence (0 to 1) for a path that history says never existed."""
    known = set(evidence)
    slip = known & {"one-edit", "two-edits", "same-format"}
    said = slip or (known & NEVER.keys() if "same-name" in known else set())
    factor = max((NEVER[each] for each in said), default=1.0)
    raised = chance * factor / (chance * factor + 1 - chance)
    return min(raised, ceiling(known))


def from_history(fate: Fate) -> Verdict:
    """Return how much history's word about a missing path weighs against names alone."""
    if fate.kind in ("deleted", "elsewhere"):
        return _FATES[fate.kind]
    if fate.kind == "renamed":
        known = [_FATES[each] for each in fate.evidence if each in _FATES]
        return min(known, key=lambda verdict: verdict.named, default=_FATES["copied"])
    return Verdict(0.0, 1.0)
