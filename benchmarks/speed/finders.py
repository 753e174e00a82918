"""What people use to find a file, asked the same questions; each where it is installed.

A finder gets the name alone, not the folder: that is its best case. `rg`, `fd` and `git ls-files`
find a name as it is written; fzf, Fuse.js and difflib rank the names of the project, each of which
they are given once.
"""

from __future__ import annotations

import difflib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rivals.outside import Fuse, MissingPath

from speed.clock import Line, Took, program, timed
from speed.projects import Project
from speed.questions import Question

KEPT = Path(sys.prefix)
"""Where Fuse.js is installed, and kept: this environment's folder."""

_FOUND_OR_NOT = (0, 1)

Ask = Callable[[str], tuple[Sequence[str], Took]]
"""Takes a name; returns what is found, best first, and what that took."""


@dataclass(frozen=True)
class Finder:
    """One way to find a file."""

    name: str
    ranks: bool
    """Whether it finds a name that is not quite right."""
    begin: Callable[[Project, Path], AbstractContextManager[Ask]]


class NotHereError(Exception):
    """A finder is not installed; the message says how to install it."""


def asked(
    finder: Finder, project: Project, groups: Iterable[Sequence[Question]], *, seconds: float
) -> Iterator[Line]:
    """Yield a line for each group of questions.

    Args:
        finder: Who is asked.
        project: Where.
        groups: Questions; one group that a finder has nothing to say about is left out.
        seconds: After this time no further question of a group is asked, but three are in any case.

    Raises:
        NotHereError: The finder is not installed.
    """
    with tempfile.TemporaryDirectory() as scratch, finder.begin(project, Path(scratch)) as ask:
        for group in groups:
            kind = "exact" if group[0].kind == "exact" else "near"
            line = Line(f"{finder.name}: {kind}", len(project.files), right=0)
            ends = time.monotonic() + seconds
            for question in group:
                found, took = ask(question.name)
                line.took.append(took)
                line.right = (line.right or 0) + _is_right(found, question.truth)
                if time.monotonic() > ends and len(line.took) >= 3:
                    break
            yield line


def _is_right(found: Sequence[str], truth: str) -> bool:
    """Whether the first hit is the file: its path, or its name, which no other file has."""
    return bool(found) and found[0] in (truth, truth.rpartition("/")[2])


def _here(*names: str, package: str = "") -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise NotHereError(f"{names[0]} is not installed (Debian: apt install {package or names[0]})")


def _literal(name: str) -> str:
    return re.sub(r"([][*?{}\\!])", r"\\\1", name)


def _search(
    programs: tuple[str, ...], arguments: Callable[[str, str], Sequence[str]], package: str = ""
) -> Callable[[Project, Path], AbstractContextManager[Ask]]:
    """Return what runs a program for each name."""

    def begin(project: Project, _: Path) -> AbstractContextManager[Ask]:
        path = _here(*programs, package=package)

        def ask(name: str) -> tuple[Sequence[str], Took]:
            command = [path, *arguments(project.root, _literal(name))]
            printed, took = program(command, fine=_FOUND_OR_NOT)
            found = printed.decode("utf-8", "surrogateescape").split("\n")[:-1]
            return [each.removeprefix(f"{project.root}/") for each in found], took

        return nullcontext(ask)

    return begin


@contextmanager
def _fzf(project: Project, scratch: Path) -> Iterator[Ask]:
    path = _here("fzf")
    listed = scratch / "names"
    listed.write_text("\n".join(unique_names(project)), encoding="utf-8")

    def ask(name: str) -> tuple[Sequence[str], Took]:
        command = [path, "--no-extended", f"--filter={name}"]
        printed, took = program(command, given=str(listed), fine=_FOUND_OR_NOT)
        return printed.decode("utf-8", "surrogateescape").split("\n")[:1], took

    yield ask


@contextmanager
def _difflib(project: Project, _: Path) -> Iterator[Ask]:
    names = unique_names(project)
    yield lambda name: timed(lambda: difflib.get_close_matches(name, names, 1))


_NODE = """
const Fuse = require('fuse.js');
const names = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
const fuse = new (Fuse.default || Fuse)(names);
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const before = process.cpuUsage(), began = process.hrtime.bigint();
  const found = fuse.search(JSON.parse(line), { limit: 1 }).map((hit) => hit.item);
  const used = process.cpuUsage(before), took = Number(process.hrtime.bigint() - began);
  const cpu = (used.user + used.system) / 1e6;
  process.stdout.write(JSON.stringify({ found, seconds: took / 1e9, cpu }) + '\\n');
});
"""


@contextmanager
def _fuse(project: Project, scratch: Path) -> Iterator[Ask]:
    try:
        folder = Fuse(KEPT).folder
    except MissingPath as missing:
        raise NotHereError(str(missing)) from missing
    listed = scratch / "names.json"
    listed.write_text(json.dumps(unique_names(project)), encoding="utf-8")
    command = ["node", "--max-old-space-size=8192", "-e", _NODE, str(listed)]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def ask(name: str) -> tuple[Sequence[str], Took]:
            told = json.loads(_exchange(process, json.dumps(name).encode() + b"\n"))
            return told["found"], Took(told["seconds"], told["cpu"])

        yield ask
        process.communicate()


def _exchange(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    """Write a line to a process and return the one that it answers."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()


def unique_names(project: Project) -> list[str]:
    """Return each name of a file once, without its folder."""
    return sorted({path.rpartition("/")[2] for path in project.files})


FINDERS = (
    Finder(
        "git ls-files",
        ranks=False,
        begin=_search(("git",), lambda root, name: ["-C", root, "ls-files", f":(glob)**/{name}"]),
    ),
    Finder(
        "rg --files",
        ranks=False,
        begin=_search(
            ("rg",), lambda root, name: ["--files", "-g", f"**/{name}", root], package="ripgrep"
        ),
    ),
    Finder(
        "fd",
        ranks=False,
        begin=_search(("fd", "fdfind"), lambda root, name: ["-g", name, root], package="fd-find"),
    ),
    Finder("fzf --filter", ranks=True, begin=_fzf),
    Finder("Fuse.js", ranks=True, begin=_fuse),
    Finder("difflib", ranks=True, begin=_difflib),
)
