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

DARK, BLUE, PALE, GREY, ORANGE, RED = (
    "#0b5394",
    "#3d85c6",
    "#9fc5e8",
    "#ccd2d8",
    "#f6b26b",
    "#c00",
)
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

    The number of a part that is too short for it stands behind its bar, after the
    part's colour."""
    left = round(24 + LETTER * max(len(label) for label, lengths, _ in bars if lengths))
    full = left + LENGTH + (120 if mark else 56)
    top, scale = 56, LENGTH / max(sum(bar[1].values()) for bar in bars)
    below = top + STEP * len(bars)
    high = below + 10 + 20 * len(MEANING) * bool(mark)
    drawn = [_box(0.5, 0.5, full - 1, high - 1, 'class="back" rx="6"')]
    drawn += [_text(16, 26, title, "bold"), _text(16, 46, note)]
    for y, (label, lengths, after) in zip(range(top, below, STEP), bars, strict=True):
        x, beside = float(left), list[tuple[str, str]]()
        drawn.append(_text(16, y + 14, label, "" if lengths else "bold"))
        for colour, length in lengths.items():
            wide, shown = max(length * scale, 1), "" if after else f"{length}"
            drawn.append(_box(x, y, wide, 18, f'fill="{colour}"'))
            if wide > 8 * len(shown) + 2:
                ink = "in" if colour in (DARK, BLUE) else "on"
                drawn.append(_text(x + wide / 2, y + 13, shown, ink))
            elif shown:
                beside.append((colour, shown))
            x += wide
        for colour, shown in beside:
            drawn += [_box(x + 6, y + 5, 8, 8, f'fill="{colour}"')]
            drawn += [_text(x + 17, y + 13, shown, "beside")]
            x += 20 + LETTER * len(shown)
        drawn.append(_text(x + 6, y + 14, after))
    if mark:
        drawn.append(_box(left + mark * scale, top - 4, 1, below - top, 'class="mark"'))
        for y, (colour, meaning) in zip(
            range(below + 4, high, 20), MEANING.items(), strict=False
        ):
            drawn += [
                _box(16, y, 14, 14, f'fill="{colour}"'),
                _text(38, y + 12, meaning),
            ]
    size = f'role="img" viewBox="0 0 {full} {high}" width="{full}" height="{high}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    named = f"<title>{escape(title)}</title>"
    return "\n".join([head, named, STYLE, *filter(None, drawn), "</svg>\n"])


def _box(x: float, y: float, wide: float, high: float, look: str) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{high}" {look}/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y}">{escape(text)}</text>'
        if text
        else ""
    )


def every() -> Iterator[tuple[str, str]]:
    """Yield each plot with its name."""
    yield "misses", misses()
    yield from costs()


def misses() -> str:
    """Draw what is done with paths that agents got wrong, by truepath and by others."""
    cases = "paths that agents got wrong, "
    told = saved("rivals")["figures"].items()
    count = {
        name.removeprefix(cases): number
        for name, number in told
        if name.startswith(cases)
    }
    rules = {
        name.rpartition(", ")[0]: number
        for name, number in count.items()
        if "right" in name
    }
    ours = {
        DARK: rules.pop(CORRECTED),
        BLUE: count[f"{RUNS}, right"] - count[f"{CORRECTED}, right"],
        PALE: rules.pop(NAMED) - rules.pop(RUNS),
        GREY: count[f"{NAMED}, none"],
        ORANGE: count[f"{NAMED}, wrong"] - count[f"{RUNS}, wrong"],
        RED: count[f"{RUNS}, wrong"],
    }
    bars: list[Bar] = [("truepath", ours, "")]
    for rule in sorted(rules, key=rules.__getitem__, reverse=True):
        kinds = {PALE: "right", GREY: "none", ORANGE: "wrong"}
        bars.append(
            (rule, {each: count[f"{rule}, {kind}"] for each, kind in kinds.items()}, "")
        )
    there = count["file exists"]
    title = f"{sum(ours.values())} paths that agents got wrong"
    return chart(
        title, f"For {there} of them (the line) the file exists", bars, mark=there
    )


def costs() -> Iterator[tuple[str, str]]:
    """Yield the CPU of a call of a hook, and of a check by the project's size."""
    cpu = saved("speed")["figures"]
    sizes = sorted({int(each.rpartition(", ")[2]) for each in cpu})
    unit = f"in starts of Python ({INTERPRETER} = 1)"

    def bar(label: str, what: str, files: int) -> Bar:
        times = cpu[f"{what}, {files}"] / cpu[f"{INTERPRETER}, {sizes[0]}"]
        return (
            label,
            {BLUE: times},
            f"{times:.{3 if times < 0.1 else 2 if times < 10 else 0}f}",
        )

    whats = [each.rpartition(", ")[0] for each in cpu if each.endswith(f", {sizes[0]}")]
    ends = ("C program", " pass", f": {THERE}", f": {MISS}")
    hooks = [bar(what, what, sizes[0]) for what in whats if what.endswith(ends)]
    hooks.sort(key=lambda each: each[1][BLUE])
    yield (
        "hook",
        chart(f"CPU of one call through a hook, {sizes[0]} files", unit, hooks),
    )
    bars: list[Bar] = []
    for stage in (EXISTS, OWN, NEARLY, FIRST):
        there = [files for files in sizes if f"{stage}, {files}" in cpu]
        bars += [
            (stage, {}, ""),
            *(bar(f"{files:,} files", stage, files) for files in there),
        ]
    yield "check", chart("CPU of a check in a process that stays", unit, bars)


def filled(page: str) -> str:
    """Return a page with what was kept between its marks: `<!-- results: speed 1 -->`,
    part 1.
    """

    def part(found: re.Match[str]) -> str:
        text = "\n".join(saved(found[2])["text"]).split("\n\n")[int(found[3])]
        told = (
            f"- {text}".replace("\n", "\n- ")
            if found[3] == "0"
            else f"```text\n{text}\n```"
        )
        return f"{found[1]}\n{told}\n<!-- / -->"

    return re.sub(
        r"(<!-- results: (\w+) (\d) -->).*?<!-- / -->", part, page, flags=re.DOTALL
    )


if __name__ == "__main__":
    for name, drawing in every():
        (DOCS / f"images/{name}.svg").write_text(drawing, encoding="utf-8")
    page = DOCS / "benchmarks.md"
    page.write_text(filled(page.read_text("utf-8")), encoding="utf-8")
