"""Measure what truepath adds to a tool call, at any size of project, beside what people
would use.

    python benchmarks/speed.py [--sizes 100 10000] [--full] [--folder FOLDER] [--save]

The hook as its host sees it, a process for each event, beside a static C program that
does nothing, an interpreter, and bash with jq; also after a miss, for a thousand calls,
64 at once and beside busy programs (see `crowd`); a miss in a project of 52,000 files
of other shapes; each stage of a check in a process
that stays, and a first miss in a fresh one; an exact and a near name beside rg, fd,
`git ls-files`, fzf, Fuse.js and difflib. Every project is a git repository made for the
run. Times are CPU (user and system, with the processes that are waited for) in the
median: on a busy machine it moves less than the clock. What is not on this machine is
left out, and named."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from clock import Line, Took, program, timed
from crowd import at_once, beside_busy
from finders import FINDERS, Finder, NotHereError
from repositories import NEAR, Project, Question, make, questions
from results import machine, save

from truepath import Guard, ToolCall
from truepath.cli.terminal import duration, table
from truepath.hook.command import native_client, script_path
from truepath.project.history import History
from truepath.session.state import TURN_GAP_S

QUICK, FULL = (100, 10_000, 52_000), (100, 10_000, 52_000, 1_000_000)
_LEAST = 100
"""Files of the smallest project: enough to rename some."""
_SECONDS, _FEWEST = 4.0, 3
"""After this time no further question of a kind is asked, but a few are in any case."""

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "native/target/release/truepath-native"
HOST = "claude-code"
NOTHING, INTERPRETER = "bare C program", "python -c pass"
ISOLATED = "python -I -S -c pass"
NATIVE, PYTHON = "Native hook", "Python hook"
THERE, MISS = "path exists", "a miss"
AFTER, THOUSAND = "path exists, after a miss", "1,000 calls, 8 of them misses"
BELOW = "all files below src/"
MADE = "5 % untracked, 20 files made before each"
KNOWN = "A file may be called the only one"
SHAPED = 52_000
"""Files of a project that is measured in other shapes too."""
_LISTED_S = 120.0
"""Seconds in which all names are listed behind, at most."""
_CUT_SHORT = b"cut short"
"""Words of an answer that does not know all names."""
_SETTLED_S = 3.0
"""Seconds after which the times of folders tell whether they changed."""
LIMITS = {
    f"{NATIVE}: {THERE}": (NOTHING, 1.4),
    f"{NATIVE}: plain command": (NOTHING, 1.4),
    f"{NATIVE}: {AFTER}": (ISOLATED, 0.25),
    f"{NATIVE}: {THOUSAND}": (ISOLATED, 170.0),
    f"{PYTHON}: {THERE}": (ISOLATED, 1.5),
    f"{PYTHON}: {AFTER}": (ISOLATED, 2.0),
    f"{PYTHON}: plain command": (ISOLATED, 3.5),
    f"{PYTHON}: {MISS}": (ISOLATED, 5.5),
    f"{PYTHON}: {MISS} in a command": (ISOLATED, 7.0),
    f"{PYTHON}: {MISS}, {BELOW}": (ISOLATED, 12.0),
    f"{PYTHON}: {MISS}, {MADE}": (ISOLATED, 16.0),
}
"""In the smallest project that both were measured in: a way, what it is compared with,
and how many times as much at most."""

EXISTS = "path exists"
OWN, EXACT = "typo in the right folder", "right name, wrong folder"
NEARLY, RENAMED = "near name, wrong folder", "renamed file"
FIRST, OUTSIDE = "first miss, fresh process", "the same, no git"
MISSES = (OWN, EXACT, NEARLY, RENAMED)
EDITED = "path exists, and its line ends are compared"
STAGES = (EXISTS, EDITED, *MISSES, FIRST, OUTSIDE)

BASH = """
path=$(jq -r '.tool_input.file_path // empty')
[ -z "$path" ] || [ -e "$path" ] || echo missing
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=QUICK, help="files, at least 100"
    )
    parser.add_argument("--full", action="store_true", help="1,000,000 files too")
    parser.add_argument(
        "--runs", type=int, default=20, help="of the hook; questions of each kind"
    )
    parser.add_argument(
        "--folder", help="where projects are made: the folder for temporary files"
    )
    parser.add_argument(
        "--save", action="store_true", help="keep the results for `make plots`"
    )
    options = parser.parse_args()
    every, missing = list[Line](), dict[str, None]()
    sizes = FULL if options.full else options.sizes
    with tempfile.TemporaryDirectory(prefix="tp-", dir=options.folder) as folder:
        for size in sizes:
            place = Path(folder) / str(size)
            place.mkdir()
            every += _measured(place, size, options.runs, missing)
            shutil.rmtree(place)
    text = "\n\n".join(report(Lines(every, sizes), [*missing]))
    print(text)
    if options.save:
        save("speed", text, {f"{each.what}, {each.files}": each.cpu for each in every})


