"""Draw the plots of docs/benchmarks.md, and put the results there that the benchmarks
kept.

It measures nothing: `--save` of accuracy.py, rivals.py and speed.py made what it reads.
A plot has its own background, so that it reads on a light page and on a dark one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TypeAlias

from results import saved
from rivals import CORRECTED, NAMED, RUNS
from speed import EXISTS, FIRST, INTERPRETER, MISS, NEARLY, OWN, THERE

DOCS = Path(__file__).resolve().parents[1] / "docs"

Bar: TypeAlias = tuple[str, Mapping[str, float], str]
"""A label, the length of each colour, and what stands behind. Without lengths it is a
heading."""

DARK = "#0b5394"
BLUE = "#3d85c6"
PALE = "#9fc5e8"
GREY = "#ccd2d8"
ORANGE = "#f6b26b"
RED = "#c00"
MEANING = {
    DARK: "the call ran on the right file: corrected",
    BLUE: "the call ran on the right file: shown with a note",
    PALE: "the first answer is the right file",
    GREY: "no answer",
    ORANGE: "the first answer is a wrong file",
    RED: "the call ran on a wrong file: shown with a note",
}
STYLE = """<style>
text { font: 14px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
text { fill: #1f2328 }
.back { fill: #fff; stroke: #d1d9e0 } .bold { font-weight: 600 } .mark { fill: #8250df }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .back { fill: #0d1117; stroke: #3d444d } }
.in, .on { font-size: 12px; text-anchor: middle; fill: #fff } .on { fill: #1f2328 }
.beside { font-size: 12px }
</style>"""
LENGTH, STEP, LETTER = 242, 24, 7.4
"""Of the longest bar, from one bar to the next, and of a letter of a label on average.
"""


def chart(title: str, note: str, bars: Sequence[Bar], *, mark: float = 0) -> str:
    """Return a drawing of bars below one another; with a line across at `mark`, and a
    legend.
    """
    left = round(24 + LETTER * max(len(label) for label, lengths, _ in bars if lengths))
    full = left + LENGTH + (120 if mark else 56)
    scale = LENGTH / max(sum(lengths.values()) for _, lengths, _ in bars)
    top = 56
    below = top + STEP * len(bars)
    high = below + 10
    if mark:
        high += 20 * len(MEANING)
    drawn = [_box(0.5, 0.5, full - 1, high - 1, 'class="back" rx="6"')]
    drawn += [_text(16, 26, title, "bold"), _text(16, 46, note)]
    for y, bar in zip(range(top, below, STEP), bars, strict=True):
        drawn += _bar(bar, left, y, scale)
    if mark:
        drawn.append(_box(left + mark * scale, top - 4, 1, below - top, 'class="mark"'))
        drawn += _legend(below + 4)
    size = f'role="img" viewBox="0 0 {full} {high}" width="{full}" height="{high}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    named = f"<title>{escape(title)}</title>"
    return "\n".join([head, named, STYLE, *filter(None, drawn), "</svg>\n"])


def _bar(bar: Bar, left: float, y: float, scale: float) -> Iterator[str]:
    """Yield the parts of a bar.

    The number of a part that is too short for it is behind the bar, after the part's
    colour.
    """
    label, lengths, after = bar
    yield _text(16, y + 14, label, "" if lengths else "bold")
    x = left
    beside = list[tuple[str, str]]()
    for colour, length in lengths.items():
        wide = max(length * scale, 1)
        number = "" if after else f"{length}"
        yield _box(x, y, wide, 18, f'fill="{colour}"')
        if wide > 8 * len(number) + 2:
            ink = "in" if colour in (DARK, BLUE) else "on"
            yield _text(x + wide / 2, y + 13, number, ink)
        elif number:
            beside.append((colour, number))
        x += wide
    for colour, number in beside:
        yield _box(x + 6, y + 5, 8, 8, f'fill="{colour}"')
        yield _text(x + 17, y + 13, number, "beside")
        x += 20 + LETTER * len(number)
    yield _text(x + 6, y + 14, after)


def _legend(y: float) -> Iterator[str]:
    for colour, meaning in MEANING.items():
        yield _box(16, y, 14, 14, f'fill="{colour}"')
        yield _text(38, y + 12, meaning)
        y += 20


def _box(x: float, y: float, wide: float, high: float, look: str) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{high}" {look}/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    if not text:
        return ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y}">{escape(text)}</text>'


def every() -> Iterator[tuple[str, str]]:
    """Yield each plot with its name."""
    yield "misses", misses()
    yield from costs()


def misses() -> str:
    """Draw what is done with paths that agents got wrong, by truepath and by others."""
    cases = "paths that agents got wrong, "
    count: dict[str, int] = {}
    rules: dict[str, int] = {}
    for figure, number in saved("rivals")["figures"].items():
        if figure.startswith(cases):
            name = figure.removeprefix(cases)
            count[name] = number
            if "right" in name:
                rules[name.rpartition(", ")[0]] = number
    ours = {
        DARK: rules.pop(CORRECTED),
        BLUE: count[f"{RUNS}, right"] - count[f"{CORRECTED}, right"],
        PALE: rules.pop(NAMED) - rules.pop(RUNS),
        GREY: count[f"{NAMED}, none"],
        ORANGE: count[f"{NAMED}, wrong"] - count[f"{RUNS}, wrong"],
        RED: count[f"{RUNS}, wrong"],
    }
    bars: list[Bar] = [("truepath", ours, "")]
    kinds = {PALE: "right", GREY: "none", ORANGE: "wrong"}
    for rule in sorted(rules, key=rules.__getitem__, reverse=True):
        counts = {colour: count[f"{rule}, {kind}"] for colour, kind in kinds.items()}
        bars.append((rule, counts, ""))
    exist = count["file exists"]
    title = f"{sum(ours.values())} paths that agents got wrong"
    note = f"For {exist} of them (the line) the file exists"
    return chart(title, note, bars, mark=exist)


def costs() -> Iterator[tuple[str, str]]:
    """Yield the CPU of a call of a hook, and of a check by the project's size."""
    cpu = saved("speed")["figures"]
    sizes = sorted({int(each.rpartition(", ")[2]) for each in cpu})
    unit = f"in starts of Python ({INTERPRETER} = 1)"

    def bar(label: str, what: str, files: int) -> Bar:
        times = cpu[f"{what}, {files}"] / cpu[f"{INTERPRETER}, {sizes[0]}"]
        return label, {BLUE: times}, _three_digits(times)

    whats = [each.rpartition(", ")[0] for each in cpu if each.endswith(f", {sizes[0]}")]
    ends = ("C program", " pass", f": {THERE}", f": {MISS}")
    hooks = [bar(what, what, sizes[0]) for what in whats if what.endswith(ends)]
    hooks.sort(key=lambda hook: hook[1][BLUE])
    title = f"CPU of one call through a hook, {sizes[0]} files"
    yield "hook", chart(title, unit, hooks)
    bars: list[Bar] = []
    for stage in (EXISTS, OWN, NEARLY, FIRST):
        bars.append((stage, {}, ""))
        measured = [files for files in sizes if f"{stage}, {files}" in cpu]
        bars += [bar(f"{files:,} files", stage, files) for files in measured]
    yield "check", chart("CPU of a check in a process that stays", unit, bars)


def _three_digits(times: float) -> str:
    """Return a number below a thousand with up to three digits."""
    if times < 0.1:
        return f"{times:.3f}"
    return f"{times:.2f}" if times < 10 else f"{times:.0f}"


def filled(page: str) -> str:
    """Return a page with what was kept between its marks: `<!-- results: speed 1 -->`,
    part 1.
    """

    def part(found: re.Match[str]) -> str:
        text = "\n".join(saved(found[2])["text"]).split("\n\n")[int(found[3])]
        shown = f"```text\n{text}\n```"
        if found[3] == "0":  # sentences
            shown = f"- {text}".replace("\n", "\n- ")
        return f"{found[1]}\n{shown}\n<!-- / -->"

    marks = r"(<!-- results: (\w+) (\d) -->).*?<!-- / -->"
    return re.sub(marks, part, page, flags=re.DOTALL)


if __name__ == "__main__":
    for name, drawing in every():
        (DOCS / f"images/{name}.svg").write_text(drawing, encoding="utf-8")
    page = DOCS / "benchmarks.md"
    page.write_text(filled(page.read_text("utf-8")), encoding="utf-8")
