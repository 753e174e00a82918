"""The figures as one HTML page: no script, nothing from a network, a light and a dark
theme.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from html import escape
from importlib.resources import files

from truepath.audit.figures import Figures
from truepath.audit.record import VERDICTS, WOULD, Row
from truepath.quoting import escaped

_SHOWN_ROWS = 10
"""Rows of a table; what is rarer is shown on demand."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
"""What a browser allows the page: its own style alone, which draws the bars."""


Followed = Mapping[str, Mapping[str, int]]
"""Rule -> what followed the answers by it that named one file, and how often."""


def page(found: Figures, followed: Followed | None = None) -> str:
    """Return the page of what an audit says, and of what followed truepath's own
    answers, by `journal.statistics.followed`.
    """
    names = [name for name in found["by"]["project"] if name]
    where = names[0] if len(names) == 1 else f"{len(names)} projects"
    title = escape("What wrong paths cost" + (f" in {where}" if names else ""))
    style = files(__package__).joinpath("page.css").read_text("utf-8")
    parts = [
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>",
        f'<meta http-equiv=Content-Security-Policy content="{_POLICY}">',
        '<meta name=viewport content="width=device-width, initial-scale=1">',
        '<meta name=color-scheme content="light dark">',
        f"<title>{title}</title><style>{style}</style></head><body><main>",
        f"<header><h1>{title}</h1>{''.join(_head(found))}</header>",
        f"<ul class=facts>{''.join(_facts(found))}</ul>",
        _failures(found),
        _paths(found["missed"]),
        _would(found),
        _after_answers(followed or {}),
        _models(found["models"]),
        "<div class=pair>",
        *(_group(by, groups) for by, groups in found["by"].items()),
        "</div>",
        _alarms(found["alarms"]),
        "</main></body></html>\n",
    ]
    # A file's name may hold signs that turn the text around.
    return "\n".join(escaped(line) for line in "\n".join(parts).split("\n"))


def _head(found: Figures) -> Iterator[str]:
    """Yield what truepath is worth in these sessions, or else what misses cost, and
    what they are counted in.
    """
    since = found["since"] and datetime.fromtimestamp(found["since"], timezone.utc)
    span = f", since {since.day} {since:%b %Y}" if since else ""
    is_judged = _is_judged(found)
    number, tense = ("saved", "saves") if is_judged else ("lost", "could save some of")
    worth = _told("call|s", f"{found[f'calls_{number}']:,}", "b")
    yield f"<p class=lead>truepath {tense} {worth} here</p>"
    rate = f"{found['per_thousand']:.1f} of 1,000 tool calls"
    yield _note(f"{rate} missed a path; {found['failed_calls']:,} failed")
    yield _note(f"{found['sessions']:,} sessions, {found['calls']:,} calls{span}")
    if found["unknown"]:
        yield _note(
            f"{found['unknown']:,} misses cannot be judged; no files of their project "
            "are known: give its repository, <code>--repo DIR</code>."
        )


def _note(text: str) -> str:
    return f"<p class=note>{text}</p>"


def _is_judged(found: Figures) -> bool:
    """Return whether it is known of a miss what truepath would have done about it."""
    return not found["misses"] or found["misses"] > found["unknown"]


def _facts(found: Figures) -> Iterator[str]:
    """Yield nine facts, three in a row: what is saved, what is lost, how it is done;
    what is lost alone where no miss could be judged.
    """
    facts = {
        "call|s saved": f"{found['calls_saved']:,}",
        "minute|s saved": f"{found['seconds_saved'] / 60:,.0f}",
        "tokens saved": _tokens(found["tokens_saved"]),
        "call|s lost to missed paths": f"{found['calls_lost']:,}",
        "minute|s lost": f"{found['seconds_lost'] / 60:,.0f}",
        "tokens lost": _tokens(found["tokens_lost"]),
        "run on the right file": f"{found['right']:,}",
        "run on a wrong one": f"{found['wrong']:,}",
        "false alarm|s": f"{len(found['alarms']):,}",
    }
    is_judged = _is_judged(found)
    for what, number in facts.items():
        if is_judged or "lost" in what:
            yield f"<li>{_told(what, number, 'b')}</li>"


