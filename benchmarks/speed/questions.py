"""Wrong paths of one project with a known right one: the same ones each time."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from speed.projects import Project

NEAR = ("typo", "extension", "plural", "swapped words")
"""The kinds of mistake in a name."""

_TOKENS = re.compile(r"[A-Za-z0-9]{3,}(?:[_-][A-Za-z0-9]{3,})+")


@dataclass(frozen=True)
class Question:
    """A path that does not exist, and the one that is meant."""

    kind: str
    """`exact`: the right name in a wrong folder; `own folder`: a typo in the right folder;
    `renamed`: the path before the rename; else one of `NEAR`, in a wrong folder."""
    written: str
    truth: str

    @property
    def name(self) -> str:
        return self.written.rpartition("/")[2]


def questions(project: Project, each: int) -> list[Question]:
    """Return so many questions of each kind, fewer where the project has no more."""
    chance = random.Random(2)
    names = [path.rpartition("/")[2] for path in project.files]
    counts = Counter(name.casefold() for name in names)
    chosen = [
        path
        for path, name in zip(project.files, names, strict=True)
        if counts[name.casefold()] == 1 and path.count("/") >= 2 and "." in name[6:]
    ]
    chance.shuffle(chosen)
    there = {*project.files}
    found = [
        question
        for kind, change in _CHANGES.items()
        for question in _of_kind(kind, change, chosen, counts, there, each)
    ]
    renamed = [Question("renamed", old, new) for old, new in project.renamed.items()]
    return found + renamed[:each]


def _of_kind(
    kind: str,
    change: Callable[[str], str],
    chosen: Sequence[str],
    counts: Mapping[str, int],
    there: set[str],
    most: int,
) -> list[Question]:
    found: list[Question] = []
    for path in chosen:
        folder, _, name = path.rpartition("/")
        wrong = change(name)
        place = folder if kind == "own folder" else _without_last(folder)
        written = f"{place}/{wrong}".lstrip("/")
        is_new = not counts.get(wrong.casefold()) or kind == "exact"
        if wrong and is_new and written not in there:
            found.append(Question(kind, written, path))
        if len(found) == most:
            break
    return found


def _without_last(folder: str) -> str:
    """Leave a folder's last part out: the file seems to be one level higher."""
    return folder.rpartition("/")[0]


def _typo(name: str) -> str:
    middle = len(name.partition(".")[0]) // 2
    return name[:middle] + name[middle + 1 :]


def _extension(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return f"{stem}.{'ts' if ending in ('py', 'js') else 'json'}" if stem else ""


def _plural(name: str) -> str:
    stem, dot, ending = name.partition(".")
    if not stem[-1:].isalpha():
        return ""
    return (stem[:-1] if stem.endswith("s") else f"{stem}s") + dot + ending


def _swapped(name: str) -> str:
    stem, dot, ending = name.partition(".")
    if not _TOKENS.fullmatch(stem):
        return ""
    sign = "_" if "_" in stem else "-"
    first, *rest = stem.split(sign)
    return sign.join([*rest, first]) + dot + ending


def _same(name: str) -> str:
    return name


_CHANGES: Mapping[str, Callable[[str], str]] = {
    "exact": _same,
    "own folder": _typo,
    "typo": _typo,
    "extension": _extension,
    "plural": _plural,
    "swapped words": _swapped,
}


def near(asked: Sequence[Question]) -> Iterator[Question]:
    """Yield those with a mistake in the name, the kinds in turn."""
    kinds = [[each for each in asked if each.kind == kind] for kind in NEAR]
    for at in range(max(map(len, kinds))):
        yield from (kind[at] for kind in kinds if at < len(kind))
