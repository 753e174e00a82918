"""Print the tests of what differs from `main`, for `make check`: one path a line.

A room is tested by the folder of tests that has its name. What lies beside the rooms is
tested by those of the rooms that import it, and by `tests/e2e`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NATIVE = "tests/hook/test_native.py"


def changed() -> set[str]:
    """Return the files that differ from where this branch left `main`, new ones
    included.
    """
    base = _git("merge-base", "HEAD", "origin/main") or _git(
        "merge-base", "HEAD", "main"
    )
    names = _git("diff", "--name-only", base.strip() or "HEAD")
    names += _git("ls-files", "--others", "--exclude-standard")
    return {*names.splitlines()}


def _git(*args: str) -> str:
    command = ["git", "-C", str(ROOT), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def tests_of(name: str) -> Iterator[str]:
    """Yield the tests of one file."""
    top, *below = name.removeprefix("src/truepath/").split("/")
    if name.endswith((".md", "mkdocs.yml")):
        yield "tests/test_docs.py"
    elif top == "plugins":
        yield "tests/hosts/test_plugin.py"
    elif top == "native" or name.endswith("programs.txt"):
        yield NATIVE
    if name.startswith("src/truepath/"):
        yield f"tests/{top}" if below else "tests/e2e"
        yield from () if below else beside_rooms(top.removesuffix(".py"))
    elif top == "tests":
        yield (
            f"tests/{below[0]}"
            if below[1:] or below[0].startswith("test_")
            else "tests/e2e"
        )


def beside_rooms(module: str) -> Iterator[str]:
    """Yield the tests of a module beside the rooms, and of rooms that import it."""
    yield f"tests/test_{module}.py"
    wanted = re.compile(rf"truepath(?:\.{module} import| import [\w, ]*\b{module}\b)")
    for path in sorted((ROOT / "src/truepath").glob("*/**/*.py")):
        if wanted.search(path.read_text(encoding="utf-8")):
            yield f"tests/{path.relative_to(ROOT / 'src/truepath').parts[0]}"


if __name__ == "__main__":
    found = {
        test for name in changed() for test in tests_of(name) if (ROOT / test).exists()
    }
    whole = {test for test in found if not test.endswith(".py")}
    sys.stdout.writelines(
        f"{t}\n" for t in sorted(found) if t.rpartition("/")[0] not in whole
    )
