"""Print the rooms of `src/truepath` with their files and lines, and what there is beside."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OTHERS = {"tests": ".py", "benchmarks": ".py", "docs": ".md"}
"""What is counted beside the rooms: a folder, and the ending of its files."""


def room(name: str) -> str:
    """Return the room of a file of `src/truepath`; the files beside the rooms are one together."""
    first, *below = name.removeprefix("src/truepath/").split("/")
    return first if below else "beside them"


def printed(counts: dict[str, Counter[str]]) -> Iterable[str]:
    for name, count in counts.items():
        yield f"{name:14} {count['files']:5,} files {count['lines']:7,} lines\n"


def main() -> None:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    rooms: dict[str, Counter[str]] = {}
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("src", *OTHERS)}
    for name in sorted({*listed.stdout.split("\0")}):
        top = name.partition("/")[0]
        if not name.endswith(OTHERS.get(top, ".py")) or top not in totals:
            continue
        if not (ROOT / name).exists():
            continue
        count = {"files": 1, "lines": len((ROOT / name).read_text("utf-8").splitlines())}
        totals[top].update(count)
        if top == "src":
            rooms.setdefault(room(name), Counter()).update(count)
    sys.stdout.writelines([*printed(rooms), "\n", *printed(totals)])


if __name__ == "__main__":
    main()
