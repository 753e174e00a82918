"""truepath's own stages, each by itself, in one project: in this process and in fresh ones."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from speed.clock import Line, Took, least, program, timed
from speed.projects import Project
from speed.questions import NEAR, Question
from truepath import Guard, Resolution, Workspace

STAT, EXISTS = "os.stat", "path exists"
OWN, EXACT, NEARLY, RENAMED = "typo in its own folder", "exact name", "near name", "renamed file"
FIRST, OUTSIDE = "first miss", "first miss outside git"
GIT = "git ls-files -z"
MEMORY = "memory of a process that answered"

_SOURCES = Path(__file__).resolve().parents[2] / "src"
_BENCHMARKS = str(Path(__file__).resolve().parents[1])
_AGAIN = 3
"""How often that is done of which nothing is remembered; the least time counts."""
_SECONDS = 10.0
"""After this time no further question of a kind is asked, but three are in any case."""

_FIRST = """
import sys, time, json
sys.path.append(sys.argv.pop(1))
from latency import cpu_used
from truepath import Workspace
small, root, written = sys.argv[1:]
Workspace(small).resolve("docs/stauts.md")
workspace = Workspace(root)
began, used = time.perf_counter(), cpu_used()
found = workspace.resolve(written)
took = time.perf_counter() - began
best = found.candidates[0].path if found.candidates else found.path
print(json.dumps([took, cpu_used() - used, best]))
"""
"""A first miss, in a process that has answered about another project before."""

_ALL = """
import sys
from truepath import Guard
root, *asked = sys.argv[1:]
workspace = Guard(root).workspace
for written in asked:
    workspace.resolve(written)
with open("/proc/self/status") as status:  # getrusage would count the process that started this one
    print(*[line.split()[1] for line in status if line.startswith("VmHWM")])
"""

_ASK = """
import sys, time
from truepath import Guard
root, written = sys.argv[1:]
for _ in range(3):
    Guard(root).workspace.resolve(written)
    time.sleep(0.5)
"""
"""What makes truepath build behind what it keeps on disk."""


def prepare(root: str, written: str, environ: Mapping[str, str]) -> None:
    """Have all that is kept on disk about a project built, and wait until it is."""
    _python(environ, "-c", _ASK, root, written)
    while _is_building(environ):
        time.sleep(0.2)


def _is_building(environ: Mapping[str, str]) -> bool:
    """Whether a process still runs that was started with this environment."""
    mark = f"TRUEPATH_STATE={environ['TRUEPATH_STATE']}\0".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in place.read_bytes():
                return True
    return False


def _python(environ: Mapping[str, str], *words: str) -> tuple[bytes, Took]:
    return program([sys.executable, *words], environ={**environ, "PYTHONPATH": str(_SOURCES)})


def warm(project: Project, questions: Sequence[Question]) -> Iterator[Line]:
    """Yield a line for each stage in this process, with what is kept on disk at hand."""
    size = len(project.files)
    workspace = Guard(project.root).workspace
    workspace.names()
    there = [project.files[at * size // 100] for at in range(100)]
    yield _line(STAT, size, [partial(os.stat, f"{project.root}/{path}") for path in there])
    yield _line(EXISTS, size, [partial(workspace.resolve, path) for path in there])
    for question in questions[:: max(1, len(questions) // 8)]:
        workspace.resolve(question.written)  # what is built at the first question is another line

    def answered(what: str, kind: str) -> Line:
        chosen = [each for each in questions if each.kind == kind]
        return _answered(what, workspace, chosen, size)

    yield from (answered(OWN, "own folder"), answered(EXACT, "exact"))
    near = [answered(f"{NEARLY}: {kind}", kind) for kind in NEAR]
    yield Line(
        NEARLY,
        size,
        [took for line in near for took in line.took],
        sum(line.right or 0 for line in near),
    )
    yield from near
    yield answered(RENAMED, "renamed")


def _line(what: str, files: int, runs: Iterable[Callable[[], object]]) -> Line:
    return Line(what, files, [least([timed(run)[1] for _ in range(_AGAIN)]) for run in runs])


def _answered(what: str, workspace: Workspace, questions: Sequence[Question], files: int) -> Line:
    line, ends = Line(what, files, right=0), time.monotonic() + _SECONDS
    for question in questions:
        # Once: of what was asked before, names are remembered.
        found, took = timed(partial(workspace.resolve, question.written))
        line.took.append(took)
        line.right = (line.right or 0) + (_best(found) == question.truth)
        if time.monotonic() > ends and len(line.took) >= 3:
            break
    return line


def _best(found: Resolution) -> str | None:
    """Return the path that is named first."""
    return found.candidates[0].path if found.candidates else found.path


def cold(
    project: Project, questions: Sequence[Question], small: str, *, runs: int
) -> Iterator[Line]:
    """Yield a line for each stage that begins with nothing kept on disk, in fresh processes."""
    size = len(project.files)
    chosen = [each for each in questions if each.kind in ("exact", *NEAR)]
    chosen = chosen[:: max(1, len(chosen) // runs)][:runs]
    first = Line(FIRST, size, right=0)
    for question in chosen:
        with nothing_kept() as environ:
            _miss(first, environ, small, project.root, question)
    yield first
    outside = Line(OUTSIDE, size, right=0)
    with nothing_kept() as environ, _no_repository(project.root):
        for question in chosen:
            _miss(outside, environ, small, project.root, question)
    yield outside
    git = shutil.which("git") or "/usr/bin/git"
    listed = [program([git, "-C", project.root, "ls-files", "-z"])[1] for _ in range(_AGAIN)]
    yield Line(GIT, size, listed)


@contextmanager
def _no_repository(root: str) -> Iterator[None]:
    """Lay a project's git folder aside."""
    aside = f"{root}.git-aside"
    os.rename(f"{root}/.git", aside)
    try:
        yield
    finally:
        os.rename(aside, f"{root}/.git")


def _miss(
    line: Line, environ: Mapping[str, str], small: str, root: str, question: Question
) -> None:
    """Ask one question in a fresh process, and add to a line what it took."""
    words = (_BENCHMARKS, small, root, question.written)
    took, cpu, best = json.loads(_python(environ, "-c", _FIRST, *words)[0])
    line.took.append(Took(took, cpu))
    line.right = (line.right or 0) + (best == question.truth)


def memory(
    project: Project, questions: Sequence[Question], environ: Mapping[str, str]
) -> Iterator[Line]:
    """Yield the memory of a process that answers some of the questions."""
    asked = [each.written for each in questions[:: max(1, len(questions) // 10)]]
    printed, took = _python(environ, "-c", _ALL, project.root, *asked)
    if printed.strip():  # Linux alone tells it
        yield Line(MEMORY, len(project.files), [took], peak=int(printed) * 1024)


@contextmanager
def nothing_kept() -> Iterator[dict[str, str]]:
    """Have an environment in which nothing is kept on disk yet."""
    folder = tempfile.mkdtemp(prefix="tp-")
    yield environment(Path(folder))
    shutil.rmtree(folder, ignore_errors=True)  # what was begun in the background may still write


def environment(place: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's is read or written."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    folders = {"HOME": "home", "TRUEPATH_STATE": "s", "XDG_CACHE_HOME": "cache"}
    for name in folders.values():
        (place / name).mkdir(exist_ok=True)
    return {
        **kept,
        **{key: str(place / name) for key, name in folders.items()},
    }
