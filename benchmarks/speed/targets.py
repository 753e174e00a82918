"""What truepath is to reach, and whether it does: a ratio or a time of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hook import INTERPRETER, NOTHING

from speed import hooks, stages
from speed.clock import Line


class Lines:
    """The lines of a run, found by what they are of."""

    def __init__(self, lines: Iterable[Line]) -> None:
        """Take the lines of all sizes."""
        self._lines = [*lines]

    def of(self, what: str, files: int = 0, payload: int = 0) -> list[Line]:
        """Return the lines of one kind; of one size or payload where one is given."""
        return [
            line
            for line in self._lines
            if line.what == what
            and files in (0, line.files)
            and payload in (0, line.payload)
            and line.took
        ]

    def ratio(self, what: str, to: str, files: int = 0, payload: int = 0) -> float | None:
        """Return the highest ratio of CPU, each to the line of the same project and payload."""
        ratios = [
            line.cpu / other.cpu
            for line in self.of(what, files, payload)
            for other in self.of(to, line.files, line.payload)
        ]
        return max(ratios, default=None)

    @property
    def sizes(self) -> Sequence[int]:
        """The sizes that were measured, smallest first."""
        return sorted({line.files for line in self._lines})


@dataclass(frozen=True)
class Target:
    """One bound."""

    what: str
    most: float
    unit: str
    """`times`, `ms` or `MB`."""
    value: float | None
    """What was measured; None where it was not."""
    cpu_ms: float | None = None
    """Of a time: the CPU of it, in the median; the rest was spent waiting, on a busy machine for
    others."""

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        return "met" if self.value <= self.most else "missed"


def targets(lines: Lines) -> Iterator[Target]:
    """Yield every target with what this run measured of it."""
    exists, miss = (f"{hooks.NATIVE}, {what}" for what in (hooks.EXISTS, hooks.MISS))
    yield _times("path exists, native client, of static C", 1.2, lines.ratio(exists, NOTHING))
    yield _times(
        "path exists, native client, of bash and jq",
        1 / 20,
        lines.ratio(exists, hooks.SHELL),
    )
    python = f"{hooks.PYTHON}, {hooks.MISS}"
    for files in (60_000, 1_000_000):
        for who, what in (("native", miss), ("Python", python)):
            told = f"a miss, {who} client, {files:,} files, of a bare interpreter"
            yield _times(told, 4, lines.ratio(what, INTERPRETER, files))
    yield from _in_process(lines, 1_000_000)
    yield _within(
        "first miss in process, 60,000 files; 95 of 100",
        100.0,
        lines,
        stages.FIRST,
        60_000,
        part=0.95,
    )
    yield Target(
        "memory at 1,000,000 files", 120, "MB", _one(lines.of(stages.MEMORY, 1_000_000), _megabytes)
    )


def _in_process(lines: Lines, files: int) -> Iterator[Target]:
    told = f"in process, {files:,} files"
    for finder, most in (("Fuse.js", 1 / 300), ("fzf --filter", 1 / 15)):
        ratio = lines.ratio(stages.NEARLY, f"{finder}: near", files)
        yield _times(f"near name {told}, of {finder}", most, ratio)


def _times(what: str, most: float, value: float | None) -> Target:
    return Target(what, most, "times", value)


def _within(what: str, most: float, lines: Lines, stage: str, files: int, *, part: float) -> Target:
    found = lines.of(stage, files)
    time = _one(found, lambda line: line.at(part) * 1e3)
    return Target(what, most, "ms", time, _one(found, lambda line: line.cpu * 1e3))


def _one(lines: Sequence[Line], value: Callable[[Line], float]) -> float | None:
    return value(lines[0]) if lines else None


def _megabytes(line: Line) -> float:
    return line.peak / 1e6
