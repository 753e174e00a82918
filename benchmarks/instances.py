"""Measure what is done with a file that is missing in a folder, where a folder beside
it has one of that name.

    python benchmarks/instances.py [--trees FOLDER] [--most COUNT] [--show]

Folders beside one another are alike here if they share the name of a file besides the
one that is asked for, other than one that many folders have: five and a tenth of all,
or any folder (`__init__.py`, `README.md`). They are unlike if they share none. In a
project of names alone, a file is read that both like folders have, after it is taken
away from one; that only one of them has; and that one of two unlike folders has. The
projects are the trees of `cases/`, or lists of names in the text files of a folder."""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from posixpath import dirname

from cases import names_of_repositories

from truepath import Workspace
from truepath.cli.terminal import table

_ROOT = "/home/ada/acme"

_OF_ANY_FOLDER = r"(?i)\.|(__init__|index|mod|readme|makefile|meson|conftest)\b"

KINDS = (
    "taken from one of two like folders",
    "in one of two like folders alone",
    "in one of two unlike folders alone",
)


@dataclass(frozen=True, slots=True)
class Missing:
    """A path to read, and the file of that name in a folder beside it."""

    written: str
    beside: str
    is_taken: bool


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trees", type=Path, help="a folder with lists of names")
    parser.add_argument("--most", type=int, default=6, help="of a kind and a project")
    parser.add_argument("--show", action="store_true", help="print what was shown")
    options = parser.parse_args()
    counts = {kind: Counter[str]() for kind in KINDS}
    for project, names in _projects(options.trees):
        whole = Workspace.from_names(names, root=_ROOT)
        for kind, some in _missing(names).items():
            picked = random.Random(project).sample(some, min(options.most, len(some)))
            for missing in picked:
                shown = _shown(whole, names, missing)
                counts[kind].update(("asked", *_outcome(missing, shown)))
                if options.show and shown:
                    print(f"{project}, {kind}: {missing.written} -> {shown}")
    rows = [
        (kind, *(f"{count[column]:,}" for column in ("asked", "beside", "elsewhere")))
        for kind, count in counts.items()
    ]
    head = ("a missing file", "asked", "shown from beside", "shown from elsewhere")
    print(table(head, rows))


def _outcome(missing: Missing, shown: str) -> Iterator[str]:
    if shown:
        yield "beside" if shown == missing.beside else "elsewhere"


def _projects(folder: Path | None) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each project with its names."""
    if not folder:
        yield from names_of_repositories()
        return
    for file in sorted(folder.glob("*.txt")):
        yield file.stem, file.read_text(encoding="utf-8").splitlines()


def _missing(names: Sequence[str]) -> Mapping[str, list[Missing]]:
    """Return what may be asked of a project, by kind; each written path once."""
    files: Mapping[str, set[str]] = defaultdict(set)
    for name in names:
        if "/" in name:
            files[dirname(name)].add(name.rpartition("/")[2])
    telling = _telling(files)
    beside: Mapping[str, list[str]] = defaultdict(list)
    for folder in sorted(files):
        beside[dirname(folder)].append(folder)
    found: Mapping[str, dict[str, Missing]] = {kind: {} for kind in KINDS}
    for folders in beside.values():
        for one, other in permutations(folders, 2):
            for kind, file in _of_pair(files[one], files[other], telling):
                missing = Missing(f"{one}/{file}", f"{other}/{file}", kind == KINDS[0])
                found[kind].setdefault(missing.written, missing)
    return {kind: [*some.values()] for kind, some in found.items()}


def _telling(files: Mapping[str, set[str]]) -> set[str]:
    """Return the names that few folders have."""
    counts = Counter(file for some in files.values() for file in some)
    few = max(4, len(files) // 10)
    return {
        file
        for file, count in counts.items()
        if count <= few and not re.match(_OF_ANY_FOLDER, file)
    }


def _of_pair(
    one: set[str], other: set[str], telling: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the files of the other folder that may be asked for in the first, each with
    its kind.
    """
    shared = one & other & telling
    if not one & other:
        yield from ((KINDS[2], file) for file in sorted(other))
    for file in sorted(other):
        if shared - {file}:
            yield KINDS[0] if file in one else KINDS[1], file


def _shown(whole: Workspace, names: Sequence[str], missing: Missing) -> str:
    """Return the file that a read is shown; "" for none."""
    space = whole
    if missing.is_taken:
        left = [name for name in names if name != missing.written]
        space = Workspace.from_names(left, root=_ROOT)
    found = space.resolve(missing.written, "read")
    return found.path or "" if found.status in ("resolved", "likely") else ""


if __name__ == "__main__":
    main()
