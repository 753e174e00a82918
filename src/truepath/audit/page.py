"""The figures as one HTML page: no script, nothing from a network, readable in the dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from truepath.audit.cause import CAUSES
from truepath.audit.figures import GROUPS, Figures, Group, calls_lost

_MOST = 12
"""Rows of a chart; what is rarer is summed up."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --dim: #60646c; --line: #d9d9e0;
  --paper: #fcfcfd; --bar: #3e63dd; --right: #30a46c; --wrong: #e5484d; --open: #b9bbc6; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --dim: #b0b4ba; --line: #363a3f;
  --paper: #111113; --bar: #849dff; --right: #3dd68c; --wrong: #ff9592; --open: #5a6169; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2.5rem }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem;
  padding: 0; list-style: none }
.facts li { border-top: 2px solid var(--bar); padding-top: .4rem; color: var(--dim) }
.facts b { display: block; font-size: 1.7rem; line-height: 1.2; color: var(--ink) }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; color: var(--dim); padding-bottom: .3rem }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; font-weight: normal; vertical-align: top }
th:first-child, td.name { text-align: left; overflow-wrap: anywhere }
td.bar { width: 45%; text-align: left }
td.bar span { display: inline-block; height: .8rem; background: var(--bar); min-width: 2px }
td.bar .right { background: var(--right) } td.bar .wrong { background: var(--wrong) }
td.bar .unknown { background: var(--open) }
thead th { color: var(--dim) } .note { color: var(--dim) }
summary { cursor: pointer } summary:focus-visible { outline: 2px solid var(--bar) }
"""


def page(found: Figures, *, price: float | None = None) -> str:
    """Return the page.

    Args:
        found: What an audit says.
        price: For a million tokens, in any currency.
    """
    parts = [
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>",
        '<meta name=viewport content="width=device-width">',
        f"<title>What wrong paths cost</title><style>{_STYLE}</style></head><body><main>",
        "<h1>What wrong paths cost</h1>",
        f"<ul class=facts>{''.join(_facts(found, price))}</ul>",
        *_would(found),
        *(_chart(by, found.by[by]) for by in reversed(GROUPS)),
        *_worst(found),
        *_alarms(found),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _facts(found: Figures, price: float | None) -> Iterator[str]:
    facts = [
        (f"{found.calls:,}", f"tool calls in {found.sessions:,} sessions"),
        (f"{found.per_thousand:.1f}", "of 1,000 calls missed a path"),
        (f"{found.calls_lost:,}", "calls lost"),
        (f"{found.seconds_lost / 60:,.0f}", "minutes lost"),
        (f"{found.tokens_lost:,}", "tokens lost"),
        (f"{found.loops:,}", f"loops, the longest of {found.longest_loop}"),
    ]
    if price is not None:
        facts.append((f"{found.price(price):,.2f}", "is what these tokens cost"))
    yield from (f"<li><b>{number}</b>{escape(what)}</li>" for number, what in facts)


def _would(found: Figures) -> Iterator[str]:
    most = max((sum(verdicts.values()) for verdicts in found.would.values()), default=0) or 1
    yield "<h2>What truepath would have done</h2><table>"
    yield "<caption>By names alone, judged by what the agent opened later.</caption>"
    yield "<thead><tr><th scope=col>answer<th scope=col>misses<th scope=col>right"
    yield "<th scope=col>wrong<th scope=col>unknown<th scope=col></tr></thead>"
    for would, verdicts in found.would.items():
        bars = "".join(
            f'<span class={name} style="width:{100 * count / most:.1f}%"></span>'
            for name, count in verdicts.items()
            if count
        )
        cells = "".join(f"<td>{count:,}" for count in verdicts.values())
        total = sum(verdicts.values())
        name = would.replace("_", " ")
        yield f"<tr><th scope=row>{name}<td>{total:,}{cells}<td class=bar>{bars}</tr>"
    yield "</table>"
    if found.partial:
        yield f"<p class=note>Of {found.partial:,} misses the project is not on this machine: they"
        yield "were replayed on the files that the transcript showed, and nothing is corrected.</p>"


def _chart(by: str, groups: Mapping[str, Group]) -> str:
    shown = {name: group for name, group in groups.items() if group.misses}
    most = max((group.misses for group in shown.values()), default=0) or 1
    rows = []
    for name, group in list(shown.items())[:_MOST]:
        told = f' title="{escape(CAUSES[name])}"' if name in CAUSES else ""
        calls = f"{group.calls:,}" if group.calls else ""
        bar = f'<span style="width:{100 * group.misses / most:.1f}%"></span>'
        rows.append(
            f"<tr><th scope=row{told}>{escape(name.replace('_', ' ')) or 'none'}<td>{calls}"
            f"<td>{group.misses:,}<td>{group.lost:,}<td class=bar>{bar}</tr>"
        )
    head = "".join(f"<th scope=col>{name}" for name in (by, "calls", "misses", "calls lost", ""))
    return f"<h2>By {by}</h2><table><thead><tr>{head}</tr></thead>{''.join(rows)}</table>"


def _worst(found: Figures) -> Iterator[str]:
    if not found.worst:
        return
    yield "<h2>The sessions that lost most</h2><table><thead><tr><th scope=col>session"
    yield "<th scope=col>calls<th scope=col>misses<th scope=col>calls lost</tr></thead>"
    for record in found.worst:
        misses = sum(finding.kind == "miss" for finding in record.findings)
        name = escape(record.part or record.source)
        yield f"<tr><td class=name>{name}<td>{record.calls:,}"
        yield f"<td>{misses}<td>{calls_lost(record)}</tr>"
    yield "</table>"


def _alarms(found: Figures) -> Iterator[str]:
    count = len(found.alarms)
    yield f"<h2>False alarms: {count:,}</h2>"
    yield "<p class=note>Calls that worked, and that truepath would have refused or changed.</p>"
    if count:
        yield "<details><summary>Each of them</summary><table>"
        for record, alarm in found.alarms:
            yield f"<tr><td class=name>{escape(alarm.operation)} {escape(alarm.written)}"
            yield f"<td>{escape(alarm.would)}<td class=name>{escape(alarm.shown)}"
            yield f"<td class=name>{escape(record.part or record.source)} #{alarm.at}</tr>"
        yield "</table></details>"
