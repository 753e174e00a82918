"""Measure the time that a check adds to a tool call in one project.

    python benchmarks/latency.py [ROOT] [--runs N] [--json]

When the path exists; on a miss with the names of the project at hand; on the first miss, listing
included, in a process that has checked before and in a fresh one. Files and folders. Times are
milliseconds; the ratio is to one `os.stat` of the same kind of path in the same run, for fresh
processes to an interpreter that does nothing. `cpu_ms` is what this process and those it waited
for used, which moves less on a busy machine than the time on the clock. Counts are of what a check
does besides: modules imported, files opened, folders listed, processes started, and system calls
where strace is there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from truepath import Guard, ToolCall, Workspace
from truepath.cli.terminal import table

_CHILD = """
import sys, time
root, tool, path = sys.argv[1:]
before, counts = len(sys.modules), {}
def hear(event, _):
    counts[event] = counts.get(event, 0) + 1
sys.addaudithook(hear)
began = time.perf_counter()
from truepath import Guard, ToolCall, Workspace
ready = time.perf_counter()
Guard(workspace=Workspace(root)).before(ToolCall(tool, {"path": path}))
ended = time.perf_counter()
modules = len(sys.modules) - before
import json
told = {"check": ended - ready, "all": ended - began, "modules": modules, "counts": counts}
print(json.dumps(told))
"""
"""One check in a process that has done nothing else."""

_WATCHED = ("open", "os.scandir", "os.listdir", "subprocess.Popen", "os.posix_spawn")
"""Audit events that a check may cause."""


@dataclass(frozen=True)
class Line:
    """The times of one kind of check, in seconds."""

    what: str
    times: Sequence[float]
    unit: float
    """What the ratio is to."""
    counts: Mapping[str, float] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        times = sorted(self.times)
        middle = statistics.median(times)
        return {
            "what": self.what,
            "runs": len(times),
            "median_ms": round(middle * 1e3, 4),
            "p95_ms": round(times[int(0.95 * (len(times) - 1))] * 1e3, 4),
            "max_ms": round(times[-1] * 1e3, 4),
            "ratio": round(middle / self.unit, 2),
            **self.counts,
        }


@dataclass(frozen=True)
class Samples:
    """Paths of one project to ask about."""

    there: Mapping[str, list[str]]
    missing: Mapping[str, list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", default=".", help="a project; by default this one")
    parser.add_argument("--runs", type=int, default=30, help="of what lists the project")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    root = os.path.abspath(options.root)
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        names = [each for each in Workspace(root).names() if os.path.isfile(f"{root}/{each}")]
        samples = sampled(names, sorted({*_folders(names)}))
        lines = [*in_process(root, samples, options.runs), *fresh(root, samples, options.runs)]
    figures = [line.figures() for line in lines]
    if options.json:
        print(json.dumps({"files": len(names), "checks": figures}, indent=1))
    else:
        print(f"{len(names):,} files")
        print(as_text(figures))


def _folders(files: Iterable[str]) -> Iterator[str]:
    for path in files:
        for at, char in enumerate(path):
            if char == "/":
                yield path[:at]


def sampled(files: Sequence[str], folders: Iterable[str]) -> Samples:
    """Make mistakes of the common kinds out of real names; the same ones each time."""
    chance = random.Random(0)
    deep = [path for path in files if path.count("/") >= 2] or list(files)
    chosen = chance.sample(deep, min(40, len(deep)))
    below = sorted(path for path in folders if "/" in path) or sorted(folders)
    inner = chance.sample(below, min(40, len(below)))
    there = {"read_file": chosen, "list_directory": inner}
    missing = {
        "file, wrong folder": [moved(path) for path in chosen],
        "file, near name": [misspelt(path) for path in chosen],
        "file, absent": [os.path.dirname(path) + "/zq_none_such.xyz" for path in chosen],
        "folder, left out": [path.partition("/")[2] for path in inner if "/" in path],
    }
    known = {*files, *folders}
    gone = {kind: [p for p in paths if p and p not in known] for kind, paths in missing.items()}
    return Samples(there, {kind: paths for kind, paths in gone.items() if paths})


def moved(path: str) -> str:
    return "src/old/" + path.partition("/")[2]


def misspelt(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    middle = len(name.partition(".")[0]) // 2
    return folder + slash + name[:middle] + name[middle + 1 :]


def tool_of(kind: str) -> str:
    return "list_directory" if kind.startswith("folder") else "read_file"


def guarded(root: str) -> Guard:
    # A workspace of its own: nothing of the history is kept.
    return Guard(workspace=Workspace(root))


def in_process(root: str, samples: Samples, runs: int) -> list[Line]:
    watch = Watch()
    guard = guarded(root)
    stat = median_time(lambda path: os.stat(os.path.join(root, path)), samples.there["read_file"])
    lines = [Line("os.stat", [stat], stat)]
    for tool, paths in samples.there.items():
        kind = "file" if tool == "read_file" else "folder"
        lines.append(watched(watch, f"exists, {kind}", guard, tool, paths * 25, stat))
    for kind, paths in samples.missing.items():
        guard = guarded(root)
        check(guard, tool_of(kind), paths[0])
        lines.append(watched(watch, f"names at hand: {kind}", guard, tool_of(kind), paths, stat))
    for kind, paths in samples.missing.items():
        times, cpu, counts = [], [], Counter[str]()
        for path in (paths * runs)[:runs]:
            settle()
            guard = guarded(root)
            counts += watch.count(partial(check, guard, tool_of(kind), path))
            times.append(watch.took)
            cpu.append(watch.used)
        used = {"cpu_ms": round(statistics.median(cpu) * 1e3, 1)}
        lines.append(Line(f"first miss: {kind}", times, stat, averages(counts, runs) | used))
    return lines


def settle() -> None:
    """Wait until what the last check began in the background is done; it is not this one's."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(10)


