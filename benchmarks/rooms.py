"""The rooms of the package: their lines, and who imports whom.

    python benchmarks/rooms.py [--before COMMIT] [--draw FILE]

A room is what lies directly in `src/truepath`: a folder, or a module. A floor is the length of the
longest way of imports below a room; rooms that import one another in a circle share a floor.
`--before` measures that commit beside the work tree, `--draw` draws both as an SVG.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import grimp

PACKAGE = "truepath"
HERE = Path(__file__).resolve().parents[1]

Graph = dict[str, set[str]]


def imports() -> Graph:
    """Room -> the rooms that it imports."""
    modules = grimp.build_graph(PACKAGE, exclude_type_checking_imports=True, cache_dir=None)
    rooms: Graph = {room(name): set() for name in modules.modules if room(name)}
    for name in modules.modules:
        for target in modules.find_modules_directly_imported_by(name):
            if room(name) and room(target) and room(name) != room(target):
                rooms[room(name)].add(room(target))
    return rooms


def room(module: str) -> str:
    """`truepath.guard.policy` -> `guard`; nothing for the package itself and its `__main__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and not parts[1].startswith("__") else ""


def floors(graph: Graph) -> dict[str, int]:
    """Room -> its floor, the lowest 0."""
    reach = {name: reached(graph, name) for name in graph}
    circle = {
        name: min([name, *(other for other in reach[name] if name in reach[other])])
        for name in graph
    }
    below = {
        head: {
            circle[target]
            for name in graph
            if circle[name] == head
            for target in graph[name]
            if circle[target] != head
        }
        for head in set(circle.values())
    }
    floor: dict[str, int] = {}
    for head in TopologicalSorter(below).static_order():
        floor[head] = 1 + max((floor[target] for target in below[head]), default=-1)
    return {name: floor[circle[name]] for name in graph}


def reached(graph: Graph, start: str) -> set[str]:
    """Every room that `start` imports, directly or not."""
    found: set[str] = set()
    todo = [start]
    while todo:
        for target in graph[todo.pop()] - found:
            found.add(target)
            todo.append(target)
    return found


def sizes(source: Path) -> dict[str, list[int]]:
    """Room -> the lines of its files."""
    lines: dict[str, list[int]] = {}
    for path in sorted((source / PACKAGE).rglob("*.py")):
        name = path.relative_to(source / PACKAGE).parts[0].removesuffix(".py")
        lines.setdefault(name, []).append(path.read_text(encoding="utf-8").count("\n"))
    return lines


def measure(source: Path) -> dict[str, Any]:
    """What is printed and drawn of the package below `source`, which is first on `sys.path`."""
    graph = imports()
    return {
        "imports": {name: sorted(targets) for name, targets in graph.items()},
        "floors": floors(graph),
        "lines": sizes(source),
    }


def measured(source: Path) -> dict[str, Any]:
    """`measure` in a process of its own, which imports the package from `source`."""
    told = subprocess.run(
        [sys.executable, __file__, "--measure", str(source)],
        env={**os.environ, "PYTHONPATH": str(source)},
        check=True,
        capture_output=True,
    )
    return dict(json.loads(told.stdout))


def measured_at(commit: str) -> dict[str, Any]:
    """`measured` of the package as `commit` has it."""
    packed = subprocess.run(
        ["git", "-C", str(HERE), "archive", commit, "src"], check=True, capture_output=True
    )
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        return measured(Path(folder) / "src")


def show(title: str, found: dict[str, Any], *, rooms: bool) -> None:
    every = [lines for files in found["lines"].values() for lines in files]
    arrows = sum(map(len, found["imports"].values()))
    print(
        f"{title}: {len(found['imports'])} rooms on {1 + max(found['floors'].values())} floors, "
        f"{arrows} arrows; "
        f"{len(every)} files, {sum(every):,} lines, median file {median(every):.0f}"
    )
    if not rooms:
        return
    for name in sorted(found["floors"], key=lambda name: (-found["floors"][name], name)):
        files = found["lines"][name]
        print(f"{name:<12}{len(files):>4} files {sum(files):>7,} lines  {targets(found, name)}")


def targets(found: dict[str, Any], name: str) -> str:
    named = found["imports"][name]
    return "-> " + ", ".join(named) if named else ""


def draw(panels: dict[str, dict[str, Any]], file: str) -> None:
    """The rooms of each panel floor by floor; a line is an import by the upper of the two."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "rooms", "svg.fonttype": "none", "font.size": 6})
    figure, axes = plt.subplots(1, len(panels), figsize=(7 * len(panels), 6), squeeze=False)
    for axis, (title, found) in zip(axes[0], panels.items(), strict=True):
        at = places(found["floors"])
        for name, named in found["imports"].items():
            for target in named:
                axis.plot(*zip(at[name], at[target], strict=True), color="#4472c4", alpha=0.35)
        for name, (x, y) in at.items():
            axis.text(
                x,
                y,
                name,
                ha="center",
                va="center",
                bbox={"boxstyle": "round", "facecolor": "white", "edgecolor": "#888888"},
            )
        axis.set(title=title, xlim=(-0.05, 1.05), ylim=(-0.7, 0.7 + max(found["floors"].values())))
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def places(floor: dict[str, int]) -> dict[str, tuple[float, float]]:
    """Room -> where it is drawn: its floor's height, side by side with the others of the floor."""
    rows: dict[int, list[str]] = {}
    for name in sorted(floor):
        rows.setdefault(floor[name], []).append(name)
    return {
        name: ((number + 1) / (len(row) + 1), level)
        for level, row in rows.items()
        for number, name in enumerate(row)
    }


def main() -> None:
    raw = argparse.RawTextHelpFormatter
    options = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    options.add_argument("--before", metavar="COMMIT")
    options.add_argument("--draw", metavar="FILE")
    options.add_argument("--measure", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        json.dump(measure(Path(given.measure)), sys.stdout)
        return
    panels = {}
    if given.before:
        panels[f"before ({given.before})"] = measured_at(given.before)
    panels["now"] = measured(HERE / "src")
    for title, found in panels.items():
        show(title, found, rooms=title == "now")
    if given.draw:
        draw(panels, given.draw)


if __name__ == "__main__":
    main()
