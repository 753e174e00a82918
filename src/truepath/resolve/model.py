"""How likely each candidate is what was meant: a sum of named weights, and a contest.

Every candidate has features; each speaks for it or against it, whatever else is known, and has one
weight. The sums of all candidates and of the answer "nothing here" compete (a multinomial logit),
so that a rival takes from the best. What comes out is a probability and moves nothing by itself:
`permission` says what may be done. The weights are in `confidence.json`, fitted by
`benchmarks/fit.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import exp
from typing import TYPE_CHECKING

from truepath.records import dataclass
from truepath.resolve.candidates import Found

if TYPE_CHECKING:
    from truepath.project.history.outcome import PathHistory

SUPPORTS: Mapping[str, str] = {
    # the whole path
    "the-path": "exact",
    "path-in-other-case": "look-alike",
    # its name
    "same-name": "same-name",
    "name-in-other-form": "name-case same-format separators",
    "related-extension": "sibling-extension",
    "other-number": "plural",
    "letters-wrong": "one-edit two-edits",
    "same-words": "same-words",
    "part-of-name": "word-added word-dropped test-affix close-extension",
    "package": "package-file module-file",
    "package-in-place": "",
    "form-in-place": "",
    # its folders
    "same-folder": "same-folder folder-case",
    "below-other-folders": "missing-leading",
    "folder-more": "missing-middle missing-last",
    "folder-less": "extra-middle extra-last",
    "folder-misspelt": "folder-slip",
    "folder-in-other-words": "folder-words folder-synonym",
    "same-parent": "same-parent",
    "folders-shared": "shared-1 shared-2 shared-3 shared-4",
    # how rare its name is
    "only-one-of-name": "only-one",
    "few-of-name": "few-of-name",
    "specific-name": "specific-name",
}
"""What speaks for a candidate, with the evidence that shows it. A name or a folder that differs in
a way that is not here has nothing said for it."""

DOUBTS: Mapping[str, str] = {
    "folders-lost": "lost-1 lost-2 lost-3",
    "folders-gained": "gained-1 gained-2 gained-3 gained-4",
    "written-folder-exists": "left-there folder-stands",
    "package-exists": "package-stands",
    "test-or-not": "crosses-tests",
    "other-edition": "into-edition out-of-edition",
    "other-number-in-name": "renumbered-name",
    "another-word": "another-word opposite",
    "second-guess": "",
    "bare-name": "bare-name",
    "from-root": "from-root",
    "other-beginning": (
        "root-name root-slip root-name-elsewhere home-slip other-home container-root "
        "rooted-at-project lost-slash guessed-spelling"
    ),
    "other-checkout": "from-checkout",
    "generic-name-elsewhere": "",
    "wrong-kind": "",
}
"""What speaks against a candidate."""

NOTHING = (
    *("always", "bare", "points-outside", "generated-place", "hidden-place"),
    *("asked-generic", "asked-any"),
)
"""What speaks for "nothing here": circumstances of the question (see `candidates.context`)."""

_FEATURES = {
    evidence: feature
    for feature, names in (*SUPPORTS.items(), *DOUBTS.items())
    for evidence in names.split()
}

_SAME_PLACE = frozenset(
    "exact look-alike same-folder folder-case folder-slip folder-synonym missing-leading "
    "missing-middle missing-last package-file module-file".split()
)
"""Evidence of a place in which a name that many folders have may be meant."""


@dataclass(frozen=True)
class Model:
    """The fitted numbers, in log-odds."""

    weights: Mapping[str, float]
    """Of each feature: at least 0 for one of `SUPPORTS`, at most 0 for one of `DOUBTS`."""
    nothing: Mapping[str, float]
    """Of each circumstance that speaks for "nothing here"."""
    session: Mapping[str, float]
    """What a candidate's weight is multiplied by, against its rivals', for what a session does."""
    plausible: float
    """Below this a candidate is not worth naming as what was meant."""
    provenance: Mapping[str, object]
    measured: Mapping[str, Mapping[str, Sequence[int]]]
    """For each grounds (`permission`) and operation, how many wrong paths it would have corrected,
    by weights that had not seen the repository: of agents' misses right and wrong, of git's renames
    and deletions right and wrong."""


@cache
def fitted() -> Model:
    """Return the model that ships with the package."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "confidence.json"), encoding="utf-8") as file:
        data = json.load(file)
    return Model(
        weights={**data["for"], **data["against"]},
        nothing=data["nothing"],
        session=data["session"],
        plausible=data["plausible"],
        provenance=data["provenance"],
        measured=data.get("measured", {}),
    )


def features(found: Found, context: Collection[str]) -> dict[str, int]:
    """Return the features of a candidate, each with how many times its weight counts.

    It is the number of folders for `folders-shared`, `folders-lost` and `folders-gained`, else 1.
    """
    counted: dict[str, int] = {}
    for evidence in found.evidence:
        feature = _FEATURES.get(evidence)
        if feature:
            times = int(evidence[-1]) if feature.startswith("folders-") else 1
            counted[feature] = max(counted.get(feature, 0), times)
    counted |= dict.fromkeys(_combined(set(found.evidence)), 1)
    if ("asked-file" if found.folder else "asked-folder") in context:
        counted["wrong-kind"] = 1
    return counted


