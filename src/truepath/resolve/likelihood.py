"""The probability that each candidate is meant: a multinomial logit over named
features.

All candidates and "nothing here" compete, so that a rival lowers the probability of the
best one. The probability alone decides nothing. The table `likelihood.json` has the
features with their meanings and weights; `benchmarks/fit.py` fits the weights.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import exp

from truepath.paths import fold, letters
from truepath.records import dataclass
from truepath.resolve.places import Place
from truepath.types import Any, Kind

INDEX_STEMS = frozenset({"__init__", "index", "mod"})
"""Stems of the file that represents its folder: Python, JavaScript, Rust."""

_TESTS = frozenset({"test", "tests", "testing", "unittest"})
"""Words in the path of a test, which is not an answer for the file that it tests."""


NAMED_FROM = 0.05
"""The likelihood (0 to 1) from which a candidate is named. If none has it, files of the
same name are named, at most 1 / `NAMED_FROM`."""

_ALIKE = frozenset({"letters-wrong", "name-in-other-form"})


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate and the place that explains it best."""

    path: str
    folder: bool
    place: Place
    features: Mapping[str, int]


def rank(
    matches: Sequence[Match], nothing: Mapping[str, int]
) -> list[tuple[Match, float]]:
    """Return the matches with their probabilities, most likely first; a name that looks
    alike is behind the files that have the name itself and are likely enough to be
    named.

    The remainder is the probability of "nothing here", whose features are `nothing`.
    """
    scores = [score(match.features) for match in matches]
    top = max([score(nothing), *scores])
    masses = [exp(each - top) for each in scores]
    total = sum(masses) + exp(score(nothing) - top)
    chances = [mass / total for mass in masses]
    ranked = sorted(zip(matches, chances), key=_order)  # noqa: B905
    namesakes = [pair for pair in ranked if _is_namesake(*pair)]
    if not namesakes:
        return ranked
    alike = [pair for pair in ranked if is_alike(pair[0])]
    last = max(ranked.index(pair) for pair in namesakes)
    before = [pair for pair in ranked[: last + 1] if pair not in alike]
    between = [pair for pair in ranked[: last + 1] if pair in alike]
    return [*before, *between, *ranked[last + 1 :]]


def _order(ranked: tuple[Match, float]) -> tuple[float, bool, str]:
    match, chance = ranked
    # The end of a rename is named before what was made again on its way.
    return (-chance, match.place.kind == "in-between", match.path)


def is_alike(match: Match) -> bool:
    """Return whether a name only looks like the written one."""
    return not _ALIKE.isdisjoint(match.features)


def _is_namesake(match: Match, chance: float) -> bool:
    """Return whether a file has the written name itself, and may be named."""
    is_file = "same-name" in match.features and not match.folder
    return is_file and chance >= NAMED_FROM


def nothing_here(target: str) -> dict[str, int]:
    """Return the features of "nothing here" for a path that points to `target`."""
    hidden = any(part.startswith(".") and part.strip(".") for part in target.split("/"))
    return {"always": 1, "hidden-place": 1} if hidden else {"always": 1}


def score(features: Mapping[str, int]) -> float:
    """Return the sum of the weights, in log-odds."""
    return sum(parts(features).values())


def parts(features: Mapping[str, int]) -> dict[str, float]:
    """Return the part of the score of each feature."""
    given = weights()
    return {name: given.get(name, 0.0) * times for name, times in features.items()}


TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "likelihood.json")