def check(guard: Guard, tool: str, path: str) -> str:
    return guard.before(ToolCall(tool, {"path": path})).action


def watched(
    watch: Watch, what: str, guard: Guard, tool: str, paths: Sequence[str], unit: float
) -> Line:
    times, counts = [], Counter[str]()
    for path in paths:
        counts += watch.count(partial(check, guard, tool, path))
        times.append(watch.took)
    return Line(what, times, unit, averages(counts, len(paths)))


def averages(counts: Counter[str], runs: int) -> dict[str, float]:
    return {name: round(counts[name] / runs, 1) for name in _WATCHED}


class Watch:
    """Counts what happens while something runs, and how long it takes."""

    def __init__(self) -> None:
        self._counts: Counter[str] | None = None
        self.took = self.used = 0.0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _: tuple[Any, ...]) -> None:
        if self._counts is not None and event in _WATCHED:
            self._counts[event] += 1

    def count(self, run: Callable[[], Any]) -> Counter[str]:
        counts = self._counts = Counter[str]()
        began, used = time.perf_counter(), cpu_used()
        run()
        self.took, self.used = time.perf_counter() - began, cpu_used() - used
        self._counts = None
        return counts


def cpu_used() -> float:
    """Return the seconds of CPU of this process and of those it has waited for."""
    try:
        import resource
    except ImportError:  # Windows
        return time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def median_time(run: Callable[[str], Any], paths: Sequence[str]) -> float:
    times = []
    for path in [*paths] * 25:
        began = time.perf_counter()
        run(path)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def fresh(root: str, samples: Samples, runs: int) -> list[Line]:
    """Check once in each of many new processes, taking turns with one that does nothing."""
    asked = {
        "exists, file": ("read_file", samples.there["read_file"][0]),
        "exists, folder": ("list_directory", samples.there["list_directory"][0]),
        **{f"first miss: {kind}": (tool_of(kind), p[0]) for kind, p in samples.missing.items()},
    }
    bare: list[float] = []
    told: dict[str, list[dict[str, Any]]] = {name: [] for name in asked}
    for _ in range(runs):
        bare.append(timed(["-c", "pass"])[0])
        for name, call in asked.items():
            told[name].append(json.loads(timed(["-c", _CHILD, root, *call])[1]))
    unit = statistics.median(bare)
    lines = [Line("new process: nothing", bare, unit, system_calls(["-c", "pass"]))]
    for name, each in told.items():
        counts = {event: each[0]["counts"].get(event, 0) for event in _WATCHED}
        counts |= {"modules": each[0]["modules"]}
        counts |= system_calls(["-c", _CHILD, root, *asked[name]])
        for part, what in (("check", "check alone"), ("all", "with import")):
            times = [one[part] for one in each]
            lines.append(Line(f"new process, {what}: {name}", times, unit, counts))
    return lines


def timed(arguments: Sequence[str]) -> tuple[float, bytes]:
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - began, done.stdout


def system_calls(arguments: Sequence[str]) -> dict[str, float]:
    """Count the system calls of a new process and those it starts; nothing without strace."""
    if shutil.which("strace") is None:
        return {}
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as told:
        ask = ["strace", "-f", "-c", "-o", told.name, sys.executable, *arguments]
        done = subprocess.run(ask, capture_output=True, check=False)
        total = [line.split() for line in told if line.rstrip().endswith("total")]
    return {"system calls": int(total[-1][3])} if total and not done.returncode else {}


def as_text(figures: Sequence[Mapping[str, Any]]) -> str:
    counted = ("cpu_ms", *_WATCHED, "modules", "system calls")
    head = ("check", "runs", "median", "p95", "max", "ratio", *counted)
    rows = [
        (
            str(each["what"]),
            *(f"{each[name]:,}" for name in ("runs", "median_ms", "p95_ms", "max_ms", "ratio")),
            *(f"{each[name]:,}" if name in each else "" for name in counted),
        )
        for each in figures
    ]
    return table(head, rows)


if __name__ == "__main__":
    main()
