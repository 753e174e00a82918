"""The figures of `truepath stats` as one page: no script, no font, nothing from the network."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import get_args

from truepath.cli.drawing import bars, columns, escaped, histogram, legend
from truepath.cli.stats import ANSWER_WORDS, GROUP_HEADS, NOTHING, OUTCOME_WORDS, facts, group_cells
from truepath.events.statistics import (
    OUTCOMES,
    Account,
    By,
    Figures,
    Period,
    figures,
    periods,
    split,
)

_SHOWN = 12
"""Rows of a table; the rest is one line."""
_TIMES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Milliseconds up to which a column of the histogram goes; the last one has no end."""
_BY_WORDS = {
    "host": "By agent program",
    "tool": "By tool",
    "cause": "By what was wrong",
    "project": "By project",
}

_STYLE = """
:root { color-scheme: light dark;
  --ground: #fcfcfb; --card: #ffffff; --ink: #1d1f23; --soft: #676c76; --line: #e3e4e8;
  --corrected: #1f77c9; --refused: #e0a100; --absent: #cf4436; --advised: #8a5cd1;
  --observed: #9aa0aa; --time: #2b8f83; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #15171b; --card: #1d2026; --ink: #e8e9ec; --soft: #9da3ae; --line: #31353d;
  --corrected: #58a6f0; --refused: #e7b93c; --absent: #ef7468; --advised: #b08df0;
  --observed: #737a86; --time: #4cbcae; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.2rem 1.2rem 3rem; max-width: 60rem; background: var(--ground);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
p { margin: .2rem 0 0; color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 1.1rem 1.2rem; margin-top: 1.1rem; overflow-x: auto; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 1.1rem;
  margin: 1.3rem 0 0; }
dt { color: var(--soft); font-size: .87rem; } dd { margin: 0; }
dd b { display: block; font-size: 1.7rem; line-height: 1.25; font-weight: 650; }
dd small { color: var(--soft); display: block; line-height: 1.35; }
.plot { display: block; width: 100%; min-width: 32rem; height: auto; }
.plot rect { stroke: var(--card); stroke-width: .6; }
.plot text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.plot .name, .plot .figure { text-anchor: end; } .plot .foot { text-anchor: middle; }
.plot .name { fill: var(--ink); } .grid { stroke: var(--line); stroke-width: 1; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 0 0 .7rem;
  padding: 0; color: var(--soft); font-size: .87rem; }
.legend svg { width: .75em; height: .75em; margin-right: .45em; }
.corrected, .taken { fill: var(--corrected); } .refused, .moved_on { fill: var(--refused); }
.absent, .retried { fill: var(--absent); } .advised, .strayed { fill: var(--advised); }
.observed, .gave_up, .open { fill: var(--observed); } .time { fill: var(--time); }
table { border-collapse: collapse; width: 100%; margin-top: .8rem; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; border-top: 1px solid var(--line);
  white-space: nowrap; }
th { color: var(--soft); font-weight: 500; border-top: 0; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal;
  overflow-wrap: anywhere; min-width: 9rem; }
"""


def html(account: Account) -> str:
    """Return the page of an account."""
    total = figures(account)
    parts = [_head(account, total)]
    if account.misses:
        parts += [_over_time(account), _answers(total), _times(account)]
        parts += [_group(account, by) for by in get_args(By)]
    return _page("".join(parts))


def _page(body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>truepath stats</title><style>{_STYLE}</style></head>\n<body>{body}</body></html>\n"
    )


def _head(account: Account, total: Figures) -> str:
    tiles = [("paths not there", f"{total.misses:,}", _when(account)), *facts(total)]
    entries = "".join(
        f"<div><dt>{escaped(name)}</dt><dd><b>{escaped(number)}</b>"
        f"<small>{escaped(note)}</small></dd></div>"
        for name, number, note in tiles
    )
    return f"<h1>truepath stats</h1><dl>{entries}</dl>"


def _when(account: Account) -> str:
    from time import localtime, strftime

    if not account.misses:
        return "nothing was intercepted yet"
    first, last = (strftime("%Y-%m-%d %H:%M", localtime(account.misses[at].time)) for at in (0, -1))
    return f"{first} to {last}" if first != last else first


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{escaped(title)}</h2>{''.join(parts)}</section>"


def _over_time(account: Account) -> str:
    found = periods(account.misses)
    seen = [kind for kind in OUTCOMES if any(each.outcomes.get(kind) for each in found)]
    plot = columns(_heads(found), [each.outcomes for each in found], seen)
    return _section(
        "Paths that were not there, and what was done",
        legend((kind, OUTCOME_WORDS[kind]) for kind in seen),
        plot,
    )


def _heads(found: Sequence[Period]) -> list[str]:
    hourly = len(found) > 1 and found[1].start - found[0].start < timedelta(days=1)
    form = "%H:%M" if hourly or len(found) == 1 else "%b %d"
    return [each.start.strftime(form) for each in found]


def _answers(total: Figures) -> str:
    found = total.answers
    rows = [(words, {kind: found[kind]}) for kind, words in ANSWER_WORDS.items() if found[kind]]
    return _section("What the agent made of the answers", bars(rows, tuple(ANSWER_WORDS)))


def _times(account: Account) -> str:
    times = [each.elapsed_us / 1000 for each in account.misses if each.elapsed_us is not None]
    if not times:
        return ""
    found = Counter(bisect_left(_TIMES, each) for each in times)
    heads = [f"to {each} ms" for each in _TIMES] + [f"over {_TIMES[-1]} ms"]
    counts = [found[at] for at in range(len(heads))]
    while counts[-1] == 0:
        heads.pop()
        counts.pop()
    return _section("Time truepath took for a miss", histogram(heads, counts, "time"))


def _group(account: Account, by: By) -> str:
    groups = [(name, figures(each)) for name, each in split(account, by).items()]
    shown = groups[:_SHOWN]
    rows = "".join(
        f"<tr><td>{escaped(name) or NOTHING}</td>"
        + "".join(f"<td>{escaped(cell)}</td>" for cell in group_cells(each))
        + "</tr>"
        for name, each in shown
    )
    heads = "".join(f"<th>{head}</th>" for head in (by, *GROUP_HEADS))
    more = f"<p>and {len(groups) - _SHOWN:,} more</p>" if len(groups) > _SHOWN else ""
    return _section(
        _BY_WORDS[by],
        bars([(name, each.outcomes) for name, each in shown], OUTCOMES),
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}",
    )
