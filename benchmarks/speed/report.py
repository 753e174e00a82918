"""Show a run: tables for a person, JSON for a program, one picture."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from hook import INTERPRETER, NOTHING

from speed import hooks, stages
from speed.clock import Line
from speed.finders import FINDERS
from speed.targets import Lines, Target, targets
from truepath.cli.terminal import duration, table

STAGES = (
    *(stages.STAT, stages.EXISTS, stages.OWN, stages.EXACT, stages.NEARLY, stages.RENAMED),
    *(stages.FIRST, stages.OUTSIDE, stages.GIT),
)
_PROGRAMS = ("git", "cargo", "jq", "rg", "fdfind", "fd", "fzf", "node")


def text(lines: Lines, notes: Sequence[str]) -> Iterator[str]:
    """Yield the parts of what a person reads."""
    yield machine()
    yield (
        "the hook as a process: CPU in the median, ratio to a static C program and to Python\n"
        + _hooks(lines)
    )
    yield (
        "each stage: CPU in the median, and the time that 99 of 100 took at most, in the largest\n"
        + _stages(lines)
    )
    yield "finding a name: right answers; CPU in the median, ratio to truepath\n" + _finders(lines)
    if notes:
        yield "left out:\n" + "\n".join(f"  {note}" for note in notes)
    yield "targets\n" + _targets([*targets(lines)])


def machine() -> str:
    """Name the machine and the versions."""
    told = [f"{platform.system()} {platform.release()}, {os.cpu_count()} cores, {_processor()}"]
    told.append(f"Python {platform.python_version()}, truepath {version('truepath')}")
    told += [first for name in _PROGRAMS if (first := _version(name))]
    return "; ".join(told)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("model name")]
        return lines[0].partition(":")[2].strip() if lines else platform.machine()
    except OSError:
        return platform.processor() or platform.machine()


def _version(name: str) -> str:
    if shutil.which(name) is None:
        return ""
    done = subprocess.run([name, "--version"], capture_output=True, text=True, check=False)
    first = done.stdout.partition("\n")[0].strip()
    return first if first.startswith(name[:2]) else f"{name} {first}"


def _hooks(lines: Lines) -> str:
    miss, exists = hooks.MISS, hooks.EXISTS
    named = [NOTHING, *(f"{hooks.NATIVE}, {what}" for what in (exists, miss)), hooks.SHELL]
    named += [INTERPRETER, hooks.BARE, *(f"{hooks.PYTHON}, {what}" for what in (exists, miss))]
    head = ["", *(f"{size:,} files" for size in lines.sizes), "of C", "of Python", "right"]
    rows = []
    for what in named:
        for payload in hooks.PAYLOADS:
            if found := lines.of(what, 0, payload):
                cells = [_each(lines.of(what, size, payload), "cpu") for size in lines.sizes]
                ratios = [_ratio(lines, what, to, payload) for to in (NOTHING, INTERPRETER)]
                rows.append([f"{what}, {payload // 1000} kB", *cells, *ratios, _right(found)])
    return table(head, rows)


def _ratio(lines: Lines, what: str, to: str, payload: int) -> str:
    """Return the highest ratio of all sizes."""
    ratio = lines.ratio(what, to, payload=payload)
    return f"{ratio:.3g}" if ratio else ""


def _each(found: Sequence[Line], what: str) -> str:
    return duration(getattr(found[0], what)) if found else ""


def _right(found: Sequence[Line]) -> str:
    judged = [line for line in found if line.right is not None]
    if not judged:
        return ""
    return f"{sum(line.right or 0 for line in judged)}/{sum(len(line.took) for line in judged)}"


def _stages(lines: Lines) -> str:
    head = ["", *(f"{size:,} files" for size in lines.sizes), "99 of 100", "right"]
    rows = []
    for what in STAGES:
        if found := lines.of(what):
            cells = [_each(lines.of(what, size), "cpu") for size in lines.sizes]
            rows.append([what, *cells, duration(found[-1].at(0.99)), _right(found)])
    peaks = [lines.of(stages.MEMORY, size) for size in lines.sizes]
    rows.append([stages.MEMORY, *(f"{p[0].peak / 1e6:.0f} MB" if p else "" for p in peaks), "", ""])
    return table(head, rows)


def _finders(lines: Lines) -> str:
    ways = {"truepath": (stages.EXACT, stages.NEARLY)}
    ways |= {finder.name: (f"{finder.name}: exact", f"{finder.name}: near") for finder in FINDERS}
    head = ["", *(f"{kind}, {size:,}" for size in lines.sizes for kind in ("exact", "near"))]
    rows = []
    for name, kinds in ways.items():
        found = [lines.of(kind, size) for size in lines.sizes for kind in kinds]
        own = [lines.of(kind, size) for size in lines.sizes for kind in ways["truepath"]]
        if any(found):
            rows.append([name, *map(_finder_cell, found, own)])
    return table(head, rows)


def _finder_cell(found: Sequence[Line], own: Sequence[Line]) -> str:
    if not found:
        return "-"
    told = f"{_right(found)} {duration(found[0].cpu)}"
    is_own = not own or found[0] is own[0]
    return told if is_own else f"{told} {found[0].cpu / own[0].cpu:.2g}x"


def _targets(found: Sequence[Target]) -> str:
    rows = [
        (
            each.what,
            _bound(each.most, each.unit),
            _bound(each.value, each.unit),
            _bound(each.cpu_ms, "ms") if each.cpu_ms else "",
            each.verdict,
        )
        for each in found
    ]
    return table(("", "at most", "measured", "CPU of it", ""), rows)


def _bound(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "times":
        return f"{value:.2g}" if value >= 0.2 else f"1/{1 / value:,.0f}"
    return f"{value:,.3g} {unit}"


def data(lines: Lines, every: Sequence[Line], notes: Sequence[str]) -> Mapping[str, Any]:
    """Return a run as JSON-ready data."""
    return {
        "machine": machine(),
        "lines": [line.to_dict() for line in every],
        "targets": [{**asdict(target), "verdict": target.verdict} for target in targets(lines)],
        "left_out": [*notes],
    }


def draw(path: str, lines: Lines) -> None:
    """Draw time against size: each stage, and finding a near name beside other finders."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.fonttype"] = "none"  # text stays text: a tenth of the size
    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for at, what in enumerate(STAGES):
        style = ":" if what in (stages.STAT, stages.GIT) else "-"
        _curve(left, lines, what, what, f"C{at}", style)
    left.set_title("each stage of truepath")
    _curve(right, lines, stages.EXACT, "truepath: exact", "C0", "-")
    _curve(right, lines, stages.NEARLY, "truepath: near", "C0", "--")
    for at, finder in enumerate(FINDERS):
        kind = "near" if finder.ranks else "exact"
        what = f"{finder.name}: {kind}"
        _curve(right, lines, what, what, f"C{at + 1}", "--" if finder.ranks else "-")
    right.set_title("finding a name, beside other finders")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel="files")
        axes.set_xticks(lines.sizes, [f"{size:,}" for size in lines.sizes])
        axes.minorticks_off()
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8, ncols=2, loc="center", bbox_to_anchor=(0.5, 0.3))
    left.set_ylabel("milliseconds of CPU")
    figure.savefig(path, dpi=130)


def _curve(axes: Any, lines: Lines, what: str, label: str, colour: str, style: str) -> None:
    found = lines.of(what)
    if found:
        axes.plot(
            [line.files for line in found],
            [line.cpu * 1e3 for line in found],
            style,
            marker="o",
            color=colour,
            label=label,
        )
