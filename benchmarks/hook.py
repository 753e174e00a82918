"""Measure what the hook adds to one tool call, as its host sees it: a process, start to end.

    python benchmarks/hook.py [--runs N] [--native PATH] [--json] [--check]

Every way to answer is run in turn, round after round, in a small project made for it. Times are
milliseconds of CPU (user and system, with the processes that are waited for) and on the clock.
Ratios are of CPU in the same run, to a static C program that does nothing and, for Python, to an
interpreter that does nothing. What is not on this machine (a C compiler, jq, the native client) is
left out. With --check the status is 1 where a bound is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truepath.cli.terminal import table
from truepath.hook.command import native_client, script_path

HOST = "claude-code"
NOTHING, INTERPRETER = "static C, nothing", "python -c pass"

BOUNDS = {
    "native, path there": (NOTHING, 1.4),
    "native, plain command": (NOTHING, 1.4),
    "python, path there": (INTERPRETER, 1.3),
    "python, plain command": (INTERPRETER, 2.2),
    "python, a miss": (INTERPRETER, 4.5),
    "python, a miss in a command": (INTERPRETER, 5.5),
}
"""What must hold: a way, what it is compared with, and the ratio at most."""

BASH = """
path=$(jq -r '.tool_input.file_path // empty')
[ -z "$path" ] || [ -e "$path" ] || echo missing
"""

THERE, MISSING = "docs/status.md", "docs/stauts.md"
COMMAND = "cd src && grep -rn 'main' app | head -20"
MISTAKEN = f"cat {MISSING}"


@dataclass(frozen=True)
class Way:
    """One way to answer an event."""

    name: str
    command: tuple[str, ...]
    event: Mapping[str, Any]
    environ: Mapping[str, str]
    fresh: bool = False
    """Whether each call is in a session of its own."""
    times: list[float] = field(default_factory=list)
    """Seconds of CPU, for each call."""
    waits: list[float] = field(default_factory=list)
    """Seconds on the clock, for each call."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--native", help="the native client, where it is not on PATH")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tp-") as folder:
        place = Path(folder)
        environ = environment(place)
        ways = [*ways_of(place, options.native or native_client(), environ)]
        for _ in range(options.runs):
            for way in ways:
                cpu, clock = timed(way, place)
                way.times.append(cpu)
                way.waits.append(clock)
    report(figures(ways), as_json=options.json, check=options.check)


def environment(place: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's is read or written."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(place / "home"), "TRUEPATH_STATE": str(place / "s")}


def ways_of(place: Path, native: str | None, environ: Mapping[str, str]) -> Iterator[Way]:
    """Yield each way that this machine has, what the others are compared with first."""
    project = made(place / "project")
    there = event(project, "Read", {"file_path": str(project / THERE)})
    missing = event(project, "Read", {"file_path": str(project / MISSING)})
    shell = event(project, "Bash", {"command": COMMAND})
    mistaken = event(project, "Bash", {"command": MISTAKEN})
    if program := compiled(place):
        yield Way(NOTHING, (program,), there, environ)
    if native:
        client = (native, HOST, "--python", sys.executable, "--script", script_path())
        yield Way("native, path there", client, there, environ)
        yield Way("native, plain command", client, shell, environ)
        yield Way("native, a miss", client, missing, environ, fresh=True)
    if (bash := shutil.which("bash")) and shutil.which("jq"):
        yield Way("bash and jq, path there", (bash, "-c", BASH), there, environ)
    yield Way(INTERPRETER, (sys.executable, "-c", "pass"), there, environ)
    yield Way("python -I -S -c pass", (sys.executable, "-I", "-S", "-c", "pass"), there, environ)
    script = (sys.executable, "-I", "-S", script_path(), HOST)
    yield Way("python, path there", script, there, environ)
    yield Way("python, plain command", script, shell, environ)
    yield Way("python, a miss", script, missing, environ, fresh=True)
    yield Way("python, a miss in a command", script, mistaken, environ, fresh=True)


def made(project: Path) -> Path:
    """Make a small repository and return it."""
    for name in (THERE, "src/app/main.py", "README.md"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x\n")
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "start")):
        subprocess.run(["git", *identity, "-C", str(project), *words], check=True)
    return project


def event(project: Path, tool: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    return {
        "session_id": str(uuid.uuid4()),
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": "toolu_0",
    }


def compiled(place: Path) -> str | None:
    """Return a static program that does nothing, or None without a compiler for it."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    (place / "nothing.c").write_text("int main(void) { return 0; }\n")
    command = [compiler, "-O2", "-static", "-o", "nothing", "nothing.c"]
    done = subprocess.run(command, cwd=place, capture_output=True, check=False)
    return str(place / "nothing") if done.returncode == 0 else None


def timed(way: Way, place: Path) -> tuple[float, float]:
    """Return the seconds of one call: of CPU, and on the clock from its start to its end."""
    told = {**way.event, "session_id": str(uuid.uuid4())} if way.fresh else way.event
    file = place / "event.json"
    file.write_text(json.dumps(told))
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, str(file), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    used, began = cpu_of_children(), time.perf_counter()
    child = os.posix_spawn(way.command[0], way.command, way.environ, file_actions=streams)
    _, status = os.waitpid(child, 0)
    taken = cpu_of_children() - used, time.perf_counter() - began
    if status:
        raise SystemExit(f"{way.name}: ended with {os.waitstatus_to_exitcode(status)}")
    return taken


def cpu_of_children() -> float:
    """Return the seconds of CPU of the processes that were waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def figures(ways: list[Way]) -> list[dict[str, Any]]:
    medians = {way.name: statistics.median(way.times) for way in ways}
    lines = []
    for way in ways:
        times, middle = sorted(way.times), medians[way.name]
        bound = BOUNDS.get(way.name)
        ratio = middle / medians[bound[0]] if bound and bound[0] in medians else None
        lines.append(
            {
                "what": way.name,
                "runs": len(times),
                "cpu_ms": round(middle * 1e3, 3),
                "p95_cpu_ms": round(times[int(0.95 * (len(times) - 1))] * 1e3, 3),
                "clock_ms": round(statistics.median(way.waits) * 1e3, 3),
                "to_c": round(middle / medians[NOTHING], 2) if NOTHING in medians else None,
                "to_python": round(middle / medians[INTERPRETER], 2),
                "bound": bound[1] if bound else None,
                "held": None if ratio is None or bound is None else ratio <= bound[1],
            }
        )
    return lines


def report(lines: list[dict[str, Any]], *, as_json: bool, check: bool) -> None:
    if as_json:
        print(json.dumps(lines, indent=1))
    else:
        head = ("", "CPU ms", "p95", "clock ms", "to static C", "to python -c pass", "bound")
        rows = [
            (
                line["what"],
                f"{line['cpu_ms']:.2f}",
                f"{line['p95_cpu_ms']:.2f}",
                f"{line['clock_ms']:.2f}",
                "" if line["to_c"] is None else f"{line['to_c']:.2f}",
                f"{line['to_python']:.2f}",
                bound_of(line),
            )
            for line in lines
        ]
        print(table(head, rows))
    if check and any(line["held"] is False for line in lines):
        raise SystemExit(1)


def bound_of(line: Mapping[str, Any]) -> str:
    if line["bound"] is None:
        return ""
    compared = "C" if BOUNDS[line["what"]][0] == NOTHING else "python"
    verdict = {True: "held", False: "BROKEN", None: "not compared"}[line["held"]]
    return f"{line['bound']} x {compared}: {verdict}"


if __name__ == "__main__":
    main()
