"""Make each mistake of the table in a copy of the project, and see whether its tests notice.

`make mutants` runs this; WORDS on the command line choose mutations whose file or reason has one.
Prints a row for each, and ends with status 1 where more than `SPARED` live on. The project itself
is never changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from table import MUTATIONS, Mutation

ROOT = Path(__file__).resolve().parents[2]
SPARED = 3
"""Mutations that may live on."""

JOBS = int(os.environ.get("JOBS", "2"))
_SECONDS = 180
"""For the tests of one mutation; a test that hangs fails sooner."""

_COPIED = ("src", "tests", "native", "plugins", "docs", "pyproject.toml", "README.md", "Makefile")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "target", ".hypothesis", "node_modules")

Result = Literal["killed", "SURVIVED", "ERROR"]


@dataclass(slots=True)
class Copy:
    """The project in a folder of its own."""

    root: Path
    writes: int = field(default=0)

    def write(self, path: Path, text: str) -> None:
        """Write a source file; its time is one that no compiled file of it has."""
        path.write_text(text, "utf-8")
        self.writes += 1
        os.utime(path, (1_000_000_000 + self.writes,) * 2)

    def run(self, tests: str) -> subprocess.CompletedProcess[str]:
        """Run tests, without the heavy ones, up to the first that fails."""
        words = "-x -q -p no:cacheprovider -p no:randomly --tb=no -m".split()
        paths = (f"tests/{name}" for name in tests.split())
        return subprocess.run(
            [sys.executable, "-m", "pytest", *words, "not client and not heavy", *paths],
            cwd=self.root,
            env={
                **os.environ,
                "PYTHONPATH": str(self.root / "src"),
                "TRUEPATH_TEST_EXAMPLES": "10",
                "TMPDIR": str(self.root.parent),
            },
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )


def copied(folder: str) -> Copy:
    """Return a copy of the project, as it is in the work tree."""
    root = Path(folder, "project")
    root.mkdir()
    for name in _COPIED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, root / name, ignore=_LEFT_OUT, symlinks=True)
        elif place.exists():
            shutil.copy2(place, root / name)
    return Copy(root)


def applied(mutation: Mutation, text: str) -> str:
    """Return a source with the mutation made in it.

    Raises:
        LookupError: The old text is not there exactly once.
    """
    count = text.count(mutation.old)
    if count != 1:
        raise LookupError(f"{mutation.file}: {count} times {mutation.old!r}")
    return text.replace(mutation.old, mutation.new)


def tried(copy: Copy, mutation: Mutation) -> Result:
    """Return whether the tests notice a mutation."""
    path = copy.root / "src/truepath" / mutation.file
    text = path.read_text("utf-8")
    copy.write(path, applied(mutation, text))
    try:
        status = copy.run(mutation.tests).returncode
    except subprocess.TimeoutExpired:
        return "ERROR"
    finally:
        copy.write(path, text)
    return {0: "SURVIVED", 1: "killed"}.get(status, "ERROR")


def main(words: Sequence[str]) -> int:
    """Try mutations and print what became of them."""
    chosen = [
        each
        for each in MUTATIONS
        if not words or any(word in f"{each.file} {each.why}" for word in words)
    ]
    spared, free = 0, SimpleQueue[Copy]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for job in range(JOBS):
            place = Path(folder, str(job))
            place.mkdir()
            free.put(copied(str(place)))

        def row(mutation: Mutation) -> tuple[Mutation, Result, float]:
            copy, began = free.get(), time.monotonic()
            try:
                return mutation, tried(copy, mutation), time.monotonic() - began
            finally:
                free.put(copy)

        with ThreadPoolExecutor(JOBS) as pool:
            for mutation, result, seconds in pool.map(row, chosen):
                spared += result != "killed"
                line = f"{result:8}  {seconds:5.1f} s  {mutation.file:32}  {mutation.why}"
                print(line, flush=True)
    print(f"{len(chosen) - spared} of {len(chosen)} killed")
    return 1 if spared > SPARED else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
