"""The figures of many records, for every kind of output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import sqrt
from typing import Any

from truepath.audit.failures import classes
from truepath.audit.record import CALL_ID, KINDS, VERDICTS, WOULD, Row, Rows

Figures = Mapping[str, Any]
"""What `add_up` returns, JSON-ready."""

BY = {"project": "project", "host": "format", "tool": "tool"}
"""What misses are counted by -> the column."""

_Z = 1.96
"""Standard deviations on either side that hold 95 % of draws."""

_WHERE = ("source", "part", "at", "operation", "written")
"""The columns of an alarm that are shown."""

_REPEATED = "-" * CALL_ID
"""The id of a call that is counted in another record."""


def chosen(records: Iterable[Rows], since: float | None = None) -> list[Rows]:
    """Return records without duplicate calls and sessions: those of resumed sessions
    and copies are counted in the longest record. Only sessions that ended after `since`
    are included.
    """
    kept: list[Rows] = []
    seen = {_REPEATED}
    for rows in sorted(records, key=lambda rows: (-rows[0]["calls"], *_place(rows[0]))):
        session = rows[0]
        if since and session["ended"] and session["ended"] < since:
            continue
        told = session["call_ids"]
        ids = [told[at : at + CALL_ID] for at in range(0, len(told), CALL_ID)]
        # A session without calls is identified by its name.
        marks = ids or [f"{session['format']}:{session['session'] or _place(session)}"]
        if not seen.issuperset(marks):
            kept.append(_without_repeated(rows, ids, seen))
        seen.update(marks)
    return kept


def _without_repeated(rows: Rows, ids: Sequence[str], seen: set[str]) -> Rows:
    """Return a record without the calls that are counted in another; `ids` are those
    of all its calls.
    """
    left = [_REPEATED if id_ in seen else id_ for id_ in ids]
    calls = len(left) - left.count(_REPEATED)
    counted = [row for row in rows[1:] if left[row["at"]] != _REPEATED]
    return [{**rows[0], "calls": calls, "call_ids": "".join(left)}, *counted]


def _place(row: Row) -> tuple[str, str]:
    return row["source"], row["part"]


def add_up(records: Sequence[Rows]) -> Figures:
    """Return the figures of chosen records."""
    rows = [*chain.from_iterable(records)]
    every, failures, hidden, misses, alarms, answers = (
        [row for row in rows if row["kind"] == kind] for kind in KINDS
    )
    read = [row for row in every if row["format"]]
    # Of each aim that was missed repeatedly, how many turns in a row missed it.
    ends = [row["loop"] for row in misses if row["followed"] != "again"]
    loops = [*filter((1).__lt__, ends)]
    led_right = _led(misses, "right")
    calls = _sum(read, "calls")
    missed = len(_places(misses))
    return {
        "sessions": len(read),
        # The most frequent first.
        "formats": dict(Counter(sorted(_column(read, "format"))).most_common()),
        "since": min(filter(None, _column(read, "started")), default=None),
        "bad_lines": _sum(every, "bad_lines"),
        "unread": sorted(filter(None, _column(every, "problem"))),
        "calls": calls,
        "failed_calls": len(failures),
        "failures": _failures(failures, calls),
        "hidden_calls": len(hidden),  # failed, though their command ended well
        "hidden": [
            {"class": name, "calls": sums["misses"]}
            for name, sums in _grouped("failure", [], hidden).items()
        ],
        "missed_calls": missed,
        "per_thousand": _per_thousand(missed, calls),
        "failed_per_thousand": _per_thousand(len(failures), calls),
        "misses": len(misses),
        "calls_lost": _sum(misses, "calls_lost"),
        "seconds_lost": round(_sum(misses, "seconds_lost"), 3),
        "tokens_lost": _sum(misses, "tokens_lost"),
        "loops": len(loops),
        "longest_loop": max(loops, default=0),
        "answers": len(answers),  # truepath's own that named a file
        "answers_followed": sum(row["followed"] == "found" for row in answers),
        # Calls that it would have run on another path: the right one, a wrong one.
        "right": len(led_right),
        # Not made then, with those of repeated misses and those cancelled with them.
        "calls_saved": _sum(led_right, "calls_lost"),
        "seconds_saved": round(_sum(led_right, "seconds_lost"), 3),
        "tokens_saved": _sum(led_right, "tokens_lost"),
        "wrong": len(_led(misses, "wrong")),
        "unknown": sum(row["would"] == "unknown" for row in misses),
        "would": _would(misses),
        "missed": _missed(misses),
        "alarms": [
            {"answer": _answer(row), **_some(row, *_WHERE)}
            for row in sorted(alarms, key=_place)
        ],
        "models": _models(read, misses, failures),
        "by": {name: _grouped(column, read, misses) for name, column in BY.items()},
    }


def _led(misses: Rows, verdict: str) -> Rows:
    """Return the misses whose call truepath would have run on a right or wrong path."""
    ran = ("corrected", "assumed")
    return [row for row in misses if row["would"] in ran and row["verdict"] == verdict]


def _would(misses: Rows) -> Mapping[str, Mapping[str, int]]:
    """Return how often each thing would have been done, by verdict."""
    times = Counter((row["would"], row["verdict"]) for row in misses)
    # All of them, so that a table has the same rows whatever happened.
    return {
        would: {verdict: times[would, verdict] for verdict in VERDICTS}
        for would in WOULD
    }


def _column(rows: Iterable[Row], column: str) -> list[Any]:
    return [row[column] for row in rows]


def _sum(rows: Iterable[Row], column: str) -> Any:
    return sum(row[column] or 0 for row in rows)


def _some(row: Row, *columns: str) -> Row:
    return {name: row[name] for name in columns}


def _answer(row: Row) -> str:
    """Return what would have been done about a call, in words; empty if unknown."""
    return WOULD[row["would"]][1].format(row["shown"].replace("\n", ", "))


def _failures(failures: Rows, calls: int) -> Rows:
    """Return each class of failed calls, what it is and cost, most frequent first."""
    return [
        {
            "class": name,
            **_some(classes().get(name) or classes()["other"], "what", "acts"),
            "calls": group["misses"],
            "share": round(group["misses"] / len(failures), 4),
            "per_thousand": round(1000 * group["misses"] / calls, 2),
            "calls_lost": group["calls_lost"],
        }
        for name, group in _grouped("failure", [], failures).items()
    ]


def _missed(misses: Iterable[Row]) -> Rows:
    """Return the missed paths, most frequent first, with what mostly would have been
    done.
    """
    of_path: dict[tuple[str, str], Rows] = {}
    for row in misses:
        of_path.setdefault((row["project"], row["target"]), []).append(row)
    paths = [
        {
            **_some(rows[0], "project", "target"),
            "truth": _commonest(row["truth"] for row in rows),
            "answer": _commonest(map(_answer, rows)) or "not known",
            "times": len(rows),
            "calls_lost": _sum(rows, "calls_lost"),
        }
        for rows in of_path.values()
    ]
    return sorted(
        paths, key=lambda path: (-path["times"], -path["calls_lost"], path["target"])
    )


def _models(sessions: Rows, misses: Rows, failures: Rows) -> Rows:
    """Return how often each model missed and what that cost, that with the most calls
    first. A session is of the model that made most of its calls.
    """
    own: dict[str, tuple[Rows, Rows, Rows]] = {}
    for kind, rows in enumerate((sessions, misses, failures)):
        for row in rows:
            own.setdefault(row["model"], ([], [], []))[kind].append(row)
    models = [_model(name, *rows) for name, rows in own.items()]
    models.sort(key=lambda model: (-model["calls"], model["model"]))
    return [model for model in models if model["calls"]]


def _model(name: str, sessions: Rows, misses: Rows, failures: Rows) -> Row:
    """Return the figures of one model, from its own rows."""
    missed = Counter(record for record, _ in _places(misses))
    counts = {
        (row["record"], row["project"]): (missed[row["record"]], row["calls"])
        for row in sessions
    }
    calls = _sum(sessions, "calls")
    low, high = limits(counts)
    return {
        "model": name,
        "sessions": len(sessions),
        "calls": calls,
        "missed_calls": missed.total(),
        "per_thousand": _per_thousand(missed.total(), calls),
        # The limits between which 95 % of draws lie.
        "low": round(1000 * low, 2),
        "high": round(1000 * high, 2),
        "failed_per_thousand": _per_thousand(len(failures), calls),
        "calls_lost": _sum(misses, "calls_lost"),
        "tokens_lost": _sum(misses, "tokens_lost"),
    }


def limits(counts: Mapping[tuple[str, str], tuple[int, int]]) -> tuple[float, float]:
    """Return the 95 % limits of a rate of calls, from 0 to 1.

    They are Wilson's, for as many calls as tell the same without being of one session
    or one project: the fewer of the two count.

    Args:
        counts: Of each session, by its record and its project, how many calls are
            counted, and how many there are.
    """
    calls = sum(each for _, each in counts.values())
    if not calls:
        return 0.0, 1.0
    rate = sum(hits for hits, _ in counts.values()) / calls
    projects: dict[str, tuple[int, int]] = {}
    for (_, project), (hits, each) in counts.items():
        before = projects.get(project, (0, 0))
        projects[project] = (before[0] + hits, before[1] + each)
    widening = max(_widening(counts.values(), rate), _widening(projects.values(), rate))
    square = _Z**2 / (calls / widening)
    middle = (rate + square / 2) / (1 + square)
    half = sqrt(rate * (1 - rate) * square + square**2 / 4) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def _widening(groups: Iterable[tuple[int, int]], rate: float) -> float:
    """Return how many times the variance of a rate is that of calls on their own."""
    filled = [(hits, calls) for hits, calls in groups if calls]
    if len(filled) < 2 or not 0 < rate < 1:
        return 1.0
    calls = sum(each for _, each in filled)
    spread = sum((hits - rate * each) ** 2 for hits, each in filled)
    spread *= len(filled) / (len(filled) - 1)
    return max(1.0, spread / (calls * rate * (1 - rate)))


def _places(rows: Rows) -> set[tuple[str, int]]:
    """Return which calls rows are about."""
    return {(row["record"], row["at"]) for row in rows}


def _per_thousand(count: int, calls: int) -> float:
    return round(1000 * count / calls, 2) if calls else 0.0


def _commonest(texts: Iterable[str]) -> str:
    """Return the most frequent text, ignoring empty ones."""
    return "".join(text for text, _ in Counter(filter(None, texts)).most_common(1))


def _grouped(column: str, sessions: Rows, misses: Rows) -> Mapping[str, Row]:
    """Return the sums of each group, the largest first; tools have no calls."""
    groups: dict[str, Row] = {}
    for row in (*sessions, *misses):
        if row[column] is None:
            continue
        empty = {"calls": 0, "misses": 0, "calls_lost": 0}
        sums = groups.setdefault(row[column], empty)
        sums["calls"] += row["calls"] or 0
        sums["calls_lost"] += row["calls_lost"] or 0
        sums["misses"] += row["kind"] != "session"
    names = sorted(
        groups, key=lambda name: (-groups[name]["misses"], -groups[name]["calls"], name)
    )
    return {name: groups[name] for name in names}
