"""Run one hook call in each hostile surrounding, and 64 calls at once; one line each.

`make surroundings`. It ends with 1 where a hook failed, answered with anything but
JSON, took longer than its deadline, or left a process running. Silence is as good as an
answer: the agent's call goes on.

TRUEPATH_TEST_EVENTS: events of each of the 64 (4; the full measure is 500).
TRUEPATH_TEST_MARGIN: seconds beyond the deadline that this machine may need (2).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve()
ROOT = HERE.parents[2]
sys.path[:0] = [
    str(HERE.parents[1]),
    str(HERE.parent),
    str(HERE.parents[1] / "load"),
    str(ROOT / "src"),
]

import hooks  # noqa: E402
import places  # noqa: E402
import repos  # noqa: E402
from watching import left  # noqa: E402

from truepath.hook.deadline import MOST_SECONDS  # noqa: E402
from truepath.journal.journal import EventReader, journal_path  # noqa: E402

MARGIN = float(os.environ.get("TRUEPATH_TEST_MARGIN", "2"))
EVENTS = int(os.environ.get("TRUEPATH_TEST_EVENTS", "4"))
CROWD = 64
CROWDED = 10 * MARGIN
"""Seconds beyond the deadline with 64 at once: so long may an interpreter take to be
started."""
MARK = "TRUEPATH_TEST_MARK"
"""A variable that every process of one hook inherits."""


@dataclass(frozen=True)
class Ran:
    """What one hook did."""

    status: int | None
    output: bytes
    errors: bytes
    seconds: float
    left: tuple[str, ...]
    """The processes that it left running."""
    margin: float

    @property
    def fault(self) -> str:
        """What must not be; empty if nothing is."""
        if self.status is None:
            return "did not end"
        if self.status:
            return f"status {self.status}"
        if self.output and not _is_json(self.output):
            return f"printed {self.output[:60]!r}"
        # An alarm that rang in a callback is told so by Python, and the process ends
        # all the same.
        if b"Traceback" in self.errors and b"Exception ignored" not in self.errors:
            return f"said {self.errors[-200:]!r}"
        if self.seconds > MOST_SECONDS + self.margin:
            return "over its deadline"
        return f"left {', '.join(self.left)}" if self.left else ""


def _is_json(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False


def call(
    box: places.Box,
    command: Sequence[str],
    session: str = places.SESSION,
    *,
    path: str = "specs/status.md",
    margin: float = 0.0,
) -> Ran:
    """Run one hook, for a path that git renamed."""
    mark = uuid.uuid4().hex
    event = hooks.event(box.repo, path, session_id=session, tool_use_id=f"toolu_{mark}")
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        env={**box.environ, MARK: mark},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=box.before,
    )
    try:
        output, errors = process.communicate(json.dumps(event).encode(), timeout=300)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        status = None
    seconds = time.monotonic() - began
    return Ran(
        status,
        output,
        errors,
        seconds,
        tuple(left(f"{MARK}={mark}", 10)),
        margin or MARGIN,
    )


@contextmanager
def box(*, used: bool = True) -> Iterator[places.Box]:
    """Make a box; a `used` one has a session that missed, and a map of its history."""
    folder = Path(tempfile.mkdtemp(prefix="tp-"))
    inner = {name: folder / name for name in ("home", "state", "bin")}
    for each in inner.values():
        each.mkdir()
    (folder / "repo").mkdir()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(inner["home"]),
        "LC_ALL": "C.UTF-8",
    }
    environ |= {"TRUEPATH_STATE": str(inner["state"])}
    made = places.Box(hooks.make_project(folder / "repo"), environ=environ, **inner)
    try:
        if used:
            environ["TRUEPATH_HOOK_SECONDS"] = "9"
            call(made, hooks.PYTHON)
            call(made, hooks.PYTHON, path="lib/util.py")
            del environ["TRUEPATH_HOOK_SECONDS"]
            repos.store_history(made.repo, inner["state"] / "projects")
        yield made
    finally:
        for each in made.kept:
            each.close()  # type: ignore[attr-defined]
        shutil.rmtree(folder, ignore_errors=True)


def in_each_surrounding(names: Sequence[str]) -> list[str]:
    """Run each client once in each surrounding; return what went wrong."""
    faults = []
    for name in names:
        for client, command in hooks.clients().items():
            with box() as made:
                places.ALL[name](made)
                ran = call(made, command)
            said = "answered" if ran.output else "silent"
            more = ran.fault or ran.errors.decode("utf-8", "replace").strip()
            print(
                f"{name:34} {client:7} {said:9} {ran.seconds:5.2f} s  {more}",
                flush=True,
            )
            if ran.fault:
                faults.append(f"{name}, {client}: {ran.fault}")
    return faults


def at_once(client: str, command: Sequence[str]) -> list[str]:
    """Run 64 clients at once, each again and again; return what went wrong."""
    with box(used=False) as made:
        began = time.monotonic()

        def worker(number: int) -> list[tuple[str, Ran]]:
            names = [f"{number:02}-{event}" for event in range(EVENTS)]
            return [(name, call(made, command, name, margin=CROWDED)) for name in names]

        with ThreadPoolExecutor(CROWD) as pool:
            ran = dict(
                pair for pairs in pool.map(worker, range(CROWD)) for pair in pairs
            )
        reader = EventReader(journal_path(str(made.state)))
        noted = {event.session for event in reader.read()}
    faults = [f"{each.fault}" for each in ran.values() if each.fault]
    answered = {name for name, each in ran.items() if each.output}
    lost = answered - noted
    if lost:
        faults.append(f"{len(lost)} answers are not in the journal")
    if reader.bad:
        faults.append(f"{reader.bad} torn lines in the journal")
    slowest = max(each.seconds for each in ran.values())
    took = time.monotonic() - began
    print(
        f"{CROWD} at once, {EVENTS} events each, {client}: {len(answered)} of "
        f"{len(ran)} answered, slowest {slowest:.2f} s, {took:.0f} s in all, "
        f"{len(faults)} faults",
        flush=True,
    )
    return [f"{CROWD} at once, {client}: {fault}" for fault in faults]


def main(names: Sequence[str]) -> int:
    """Run the surroundings named, or all and the crowd."""
    alone = [name for name in names if name != "crowd"]
    faults = in_each_surrounding(alone if names else [*places.ALL])
    if not names or "crowd" in names:
        for client, command in hooks.clients().items():
            faults += at_once(client, command)
    print(f"{len(faults)} faults", *faults, sep="\n  ")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
