"""Git repositories of any size, made of real names, and wrong paths of them: the same
each time.

The names are those of Python's standard library and of this repository; further copies
have their words exchanged for other words of them. The last commit renames some files.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path

from truepath.project.secrets import is_secret

RENAMED = 20
"""Files that the second commit renames."""

_CHECKOUT = Path(__file__).resolve().parents[1]
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


@dataclass(frozen=True)
class Question:
    """A path that does not exist, and the one that is meant."""

    kind: str
    """`exact`: the right name in a wrong folder; `own folder`: a typo in the right
    folder; `renamed`: the path before the rename; else one of `NEAR`, in a wrong
    folder."""
    written: str
    truth: str

    @property
    def name(self) -> str:
        return self.written.rpartition("/")[2]


def make(folder: Path, count: int, *, below: str = "") -> Project:
    """Make a repository with `count` files in a folder that does not exist yet, all
    `below` one of its folders.
    """
    files = [below + path for path in names(count)]
    chosen = random.Random(1).sample(files, RENAMED)
    renamed = {
        f"{below}legacy/area{at}/former{at}_{os.path.basename(path)}": path
        for at, path in enumerate(chosen)
    }
    before = {new: old for old, new in renamed.items()}
    for path in files:
        # All alike, but for what git is to recognize under another name.
        text = f"{path}\n" * 20 if path in before else "x\n"
        _write(folder / before.get(path, path), text)
    git(folder, "init", "-q")
    commit(folder, "start")
    for old, new in renamed.items():
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)
    commit(folder, "rename")
    return Project(str(folder), tuple(files), renamed)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    user = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    git(folder, *user, "commit", "-qm", message)


def git(folder: Path, *words: str) -> str:
    """Run git; return what it prints."""
    command = ["git", "-C", str(folder), *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


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
        table = {
            word: chance.choice(words) for word in words if chance.random() < _EXCHANGED
        }
        top = f"{chance.choice(words)}-{chance.choice(words)}-{copy}".lower()
        for path in own:
            words_of = partial(_exchanged, table)
            yield f"{top}/" + _WORD.sub(words_of, path)


def _exchanged(table: Mapping[str, str], word: re.Match[str]) -> str:
    return table.get(word[0], word[0])


def _library() -> Iterator[str]:
    top = sysconfig.get_path("stdlib")
    for folder, below, files in os.walk(top):
        below[:] = [name for name in below if name not in _SKIPPED]
        for name in files:
            yield os.path.join("lib", os.path.relpath(os.path.join(folder, name), top))


def _repository() -> list[str]:
    return git(_CHECKOUT, "ls-files", "src", "tests", "docs").splitlines()


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def questions(project: Project, each: int) -> list[Question]:
    """Return so many questions of each kind, fewer where the project has no more: one
    of each kind in turn, so that any number from the start is a fair mix.
    """
    chance = random.Random(2)
    counts = Counter(path.rpartition("/")[2].casefold() for path in project.files)
    chosen = [path for path in project.files if _is_telling(path, counts)]
    chance.shuffle(chosen)
    exist = {*project.files}

    def of(kind: str) -> Iterator[Question]:
        for path in chosen:
            folder, _, name = path.rpartition("/")
            wrong = CHANGES[kind](name)
            # Without its last folder, the file seems to be one level higher.
            place = folder if kind == "own folder" else folder.rpartition("/")[0]
            written = f"{place}/{wrong}".lstrip("/")
            is_new = kind == "exact" or not counts.get(wrong.casefold())
            if wrong and is_new and written not in exist:
                yield Question(kind, written, path)

    groups = [[*islice(of(kind), each)] for kind in CHANGES]
    renamed = [Question("renamed", *pair) for pair in project.renamed.items()]
    in_turn = chain.from_iterable(zip_longest(*groups, renamed[:each]))
    return [*filter(None, in_turn)]


def _is_telling(path: str, counts: Mapping[str, int]) -> bool:
    """Return whether a file may be named, and its name is the only one of its kind,
    long, and in a folder's folder.
    """
    name = path.rpartition("/")[2]
    is_only = counts[name.casefold()] == 1
    is_long = path.count("/") >= 2 and "." in name[6:]
    # A key (`*.pem`) is never named.
    return is_only and is_long and not is_secret(path)


def _typo(name: str) -> str:
    middle = len(name.partition(".")[0]) // 2
    # Another number is another file.
    if name[middle].isdigit():
        return ""
    return name[:middle] + name[middle + 1 :]


def _extension(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return f"{stem}.{_RELATED[ending]}" if ending in _RELATED else ""


_RELATED = {
    "py": "pyi",
    "md": "mdx",
    "txt": "md",
    "json": "jsonc",
    "svg": "png",
    "html": "htm",
}
"""An extension, and one that may be written for it. Where agents wrote another
extension for an existing file, it was a related one (`make accuracy ARGS="--decisions
FILE"`); `.ts` for `.py` means another file."""


def _plural(name: str) -> str:
    stem, dot, ending = name.partition(".")
    if not stem[-1:].isalpha():
        return ""
    return (stem[:-1] if stem.endswith("s") else f"{stem}s") + dot + ending


NEAR = {"typo": _typo, "extension": _extension, "plural": _plural}
"""The kinds of mistake in a name."""

CHANGES: Mapping[str, Callable[[str], str]] = {
    "exact": str,
    "own folder": _typo,
    **NEAR,
}