def _measured(
    place: Path, size: int, runs: int, missing: dict[str, None]
) -> Iterator[Line]:
    """Yield a line for all that is measured in a project of one size."""
    _say(f"{size:,} files: the project")
    project = make(place / "project", size)
    asking = questions(project, runs)
    near = [question for question in asking if question.kind in NEAR]
    environ = environment(place)
    os.environ["TRUEPATH_STATE"] = environ["TRUEPATH_STATE"]
    _say(f"{size:,} files: first misses")
    yield from cold(project, near[: 3 * len(NEAR)], make(place / "small", _LEAST).root)
    history = History(project.root, store=f"{environ['TRUEPATH_STATE']}/projects")
    while history.fate("no", _ends()).kind == "unknown":
        time.sleep(0.1)
    _say(f"{size:,} files: each stage")
    yield from warm(project, asking)
    _say(f"{size:,} files: the hook")
    misses = asking[:runs]
    yield known(project, misses, place, environ)
    yield from hooked(project, misses, place, environ)
    if size == _LEAST:
        _say(f"{size:,} files: 1,000 calls, and many at once")
        yield from thousand(project, misses, place, environ)
        command, events = (sys.executable, "-I", "-S", script_path(), HOST), []
        for question in islice(cycle(misses), 64):
            path = f"{project.root}/{question.written}"
            events.append(json.dumps(_event(project.root, "Read", {"file_path": path})))
        yield at_once(command, events, size, environ)
        yield beside_busy(command, events[:10], size, environ)
    if size == SHAPED:
        _say(f"{size:,} files: other shapes")
        yield shaped(make(place / "below", size, below="src/"), BELOW, place, runs)
        yield shaped(make(place / "made", size), MADE, place, runs)
    exact = [question for question in asking if question.kind == "exact"]
    for finder in FINDERS:
        _say(f"{size:,} files: {finder.name}")
        try:
            yield from found_by(
                finder, project, [exact, near] if finder.ranks else [exact]
            )
        except NotHereError as error:
            missing[str(error)] = None


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def environment(place: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's is read or written."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LANG", "TMPDIR")
        if name in os.environ
    }
    for name in ("home", "s"):
        (place / name).mkdir(exist_ok=True)
    return {**kept, "HOME": str(place / "home"), "TRUEPATH_STATE": str(place / "s")}


def _ends() -> float:
    return time.monotonic() + _SECONDS


# In a process that stays, and in fresh ones


