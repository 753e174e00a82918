"""Print the rooms of `src/truepath` with their files and lines, and what there is
beside.

The lines of the rooms go into the table of `docs/architecture.md` too.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/architecture.md"
OTHERS = {"tests": ".py", "benchmarks": ".py", "docs": ".md"}
"""What is counted beside the rooms: a folder, and the ending of its files."""


def room(name: str) -> str:
    """Return the room of a file of `src/truepath`; the files beside the rooms are one
    together.
    """
    first, *below = name.removeprefix("src/truepath/").split("/")
    return first if below else "beside them"


def counted() -> tuple[dict[str, Counter[str]], dict[str, Counter[str]]]:
    """Return files and lines by room, and by folder."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rooms: dict[str, Counter[str]] = {}
    folders: dict[str, Counter[str]] = {name: Counter() for name in ("src", *OTHERS)}
    for name in sorted({*listed.split("\0")}):
        top = name.partition("/")[0]
        wanted = top in folders and name.endswith(OTHERS.get(top, ".py"))
        if not wanted or not (ROOT / name).exists():
            continue
        count = {
            "files": 1,
            "lines": len((ROOT / name).read_text("utf-8").splitlines()),
        }
        folders[top].update(count)
        if top == "src":
            rooms.setdefault(room(name), Counter()).update(count)
    return rooms, folders


def main() -> None:
    rooms, folders = counted()
    for title, count in (*rooms.items(), *folders.items()):
        sys.stdout.write(
            f"{title:14} {count['files']:5,} files {count['lines']:7,} lines\n"
        )
    page = PAGE.read_text("utf-8")
    for title, count in rooms.items():
        row = rf"(^\| `?{title}`? \|.*\| )[\d,]* \|$"
        page = re.sub(row, rf"\g<1>{count['lines']:,} |", page, flags=re.MULTILINE)
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
