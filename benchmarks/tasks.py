"""Questions about files of a repository, most with a wrong path, each with one right
answer.

Every text file of a copy of the repository gets a number in its first line, its review
code. A question asks for the code of a path; who answers it has read that file.
"""

from __future__ import annotations

import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from preconditions import remembered
from repositories import commit, git

MIX = {
    "elsewhere": 14,
    "in front": 11,
    "typo": 9,
    "left out": 6,
    "extension": 4,
    "case": 3,
    "renamed": 3,
    "deleted": 20,
    "right": 10,
}
"""Kind of question -> its share. The wrong ones have about the mix of recorded misses;
half of those have no right file, for which the deleted ones stand."""

NONE = "none"
"""The answer to a question for a file that does not exist any more."""

_SIGNS = {
    **dict.fromkeys((".py", ".toml", ".yaml", ".yml", ".cfg", ".sh", ".rb"), "# {}"),
    **dict.fromkeys((".ts", ".tsx", ".js", ".jsx", ".go", ".rs", ".java"), "// {}"),
    **dict.fromkeys((".md", ".html"), "<!-- {} -->"),
    ".css": "/* {} */",
    ".rst": ".. {}",
    ".txt": "# {}",
}
"""Extension -> a comment of such a file."""

_TWINS = {".py": ".pyi", ".ts": ".js", ".js": ".ts", ".tsx": ".jsx", ".md": ".rst"} | {
    ".yml": ".yaml",
    ".yaml": ".yml",
    ".rst": ".md",
}
EDITS = ("other-blanks", "other-words")
"""Kinds of texts that are remembered wrong (see `preconditions.remembered`)."""

_LONGEST_EDIT = 400
"""Characters of a text to be replaced, at most."""

_LONGEST = 70
"""Characters of a path in a question, at most: small models lose long ones."""


@dataclass(frozen=True)
class Task:
    """A question."""

    id: str
    kind: str
    written: str
    """The path in the question."""
    right: str
    """The file that is meant; "" if there is none."""
    code: str
    """The right answer."""


@dataclass(frozen=True)
class Edit:
    """An edit whose text is remembered wrong."""

    id: str
    kind: str
    written: str
    """The path of its file, which exists."""
    old: str
    """What is not in the file."""
    new: str
    text: str
    """The file's."""
    made: str
    """That after the edit that is meant, without its blanks."""

    def is_made_by(self, arguments: Mapping[str, str]) -> bool:
        """Return whether an edit with these arguments is the one that is meant."""
        old, new = (arguments.get(name, "") for name in ("old_string", "new_string"))
        once = self.text.count(old) == 1
        is_here = arguments.get("path") == self.written
        return once and is_here and bare(self.text.replace(old, new)) == self.made


def bare(text: str) -> str:
    """Return a text without its blanks."""
    return "".join(text.split())


@dataclass(frozen=True)
class Project:
    """A marked copy of a repository."""

    root: Path
    codes: Mapping[str, str]
    """File to its code."""

    def lacks(self, path: str) -> bool:
        """Return whether a path may be asked for as one that does not exist."""
        return bool(path) and not os.path.lexists(self.root / path)


def copied(source: Path, root: Path) -> Project:
    """Return a marked copy of a repository; the one that was made before, if any."""
    if not root.exists():
        root.parent.mkdir(parents=True, exist_ok=True)
        git(root.parent, "clone", "-q", str(source.resolve()), str(root.resolve()))
        _mark(root)
        commit(root, "Add review codes")
    listed = git(root, "grep", "-oE", "review-code: [0-9]{5}").splitlines()
    pairs = (line.partition(":review-code: ") for line in listed)
    return Project(root, {path: code for path, _, code in pairs})


def _mark(root: Path) -> None:
    """Write a code into the first line of every text file of a known kind."""
    files = git(root, "ls-files").splitlines()
    codes = random.Random(7).sample(range(10_000, 100_000), len(files))
    for path, code in zip(files, codes, strict=True):
        file = root / path
        sign = _SIGNS.get(file.suffix)
        if sign and file.is_file() and not file.is_symlink():
            old = file.read_bytes()
            line = sign.format(f"review-code: {code}").encode()
            file.write_bytes(line + b"\n" + old)


def tasks(project: Project, count: int) -> Sequence[Task]:
    """Return so many questions; any beginning of them has the mix of kinds."""
    chance = random.Random(11)
    places: list[tuple[float, Task]] = []
    for kind, pairs in _wrong_paths(project, chance).items():
        chance.shuffle(pairs)
        for number, (written, right) in enumerate(pairs):
            code = project.codes[right] if right else NONE
            name = f"{project.root.name}: {kind} {number}"
            task = Task(name, kind, written, right, code)
            places.append(((number + 0.5) / MIX[kind], task))
    places.sort(key=lambda place: place[0])
    return [task for _, task in places[:count]]


