"""Pack the open cases and their runner into one file, for makers of agent programs.

    python benchmarks/pack.py [FILE]

The file (`dist/wrong-paths.pyz`) runs with Python 3.10 or newer alone. It has the cases
of `cases/` that name a project's whole tree, each path as a tool reads it, relative to
the root, and asks a function about them. `docs/wrong-paths.md` is its page."""

from __future__ import annotations

import gzip
import json
import sys
import zipapp
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from cases import FOLDER, Case, load

from truepath.paths import join, normalise, relative_to

ROOT = Path(__file__).resolve().parents[1]
SETS = {
    "misses": ("first", "second"),
    "links": ("links",),
    "renames": ("renames",),
    "deletions": ("deletions",),
}


def as_read(case: Case) -> str:
    """Return a case's path as a tool reads it: relative to the root, or absolute
    outside it.
    """
    root = normalise(case.root, "posix")
    absolute = join(join(root, case.cwd or "", "posix"), case.written, "posix")
    relative = relative_to(absolute, root, "posix")
    return absolute if relative is None else relative


def records() -> Iterator[dict[str, Any]]:
    """Yield each case as the runner reads it."""
    for kind, sets in SETS.items():
        for case in (case for name in sets for case in load(name)):
            if case.tree and case.tree_kind != "partial":
                yield {
                    "id": case.id,
                    "kind": kind,
                    "written": as_read(case),
                    "tree": case.tree,
                    "add": case.add,
                    "folder": case.is_dir,
                    "truth": case.truth,
                }


def pack(target: Path) -> None:
    """Write the package."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        (folder / "data/__init__.py").touch()
        runner = Path(__file__).with_name("wrong_paths") / "__main__.py"
        copyfile(runner, folder / "__main__.py")
        copyfile(ROOT / "LICENSE", folder / "LICENSE")
        copyfile(FOLDER / "trees.jsonl.gz", folder / "data/trees.jsonl.gz")
        lines = "".join(f"{json.dumps(record)}\n" for record in records())
        packed = gzip.compress(lines.encode(), mtime=0)
        (folder / "data/cases.jsonl.gz").write_bytes(packed)
        target.parent.mkdir(parents=True, exist_ok=True)
        zipapp.create_archive(folder, target)


def main() -> None:
    target = Path(sys.argv[1] if sys.argv[1:] else ROOT / "dist/wrong-paths.pyz")
    pack(target)
    sys.stdout.write(f"{target}\n")


if __name__ == "__main__":
    main()
