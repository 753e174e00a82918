"""Print the tests of what differs from `main`, for `make check`: one path a line, fast rooms first.

A file of `src/truepath/<room>` is tested by `tests/<room>`, a test file by itself, what tests share
by those that name it, a page by `tests/test_docs.py`, and what all rooms use by `tests/e2e` and, as
`records.py`, by `tests/test_records.py`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    *("guard", "session", "config", "cli", "calls", "resolve"),
    *("mcp", "adapters", "journal", "install", "audit", "hosts", "hook", "project"),
)
"""Those with a folder of tests, fast ones first."""

_BELONG = {
    "native": "tests/hook/test_native.py",
    "plugins": "tests/hosts/test_plugin.py",
    "docs": "tests/test_docs.py",
}


def changed(root: Path = ROOT) -> set[str]:
    """Return the files that differ from where this branch left `main`, new ones included."""
    base = next(filter(None, (_git(root, "merge-base", "HEAD", name) for name in _MAINS)), "HEAD")
    names = _git(root, "diff", "--name-only", "-z", base.strip())
    names += _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return {name for name in names.split("\0") if name}


_MAINS = ("origin/main", "main")


def _git(root: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *args], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def paths_for(files: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the test files and folders for changed files, fast ones first."""
    found = {test for name in files for test in _paths_for(name, root) if (root / test).exists()}
    whole = {test for test in found if test.endswith("/")}
    return sorted(
        (test for test in found if test in whole or not test.startswith(tuple(whole))), key=_pace
    )


def _paths_for(name: str, root: Path) -> Iterable[str]:
    top, *below = name.split("/")
    if top == "src" and len(below) > 2 and below[1] in ROOMS:
        yield f"tests/{below[1]}/"
    elif top == "tests" and below[-1].startswith("test_"):
        yield name
    elif top == "tests" and below[-1] != "conftest.py":
        yield from _users(below[-1], root)
    elif top in ("src", "tests"):
        yield "tests/e2e/"
        yield f"tests/test_{below[-1]}"
    elif top in _BELONG or name.endswith(".md"):
        yield _BELONG.get(top, _BELONG["docs"])


def _users(name: str, root: Path) -> Iterable[str]:
    """Return the test files that import a shared module or name a table."""
    stem = re.escape(name.partition(".")[0])
    use = re.compile(rf"(?m)^(?:from|import) {stem}\b|\"{stem}\"|{re.escape(name)}")
    for path in (root / "tests").rglob("test_*.py"):
        if use.search(path.read_text("utf-8")):
            yield path.relative_to(root).as_posix()


def _pace(test: str) -> tuple[int, str]:
    room = test.split("/")[1]
    return (ROOMS.index(room) if room in ROOMS else -1, test)


if __name__ == "__main__":
    sys.stdout.writelines(f"{test}\n" for test in paths_for(changed()))
