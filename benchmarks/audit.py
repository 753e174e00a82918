"""Audit a folder of transcripts with each engine, one after another, and compare.

    python benchmarks/audit.py FOLDER [--copies 100] [--engines local ray spark]

Each transcript counts as often as `--copies` says, under as many names. Each engine runs in a
process of its own. `ratio` is its time to that of the first. `cpu s` is what the process and the
workers that it waited for used, and `most MB` the memory of the largest of those; Ray and Spark
start workers that are not its own, and show less. `records` is a hash of all records: engines that
give the same have the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from truepath.audit.engines import ENGINES, audited
from truepath.audit.figures import add_up, chosen
from truepath.cli.terminal import table

HEAD = ("engine", "transcripts", "calls", "s", "ratio", "cpu s", "most MB", "records")


def measured(engine: str, folder: str) -> dict[str, Any]:
    """Return what one engine takes, in this process."""
    began = time.perf_counter()
    records = list(audited([folder], engine=engine))
    add_up(chosen(records))
    taken = time.perf_counter() - began
    every = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    said = "".join(sorted(map(repr, records)))
    return {
        "engine": engine,
        "transcripts": len(records),
        "calls": sum(rows[0]["calls"] for rows in records),
        "s": taken,
        "cpu s": sum(each.ru_utime + each.ru_stime for each in every),
        "most MB": max(each.ru_maxrss for each in every) / 1024,
        "records": hashlib.blake2b(said.encode(), digest_size=6).hexdigest(),
    }


def copied(folder: str, place: str, copies: int) -> None:
    """Fill a folder with links to transcripts; a file that names no session is one of its own."""
    files = [path.resolve() for path in Path(folder).rglob("*") if path.is_file()]
    for at in range(copies):
        for number, path in enumerate(files):
            os.symlink(path, os.path.join(place, f"{at}-{number}{path.suffix}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["local"])
    parser.add_argument("--here", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measured(options.here, options.folder)))
        return
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        copied(options.folder, place, options.copies)
        for engine in options.engines:
            words = [sys.executable, __file__, place, "--here", engine]
            said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
            rows.append(json.loads(said.splitlines()[-1]))
    cells = [{**row, "ratio": row["s"] / rows[0]["s"]} for row in rows]
    print(table(HEAD, [[_cell(row[name]) for name in HEAD] for row in cells]))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
