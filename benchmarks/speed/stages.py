"""truepath's own stages, each by itself, in one project: in this process and in fresh ones."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path

from speed.clock import Line, Took, least, program, timed
from speed.projects import Project
from speed.questions import NEAR, Question
from truepath import Guard, Resolution, Workspace
from truepath.config.user_dirs import projects_folder
from truepath.project.index.mapped import MappedNames
from truepath.project.index.store import IndexStore

STAT, EXISTS = "os.stat", "path exists"
OWN, EXACT, NEARLY, RENAMED = "typo in its own folder", "exact name", "near name", "renamed file"
EXACT_ALONE, NEAR_ALONE = "exact name in the index", "near name in the index"
FIRST = "first miss, no index"
OUTSIDE, OUTSIDE_KEPT = (f"first miss outside git, {how} index" for how in ("no", "with an"))
INDEX, GIT = "first index", "git ls-files -z"
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
small, root, written, *store = sys.argv[1:]
Workspace(small).resolve("docs/stauts.md")
workspace = Workspace(root, store=store[0]) if store else Workspace(root)
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
_LISTED = """
import sys
from truepath import Workspace
root, written = sys.argv[1:]
workspace = Workspace(root)
workspace.names()
workspace.resolve(written)
"""
"""What there is to do before the first near name is found, where no index is kept on disk."""


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
    if has_index():  # one that is being built already would be waited for in vain
        _python(environ, "-m", "truepath", "index", "--root", root)


def _is_building(environ: Mapping[str, str]) -> bool:
    """Whether a process still runs that was started with this environment."""
    mark = f"TRUEPATH_STATE={environ['TRUEPATH_STATE']}\0".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in place.read_bytes():
                return True
    return False


@cache
def has_index() -> bool:
    """Whether this version keeps names on disk: `truepath index` builds them."""
    words = [sys.executable, "-m", "truepath", "index", "--help"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


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
    kept = IndexStore(projects_folder(os.environ), project.root)
    if kept.names() is not None:
        for what, ask, kinds in _ALONE:
            asked = [each.name for each in questions if each.kind in kinds]
            yield _line(what, size, [partial(_looked_up, kept, ask, name) for name in asked])


_ALONE: Sequence[tuple[str, Callable[[MappedNames, str], object], Sequence[str]]] = (
    (EXACT_ALONE, MappedNames.named, ("exact",)),
    (NEAR_ALONE, MappedNames.similar, NEAR),
)
"""What the index alone is asked, and of which questions the names."""


def _looked_up(kept: IndexStore, ask: Callable[[MappedNames, str], object], name: str) -> None:
    """Map an index and ask it for one name: what it remembers of another question is no measure."""
    found = kept.names()
    if found is not None:
        ask(found[0], name)


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
    yield from _outside(project, chosen, small)
    index, listing = Line(INDEX, size), Line(GIT, size)
    git = shutil.which("git") or "/usr/bin/git"
    for _ in range(2):
        listing.took.append(program([git, "-C", project.root, "ls-files", "-z"])[1])
        with nothing_kept() as environ:
            index.took.append(_first_index(project.root, chosen[-1].written, environ))
    yield from (listing, index)


def _outside(project: Project, questions: Sequence[Question], small: str) -> Iterator[Line]:
    """Yield first misses in the same folder while it is no repository."""
    without, kept = (Line(what, len(project.files), right=0) for what in (OUTSIDE, OUTSIDE_KEPT))
    with nothing_kept() as environ, _no_repository(project.root):
        for question in questions:
            _miss(without, environ, small, project.root, question)
        yield without
        store = projects_folder(environ)
        words = [sys.executable, "-m", "truepath.project.index", project.root, store]
        if has_index():
            program(words, environ={**environ, "PYTHONPATH": str(_SOURCES)}, fine=(0, 1))
        for question in questions:
            _miss(kept, environ, small, project.root, question, store)
        yield kept


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
    line: Line,
    environ: Mapping[str, str],
    small: str,
    root: str,
    question: Question,
    *store: str,
) -> None:
    """Ask one question in a fresh process, and add to a line what it took."""
    words = (_BENCHMARKS, small, root, question.written, *store)
    took, cpu, best = json.loads(_python(environ, "-c", _FIRST, *words)[0])
    line.took.append(Took(took, cpu))
    line.right = (line.right or 0) + (best == question.truth)


def _first_index(root: str, written: str, environ: Mapping[str, str]) -> Took:
    if has_index():
        return _python(environ, "-m", "truepath", "index", "--root", root)[1]
    return _python(environ, "-c", _LISTED, root, written)[1]


def memory(
    project: Project, questions: Sequence[Question], environ: Mapping[str, str]
) -> Iterator[Line]:
    """Yield the memory of a process that answers some of the questions, with an index at hand."""
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
