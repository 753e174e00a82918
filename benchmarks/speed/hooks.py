"""The hook as its host sees it: one process for one event, beside what a process costs at all."""

from __future__ import annotations

import json
import os
import shutil
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hook import BASH, HOST, INTERPRETER, NOTHING, compiled, event

from speed.clock import Line, program
from speed.projects import Project
from speed.questions import Question
from truepath.hook.command import native_client, script_path

BARE = "python -I -S -c pass"
SHELL = "bash and jq, path exists"
NATIVE, PYTHON = "native client", "Python client"
EXISTS, MISS = "path exists", "a miss"
PAYLOADS = (1_000, 50_000)
"""Bytes of an event: a call that reads, and one that writes a whole file."""

_BUILT = Path(__file__).resolve().parents[2] / "native/target/release/truepath-native"


@dataclass(frozen=True)
class Way:
    """A program that is given an event."""

    name: str
    command: Sequence[str]
    misses: bool = False


def measured(
    project: Project,
    questions: Sequence[Question],
    place: Path,
    environ: Mapping[str, str],
    *,
    native: str | None,
    runs: int,
) -> list[Line]:
    """Run each way in turn, round after round, and return a line for each way and payload.

    Args:
        project: Where the events say that they come from.
        questions: The misses; one a round, as far as there are some.
        place: A folder for what is made.
        environ: The environment of the programs, with what is kept on disk built.
        native: The native client, if there is one.
        runs: Rounds.
    """
    lines: dict[tuple[str, int], Line] = {}
    ways = [*_ways(place, native)]
    for at in range(runs):
        for way in ways:
            if way.misses and at >= len(questions):
                continue
            for payload in PAYLOADS[:1] if way.misses else PAYLOADS:
                question = questions[at] if way.misses else None
                given = _event(project, question, place, payload)
                printed, took = program(way.command, given=given, environ=environ)
                key = (way.name, payload)
                line = lines.setdefault(key, Line(way.name, len(project.files), payload=payload))
                line.took.append(took)
                if question is not None:
                    name = question.truth.rpartition("/")[2]
                    line.right = (line.right or 0) + (name.encode() in printed)
    return [*lines.values()]


def _ways(place: Path, native: str | None) -> Iterator[Way]:
    if program := compiled(place):
        yield Way(NOTHING, (program,))
    if native:
        client = (native, HOST, "--python", sys.executable, "--script", script_path())
        yield Way(f"{NATIVE}, {EXISTS}", client)
        yield Way(f"{NATIVE}, {MISS}", client, misses=True)
    if (bash := shutil.which("bash")) and shutil.which("jq"):
        yield Way(SHELL, (bash, "-c", BASH))
    yield Way(INTERPRETER, (sys.executable, "-c", "pass"))
    yield Way(BARE, (sys.executable, "-I", "-S", "-c", "pass"))
    script = (sys.executable, "-I", "-S", script_path(), HOST)
    yield Way(f"{PYTHON}, {EXISTS}", script)
    yield Way(f"{PYTHON}, {MISS}", script, misses=True)


def _event(project: Project, question: Question | None, place: Path, payload: int) -> str:
    """Write an event of so many bytes to a file, in a session of its own, and return the file."""
    path = question.written if question else project.files[len(project.files) // 2]
    arguments = {"file_path": os.path.join(project.root, path)}
    told = event(Path(project.root), "Read", arguments) | {"session_id": str(uuid.uuid4())}
    missing = payload - len(json.dumps(told))
    if missing > 1_000:
        told["tool_name"] = "Write"
        told["tool_input"] = arguments | {
            "content": "    return value  # as it was\n" * (missing // 31)
        }
    file = place / "event.json"
    file.write_text(json.dumps(told))
    return str(file)


def native_program(given: str | None) -> str | None:
    """Return the native client: the given, the one that cargo built here, or an installed one."""
    return given or (str(_BUILT) if _BUILT.exists() else native_client())
