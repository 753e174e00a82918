"""Projects that change while agents work in them, and what was true of each path at
each moment.
"""

from __future__ import annotations

import bisect
import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import repos

HERE = Path(__file__).resolve().parent
STABLE = 200
"""Files of a project that nobody changes."""
_WORDS = (
    "order",
    "invoice",
    "session",
    "billing",
    "parser",
    "render",
    "socket",
    "widget",
)

Truth = Literal["present", "absent", "changing"]
"""What was true of a path throughout some time; `changing` where neither was."""


@dataclass(frozen=True)
class Project:
    """A repository, and the files of it that nobody changes."""

    root: Path
    stable: tuple[str, ...]


def make(folder: Path, count: int) -> list[Project]:
    """Make so many repositories."""
    return [_project(folder / f"project{number:02}", number) for number in range(count)]


def _project(root: Path, number: int) -> Project:
    chance = random.Random(number)
    names = [
        f"src/{chance.choice(_WORDS)}/part{at % 10}/"
        f"{chance.choice(_WORDS)}_step{at:03}.py"
        for at in range(STABLE)
    ]
    root.mkdir()
    repos.start(root, {name: f"{name}\n" * 5 for name in names})
    return Project(root, tuple(names))


class Churn:
    """Processes that create, rename and remove files, and note when."""

    def __init__(self, projects: Iterable[Project], folder: Path, count: int) -> None:
        """Start so many."""
        roots = [str(project.root) for project in projects]
        self._stop = folder / "stop"
        self.logs = [folder / f"changes{number}.jsonl" for number in range(count)]
        self._processes = []
        for number, log in enumerate(self.logs):
            words = [str(number), str(log), str(self._stop), *roots]
            command = [sys.executable, str(HERE / "churn.py"), *words]
            self._processes.append(subprocess.Popen(command))

    def end(self) -> None:
        """Let each finish what it does, and wait for it."""
        self._stop.touch()
        for process in self._processes:
            process.wait()


class Timeline:
    """What was true of each path of the projects at each moment of a run."""

    def __init__(self, projects: Iterable[Project], logs: Iterable[Path]) -> None:
        """Read what the processes noted."""
        self._stable = {
            f"{each.root}/{name}" for each in projects for name in each.stable
        }
        self._changes: Mapping[str, list[tuple[float, float, bool]]] = defaultdict(list)
        for log in logs:
            for line in log.read_text().splitlines():
                began, ended, path, present = json.loads(line)
                self._changes[path].append((began, ended, present))
        for changes in self._changes.values():
            changes.sort()

    def __len__(self) -> int:
        """Return the number of changes."""
        return sum(map(len, self._changes.values()))

    def truth(self, path: str, began: float, ended: float) -> Truth:
        """Say what was true of an absolute path from one moment to another
        (`time.monotonic`).
        """
        if path in self._stable:
            return "present"
        changes = self._changes.get(path, [])
        at = bisect.bisect_right(changes, (ended, float("inf"), True))
        if not at:
            return "absent"
        _, last, present = changes[at - 1]
        if last >= began:
            return "changing"
        return "present" if present else "absent"


def now() -> float:
    """Return the moment, on the clock that all processes of this machine share."""
    return time.monotonic()
