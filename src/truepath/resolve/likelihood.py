"""The probability that each candidate is meant: a multinomial logit over named
features.

All candidates and "nothing here" compete, so that a rival lowers the probability of the
best one. The probability alone decides nothing. The table `likelihood.json` has the
features with their meanings and weights; `benchmarks/fit.py` fits the weights.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import exp
from posixpath import basename

from truepath.fields import loads
from truepath.paths import fold, letters
from truepath.records import dataclass
from truepath.resolve.places import Place
from truepath.resolve.spellings import (
    common,
    in_other_number,
    is_misspelt,
    is_other_spelling,
    plain,
)
from truepath.types import Any, Kind

INDEX_STEMS = frozenset({"__init__", "index", "mod"})
"""Stems of the file that represents its folder: Python, JavaScript, Rust."""

_TESTS = frozenset({"test", "tests", "testing", "unittest"})
"""Words in the path of a test, which is not an answer for the file that it tests."""


NAMED_FROM = 0.05
"""The likelihood (0 to 1) from which a candidate is named. If none has it, files of the
same name are named, at most 1 / `NAMED_FROM`."""

_FEW = 4
"""Paths of one name, at most, that are few: the feature `few-of-name` is fitted to
it."""

_LONG = 14
"""Characters of a specific name of two words: the feature is fitted to it."""

_ALIKE = frozenset({"letters-wrong", "name-in-other-form"})


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate and the place that explains it best."""

    path: str
    folder: bool
    place: Place
    features: Mapping[str, int]

    @property
    def kind(self) -> Kind:
        """Whether it is a file or a folder."""
        return "folder" if self.folder else "file"


def rank(
    matches: Sequence[Match], nothing: Mapping[str, int]
) -> list[tuple[Match, float]]:
    """Return the matches with their probabilities, most likely first.

    The remainder is the probability of "nothing here", whose features are `nothing`.
    """
    scores = [score(match.features) for match in matches]
    # Less the largest, so that `exp` does not overflow.
    top = max([score(nothing), *scores])
    masses = [exp(one_score - top) for one_score in scores]
    total = sum(masses) + exp(score(nothing) - top)
    chances = [mass / total for mass in masses]
    return sorted(zip(matches, chances), key=_order)  # noqa: B905


def _order(ranked: tuple[Match, float]) -> tuple[float, bool, bool, str]:
    """Return what ranked matches are sorted by."""
    match, chance = ranked
    # The end of a rename is named before what was made again on its way, and a name
    # with one letter wrong before one with two.
    is_on_the_way = match.place.kind == "in-between"
    names = (fold(basename(path)) for path in (match.place.path, match.path))
    two_slips = "letters-wrong" in match.features and not is_one_slip(*names)
    return (-chance, is_on_the_way, two_slips, match.path)


def is_alike(match: Match) -> bool:
    """Return whether a name only looks like the written one."""
    return not _ALIKE.isdisjoint(match.features)


def nothing_here(target: str) -> dict[str, int]:
    """Return the features of "nothing here" for a path that points to `target`."""
    for name in target.split("/"):
        if name.startswith(".") and name.strip("."):  # not `..`
            return {"always": 1, "hidden-place": 1}
    return {"always": 1}


def score(features: Mapping[str, int]) -> float:
    """Return the sum of the weights, in log-odds."""
    return sum(parts(features).values())


def parts(features: Mapping[str, int]) -> dict[str, float]:
    """Return the part of the score of each feature."""
    weight_of = weights()
    weighed = features.keys() & weight_of.keys()  # a relation alone has no weight
    return {name: weight_of[name] * features[name] for name in weighed}


TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "likelihood.json")


@cache
def table() -> dict[str, Any]:
    """Return the table: `for`, `against` and `nothing` have each feature's weight and
    meaning; `generic` are stems that are in many folders, so that only the folder
    distinguishes them; `families` are extensions that are commonly confused or replace
    one another.
    """
    with open(TABLE, encoding="utf-8") as file:
        data: dict[str, Any] = loads(file.read())
    data["generic"] = frozenset(" ".join(data["generic"]).split())
    data["families"] = [frozenset(family.split()) for family in data["families"]]
    return data