@cache
def table() -> dict[str, Any]:
    """Return the table: `for`, `against` and `nothing` have each feature's weight and
    meaning; `generic` are stems that are in many folders, so that only the folder
    distinguishes them; `families` are extensions that are commonly confused or replace
    one another.
    """
    with open(TABLE, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    found["generic"] = frozenset(" ".join(found["generic"]).split())
    found["families"] = [frozenset(family.split()) for family in found["families"]]
    return found


@cache
def weights() -> dict[str, float]:
    """Return feature -> weight. Fitting replaces them."""
    parts = (table()[part] for part in ("for", "against", "nothing"))
    return {name: row[0] for part in parts for name, row in part.items()}


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
    best, most, folder = None, 0.0, is_folder(path)
    for place in places:
        known = compare(place.path, path, folder=folder, count=count)
        if known is None:
            continue
        if "folders-lost" in known and is_folder(parting(place.path, path)):
            known["written-folder-there"] = 1
        if kind != "any" and (kind == "folder") != folder:
            known["wrong-kind"] = 1
        sum_ = score(known)
        if best is None or sum_ > most:
            best, most = Match(path, folder, place, known), sum_
    return best


def parting(wanted: str, path: str) -> str:
    """Return the first written folder that a candidate is not in."""
    left, right = wanted.split("/"), path.split("/")
    return "/".join(left[: _common(left, right) + 1])


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
    left, right = wanted.split("/"), path.split("/")
    named = name_relation(left[-1], right[-1]) or (
        "" if folder else _package(left, right)
    )
    if not named:
        return None
    known = folder_features(left[:-1], right[:-1])
    known[named] = 1
    # The folder distinguishes a generic name, or it is the package of the folder.
    in_place = (
        left[-2:-1] == right[-2:-1] or named == "package" or "folder-misspelt" in known
    )
    known.update(dict.fromkeys(_character(right[-1], count, in_place=in_place), 1))
    if named not in ("same-name", "part-of-name") and left[:-1] == right[:-1]:
        known["form-in-place"] = 1
    if is_test(wanted) != is_test(path):
        known["test-or-not"] = 1
    return known


def is_test(path: str) -> bool:
    """Return whether a path is a test, by its words."""
    return ".spec." in path or not _TESTS.isdisjoint(words(path))


def _package(left: list[str], right: list[str]) -> str:
    """Return `package` if one path is the index file of the other, and remove it from
    its parts.
    """
    for inner, outer in ((left, right), (right, left)):
        index = split_extension(inner[-1])[0] in INDEX_STEMS and len(inner) > 1
        if index and fold(inner[-2]) == fold(split_extension(outer[-1])[0]):
            inner.pop()
            return "package"
    return ""


def _character(name: str, count: int, *, in_place: bool) -> Iterator[str]:
    """Yield features of a candidate's name: how rare and how specific it is."""
    stem = split_extension(name)[0]
    if count <= 4:
        yield "only-one-of-name" if count <= 1 else "few-of-name"
    if is_generic(name):
        yield from () if in_place else ("generic-name-elsewhere",)
    elif len(words(stem)) + (len(stem) >= 14) >= 3:
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
    (stem, ending), (other, other_ending) = (
        split_extension(fold(each)) for each in (wanted, got)
    )
    if ending != other_ending:
        related = any(
            {ending, other_ending} <= family for family in table()["families"]
        )
        added = not ending and got.startswith(wanted)
        return "related-extension" if stem == other and (related or added) else ""
    if _letters(stem) == _letters(other):
        return "name-in-other-form"
    if is_misspelt(stem, other) or in_other_number(stem, other):
        return "letters-wrong"
    few, many = sorted((set(words(wanted)), set(words(got))), key=len)
    return "part-of-name" if few and few <= many else ""


def folder_features(wanted: Sequence[str], got: Sequence[str]) -> dict[str, int]:
    """Return the features for how one sequence of folders differs from another."""
    left = [letters(part) for part in wanted]
    right = [letters(part) for part in got]
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    lost = left[head : len(left) - tail]
    gained = right[head : len(right) - tail]
    if len(lost) == len(gained) == 1:
        if is_other_spelling(lost[0], gained[0]):
            return {"folders-lost": 1, "folders-gained": 1, "folder-misspelt": 1}
        if _letters(lost[0]) == _letters(gained[0]):
            return {}  # they differ by signs alone
    features: dict[str, int] = {}
    if lost:
        features["folders-lost"] = min(len(lost), 3)
    if gained:
        features["folders-gained"] = min(len(gained), 4)
    shape = _shape(lost, gained, head=head, tail=tail)
    if shape:
        features[shape] = 1
    return features


def _shape(lost: Sequence[str], gained: Sequence[str], *, head: int, tail: int) -> str:
    """Return the feature for where folders differ: `head` are the same before, `tail`
    after.
    """
    if not gained:
        return ""
    if lost:
        return "same-parent" if tail else ""
    if head:
        return "folder-more"
    return "below-other-folders" if tail else ""


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the common prefix of two sequences."""
    same = [one == other for one, other in zip(left, right)]  # noqa: B905  the shorter counts
    return same.index(False) if False in same else len(same)


def is_other_spelling(wanted: str, got: str) -> bool:
    """Return whether two folder names differ in number, separators or a few letters
    only.

    Signs around a name have a meaning: `_lib`, `(lib)`, `[lib]`, `.lib` and `lib` are
    different.
    """
    signs, others = (
        re.sub(r"[^\W_]+([-_. ][^\W_]+)*", "", fold(each)) for each in (wanted, got)
    )
    same = _letters(fold(wanted)) == _letters(fold(got))
    if signs != others:
        return False
    is_alike = same or in_other_number(wanted, got) or is_misspelt(wanted, got)
    return is_alike or has_swapped_letters(wanted, got)


def has_swapped_letters(wanted: str, got: str) -> bool:
    """Return whether two neighbouring letters of a name are swapped, not the first:
    `scr` for `src`.
    """
    left, right = fold(wanted), fold(got)
    head = _common(left, right)
    if len(left) != len(right) or len(left) < 3 or head == 0:
        return False
    swapped = left[head + 1 : head + 2] + left[head : head + 1]
    is_swapped = left[:head] + swapped + left[head + 2 :] == right
    return left != right and is_swapped and left.isalpha()


def in_other_number(wanted: str, got: str) -> bool:
    """Return whether one name is the plural of the other: `test`, `tests`.

    A name without a vowel is not a word: `https` is not the plural of `http`.
    """
    few, many = sorted((fold(wanted), fold(got)), key=len)
    plurals = {few + "s", few + "es"} | (
        {few[:-1] + "ies"} if few[-1:] == "y" else set()
    )
    return len(few) > 2 and many in plurals and re.search("[aeiouy]", few) is not None


def is_misspelt(wanted: str, got: str) -> bool:
    """Return whether two names differ in one or two neighbouring letters.

    Names with different first letters or digits are different: `preact`, `lesson-2`.
    """
    left, right = fold(wanted), fold(got)
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    wrong = max(len(left), len(right)) - head - tail
    long = min(len(left), len(right)) >= 2 * wrong + 2
    digits = re.sub(r"\D", "", left) == re.sub(r"\D", "", right)
    return 1 <= wrong <= 2 and head > 0 and long and digits


def weak_likeness(wanted: str, got: str) -> str:
    """Return how a name is like another in its folder, too weakly to be ranked; "" if
    it is not.
    """
    (stem, ending), (other, other_ending) = (
        split_extension(fold(each)) for each in (wanted, got)
    )
    if stem == other and len(stem) > 2:  # `go.mod` says nothing of `go.sum`
        near = is_one_slip(ending, other_ending)
        return "one letter of the extension different" if near else "another extension"
    same = ending == other_ending
    if same and min(len(stem), len(other)) > 1 and is_one_slip(stem, other):
        return "one letter or sign different"
    numbers = [re.match(r"[a-z]*[-_]?\d+(?=[-_. ])", name) for name in (stem, other)]
    if numbers[0] and numbers[1] and numbers[0][0] == numbers[1][0]:
        return "the same number in front"
    common = {*words(stem)} & {*words(other)}
    fewest, most = sorted((len(words(stem)), len(words(other))))
    # One word in common says nothing of a name of one word: `go.sum`, `go.mod`.
    is_much = fewest > 1 and 2 * len(common) >= most
    return "words in common" if common and is_much else ""


def is_one_slip(wanted: str, got: str) -> bool:
    """Return whether two texts differ in one letter, left out, added, replaced or
    swapped with the next.
    """
    head = _common(wanted, got)
    tail = _common(wanted[head:][::-1], got[head:][::-1])
    left = wanted[head : len(wanted) - tail]
    right = got[head : len(got) - tail]
    is_swapped = len(left) == 2 and left[::-1] == right
    return is_swapped or max(len(left), len(right)) == 1


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
    stem, dot, ending = name.rpartition(".")
    return (stem, ending) if dot and stem else (name, "")


def _letters(name: str) -> str:
    """Return a folded name without punctuation."""
    return re.sub(r"[\W_]", "", name) or name
