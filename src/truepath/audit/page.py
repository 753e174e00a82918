"""The figures as one HTML page: no script, nothing from a network, readable in the dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from html import escape

from truepath.audit.cause import CAUSES
from truepath.audit.figures import VERDICTS, By, Figures, Group
from truepath.audit.page_style import STYLE

_MOST = 10
"""Rows of a chart; what is rarer is summed up in one."""

_LATE = 6
"""Calls until the file was found, of which no more are told apart."""

_MEANINGS = {
    "corrected": "another path is put in its place",
    "assumed": "the likely file is shown, and said to be that",
    "named": "the answer says what may be meant",
    "refused": "the answer says that nothing is there",
    "left_alone": "the call runs",
}

_TITLES: Mapping[By, str] = {
    "cause": "Why the path was wrong",
    "tool": "Which tool missed",
    "model": "Which model missed",
    "host": "In which program",
}


def page(found: Figures, *, price: float | None = None) -> str:
    """Return the page.

    Args:
        found: What an audit says.
        price: For a million tokens, in any currency.
    """
    parts = [
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>",
        '<meta name=viewport content="width=device-width, initial-scale=1">',
        '<meta name=color-scheme content="light dark">',
        f"<title>What wrong paths cost</title><style>{STYLE}</style></head><body><main>",
        *_head(found),
        f"<ul class=facts>{''.join(_facts(found, price))}</ul>",
        *_would(found),
        f"<div class=pair>{_weeks(found)}{_until_found(found)}</div>",
        "<div class=pair>",
        *(_groups(by, found.by[by]) for by in _TITLES),
        "</div>",
        *_worst(found),
        *_alarms(found),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _head(found: Figures) -> Iterator[str]:
    span = f", since {_day(found.weeks[0].began)}" if found.weeks else ""
    yield "<header><h1>What wrong paths cost</h1>"
    yield f"<p class=lead><b>{found.per_thousand:.1f}</b> of 1,000 tool calls missed a path</p>"
    yield f"<p class=note>{found.sessions:,} sessions, {found.calls:,} calls{span}</p></header>"


def _facts(found: Figures, price: float | None) -> Iterator[str]:
    facts = [
        (f"{found.misses:,}", "paths missed"),
        (f"{found.calls_lost:,}", "calls lost"),
        (f"{found.seconds_lost / 60:,.0f}", "minutes lost"),
        (_short(found.tokens_lost), "tokens lost"),
        (
            f"{found.loops:,}",
            f"loops, up to {found.longest_loop} turns" if found.loops else "loops",
        ),
    ]
    if price is not None:
        facts.append((f"{found.price(price):,.2f}", f"for those tokens, at {price:g} a million"))
    yield from (f"<li><b>{number}</b> {escape(what)}</li>" for number, what in facts)


def _would(found: Figures) -> Iterator[str]:
    total = max(1, found.misses)
    yield "<section><h2>What truepath would have done</h2>"
    yield "<div class=stack aria-hidden=true>"
    for would, verdicts in found.would.items():
        for verdict, count in verdicts.items():
            if count:
                told = f"{would.replace('_', ' ')}, {verdict}: {count:,}"
                width = f"{100 * count / total:.2f}%"
                yield f'<i class="{verdict}" style="width:{width}" title="{told}"></i>'
    yield "</div><p class=legend aria-hidden=true>"
    yield "".join(f"<span><i class={verdict}></i>{verdict}</span>" for verdict in VERDICTS)
    yield "</p>"
    rows = []
    for would, verdicts in found.would.items():
        name = f"{would.replace('_', ' ')}<small>{_MEANINGS[would]}</small>"
        counts = (sum(verdicts.values()), *verdicts.values())
        rows.append(_row(name, [f"{count:,}" for count in counts], _bars(verdicts, total)))
    yield _table("What truepath would have done", ("answer", "misses", *VERDICTS), rows)
    yield "<p class=note>Right and wrong are judged by what the agent opened later."
    if found.partial:
        yield f"Of {found.partial:,} misses the project is not on this machine: they are replayed"
        yield "on the files that the transcript showed, and nothing is corrected."
    yield "</p></section>"


def _bars(counts: Mapping[str, int], total: int) -> str:
    return "".join(
        f'<i class={verdict} style="width:{100 * count / total:.2f}%"></i>'
        for verdict, count in counts.items()
        if count
    )


def _weeks(found: Figures) -> str:
    weeks = [(_day(week.began), week.missed_calls, week.calls) for week in found.weeks[-26:]]
    bars = [
        (day, 1000 * missed / max(1, calls), f"week of {day}: {missed:,} of {calls:,} calls")
        for day, missed, calls in weeks
    ]
    return _columns("Misses per 1,000 calls, by week", bars, "{:.1f}")


def _until_found(found: Figures) -> str:
    late = sum(count for calls, count in found.found_after.items() if calls >= _LATE)
    counts = [(str(calls), found.found_after.get(calls, 0)) for calls in range(1, _LATE)]
    bars = [
        (name, float(count), f"{count:,} after {name} calls")
        for name, count in (*counts, (f"{_LATE}+", late))
    ]
    return _columns("Calls until the right file was opened", bars, "{:,.0f}")


def _columns(title: str, bars: Sequence[tuple[str, float, str]], form: str) -> str:
    """Return a chart of columns: the name below each, its height, and what it says in words."""
    most = max((height for _, height, _ in bars), default=0) or 1
    columns = "".join(
        f'<li title="{told}"><b>{form.format(height)}</b>'
        f'<i style="--height:{height / most:.3f}"></i><span>{name}</span></li>'
        for name, height, told in bars
    )
    many = " many" if len(bars) > 10 else ""
    chart = f'<ol class="columns{many}">{columns}</ol>' if bars else "<p class=note>none</p>"
    return f"<section><h2>{title}</h2>{chart}</section>"


def _groups(by: By, groups: Mapping[str, Group]) -> str:
    shown = [(name, group) for name, group in groups.items() if group.misses]
    rest = [group for _, group in shown[_MOST:]]
    if rest:
        misses, lost = sum(g.misses for g in rest), sum(g.calls_lost for g in rest)
        calls = sum(group.calls for group in rest)
        shown[_MOST:] = [(f"{len(rest)} others", Group(calls, misses, lost))]
    most = max((group.misses for _, group in shown), default=0) or 1
    rated = by in ("host", "model")
    rows = []
    for name, group in shown:
        rate = f"{1000 * group.misses / group.calls:.1f}" if group.calls else ""
        meaning = f"<small>{escape(CAUSES[name])}</small>" if name in CAUSES else ""
        shown_name = name.replace("_", " ") if by == "cause" else name
        words = f"{escape(shown_name) or 'not told'}{meaning}"
        cells = [f"{group.misses:,}", *([rate] if rated else []), f"{group.calls_lost:,}"]
        rows.append(_row(words, cells, f'<i style="width:{100 * group.misses / most:.1f}%"></i>'))
    head = (by, "misses", *(["of 1,000"] if rated else []), "calls lost")
    return f"<section><h2>{_TITLES[by]}</h2>{_table(_TITLES[by], head, rows)}</section>"


def _row(name: str, cells: Sequence[str], bar: str = "") -> str:
    """Return a row: a name of ready HTML with a bar below it, and numbers."""
    drawn = f"<span class=bar aria-hidden=true>{bar}</span>" if bar else ""
    return f"<tr><th scope=row>{name}{drawn}</th><td>{'<td>'.join(cells)}</tr>"


def _table(title: str, head: Sequence[str], rows: Sequence[str]) -> str:
    names = "".join(f"<th scope=col>{name}" for name in head)
    table = f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class=scroll tabindex=0 role=region aria-label="{title}">{table}</div>'


def _worst(found: Figures) -> Iterator[str]:
    if not found.worst:
        return
    title = "The sessions that lost most"
    rows = [
        _row(
            f"<code>{escape(worst.part or worst.source)}</code>",
            [f"{worst.calls:,}", f"{worst.misses:,}", f"{worst.calls_lost:,}"],
        )
        for worst in found.worst
    ]
    yield f"<section><h2>{title}</h2>"
    yield f"{_table(title, ('session', 'calls', 'misses', 'calls lost'), rows)}</section>"


def _alarms(found: Figures) -> Iterator[str]:
    yield f"<section><h2>False alarms: {len(found.alarms):,}</h2>"
    yield "<p class=note>Calls that worked, and that truepath would have refused or changed.</p>"
    if found.alarms:
        rows = [
            _row(
                f"{escape(alarm.operation)} <code>{escape(alarm.written)}</code>"
                f"<small>call {alarm.call} of {escape(alarm.part or alarm.source)}</small>",
                [escape(alarm.would.replace("_", " ")), f"<code>{escape(alarm.shown)}</code>"],
            )
            for alarm in found.alarms
        ]
        yield "<details><summary>Each of them</summary>"
        yield f"{_table('False alarms', ('call', 'answer', 'named'), rows)}</details>"
    yield "</section>"


def _day(seconds: int) -> str:
    date = datetime.fromtimestamp(seconds, timezone.utc)
    return f"{date.day} {date:%b %Y}"


def _short(number: int) -> str:
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1000:,.0f} k" if number < 10_000_000 else f"{number / 1e6:,.0f} M"
