"""Run a type checker over what users copy: `examples/`, and the Python blocks of README
and docs.

`python tests/documented.py mypy --strict` runs `mypy --strict FILES`.
`tests/guard/callers.py` is one of them. Each page becomes a file with its blocks on the
lines that they have in the page, as they share their names."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def module_of(page: str) -> str:
    """Return the Python of a page, all other lines empty."""
    lines, at = [], 0
    for block in BLOCK.finditer(page):
        lines += ["\n"] * (page.count("\n", at, block.start(1))) + block[1].splitlines(
            True
        )
        at = block.end(1)
    return "".join(lines)


def main(command: list[str]) -> int:
    """Return the status of a command given the files."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    with tempfile.TemporaryDirectory() as folder:
        files = [
            "tests/guard/callers.py",
            *map(str, sorted((ROOT / "examples").glob("*.py"))),
        ]
        for page in pages:
            if text := module_of(page.read_text("utf-8")):
                name = re.sub(r"\W", "_", str(page.relative_to(ROOT)))
                files.append(f"{folder}/{name}.py")
                Path(files[-1]).write_text(text, "utf-8")
        return subprocess.run([*command, *files], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
