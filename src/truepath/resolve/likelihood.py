"""How likely each candidate is what was meant: named features, one weight each, and a contest.

Every candidate is compared with every place that the written path may point to; what explains it
best counts. The sums of all candidates and of "nothing here" compete (a multinomial logit), so that
a rival takes from the best. What comes out is a probability. It moves nothing by itself: what may
be done, `grounds` says. The features, their meaning and their weights are one table,
`likelihood.json`; `benchmarks/fit.py` fits the weights.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from math import exp

from truepath.paths import fold
from truepath.records import dataclass

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from truepath.resolve.places import Place
    from truepath.types import Kind

INDEX_STEMS = frozenset({"__init__", "index", "mod"})
"""Stems of the file that stands for its folder: Python, JavaScript, Rust."""

_FORMS = frozenset({"package", "name-in-other-form", "related-extension", "letters-wrong"})

_TESTS = frozenset({"test", "tests", "testing", "unittest"})
"""Words of the path of a test: none is an answer for what it tests."""


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate, and the place that explains it best."""

    path: str
    folder: bool
    place: Place
    features: Mapping[str, int]


def rank(matches: Sequence[Match], nothing: Mapping[str, int]) -> list[tuple[Match, float]]:
    """Return the matches with their probabilities, the likeliest first.

    They add up to less than 1; the rest is the probability that nothing here was meant, for which
    the features in `nothing` speak.
    """
    scores = [score(match.features) for match in matches]
    top = max([score(nothing), *scores])
    masses = [exp(each - top) for each in scores]
    total = sum(masses) + exp(score(nothing) - top)
    chances = [mass / total for mass in masses]
    return sorted(zip(matches, chances), key=lambda each: (-each[1], each[0].path))  # noqa: B905


def nothing_here(target: str) -> dict[str, int]:
    """Return what speaks for it that nothing here is meant by a path that points to `target`."""
    hidden = any(part.startswith(".") and part.strip(".") for part in target.split("/"))
    return {"always": 1, "hidden-place": 1} if hidden else {"always": 1}


def score(features: Mapping[str, int]) -> float:
    """Return the sum of the weights of what is known, in log-odds."""
    given = weights()
    return sum(given.get(name, 0.0) * times for name, times in features.items())


TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "likelihood.json")

_IN_USE: list[Mapping[str, float]] = []
"""Weights by feature; the last are in use."""


@cache
def table() -> dict[str, dict[str, tuple[float, str]]]:
    """Return each feature with its weight and its meaning, in the parts of the table."""
    with open(TABLE, encoding="utf-8") as file:
        parts: dict[str, dict[str, tuple[float, str]]] = json.load(file)
    return parts


def weights() -> Mapping[str, float]:
    """Return the weights in use, by feature."""
    if not _IN_USE:
        rows = (row for part in table().values() for row in part.items())
        _IN_USE.append({name: weight for name, (weight, _) in rows})
    return _IN_USE[-1]


class use:  # noqa: N801  a context manager, written as a call
    """Judge by other weights for a while: `with use(weights): ...`."""

    def __init__(self, given: Mapping[str, float]) -> None:
        self._given = given

    def __enter__(self) -> None:
        """Put them in force."""
        weights()
        _IN_USE.append(self._given)

    def __exit__(self, *_: object) -> None:
        """Go back to those before."""
        _IN_USE.pop()