def _tokens(count: float) -> str:
    """Return a number of tokens in thousands or millions."""
    if count < 1_000_000:
        return f"{count / 1000:,.1f} k"
    return f"{count / 1_000_000:,.1f} M"


def _told(what: str, number: str, tag: str) -> str:
    """Return a number of something, whose name has the plural behind a bar."""
    plural = "" if number == "1" else "s"
    return f"<{tag}>{number}</{tag}> {what.replace('|s', plural)}"


def _failures(found: Figures) -> str:
    failures = found["failures"]
    most = max((row["calls"] for row in failures), default=0)
    rows = []
    for row in failures:
        acts = "; truepath acts on it" if row["acts"] else ""
        name = f"{escape(row['class'])}<small>{row['what']}{acts}</small>"
        look = "" if row["what"] == "mistake" else "class=unknown "
        bar = f'<i {look}style="width:{100 * row["calls"] / most:.1f}%"></i>'
        cells = (
            f"{row['calls']:,}",
            f"{row['share']:.1%}",
            f"{row['per_thousand']:.1f}",
            f"{row['calls_lost']:,}",
        )
        rows.append(_row(name, cells, bar))
    note = _note(
        "Blue are mistakes of the call. Calls are lost until its aim succeeds."
    )
    if found["hidden"]:
        kinds = ", ".join(f"{row['class']} {row['calls']:,}" for row in found["hidden"])
        note += _note(
            f"{found['hidden_calls']:,} more ended well, "
            f"because of <code>| head</code> or the like: {kinds}."
        )
    head = ("why", "calls", "share", "of 1,000", "calls lost")
    return _section("What calls failed on", head, rows, note)


def _would(found: Figures) -> str:
    total = max(1, found["misses"])
    rows = []
    for would, verdicts in found["would"].items():
        name = f"{would.replace('_', ' ')}<small>{WOULD[would][0]}</small>"
        bars = "".join(
            f'<i class={verdict} style="width:{100 * count / total:.2f}%"></i>'
            for verdict, count in verdicts.items()
            if count
        )
        counts = (sum(verdicts.values()), *verdicts.values())
        if any(counts):
            rows.append(_row(name, [f"{count:,}" for count in counts], bars))
    return _section(
        "What truepath would have done",
        ("answer", "misses", *VERDICTS),
        rows,
        _note("Right and wrong are judged by what the agent opened later."),
    )


def _after_answers(followed: Followed) -> str:
    rows = []
    for rule, counts in followed.items():
        total = sum(counts.values())
        share = f"{counts['took'] / total:.0%}"
        cells = [f"{total:,}", share, *(f"{count:,}" for count in counts.values())]
        bar = f'<i style="width:{100 * counts["took"] / total:.1f}%"></i>'
        rows.append(_row(escape(rule), cells, bar))
    return _section(
        "What followed truepath's answers",
        ("rule", "answers", "taken", "took it", "another", "missed again", "left"),
        rows,
        _note(
            "Of the answers in the journal that named one file: what the next call on "
            "that name was about. A rule is why the file was named, or why it was not "
            "used."
        ),
    )


def _paths(missed: Sequence[Row]) -> str:
    many = len({row["project"] for row in missed}) > 1
    rows = []
    for row in missed:
        details = []
        if row["truth"]:
            details.append(f"opened later: {row['truth']}")
        if many and row["project"]:
            details.append(f"in {row['project']}")
        name = _path("", row["target"], row["answer"], *details)
        rows.append(_row(name, [f"{row['times']:,}", f"{row['calls_lost']:,}"]))
    return _section("The missed paths", ("path", "times", "calls lost"), rows)


