"""Real histories: paths that a commit renamed or deleted, asked of a repository with
the same commits.

Data of a repository is made by `clones.py`: the names of its files, which of them had
the same content, and what each commit added, renamed or deleted. `lay_out` makes a
repository of it in which git finds the same renames, with contents made up; `asked`
returns the paths that are gone, with where each file is.

A truth is where git's renames lead, if they keep the name or most of the content, and
nothing else of the commit could be it; else the path is in doubt: to change another
file in its place is wrong, to show one is neither right nor wrong."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import basename
from typing import Any

FOLDER = Path(__file__).with_name("cases") / "histories"

LINES = 20
"""Lines of a made-up content: git tells likeness in steps of a twentieth."""

ALIKE = 70
"""The likeness in percent from which a file with another name is the same file."""

MOST = 5
"""Paths of one commit that are asked about, at most."""

_PERSON = "Ada <ada@example.org>"


@dataclass(frozen=True, slots=True)
class Gone:
    """A path that a commit took away."""

    repo: str
    commit: str
    mark: int
    """The number of the commit in the repository that is laid out; 0 for the last."""
    path: str
    truth: str
    """Where its file is at that commit; empty if it is gone."""
    kind: str
    """moved, renamed, deleted, or in-doubt."""
    content: int
    """The number of what it held."""

    @property
    def is_last(self) -> bool:
        return self.mark == 0


@dataclass(frozen=True, slots=True)
class History:
    """The data of one repository."""

    repo: str
    commits: Sequence[Mapping[str, Any]]

    @property
    def is_held(self) -> bool:
        """Whether it is only measured: no rule was chosen by it."""
        # This project's own history is in every clone of it.
        return self.repo != "truepath" and zlib.crc32(self.repo.encode()) % 2 == 1


def repositories() -> list[str]:
    """Return the names of the repositories whose data is here, sorted."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in _files())


def _files() -> Iterator[Path]:
    yield from FOLDER.glob("*.jsonl.gz")
    others = os.environ.get("HISTORIES")
    if others:
        yield from Path(others).glob("*.jsonl.gz")


@cache
def load(repo: str) -> History:
    """Return the data of one repository."""
    file = next(path for path in _files() if path.name == f"{repo}.jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        head, *commits = map(json.loads, lines)
    return History(head["repo"], tuple(commits))


def lay_out(history: History, folder: Path) -> None:
    """Make a repository with the commits of a history, the last one checked out. Its
    commits have the tags `1`, `2` and so on.
    """
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "--template=", "-b", "main")
    _git(folder, "fast-import", "--quiet", stdin=b"".join(_stream(history)))
    check_out(folder, "main")


def check_out(folder: Path, commit: str) -> None:
    _git(folder, "checkout", "-q", "-f", commit)


def _git(folder: Path, *words: str, stdin: bytes = b"") -> bytes:
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "core.autocrlf=false", "-C", os.fspath(folder), *words]
    done = subprocess.run(
        command, input=stdin, capture_output=True, check=True, env=os.environ | plain
    )
    return done.stdout


def _stream(history: History) -> Iterator[bytes]:
    """Yield what `git fast-import` reads."""
    texts = contents(history)
    marks = {number: len(history.commits) + number + 1 for number in texts}
    for number, text in texts.items():
        yield b"blob\nmark :%d\ndata %d\n%s\n" % (marks[number], len(text), text)
    for mark, commit in enumerate(history.commits, 1):
        name = f"{commit['commit']}\n".encode()
        yield b"commit refs/heads/main\nmark :%d\n" % mark
        yield b"committer %s %d +0000\n" % (_PERSON.encode(), 1_600_000_000 + mark)
        yield b"data %d\n%s\n" % (len(name), name)
        for change in commit["changes"]:
            if change[0] in "DR":
                yield b"D %s\n" % _quoted(change[1])
        for change in commit["changes"]:
            if change[0] != "D":
                words = (marks[change[-1]], _quoted(_new_path(change)))
                yield b"M 100644 :%d %s\n" % words
        yield b"reset refs/tags/%d\nfrom :%d\n\n" % (mark, mark)


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.encode()


