"""Plots as inline SVG: columns over time, bars beside names, a histogram.

Each is a text to stand in an HTML page. Colours are the page's: every shape has a class. Whatever
comes in as a name is escaped here.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

from truepath.cli.terminal import plain, width

WIDTH = 720
"""Units across, of every plot; the page decides how many pixels that is."""
_HEIGHT = 180
_LEFT = 44
"""Room for the figures of the axis."""
_FOOT = 22
_ROW = 26
_NAMES = 210
_LONGEST = 28
"""Cells of a name that have room beside a bar."""


def escaped(text: str) -> str:
    """Return a text as it may stand in HTML: nothing in it is markup, nothing is unseen."""
    return html.escape(plain(text))


def columns(heads: Sequence[str], stacks: Sequence[Mapping[str, int]], kinds: Sequence[str]) -> str:
    """Return columns side by side, each a stack.

    Args:
        heads: What stands for each column: under some of them, and as what a pointer shows.
        stacks: For each column, the figure of each kind.
        kinds: The kinds from the bottom up; also the classes of their colours.
    """
    most = _rounded_up(max((sum(stack.values()) for stack in stacks), default=0))
    step = (WIDTH - _LEFT) / max(1, len(stacks))
    wide = min(48.0, step * (0.92 if step < 6 else 0.72))
    parts = [_grid(most)]
    for at, (head, stack) in enumerate(zip(heads, stacks, strict=True)):
        left = _LEFT + at * step + (step - wide) / 2
        parts.append(_stack(left, wide, head, [(kind, stack.get(kind, 0)) for kind in kinds], most))
    parts += _feet(heads, step)
    return _svg(_HEIGHT + _FOOT, "columns over time", parts)


def bars(rows: Sequence[tuple[str, Mapping[str, int]]], kinds: Sequence[str]) -> str:
    """Return one bar a row, each a stack from left to right, with its name and its sum."""
    most = max((sum(stack.values()) for _, stack in rows), default=0) or 1
    room = WIDTH - _NAMES - 60
    parts = []
    for at, (name, stack) in enumerate(rows):
        top, left = at * _ROW, float(_NAMES)
        parts.append(
            f'<text x="{_NAMES - 10}" y="{top + 17}" class="name">{_short(name)}'
            f"<title>{escaped(name)}</title></text>"
        )
        for kind in kinds:
            number = stack.get(kind, 0)
            if number:
                size = room * number / most
                parts.append(_rect(left, top + 4, size, _ROW - 8, kind, f"{number:,} {kind}"))
                left += size
        total = sum(stack.values())
        parts.append(f'<text x="{left + 8:.1f}" y="{top + 17}" class="sum">{total:,}</text>')
    return _svg(max(1, len(rows)) * _ROW, "bars", parts)


def histogram(heads: Sequence[str], counts: Sequence[int], kind: str) -> str:
    """Return one column a class of values."""
    return columns(heads, [{kind: count} for count in counts], (kind,))


def legend(kinds: Iterable[tuple[str, str]]) -> str:
    """Return what each colour means, for (class, words)."""
    entries = "".join(
        f'<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" '
        f'class="{kind}"/></svg>{escaped(words)}</li>'
        for kind, words in kinds
    )
    return f'<ul class="legend">{entries}</ul>'


def _svg(height: float, label: str, parts: Iterable[str]) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _grid(most: int) -> str:
    lines = []
    for share in (0, 0.5, 1):
        y = _HEIGHT - share * (_HEIGHT - 16)
        figure = f"{most * share:,.0f}" if most * share == int(most * share) else ""
        lines.append(f'<line x1="{_LEFT}" x2="{WIDTH}" y1="{y:g}" y2="{y:g}" class="grid"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{y + 4:g}" class="figure">{figure}</text>')
    return "".join(lines)


def _stack(left: float, wide: float, head: str, stack: Sequence[tuple[str, int]], most: int) -> str:
    bottom, parts = float(_HEIGHT), []
    for kind, number in stack:
        if number:
            high = (_HEIGHT - 16) * number / most
            bottom -= high
            parts.append(_rect(left, bottom, wide, high, kind, f"{head}: {number:,} {kind}"))
    return "".join(parts)


def _feet(heads: Sequence[str], step: float) -> list[str]:
    """Return the words under the columns: as many of them as have room."""
    longest = max((len(head) for head in heads), default=1)
    every = max(1, -(-int(longest * 7 + 14) // max(1, int(step))))
    return [
        f'<text x="{_LEFT + (at + 0.5) * step:.1f}" y="{_HEIGHT + 16}" class="foot">'
        f"{escaped(head)}</text>"
        for at, head in enumerate(heads)
        if at % every == 0
    ]


def _rect(x: float, y: float, wide: float, high: float, kind: str, title: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 1):.1f}" height="{max(high, 1):.1f}" '
        f'class="{kind}"><title>{escaped(title)}</title></rect>'
    )


def _short(name: str) -> str:
    """Return a name that has room beside its bar, with its end kept: there the difference is."""
    text = plain(name) or "-"
    if width(text) <= _LONGEST:
        return html.escape(text)
    text = text[1 - _LONGEST :]
    while width(text) >= _LONGEST:
        text = text[1:]
    return html.escape(f"…{text}")


def _rounded_up(number: int) -> int:
    """Return the least of 2, 4, 6, 8, 10, 20, 40 ... that is not below a number."""
    scale = 1
    while True:
        for head in (2, 4, 6, 8, 10):
            if head * scale >= number:
                return head * scale
        scale *= 10