def _combined(known: set[str]) -> Iterator[str]:
    """Yield the features that two pieces of evidence make together."""
    if not known.isdisjoint(("same-folder", "folder-case")):
        if "package-file" in known:
            yield "package-in-place"
        if not known.isdisjoint(("name-case", "same-format", "separators")):
            yield "form-in-place"
    if "generic-name" in known and known.isdisjoint(_SAME_PLACE):
        yield "generic-name-elsewhere"
    if "doubled" in known and known.isdisjoint(("exact", "look-alike")):
        yield "second-guess"


def score(found: Found, context: Collection[str], model: Model) -> float:
    """Return the sum of a candidate's weights, in log-odds."""
    parts = features(found, context).items()
    return sum(times * model.weights.get(feature, 0.0) for feature, times in parts)


def weigh(found: Sequence[Found], context: Sequence[str], model: Model) -> list[float]:
    """Return, for each candidate, the probability (0 to 1) that it is what was meant.

    They add up to less than 1; the rest is the probability that nothing here was meant.
    """
    scores = [score(one, context, model) for one in found]
    nothing = sum(model.nothing.get(name, 0.0) for name in ("always", *context))
    top = max([nothing, *scores])
    masses = [exp(each - top) for each in scores]
    total = sum(masses) + exp(nothing - top)
    return [mass / total for mass in masses]


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


SURE = 0.994
"""What names alone can say of a path that never existed, at most: see `unseen`."""

CEILING = 0.9
"""What a session's work or a departed look-alike leaves to a candidate, at most: it is named and
not acted on."""

TWICE = 0.5
"""The confidence of one of two that have the written name equally well."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What history's word is worth."""

    named: float
    """The confidence (0 to 1) of the path that history names."""
    others: float
    """What every other candidate's confidence is multiplied by."""


RENAMED = 0.9975
"""The confidence of a recorded rename that kept the name, the surest that history can name: it may
be moved, not deleted. `benchmarks/unseen.py --history` counts how many are right."""

GONE_TOO = Verdict(0.8, 0.1)
"""The same where the path itself never was, and what left explains it at least as well as what is
there: what that became is named, no more, for it is a guess; lower where names alone say less of
what left."""

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
"""What history's word is worth, by what became of the path; `benchmarks/unseen.py --history` counts
how often each is right. A recorded rename that kept the name is the surest. One that changed it is
as good as the contents are alike: nine tenths (`new-name`), seven (`changed`), less (`rewritten`).
A copy, or a path that was created anew, is right far less often. A file that came after its folder
had moved is too rare in the cases to be edited for."""


NEVER = {
    "one-edit": 2.0,
    "look-alike": 4.0,
    "specific-name": 8.0,
    "ordinary-name": 8.0,
    "plain-name": 6.0,
    "same-format": 4.0,
}
"""What a candidate's odds are multiplied by when the path asked for never existed, and nothing that
left is like it: by the slip that leads to it, or by its name, which is the one that was written.

The weights come mostly from files that were moved or deleted, and those history knows; a path that
it does not know is likelier a slip. `benchmarks/unseen.py --history` counts what that gets right.

Not where the candidate lies in another folder in place of one that is there (`left-there`), or of
one with other numbers (`renumbered`), nor for a tool's settings that are looked for in the root
(`settings-at-root`), where they may be left out. By names alone that is likely because folders are
renamed and files move, and what never was did not move. A path made after the pattern of the next
folder names a file that nobody wrote."""

ONLY_TAIL = 8.0
"""The same for the only path that ends in all of what was written, folders and name."""

LIKELY = 0.6
"""Only what names alone say as much of is raised: for these the factors were measured."""

LIKE_GONE = 2.0
"""How much less (in log-odds) a path that left may explain what was written, and nothing else is
acted on: the best candidate is seldom right then."""

DECORATED = 0.9995
"""The confidence of a path that is there once quotes, line numbers and the like are undone."""


def unseen(chance: float, evidence: Iterable[str]) -> float:
    """Return a candidate's confidence (0 to 1) for a path that never existed, nor one like it.

    What is one slip of the hand from it, and likely, is as sure as names can be.
    """
    known = set(evidence)
    factor = never_factor(known)
    if chance < LIKELY or factor == 1:
        return chance
    raised = min(chance * factor / (chance * factor + 1 - chance), SURE)
    return max(chance, SURE if "one-edit" in known else raised)


def never_factor(evidence: Collection[str]) -> float:
    """Return what the odds of a candidate with this evidence are multiplied by: see `NEVER`."""
    known = set(evidence)
    if not known.isdisjoint(_STANDS_BESIDE):
        return 1.0
    slip = known & {"one-edit", "same-format", "look-alike"}
    said = slip or (known & NEVER.keys() if "same-name" in known else set())
    factor = max((NEVER[each] for each in said), default=1.0)
    if {"same-name", "missing-leading", "only-one"} <= known and "shared-0" not in known:
        factor = max(factor, ONLY_TAIL)
    return factor


_STANDS_BESIDE = frozenset(
    "left-there renumbered settings-at-root another-word opposite into-edition "
    "out-of-edition".split()
)
"""Evidence of what exists beside the path that was asked for, whether that ever existed or not."""


def from_history(fate: PathHistory) -> Verdict:
    """Return how much history's word about a missing path weighs against names alone."""
    if fate.kind in ("deleted", "elsewhere"):
        return _FATES[fate.kind]
    if fate.kind == "renamed":
        known = [_FATES[each] for each in fate.evidence if each in _FATES]
        return min(known, key=lambda verdict: verdict.named, default=_FATES["copied"])
    # It was there and left, and time ended before it was found: what looks like it is in doubt.
    return _FATES["lost"] if fate.commit else Verdict(0.0, 1.0)
