"""Measure truepath beside what people would use instead, at any size of project.

    python benchmarks/bench.py [--sizes 10k,60k] [--full] [--json FILE] [--plot FILE]

The hook as a process, beside a static C program that does nothing, an interpreter, and bash with
jq; an exact and a near name, beside rg, fd, `git ls-files`, fzf, Fuse.js and difflib on the same
names and questions; each stage against the size of the project. Every project is a git repository
made for the run. Ratios are within the run, and of CPU time (user and system): on a busy machine it
moves less than the clock. A missed target is no failure: the table says so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rivals.outside import Fuse, MissingPath
from speed import hooks, projects, report, stages
from speed.clock import Line
from speed.finders import FINDERS, KEPT, NotHereError, asked
from speed.questions import near, questions
from speed.targets import Lines

QUICK, FULL = (10_000, 60_000), (10_000, 60_000, 100_000, 1_000_000)
QUICK_RUNS = 20
_UNITS = {"": 1, "k": 1_000, "M": 1_000_000}
_LEAST = 100
"""Files of the smallest project: enough to rename some."""


def main() -> None:
    options = _options()
    if options.install:
        _install()
        return
    sizes = FULL if options.full else options.sizes
    runs = options.runs or (40 if options.full else QUICK_RUNS)
    native = hooks.native_program(options.native)
    notes = [] if native else ["the native client: no cargo built it (Debian: apt install cargo)"]
    every: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="tp-", dir=options.folder) as folder:
        for size in sizes:
            place = Path(folder) / str(size)
            every += _measured(place, size, runs, native, notes)
            shutil.rmtree(place / "project")
            _write(options, every, notes)
    print("\n\n".join(report.text(Lines(every), [*dict.fromkeys(notes)])))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=_sizes, default=QUICK, help="files, as in 10k,1M")
    parser.add_argument("--full", action="store_true", help="10k, 60k, 100k and 1M files")
    parser.add_argument("--runs", type=int, help="rounds of the hook; questions of each kind")
    parser.add_argument("--native", help="the native client, where cargo did not build it here")
    parser.add_argument("--folder", help="where projects are made: the folder for temporary files")
    parser.add_argument("--json", type=Path, help="write every figure to a file")
    parser.add_argument("--plot", type=Path, help="draw time against size, to .svg or .png")
    parser.add_argument("--install", action="store_true", help="install Fuse.js, and do no more")
    return parser.parse_args()


def _sizes(text: str) -> tuple[int, ...]:
    found = [re.fullmatch(r"(\d{1,7})([kM]?)", each) for each in text.split(",")]
    sizes = tuple(int(each[1]) * _UNITS[each[2]] for each in found if each)
    if len(sizes) < len(found) or min(sizes) < _LEAST:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not like 10k,100k,1M, each at least {_LEAST}"
        )
    return sizes


def _measured(
    place: Path, size: int, runs: int, native: str | None, notes: list[str]
) -> Iterator[Line]:
    place.mkdir()
    _say(f"{size:,} files: the project")
    project = projects.make(place / "project", size)
    asking = questions(project, runs)
    environ = stages.environment(place)
    os.environ.update({name: environ[name] for name in ("TRUEPATH_STATE", "XDG_CACHE_HOME")})
    small = projects.make(place / "small", _LEAST)
    _say(f"{size:,} files: first misses")
    yield from stages.cold(project, asking, small.root, runs=max(8, runs // 3))
    stages.prepare(project.root, asking[0].written, environ)
    yield from stages.memory(project, asking, environ)
    _say(f"{size:,} files: each stage")
    yield from stages.warm(project, asking)
    _say(f"{size:,} files: the hook")
    nears = [*near(asking)]
    yield from hooks.measured(
        project, nears[: max(6, runs // 3)], place, environ, native=native, runs=runs
    )
    seconds = 4.0 if runs > QUICK_RUNS else 2.0
    groups = [[each for each in asking if each.kind == "exact"], nears]
    for finder in FINDERS:
        _say(f"{size:,} files: {finder.name}")
        try:
            yield from asked(
                finder, project, groups if finder.ranks else groups[:1], seconds=seconds
            )
        except NotHereError as missing:
            notes.append(str(missing))


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def _install() -> None:
    try:
        Fuse(KEPT)
    except MissingPath as missing:
        print(f"left out: {missing}", file=sys.stderr)


def _write(options: argparse.Namespace, every: Sequence[Line], notes: Sequence[str]) -> None:
    """Write what there is so far: the largest project takes longest."""
    lines = Lines(every)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        told = json.dumps(report.data(lines, every, notes), indent=1)
        options.json.write_text(told + "\n", encoding="utf-8")
    if options.plot:
        options.plot.parent.mkdir(parents=True, exist_ok=True)
        report.draw(str(options.plot), lines)


if __name__ == "__main__":
    main()