@cache
def weights() -> dict[str, float]:
    """Return feature -> weight. Fitting replaces them."""
    weight_of: dict[str, float] = {}
    for part in ("for", "against", "nothing"):
        for name, (weight, _) in table()[part].items():
            weight_of[name] = weight
    return weight_of


def best_match(
    path: str,
    places: Sequence[Place],
    is_folder: Callable[[str], bool],
    *,
    kind: Kind,
    count: int,
) -> Match | None:
    """Return a candidate with the place that explains it best; None if none does.

    `kind` is what was asked for; `count` is how many paths of the project have the
    candidate's name.
    """
    best: Match | None = None
    best_score = 0.0
    folder = is_folder(path)
    has_wrong_kind = kind != "any" and (kind == "folder") != folder
    for place in places:
        features = compare(place.path, path, folder=folder, count=count)
        if features is None:
            continue
        # A folder that exists was hardly written by mistake.
        if "folders-lost" in features and is_folder(folder_left(place.path, path)):
            features["written-folder-there"] = 1
        if has_wrong_kind:
            features["wrong-kind"] = 1
        place_score = score(features)
        # The first of equal places, which is the most literal one.
        if best is None or place_score > best_score:
            best = Match(path, folder, place, features)
            best_score = place_score
    return best


def folder_left(wanted: str, path: str) -> str:
    """Return the first written folder that a candidate is not in."""
    names = wanted.split("/")
    return "/".join(names[: common(names, path.split("/")) + 1])


def compare(
    wanted: str, path: str, *, folder: bool, count: int
) -> dict[str, int] | None:
    """Return the features of a candidate for a place; None if their names are
    unrelated.
    """
    if wanted == path:
        return {"the-path": 1}
    if letters(wanted) == letters(path):
        return {"path-in-other-case": 1}
    left = wanted.split("/")
    right = path.split("/")
    relation = name_relation(left[-1], right[-1])
    if not relation and not folder:
        relation = _package(left, right)
    if not relation:
        return None
    features = folder_features(left[:-1], right[:-1])
    features[relation] = 1
    # The folder distinguishes a generic name, or it is the package of the folder.
    has_same_parent = left[-2:-1] == right[-2:-1]
    is_there = relation == "package" or "folder-misspelt" in features
    in_place = has_same_parent or is_there
    for feature in _character(right[-1], count, in_place=in_place):
        features[feature] = 1
    if relation not in ("same-name", "part-of-name") and left[:-1] == right[:-1]:
        features["form-in-place"] = 1
    if is_test(wanted) != is_test(path):
        features["test-or-not"] = 1
    return features


def is_test(path: str) -> bool:
    """Return whether a path is a test, by its words."""
    return ".spec." in path or not _TESTS.isdisjoint(words(path))


def _package(left: list[str], right: list[str]) -> str:
    """Return `package` if one path is the index file of the other, and remove it from
    its parts.
    """
    for inner, outer in ((left, right), (right, left)):
        if len(inner) < 2 or split_extension(inner[-1])[0] not in INDEX_STEMS:
            continue
        # `dialog/mod.rs` and `dialog.rs` are one module, written in two ways.
        if fold(inner[-2]) == fold(split_extension(outer[-1])[0]):
            inner.pop()
            return "package"
    return ""


def _character(name: str, count: int, *, in_place: bool) -> Iterator[str]:
    """Yield features of a candidate's name: how rare and how specific it is."""
    stem = split_extension(name)[0]
    if count <= 1:
        yield "only-one-of-name"
    elif count <= _FEW:
        yield "few-of-name"
    if is_generic(name):
        if not in_place:
            yield "generic-name-elsewhere"
        return
    # Three words are specific, and so are two long ones.
    count_of_words = len(words(stem))
    if count_of_words > 2 or (count_of_words == 2 and len(stem) >= _LONG):
        yield "specific-name"


def is_index(name: str) -> bool:
    """Return whether a file is what its folder stands for: then the folder's name
    counts.
    """
    return split_extension(name)[0] in INDEX_STEMS