def best_match(
    path: str,
    places: Sequence[Place],
    is_folder: Callable[[str], bool],
    *,
    kind: Kind,
    count: int,
) -> Match | None:
    """Return a candidate with the place that explains it best; None where none does.

    Args:
        path: The candidate, which is there.
        places: Where the written path may point, the most literal first.
        is_folder: Whether a folder is at a path.
        kind: What was asked for.
        count: How many paths of the project have the candidate's name.
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
    """Return the first written folder that a candidate does not lie in."""
    left, right = wanted.split("/"), path.split("/")
    return "/".join(left[: _common(left, right) + 1])


def compare(wanted: str, path: str, *, folder: bool, count: int) -> dict[str, int] | None:
    """Return the features that a candidate has for a place; None where they are unlike."""
    if wanted == path:
        return {"the-path": 1}
    if fold(wanted) == fold(path):
        return {"path-in-other-case": 1}
    left, right = wanted.split("/"), path.split("/")
    named = name_relation(left[-1], right[-1]) or ("" if folder else _package(left, right))
    if not named:
        return None
    known = folder_features(left[:-1], right[:-1])
    known[named] = 1
    # What is generic is told by the folder it lies in, or of which it is the package.
    in_place = left[-2:-1] == right[-2:-1] or named == "package" or "folder-misspelt" in known
    known.update(dict.fromkeys(_character(right[-1], count, in_place=in_place), 1))
    if named in _FORMS and left[:-1] == right[:-1]:
        known["form-in-place"] = 1
    if _is_test(wanted) != _is_test(path):
        known["test-or-not"] = 1
    return known


def _is_test(path: str) -> bool:
    return ".spec." in path or not _TESTS.isdisjoint(words(path))


def _package(left: list[str], right: list[str]) -> str:
    """Return `package` where one of two paths is the file of the folder that the other names; that
    one is cut to its folder then.
    """
    for inner, outer in ((left, right), (right, left)):
        index = split_extension(inner[-1])[0] in INDEX_STEMS and len(inner) > 1
        if index and fold(inner[-2]) == fold(split_extension(outer[-1])[0]):
            inner.pop()
            return "package"
    return ""


def _character(name: str, count: int, *, in_place: bool) -> Iterator[str]:
    """Yield what kind of name a candidate has, and how rare."""
    if count <= 4:
        yield "only-one-of-name" if count <= 1 else "few-of-name"
    if is_generic(name):
        if not in_place:
            yield "generic-name-elsewhere"
    elif is_specific(name):
        yield "specific-name"


def name_relation(wanted: str, got: str) -> str:
    """Return the feature that tells how one name differs from another; "" where they are unlike."""
    if wanted == got:
        return "same-name"
    (stem, ending), (other, other_ending) = (split_extension(fold(each)) for each in (wanted, got))
    if ending != other_ending and stem == other:
        related = any({ending, other_ending} <= family for family in _FAMILIES)
        return "related-extension" if related or (not ending and got.startswith(wanted)) else ""
    if ending != other_ending:
        return ""
    if _letters(stem) == _letters(other):
        return "name-in-other-form"
    if is_misspelt(stem, other) or in_other_number(stem, other):
        return "letters-wrong"
    few, many = sorted((set(words(wanted)), set(words(got))), key=len)
    return "part-of-name" if few and few <= many else ""


def folder_features(wanted: Sequence[str], got: Sequence[str]) -> dict[str, int]:
    """Return the features that tell how one row of folders differs from another."""
    left, right = [fold(part) for part in wanted], [fold(part) for part in got]
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    lost, gained = left[head : len(left) - tail], right[head : len(right) - tail]
    shape = ""
    if gained and not lost:
        shape = "folder-more" if head else "below-other-folders" if tail else ""
    elif len(lost) == len(gained) == 1 and is_other_spelling(lost[0], gained[0]):
        shape = "folder-misspelt"
    elif lost and gained and tail:
        shape = "same-parent"
    known = {"folders-lost": min(len(lost), 3), "folders-gained": min(len(gained), 4), shape: 1}
    return {name: count for name, count in known.items() if name and count}


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many items two sequences have in common at their beginning."""
    same = [one == other for one, other in zip(left, right)]  # noqa: B905  the shorter counts
    return same.index(False) if False in same else len(same)


def is_other_spelling(wanted: str, got: str) -> bool:
    """Return whether two folders are one in another number, with other signs or letters wrong."""
    same = _letters(fold(wanted)) == _letters(fold(got))
    return same or in_other_number(wanted, got) or is_misspelt(wanted, got)


def in_other_number(wanted: str, got: str) -> bool:
    """Return whether one name is the other in singular or plural: `test`, `tests`."""
    few, many = sorted((fold(wanted), fold(got)), key=len)
    plurals = {few + "s", few + "es"} | ({few[:-1] + "ies"} if few[-1:] == "y" else set())
    return len(few) > 2 and many in plurals


def is_misspelt(wanted: str, got: str) -> bool:
    """Return whether one name is the other with one or two neighbouring letters wrong.

    Another first letter and other digits make another name: `preact`, `lesson-2`.
    """
    left, right = fold(wanted), fold(got)
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    wrong = max(len(left), len(right)) - head - tail
    long = min(len(left), len(right)) >= 2 * wrong + 2
    digits = re.sub(r"\D", "", left) == re.sub(r"\D", "", right)
    return 1 <= wrong <= 2 and head > 0 and long and digits


def is_generic(name: str) -> bool:
    """Return whether many folders have a file or folder of this name: `README.md`, `src`."""
    return fold(name).lstrip(".").partition(".")[0] in GENERIC


def is_specific(name: str) -> bool:
    """Return whether a name tells which file it is: any folder may have `types.ts`, hardly one
    `handles_creation.ts`.
    """
    stem = split_extension(name)[0]
    return len(words(stem)) >= 3 or (len(words(stem)) == 2 and len(stem) >= 14)


def words(name: str) -> list[str]:
    """Return the words of a name, folded: `checkPoint_2` has three."""
    return [fold(word) for word in re.findall(_WORD, name)]


_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+"


def split_extension(name: str) -> tuple[str, str]:
    """Return a name's stem and extension: `a.test.ts` is (`a.test`, `ts`), `.env` has none."""
    stem, dot, ending = name.rpartition(".")
    return (stem, ending) if dot and stem else (name, "")


def _letters(name: str) -> str:
    """Return a folded name without the signs in it and around it."""
    return re.sub(r"[\W_]", "", name) or name