def _models(models: Sequence[Row]) -> str:
    """Return how often each model missed, a bar from one limit to the other."""
    most = max((model["high"] for model in models[:_SHOWN_ROWS]), default=0)
    rows = []
    for model in models:
        left = 100 * min(1, model["low"] / most)
        width = 100 * min(1, model["high"] / most) - left
        bar = f'<i style="margin-left:{left:.1f}%;width:{width:.1f}%"></i>'
        cells = (
            f"{model['calls']:,}",
            f"{model['per_thousand']:.1f}",
            f"{model['low']:.1f} to {model['high']:.1f}",
            f"{model['failed_per_thousand']:.1f}",
            f"{model['calls_lost']:,}",
            f"{model['tokens_lost']:,}",
        )
        rows.append(_row(escape(model["model"]) or "not told", cells, bar))
    columns = ("calls", "missed, of 1,000", "95% limits", "failed", "lost", "tokens")
    return _section(
        "Misses by model",
        ("model", *columns),
        rows,
        _note(
            "Limits are those between which 95% of draws of sessions lie. "
            "Lost are the calls and tokens from a missed path on."
        ),
    )


def _group(by: str, groups: Mapping[str, Row]) -> str:
    shown = [(name, group) for name, group in groups.items() if group["misses"]]
    most = max((group["misses"] for _, group in shown), default=0)
    rated = by != "tool"  # of these, no calls are counted
    rows = []
    for name, group in shown:
        cells = [f"{group['misses']:,}", f"{group['calls_lost']:,}"]
        if rated:
            rate = 1000 * group["misses"] / group["calls"] if group["calls"] else None
            cells.insert(1, "" if rate is None else f"{rate:.1f}")
        bar = f'<i style="width:{100 * group["misses"] / most:.1f}%"></i>'
        rows.append(_row(escape(name) or "not told", cells, bar))
    head = (by, "misses", *(["of 1,000"] if rated else []), "calls lost")
    return _section(f"Misses by {by}", head, rows)


def _alarms(alarms: Sequence[Row]) -> str:
    rows = []
    for row in alarms:
        where = "call {at} of {source} {part}".format_map(row)
        verb = f"{row['operation']} "
        rows.append(_row(_path(verb, row["written"], row["answer"], where)))
    note = _note("Calls that worked, and that truepath would have refused or changed.")
    return _section("False alarms", ("call",), rows, note)


def _path(verb: str, path: str, answer: str, *more: str) -> str:
    """Return a path, what would come of it, and what else is known, a line each."""
    told = [f"<small>{escape(line)}</small>" for line in (f"truepath: {answer}", *more)]
    return f"{escape(verb)}<code>{escape(path)}</code>{''.join(told)}"


def _row(name: str, cells: Sequence[str] = (), bar: str = "") -> str:
    """Return a row: a name of ready HTML with a bar below it, and cells."""
    drawn = f"<span class=bar aria-hidden=true>{bar}</span>" if bar else ""
    values = "".join(f"<td>{cell}" for cell in cells)
    return f"<tr><th scope=row>{name}{drawn}</th>{values}</tr>"


def _section(
    title: str, head: Sequence[str], rows: Sequence[str], note: str = ""
) -> str:
    """Return a table between its title and a note; nothing where it has no rows."""
    if not rows:
        return ""
    tables = [_table(title, head, rows[:_SHOWN_ROWS])]
    if rows[_SHOWN_ROWS:]:
        rest = len(rows) - _SHOWN_ROWS
        more = _table(f"{title}: more", head, rows[_SHOWN_ROWS:])
        tables.append(f"<details><summary>{rest:,} more</summary>{more}</details>")
    return f"<section><h2>{title}</h2>{''.join(tables)}{note}</section>"


def _table(title: str, head: Sequence[str], rows: Sequence[str]) -> str:
    names = "".join(f"<th scope=col>{name}" for name in head)
    return (
        f'<div class=scroll tabindex=0 role=region aria-label="{title}">'
        f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        "</div>"
    )
