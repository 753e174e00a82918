"""Measure how long a miss takes when the call brings the text that it replaces.

    python benchmarks/contents.py ROOT [--runs N]

An edit of a file that exists is asked about in a folder that does not, with twelve lines of the
file: by its path alone and with the text, as the first miss of a workspace, the same with the
project's index built, and with the names at hand. Files are drawn by chance, one a run. Times are
milliseconds: of the clock, and of this process and git on the processor, which moves less on a busy
machine. `named` counts the answers that name the file first, `proved` those that also prove that no
other file holds the text.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truepath.cli.terminal import table
from truepath.project.history import History
from truepath.project.index.build import build
from truepath.resolve.workspace import Workspace
from truepath.types import Contents, Resolution

_LINES = 12


@dataclass(frozen=True)
class Run:
    """One miss, timed."""

    clock: float
    cpu: float
    found: Resolution
    meant: str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root")
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    space = Workspace(options.root)
    names = space.names()
    chosen = random.Random(0).sample(list(names.files), min(len(names), 40 * options.runs))
    texts = [(path, text) for path in chosen if (text := _text(f"{space.root}/{path}"))]
    texts = texts[: options.runs]
    if not texts:
        raise SystemExit("contents.py: no file with as many lines")
    print(f"{len(names):,} files, {len(texts)} of them asked about\n")
    rows = []
    with tempfile.TemporaryDirectory() as store:
        build(space.root, store)
        History(space.root, store=store).build()
        ways: Sequence[tuple[str, Callable[[], Workspace]]] = (
            ("names at hand", lambda: space),
            ("first miss", lambda: Workspace(space.root)),
            ("first miss, with an index", lambda: Workspace(space.root, store=store)),
        )
        for what, workspace in ways:
            for with_text in (False, True):
                runs = [_run(workspace(), *each, with_text) for each in texts]
                rows.append(_row(f"{what}, {'with text' if with_text else 'path alone'}", runs))
    head = ("miss", "clock", "p95", "cpu", "p95", "named", "proved")
    print(table(head, rows))


def _run(space: Workspace, path: str, text: str, with_text: bool) -> Run:
    written = f"no/such/{path.rpartition('/')[2]}"
    said = Contents((text,)) if with_text else None
    clock, cpu = time.perf_counter(), _cpu()
    found = space.resolve(written, "edit", contents=said)
    return Run(time.perf_counter() - clock, _cpu() - cpu, found, path)


def _text(file: str) -> str:
    """Return lines from the middle of a file; nothing of one that is short or no text."""
    try:
        with open(file, encoding="utf-8") as opened:
            lines = opened.read(1_000_000).splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    middle = lines[len(lines) // 2 :][:_LINES]
    return "\n".join(middle) if len("".join(middle)) > 200 else ""


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _row(what: str, runs: Sequence[Run]) -> Sequence[str]:
    clocks, cpus = ([1000 * each.clock for each in runs], [1000 * each.cpu for each in runs])
    best = [each.found.candidates[0] if each.found.candidates else None for each in runs]
    named = [one and one.path == run.meant for one, run in zip(best, runs, strict=True)]
    proved = sum(bool(one and "only-holder" in one.evidence) for one in best)
    numbers = (*_told(clocks), *_told(cpus))
    return (what, *(f"{each:.0f}" for each in numbers), str(sum(map(bool, named))), str(proved))


def _told(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


if __name__ == "__main__":
    main()