def warm(project: Project, asking: Sequence[Question]) -> Iterator[Line]:
    """Yield a line for each stage in this process, with the names kept on disk."""
    size = len(project.files)
    guard = Guard(project.root)
    guard.workspace.tree.names()
    there = [project.files[at * size // 100] for at in range(100)]
    yield Line(
        EXISTS, size, [timed(partial(guard.before, _read(path)))[1] for path in there]
    )
    yield Line(
        EDITED, size, [timed(partial(guard.before, _edit(path)))[1] for path in there]
    )
    for question in asking[:8]:
        guard.before(
            _read(question.written)
        )  # what is built at the first is another line
    kinds = {
        OWN: ("own folder",),
        EXACT: ("exact",),
        NEARLY: (*NEAR,),
        RENAMED: ("renamed",),
    }
    for what, among in kinds.items():
        line, ends = Line(what, size), _ends()
        for question in asking:
            # Once: of what was asked before, names are remembered.
            if question.kind in among and (
                time.monotonic() < ends or len(line.took) < _FEWEST
            ):
                decision, took = timed(partial(guard.before, _read(question.written)))
                found = decision.resolutions[0]
                best = found.candidates[0].path if found.candidates else found.path
                line.add(took, right=best == question.truth)
        yield line


def _read(path: str) -> ToolCall:
    return ToolCall("Read", {"file_path": path}, session=path)


def _edit(path: str) -> ToolCall:
    """Return an edit of several lines by a tool that compares bytes: its file is
    read.
    """
    texts = {"old_string": "one\ntwo", "new_string": "one"}
    return ToolCall("EditFile", {"path": path, **texts}, host="google-adk")


_FIRST = """
import sys, json
sys.path[:0] = sys.argv.pop(1).split(":")
from clock import timed
from truepath import Workspace
small, root, written = sys.argv[1:]
Workspace(small).resolve("docs/stauts.md")
workspace = Workspace(root)
found, took = timed(lambda: workspace.resolve(written))
best = found.candidates[0].path if found.candidates else found.path
print(json.dumps([took.seconds, took.cpu, best]))
"""
"""A first miss, in a process that has answered about another project before."""


def cold(project: Project, asking: Sequence[Question], small: str) -> Iterator[Line]:
    """Yield a line for each stage that begins with nothing kept on disk, in fresh
    processes.
    """
    size = len(project.files)
    yield _first_misses(Line(FIRST, size), project.root, asking, small)
    aside = f"{project.root}.git-aside"
    os.rename(f"{project.root}/.git", aside)
    yield _first_misses(Line(OUTSIDE, size), project.root, asking, small)
    os.rename(aside, f"{project.root}/.git")


def _first_misses(
    line: Line, root: str, asking: Sequence[Question], small: str
) -> Line:
    paths = f"{ROOT / 'benchmarks'}:{ROOT / 'src'}"
    for question in asking:
        with _nothing_kept() as environ:
            command = [
                sys.executable,
                "-c",
                _FIRST,
                paths,
                small,
                root,
                question.written,
            ]
            seconds, cpu, best = json.loads(program(command, environ=environ)[0])
            line.add(Took(seconds, cpu), right=best == question.truth)
    return line


@contextmanager
def _nothing_kept() -> Iterator[dict[str, str]]:
    folder = tempfile.mkdtemp(prefix="tp-")
    yield environment(Path(folder))
    shutil.rmtree(
        folder, ignore_errors=True
    )  # what was begun in the background may still write


# The hook


@dataclass(frozen=True)
class Way:
    """A program that is given an event."""

    name: str
    command: Sequence[str]
    tool: str = "Read"
    argument: str = "file_path"
    text: str = "{there}"
    """The argument's value; `{miss}` is another question each time."""
    after: bool = False
    """Whether its session has just missed a path."""


def _ways(place: Path) -> Iterator[Way]:
    """Yield each way to answer that this machine has, what the others are compared with
    first.
    """
    if nothing := compiled(place):
        yield Way(NOTHING, (nothing,))
    yield Way(INTERPRETER, (sys.executable, "-c", "pass"))
    yield Way(ISOLATED, (sys.executable, "-I", "-S", "-c", "pass"))
    if (bash := shutil.which("bash")) and shutil.which("jq"):
        yield Way(f"bash and jq: {THERE}", (bash, "-c", BASH))
    clients: dict[str, tuple[str, ...]] = {
        PYTHON: (sys.executable, "-I", "-S", script_path(), HOST)
    }
    if native := str(BUILT) if BUILT.exists() else native_client():
        words = ("--python", sys.executable, "--script", script_path())
        clients = {NATIVE: (native, HOST, *words), **clients}
    for name, command in clients.items():
        yield Way(f"{name}: {THERE}", command)
        yield Way(f"{name}: {AFTER}", command, after=True)
        line = "cd lib && grep -rn 'main' . | head -20"
        yield Way(f"{name}: plain command", command, "Bash", "command", line)
        yield Way(f"{name}: {MISS}", command, text="{miss}")
        yield Way(
            f"{name}: {MISS} in a command", command, "Bash", "command", "cat {miss}"
        )


def compiled(place: Path) -> str | None:
    """Return a static program that does nothing, or None without a compiler for it."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    (place / "nothing.c").write_text("int main(void) { return 0; }\n")
    command = [compiler, "-O2", "-static", "-o", "nothing", "nothing.c"]
    done = subprocess.run(command, cwd=place, capture_output=True, check=False)
    return str(place / "nothing") if done.returncode == 0 else None


def hooked(
    project: Project,
    misses: Sequence[Question],
    place: Path,
    environ: Mapping[str, str],
) -> list[Line]:
    """Run each way in turn, once a question, and return a line for each way."""
    there = f"{project.root}/{project.files[len(project.files) // 2]}"
    ways = [(way, Line(way.name, len(project.files))) for way in _ways(place)]
    for question in misses:
        for way, line in ways:
            missing = f"{project.root}/{question.written}"
            text = way.text.replace("{there}", there).replace("{miss}", missing)
            event = _event(project.root, way.tool, {way.argument: text})
            if way.after:
                missed = {**event, "tool_input": {"file_path": missing}}
                _asked(way.command, missed, place, environ)
                time.sleep(TURN_GAP_S)
            printed, took = _asked(way.command, event, place, environ)
            # The name alone may be that of the written path, which a refusal repeats.
            is_named = question.truth.encode() in printed
            line.add(took, right=is_named if "{miss}" in way.text else None)
    return [line for _, line in ways]


def known(
    project: Project,
    misses: Sequence[Question],
    place: Path,
    environ: Mapping[str, str],
) -> Line:
    """Return a line that says of some misses whether all names were known, once they
    could be: those of a large project are listed behind.
    """
    command = (sys.executable, "-I", "-S", script_path(), HOST)
    line = Line(KNOWN, len(project.files))
    ends = time.monotonic() + _LISTED_S
    for question in misses[:_FEWEST]:
        written = {"file_path": f"{project.root}/{question.written}"}
        event = _event(project.root, "Read", written)
        printed, took = _asked(command, event, place, environ)
        while not _knows(printed) and time.monotonic() < ends:
            time.sleep(1.0)
            event = _event(project.root, "Read", written)
            printed, took = _asked(command, event, place, environ)
        line.add(took, right=_knows(printed))
    return line


def _knows(printed: bytes) -> bool:
    """Return whether an answer knows all names."""
    return bool(printed.strip()) and _CUT_SHORT not in printed


def shaped(project: Project, shape: str, place: Path, runs: int) -> Line:
    """Return a line for misses in a project of another shape, with all that is kept of
    it at hand.
    """
    environ = environment(place)
    command = (sys.executable, "-I", "-S", script_path(), HOST)
    line = Line(f"{PYTHON}: {MISS}, {shape}", len(project.files))
    makes = shape == MADE
    _make_untracked(project, len(project.files) // 20 if makes else 0)
    exact = [each for each in questions(project, runs + 2) if each.kind == "exact"]
    for number, question in enumerate(exact):
        written = {"file_path": f"{project.root}/{question.written}"}
        _make_untracked(project, 20 if makes else 0)
        event = _event(project.root, "Read", written)
        printed, took = _asked(command, event, place, environ)
        if number < 2:  # the first ones list all
            time.sleep(_SETTLED_S)
        else:
            line.add(took, right=question.truth.encode() in printed)
    return line


def _make_untracked(project: Project, count: int) -> None:
    """Make files that git does not track, beside tracked ones."""
    for path in random.Random(count).sample(project.files, count):
        folder = os.path.dirname(f"{project.root}/{path}")
        Path(folder, f"note-{uuid.uuid4()}.txt").write_text("x\n")


def thousand(
    project: Project,
    misses: Sequence[Question],
    place: Path,
    environ: Mapping[str, str],
) -> Iterator[Line]:
    """Yield the CPU of 1,000 calls for each client: 8 sessions that miss once and then
    succeed.
    """
    for way in _ways(place):
        client, _, what = way.name.partition(": ")
        if what != THERE or client not in (NATIVE, PYTHON):
            continue
        took: list[Took] = []
        for question in misses[:8]:
            event = _event(
                project.root,
                "Read",
                {"file_path": f"{project.root}/{question.written}"},
            )
            took.append(_asked(way.command, event, place, environ)[1])
            for path in project.files[:124]:
                event = {**event, "tool_input": {"file_path": f"{project.root}/{path}"}}
                took.append(_asked(way.command, event, place, environ)[1])
        total = Took(sum(each.seconds for each in took), sum(each.cpu for each in took))
        yield Line(f"{client}: {THOUSAND}", len(project.files), [total])


def _asked(
    command: Sequence[str],
    event: Mapping[str, Any],
    place: Path,
    environ: Mapping[str, str],
) -> tuple[bytes, Took]:
    """Run a client with an event; return what it printed."""
    (place / "event.json").write_text(json.dumps(event))
    return program(command, given=str(place / "event.json"), environ=environ)


def _event(root: str, tool: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    return {
        "session_id": str(uuid.uuid4()),
        "cwd": root,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": "toolu_0",
    }


# Other finders


def found_by(
    finder: Finder, project: Project, groups: Sequence[Sequence[Question]]
) -> Iterator[Line]:
    """Yield a line for each group of questions; a finder gets the name alone, its best
    case.
    """
    names = sorted({path.rpartition("/")[2] for path in project.files})
    with (
        tempfile.TemporaryDirectory() as scratch,
        finder.begin(project.root, names, Path(scratch)) as ask,
    ):
        for group in groups:
            kind = "exact" if group[0].kind == "exact" else "near"
            line, ends = Line(f"{finder.name}: {kind}", len(project.files)), _ends()
            for question in group:
                if time.monotonic() < ends or len(line.took) < _FEWEST:
                    found, took = ask(question.name)
                    right = question.truth, question.truth.rpartition("/")[2]
                    line.add(took, right=bool(found) and found[0] in right)
            yield line


# What a person reads


class Lines:
    """The lines of a run, found by what they are of and the size of the project."""

    def __init__(self, lines: Sequence[Line], sizes: Sequence[int]) -> None:
        self._lines = {(line.what, line.files): line for line in lines if line.took}
        self.names = [*dict.fromkeys(line.what for line in lines)]
        self.sizes = sizes

    def each(self, what: str) -> list[Line | None]:
        return [self._lines.get((what, size)) for size in self.sizes]

    def cpu(self, what: str) -> list[str]:
        return [duration(line.cpu) if line else "" for line in self.each(what)]

    def right(self, what: str) -> str:
        judged = [line for line in self.each(what) if line and line.right is not None]
        asked = sum(len(line.took) for line in judged)
        return f"{sum(line.right or 0 for line in judged)}/{asked}" if judged else ""

    def ratio(self, what: str, to: str) -> float | None:
        """Return the ratio of CPU in the smallest project that has both."""
        for line, other in zip(self.each(what), self.each(to), strict=True):
            if line and other:
                return line.cpu / other.cpu
        return None

    def is_kept(self, what: str) -> bool | None:
        """Return whether a limit is kept; None where there is none, or nothing to
        compare.
        """
        to, most = LIMITS.get(what, ("", 0.0))
        ratio = self.ratio(what, to)
        return None if ratio is None else ratio <= most


def report(lines: Lines, missing: Sequence[str]) -> Iterator[str]:
    """Yield the sentences, a table each of hooks, checks and finders, and of which
    machine.
    """
    yield "\n".join(_sentences(lines))
    sizes = [f"{size:,} files" for size in lines.sizes]
    head = ("CPU of a process", *sizes, "times C", "times -I -S", "limit", "right")
    yield table(
        head, [_hook_row(lines, name) for name in lines.names if _is_hook(name)]
    )
    head = ("CPU of a check in a process", *sizes, "95 of 100 within", "right")
    yield table(head, [_stage_row(lines, stage) for stage in STAGES])
    ways = {"truepath": (EXACT, NEARLY)}
    ways |= {
        each.name: (f"{each.name}: exact", f"{each.name}: near") for each in FINDERS
    }
    columns = (f"{kind} {size:,}" for kind in ("exact", "near") for size in lines.sizes)
    head = ("CPU to find a name", *columns)
    rows = [
        (name, *lines.cpu(exact), *lines.cpu(near))
        for name, (exact, near) in ways.items()
    ]
    rights = [(*row, *map(lines.right, ways[row[0]])) for row in rows if any(row[1:])]
    yield table((*head, "exact: right", "near: right"), rights)
    yield "\n".join((machine(), *(f"left out: {each}" for each in missing)))


def _sentences(lines: Lines) -> Iterator[str]:
    """Yield the results that a person asks for first, a sentence each."""
    yield from _of_clients(lines)
    for what in (each for each in lines.names if each.startswith("Misses")):
        yield f"{what}: {lines.right(what)} answered as one alone."
    yield from _of_knowledge(lines)
    size, at = lines.sizes[len(lines.sizes) // 2], len(lines.sizes) // 2
    found = [line.cpu for line in (lines.each(what)[at] for what in MISSES) if line]
    yield (
        f"In a process that stays, in a project of {size:,} files, a check of a path "
        f"that exists takes {lines.cpu(EXISTS)[at]}, of one that does not "
        f"{duration(min(found))} to "
        f"{duration(max(found))}."
    )
    kept = {name: lines.is_kept(name) for name in LIMITS}
    failed = [name for name, is_kept in kept.items() if is_kept is False]
    yield (
        f"FAILED: {len(failed)} of {len(kept)} limits: {'; '.join(failed)}."
        if failed
        else f"All {sum(map(bool, kept.values()))} limits were kept."
    )


def _of_clients(lines: Lines) -> Iterator[str]:
    for way, base in (
        (NATIVE, "a C program that does nothing"),
        (PYTHON, f"`{ISOLATED}`"),
    ):
        ratio = lines.ratio(f"{way}: {THERE}", LIMITS[f"{way}: {THERE}"][0])
        if not ratio:
            continue
        miss = lines.ratio(f"{way}: {MISS}", ISOLATED)
        after = lines.ratio(f"{way}: {AFTER}", ISOLATED)
        yield (
            f"{way}: a call whose path exists takes {ratio:.2f} times the CPU of "
            f"{base}; in times that of `{ISOLATED}`, one after a miss takes "
            f"{after:.2f}, a miss {miss:.2f}"
            f" and 1,000 calls {lines.ratio(f'{way}: {THOUSAND}', ISOLATED):.0f}."
        )


def _of_knowledge(lines: Lines) -> Iterator[str]:
    for size, line in zip(lines.sizes, lines.each(KNOWN), strict=True):
        if line:
            answer = "yes" if line.right == len(line.took) else "no"
            yield f"{KNOWN} in {size:,} files: {answer}."


def _is_hook(name: str) -> bool:
    return name == NOTHING or name.startswith((NATIVE, PYTHON, "python", "bash"))


def _hook_row(lines: Lines, name: str) -> Sequence[str]:
    ratios = {to: lines.ratio(name, to) for to in (NOTHING, ISOLATED)}
    most = LIMITS.get(name, ("", 0.0))[1]
    limit = {None: "", True: f"{most}, kept", False: f"{most}, FAILED"}[
        lines.is_kept(name)
    ]
    shown = [f"{each:.2f}" if each else "" for each in ratios.values()]
    return (name, *lines.cpu(name), *shown, limit, lines.right(name))


def _stage_row(lines: Lines, stage: str) -> Sequence[str]:
    largest = lines.each(stage)[-1]
    late = duration(largest.within(0.95)) if largest else ""
    return (stage, *lines.cpu(stage), late, lines.right(stage))


if __name__ == "__main__":
    main()
