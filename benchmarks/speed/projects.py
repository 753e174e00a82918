"""Make a git repository of any size out of real names, the same one each time.

The names are those of Python's standard library and of this repository; further copies have their
words exchanged for other words of them. Every file exists on disk and in git's index; of those that
git renamed, the first commit has the old names.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

RENAMED = 20
"""Files that the second commit renames."""

_CHECKOUT = Path(__file__).resolve().parents[2]
_WORD = re.compile(r"[A-Za-z]{4,}")
_SKIPPED = {"__pycache__", "site-packages", "dist-packages"}
_EXCHANGED = 0.8
"""The share of the words that a copy exchanges."""


@dataclass(frozen=True)
class Project:
    """A repository on disk."""

    root: str
    files: tuple[str, ...]
    renamed: Mapping[str, str]
    """Old path to new path, as the last commit has it."""


def make(folder: Path, count: int) -> Project:
    """Make a repository with `count` files in a folder that does not exist yet."""
    files = names(count)
    chosen = random.Random(1).sample(files, RENAMED)
    renamed = {_before(path, at): path for at, path in enumerate(chosen)}
    contents = {path: f"{path}\n" * 20 for path in chosen}
    _write(folder, files, contents)
    _commit(folder, files, contents, renamed)
    return Project(str(folder), tuple(files), renamed)


def names(count: int) -> list[str]:
    """Return so many paths, in order; none of them is a folder of another."""
    found: set[str] = set()
    folders: set[str] = set()
    for path in _copies():
        above = [*_parents(path)]
        if path not in folders and found.isdisjoint(above):
            found.add(path)
            folders.update(above)
        if len(found) == count:
            break
    return sorted(found)


def _copies() -> Iterator[str]:
    own = sorted({*_library(), *_repository()})
    words = sorted({word for path in own for word in _WORD.findall(path)})
    yield from own
    copy = 0
    while True:
        copy += 1
        chance = random.Random(copy)
        table = {word: chance.choice(words) for word in words if chance.random() < _EXCHANGED}
        top = f"{chance.choice(words)}-{chance.choice(words)}-{copy}".lower()
        for path in own:
            yield f"{top}/" + _WORD.sub(lambda found: table.get(found[0], found[0]), path)  # noqa: B023


def _library() -> Iterator[str]:
    top = sysconfig.get_path("stdlib")
    for folder, below, files in os.walk(top):
        below[:] = [name for name in below if name not in _SKIPPED]
        for name in files:
            yield os.path.join("lib", os.path.relpath(os.path.join(folder, name), top))


def _repository() -> list[str]:
    found = [path for place in ("src", "tests", "docs") for path in (_CHECKOUT / place).rglob("*")]
    return [
        path.relative_to(_CHECKOUT).as_posix()
        for path in found
        if path.is_file() and not _SKIPPED & {*path.parts}
    ]


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _before(path: str, at: int) -> str:
    """Return the path that a renamed file had: another folder, and another name of its own."""
    name = path.rpartition("/")[2]
    return f"legacy/area{at}/former{at}_{name}"


def _write(folder: Path, files: Iterable[str], contents: Mapping[str, str]) -> None:
    made: set[str] = set()
    for path in files:
        parent = path.rpartition("/")[0]
        if parent not in made:
            made.add(parent)
            os.makedirs(folder / parent, exist_ok=True)
        file = os.open(f"{folder}/{path}", os.O_CREAT | os.O_WRONLY, 0o644)
        os.write(file, contents.get(path, "x\n").encode())
        os.close(file)


def _commit(
    folder: Path, files: Iterable[str], contents: Mapping[str, str], renamed: Mapping[str, str]
) -> None:
    """Commit the files under their old names, then under their new ones."""
    _git(folder, "init", "-q")
    usual = _git(folder, "hash-object", "-w", "--stdin", given="x\n")
    hashes = {
        path: _git(folder, "hash-object", "-w", "--stdin", given=text)
        for path, text in contents.items()
    }
    old = {new: old for old, new in renamed.items()}
    entries = [(old.get(path, path), hashes.get(path, usual)) for path in files]
    _index(folder, (f"100644 {blob}\t{path}\0" for path, blob in entries))
    first = _commit_of_index(folder)
    gone = [f"0 {'0' * 40}\t{path}\0" for path in renamed]
    _index(folder, [*gone, *(f"100644 {blob}\t{path}\0" for path, blob in hashes.items())])
    _git(folder, "update-ref", "HEAD", _commit_of_index(folder, "-p", first))


def _index(folder: Path, lines: Iterable[str]) -> None:
    _git(folder, "update-index", "-z", "--index-info", given="".join(lines))


def _commit_of_index(folder: Path, *parents: str) -> str:
    tree = _git(folder, "write-tree")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return _git(folder, *who, "commit-tree", tree, "-m", "state", *parents)


def _git(folder: Path, *words: str, given: str = "") -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], input=given, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