def contents(history: History) -> Mapping[int, bytes]:
    """Return each content of a history: a renamed file keeps as many of its lines as
    git said.
    """
    lines: dict[int, list[str]] = {0: []}
    held: dict[str, int] = {}
    for commit in history.commits:
        for change in commit["changes"]:
            number = change[-1]
            if change[0] == "D" or number in lines:
                continue
            kept: list[str] = []
            if change[0] == "R":
                kept = lines[held[change[1]]]
                kept = kept[: -(-len(kept) * change[3] // 100)]
            lines[number] = [*kept, *_made_up(history.repo, number, len(kept))]
        _follow(held, commit)
    return {number: "".join(some).encode() for number, some in lines.items()}


def _made_up(repo: str, number: int, kept: int) -> Iterator[str]:
    chance = random.Random(f"{repo} {number}")
    for line in range(kept, LINES):
        yield f"line {line:2} of {chance.getrandbits(128):032x}\n"


def _follow(held: dict[str, int], commit: Mapping[str, Any]) -> None:
    """Keep which content each path holds after a commit."""
    for change in commit["changes"]:
        if change[0] in "DR":
            held.pop(change[1], None)
    for change in commit["changes"]:
        if change[0] != "D":
            held[_new_path(change)] = change[-1]


def _new_path(change: Sequence[Any]) -> str:
    path: str = change[2] if change[0] == "R" else change[1]
    return path


def asked(history: History, *, at: int = 0) -> Iterator[Gone]:
    """Yield the paths that are gone from the last commit, or after a commit, by its
    place from 1.
    """
    held: dict[str, int] = {}
    departed: list[Gone] = []
    for mark, commit in enumerate(history.commits, 1):
        now = list(_departing(history.repo, mark, commit, held))
        _follow(held, commit)
        if at == mark:
            yield from (gone for gone in now if gone.path not in held)
        if not at:
            departed = [*_followed(departed, commit), *now]
    for gone in departed:
        if gone.path not in held:
            yield Gone(
                gone.repo,
                gone.commit,
                0,
                gone.path,
                gone.truth,
                gone.kind,
                gone.content,
            )


def _departing(
    repo: str, mark: int, commit: Mapping[str, Any], held: Mapping[str, int]
) -> Iterator[Gone]:
    """Yield what a commit takes away, at most `MOST` paths of it."""
    if not commit["commit"]:
        return
    changes = commit["changes"]
    arrived = [_new_path(change) for change in changes if change[0] in "AR"]
    names = Counter(basename(path) for path in arrived)
    sources = Counter(held.get(change[1]) for change in changes if change[0] in "DR")
    # Always the same ones, but not the first ones alone.
    order = sorted(changes, key=lambda change: zlib.crc32(str(change).encode()))
    count = 0
    for change in order:
        if change[0] not in "DR" or change[1] not in held or count == MOST:
            continue
        content = held[change[1]]
        # Files without content are all alike.
        if content == 0:
            continue
        kind, truth = _judged(change, names, sources[content])
        count += 1
        yield Gone(repo, commit["commit"], mark, change[1], truth, kind, content)


def _judged(change: Sequence[Any], names: Counter[str], alike: int) -> tuple[str, str]:
    """Return what happened to a path, and where its file is."""
    name = basename(change[1])
    if change[0] == "D":
        # One of that name, made in the same commit, may be it, written anew.
        return ("in-doubt" if names[name] else "deleted"), ""
    new = basename(change[2])
    is_same = change[3] >= ALIKE
    others = names[name] - (name == new)
    if alike > 1 or (others and not is_same):
        return "in-doubt", change[2]
    if name == new:
        return "moved", change[2]
    # Of two files, the one with the name may be it.
    return ("renamed" if is_same and not others else "in-doubt"), change[2]


def _followed(departed: Sequence[Gone], commit: Mapping[str, Any]) -> Iterator[Gone]:
    """Yield paths that left before, with where they are after a commit."""
    renamed = {change[1]: change[2] for change in commit["changes"] if change[0] == "R"}
    deleted = {change[1] for change in commit["changes"] if change[0] == "D"}
    likeness = {
        change[1]: change[3] for change in commit["changes"] if change[0] == "R"
    }
    for gone in departed:
        truth = gone.truth
        if truth in renamed:
            now = renamed[truth]
            kind = _kind_renamed(gone.kind, truth, now, likeness[truth])
        elif truth in deleted:
            now = ""
            kind = gone.kind if gone.kind == "in-doubt" else "deleted"
        else:
            yield gone
            continue
        yield Gone(
            gone.repo, gone.commit, gone.mark, gone.path, now, kind, gone.content
        )


def _kind_renamed(kind: str, old: str, new: str, likeness: int) -> str:
    """Return the kind of a path that left before and was renamed again."""
    if basename(old) == basename(new) or kind not in ("moved", "renamed"):
        return kind
    return "renamed" if likeness >= ALIKE else "in-doubt"
