"""Audit a folder of transcripts with each engine, one after another, and compare.

    python benchmarks/transcripts.py FOLDER && python benchmarks/audit.py FOLDER/transcripts
    python benchmarks/audit.py FOLDER/transcripts --engines local ray spark

Each engine runs in a process of its own, with nothing kept from before. `ratio` is its time to that
of the first. `cpu s` is what the process and the workers that it waited for used, and `most MB` the
memory of the largest of those; Ray and Spark start workers that are not its own, and show less.
`records` is a hash of all records: engines that give the same have the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import time
from importlib import import_module
from typing import Any

from truepath.audit.audit import Auditor
from truepath.audit.figures import add_up
from truepath.audit.places import below
from truepath.audit.table import of_records
from truepath.cli.terminal import table

ENGINES = ("local", "ray", "spark")


def measured(engine: str, folder: str) -> dict[str, Any]:
    """Return what one engine takes, in this process."""
    began = time.perf_counter()
    sources = list(below(folder))
    rows = of_records(import_module(f"truepath.audit.{engine}").run(sources, Auditor()))
    found = add_up(rows)
    taken = time.perf_counter() - began
    every = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    digest = hashlib.blake2b(digest_size=6)
    for record in rows.records():
        digest.update(repr(record).encode())
    ((lines,),) = rows.ask("SELECT sum(lines) FROM sessions")
    return {
        "engine": engine,
        "sessions": found.sessions,
        "lines": lines or 0,
        "s": taken,
        "cpu s": sum(each.ru_utime + each.ru_stime for each in every),
        "most MB": max(each.ru_maxrss for each in every) / 1024,
        "records": digest.hexdigest(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=["local"])
    parser.add_argument("--here", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measured(options.here, options.folder)))
        return
    rows = []
    for engine in options.engines:
        words = [sys.executable, __file__, options.folder, "--here", engine]
        said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows.append(json.loads(said.splitlines()[-1]))
    head = ("engine", "sessions", "lines", "s", "ratio", "cpu s", "most MB", "records")
    cells = [{**row, "ratio": row["s"] / rows[0]["s"]} for row in rows]
    print(table(head, [[_cell(row[name]) for name in head] for row in cells]))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