def name_relation(wanted: str, got: str) -> str:
    """Return the feature for how a name differs from another; "" if they are not
    related.
    """
    if wanted == got:
        return "same-name"
    stem, ending = split_extension(fold(wanted))
    other_stem, other_ending = split_extension(fold(got))
    if ending != other_ending:
        was_left_out = not ending and got.startswith(wanted)
        pair = {ending, other_ending}
        is_related = was_left_out or any(pair <= each for each in table()["families"])
        return "related-extension" if stem == other_stem and is_related else ""
    if plain(stem) == plain(other_stem):
        return "name-in-other-form"
    if is_misspelt(stem, other_stem) or in_other_number(stem, other_stem):
        return "letters-wrong"
    few, many = sorted((set(words(wanted)), set(words(got))), key=len)
    return "part-of-name" if few and few <= many else ""


def folder_features(wanted: Sequence[str], got: Sequence[str]) -> dict[str, int]:
    """Return the features for how one sequence of folders differs from another."""
    left = [letters(part) for part in wanted]
    right = [letters(part) for part in got]
    head = common(left, right)
    tail = common(left[head:][::-1], right[head:][::-1])
    lost = left[head : len(left) - tail]
    gained = right[head : len(right) - tail]
    # One in place of another: it may be the same one, written in another way.
    if len(lost) == len(gained) == 1:
        if is_other_spelling(lost[0], gained[0]):
            return {"folders-lost": 1, "folders-gained": 1, "folder-misspelt": 1}
        if plain(lost[0]) == plain(gained[0]):
            return {}  # they differ by signs alone
    features: dict[str, int] = {}
    if lost:
        features["folders-lost"] = min(len(lost), 3)
    if gained:
        features["folders-gained"] = min(len(gained), 4)
    shape = _SHAPES.get((bool(lost), bool(head), bool(tail)))
    if gained and shape:
        features[shape] = 1
    return features


_SHAPES = {
    (True, False, True): "same-parent",
    (True, True, True): "same-parent",
    (False, True, False): "folder-more",
    (False, True, True): "folder-more",
    (False, False, True): "below-other-folders",
}
"""Whether folders are lost, and some are the same before and after those that are
gained -> the feature for where they differ."""


def weak_likeness(wanted: str, got: str) -> str:
    """Return how a name is like another in its folder, too weakly to be ranked; "" if
    it is not.
    """
    stem, ending = split_extension(fold(wanted))
    other_stem, other_ending = split_extension(fold(got))
    if stem == other_stem and len(stem) > 2:  # `go.mod` says nothing of `go.sum`
        return "another extension"
    is_long = min(len(stem), len(other_stem)) > 1
    if ending == other_ending and is_long and is_one_slip(stem, other_stem):
        return "one letter or sign different"
    number = re.match(_NUMBER, stem)
    other_number = re.match(_NUMBER, other_stem)
    if number and other_number and number[0] == other_number[0]:
        return "the same number in front"
    stem_words = words(stem)
    other_words = words(other_stem)
    common = {*stem_words} & {*other_words}
    fewest, most = sorted((len(stem_words), len(other_words)))
    # One word in common says nothing of a name of one word: `go.sum`, `go.mod`.
    if common and fewest > 1 and 2 * len(common) >= most:
        return "words in common"
    return ""


_NUMBER = r"[a-z]*[-_]?\d+(?=[-_. ])"
"""The number of a decision, a migration or a chapter: `adr-0012-queues.md`."""


def is_one_slip(wanted: str, got: str) -> bool:
    """Return whether two texts differ in one letter, left out, added, replaced or
    swapped with the next.
    """
    head = common(wanted, got)
    tail = common(wanted[head:][::-1], got[head:][::-1])
    left = wanted[head : len(wanted) - tail]
    right = got[head : len(got) - tail]
    if len(left) == 2 and left[::-1] == right:
        return True
    return max(len(left), len(right)) == 1


def is_generic(name: str) -> bool:
    """Return whether many folders have an entry of this name: `README.md`, `src`."""
    return fold(name).lstrip(".").partition(".")[0] in table()["generic"]


def words(name: str) -> list[str]:
    """Return the folded words of a name: `checkPoint_2` has three."""
    return [fold(word) for word in re.findall(_WORD, name)]


_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+"


def split_extension(name: str) -> tuple[str, str]:
    """Return a name's stem and extension: (`a.test`, `ts`) for `a.test.ts`, (`.env`,
    "").
    """
    stem, _, ending = name.rpartition(".")
    return (stem, ending) if stem else (name, "")