def edits(project: Project, count: int) -> Sequence[Edit]:
    """Return so many edits whose text is remembered wrong, of each kind in turn."""
    chance = random.Random(13)
    files = [path for path in sorted(project.codes) if len(path) <= _LONGEST]
    made: dict[str, Edit] = {}
    for number in range(100 * count):
        if not files or len(made) == count:
            break
        kind, path = EDITS[len(made) % len(EDITS)], chance.choice(files)
        text = (project.root / path).read_text("utf-8", "replace")
        edit = remembered(text, kind, chance)
        if edit is None or len(edit.old) > _LONGEST_EDIT or "\r" in text:
            continue
        lines = text.split("\n")
        before, after = lines[: edit.lines.start - 1], lines[edit.lines.stop - 1 :]
        whole = bare("\n".join([*before, edit.new, *after]))
        name = f"{project.root.name}: {kind} {number}"
        made[name] = Edit(name, kind, path, edit.old, edit.new, text, whole)
    return [*made.values()]


def _wrong_paths(
    project: Project, chance: random.Random
) -> Mapping[str, list[tuple[str, str]]]:
    """Return the wrong paths of each kind, each with the file that is meant."""
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    pairs["deleted"] = [(path, "") for path in _deleted(project)]
    for old, new in _renames(project):
        if new in project.codes and project.lacks(old):
            pairs["renamed"].append((old, new))
    files = [path for path in sorted(project.codes) if len(Path(path).stem) > 3]
    pairs["right"] = [(path, path) for path in files if len(path) <= _LONGEST]
    for path, (kind, change) in product(files, CHANGES.items()):
        written = change(path, project, chance)
        if project.lacks(written) and len(written) <= _LONGEST:
            pairs[kind].append((written, path))
    return pairs


def _renames(project: Project) -> Iterator[tuple[str, str]]:
    shown = ("-M", "--diff-filter=R", "--name-status", "--format=")
    for line in git(project.root, "log", *shown).splitlines():
        fields = line.split("\t")
        if len(fields) == 3:
            yield fields[1], fields[2]


def _deleted(project: Project) -> Iterator[str]:
    """Yield deleted files of which no other file has the name."""
    shown = ("-M", "--diff-filter=D", "--name-only", "--format=")
    names = {os.path.basename(path).casefold() for path in project.codes}
    renamed = {old for old, _ in _renames(project)}
    for path in dict.fromkeys(git(project.root, "log", *shown).splitlines()):
        known = os.path.basename(path).casefold() in names or path in renamed
        if not known and Path(path).suffix in _SIGNS and project.lacks(path):
            yield path


# Each kind of mistake: the wrong path that it makes of a file's; "" for none.


def _elsewhere(path: str, project: Project, chance: random.Random) -> str:
    folders = sorted({os.path.dirname(each) for each in project.codes} - {""})
    folder = chance.choice(folders) if folders else ""
    return "" if folder == os.path.dirname(path) else f"{folder}/{Path(path).name}"


def _in_front(path: str, project: Project, chance: random.Random) -> str:
    tops = (project.root.name, f"/workspace/{project.root.name}", "/home/dev/src")
    return f"{chance.choice(tops)}/{path}" if "/" in path else ""


def _typo(path: str, _: Project, chance: random.Random) -> str:
    folder, stem, suffix = _parts(path)
    at = chance.randrange(1, len(stem) - 1)
    left_out = stem[:at] + stem[at + 1 :]
    exchanged = stem[:at] + stem[at : at + 2][::-1] + stem[at + 2 :]
    return f"{folder}{chance.choice((left_out, exchanged))}{suffix}"


def _left_out(path: str, _: Project, chance: random.Random) -> str:
    parts = path.split("/")
    if len(parts) < 3:
        return ""
    return "/".join(parts[chance.randrange(1, len(parts) - 1) :])


def _extension(path: str, _: Project, __: random.Random) -> str:
    folder, stem, suffix = _parts(path)
    return f"{folder}{stem}{_TWINS[suffix]}" if suffix in _TWINS else ""


def _case(path: str, _: Project, __: random.Random) -> str:
    folder, stem, suffix = _parts(path)
    other = re.sub("[-_]", lambda sign: "-" if sign[0] == "_" else "_", stem[1:])
    return (
        f"{folder}{stem[0]}{other}{suffix}"
        if stem[1:] != other
        else (f"{folder}{stem.title()}{suffix}")
    )


def _parts(path: str) -> tuple[str, str, str]:
    folder, slash, name = path.rpartition("/")
    stem, suffix = os.path.splitext(name)
    return folder + slash, stem, suffix


CHANGES: Mapping[str, Callable[[str, Project, random.Random], str]] = {
    "elsewhere": _elsewhere,
    "in front": _in_front,
    "typo": _typo,
    "left out": _left_out,
    "extension": _extension,
    "case": _case,
}
