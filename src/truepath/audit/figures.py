"""What many records add up to: SQL over their rows, whatever database has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from truepath.audit.table import Table

By = Literal["host", "model", "tool", "cause"]

GROUPS: Mapping[By, str] = {"host": "format", "model": "model", "tool": "tool", "cause": "cause"}
"""What misses are counted by, and the column that says it."""

WOULD = ("corrected", "assumed", "named", "refused", "left_alone")
VERDICTS = ("right", "wrong", "unknown")

_WORST = 5

_WEEK = 604_800
"""Seconds."""

_READ = """
SELECT count(*), sum(bad_lines), sum(calls), sum(path_calls), sum(missed_calls)
FROM sessions WHERE format <> ''
"""

_UNREAD = "SELECT problem FROM sessions WHERE problem <> '' ORDER BY source, part"

_DAMAGED = """
SELECT source, part, bad_lines, bad_at FROM sessions WHERE bad_lines > 0 ORDER BY 1, 2
"""

_UNKNOWN = "SELECT count(*) FROM sessions WHERE format = '' AND problem = ''"

_MISSED = """
SELECT count(*), sum(calls_lost), sum(seconds_lost), sum(tokens_lost),
    count(*) FILTER (WHERE loop > 1 AND followed <> 'again'),
    max(loop) FILTER (WHERE loop > 1 AND followed <> 'again'),
    count(*) FILTER (WHERE tree = 'partial')
FROM findings WHERE kind = 'miss'
"""

_ANSWERED = "SELECT would, verdict, count(*) FROM findings WHERE kind = 'miss' GROUP BY 1, 2"

_FOUND = """
SELECT calls_lost, count(*) FROM findings
WHERE kind = 'miss' AND followed = 'found' GROUP BY 1 ORDER BY 1
"""

_WEEKS = """
SELECT CAST(started AS BIGINT) - CAST(started AS BIGINT) % ? AS week,
    sum(calls), sum(missed_calls)
FROM sessions WHERE format <> '' AND started IS NOT NULL GROUP BY 1 ORDER BY 1
"""

# Of a session the calls, of a miss the calls lost; of a tool or a cause there are misses alone.
_GROUPS = """
SELECT name, sum(calls), sum(misses), sum(lost) FROM (
    SELECT {0} AS name, calls, 0 AS misses, 0 AS lost FROM sessions WHERE format <> ''
    UNION ALL
    SELECT {0}, 0, 1, calls_lost FROM findings WHERE kind = 'miss'
) AS every GROUP BY 1 HAVING name IS NOT NULL ORDER BY 3 DESC, 2 DESC, 1
"""

_ALARMS = """
SELECT source, part, "at", operation, written, would, shown FROM findings
WHERE kind = 'alarm' ORDER BY source, part, "at", place
"""

_WORST_ONES = """
SELECT s.source, s.part, s.session, s.calls, count(*), sum(f.calls_lost) AS lost
FROM sessions AS s JOIN findings AS f ON f.record = s.record AND f.kind = 'miss'
GROUP BY s.record, 1, 2, 3, 4 HAVING sum(f.calls_lost) > 0 ORDER BY lost DESC, 1, 2 LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Group:
    """The misses of one host, model, tool or cause."""

    calls: int
    """All calls; 0 for a tool and a cause, of which only misses are recorded."""
    misses: int
    calls_lost: int


@dataclass(frozen=True, slots=True)
class Alarm:
    """A call that worked, and that would have been refused or changed."""

    source: str
    part: str
    call: int
    operation: str
    written: str
    would: str
    shown: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """A transcript with lines that are no JSON: that the last one was cut is normal."""

    source: str
    part: str
    bad_lines: int
    bad_at: str
    """The numbers of the first of them."""


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the sessions that lost most calls."""

    source: str
    part: str
    session: str
    calls: int
    misses: int
    calls_lost: int


@dataclass(frozen=True, slots=True)
class Week:
    """The calls of sessions that began in one week."""

    began: int
    """Seconds since the epoch."""
    calls: int
    missed_calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What an audit says."""

    sessions: int
    bad_lines: int
    calls: int
    path_calls: int
    missed_calls: int
    unread: tuple[str, ...]
    """Transcripts that could not be read, each with its reason."""
    unknown: int
    """Files of no known format."""
    damaged: tuple[Damaged, ...]
    misses: int
    calls_lost: int
    seconds_lost: float
    tokens_lost: int
    loops: int
    """Rows of two or more turns that missed one aim."""
    longest_loop: int
    partial: int
    """Misses that were replayed on the files that the transcript showed, no others."""
    would: Mapping[str, Mapping[str, int]]
    """By what truepath would have done and whether that is right, wrong or unknown."""
    found_after: Mapping[int, int]
    """Misses after which the right file was opened, by the calls until then."""
    weeks: tuple[Week, ...]
    alarms: tuple[Alarm, ...]
    by: Mapping[By, Mapping[str, Group]] = field(default_factory=dict)
    """The largest first."""
    worst: tuple[Worst, ...] = ()

    @property
    def per_thousand(self) -> float:
        """Missed calls of 1,000 calls."""
        return 1000 * self.missed_calls / self.calls if self.calls else 0.0

    def price(self, per_million: float) -> float:
        """Return what the lost tokens cost at a price for a million."""
        return self.tokens_lost / 1e6 * per_million

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        return {**asdict(self), "per_thousand": round(self.per_thousand, 2)}


def add_up(table: Table) -> Figures:
    """Return what the chosen sessions of a table add up to."""
    sessions, bad, calls, path_calls, missed = _numbers(table, _READ)
    misses, lost, seconds, tokens, loops, longest, partial = _numbers(table, _MISSED)
    answered = {(would, verdict): count for would, verdict, count in table.ask(_ANSWERED)}
    return Figures(
        sessions=sessions,
        bad_lines=bad,
        calls=calls,
        path_calls=path_calls,
        missed_calls=missed,
        unread=tuple(problem for (problem,) in table.ask(_UNREAD)),
        unknown=_numbers(table, _UNKNOWN)[0],
        damaged=tuple(Damaged(*row) for row in table.ask(_DAMAGED)),
        misses=misses,
        calls_lost=lost,
        seconds_lost=round(seconds, 3),
        tokens_lost=tokens,
        loops=loops,
        longest_loop=longest,
        partial=partial,
        would={
            would: {verdict: answered.get((would, verdict), 0) for verdict in VERDICTS}
            for would in WOULD
        },
        found_after=dict(table.ask(_FOUND)),
        weeks=tuple(Week(*row) for row in table.ask(_WEEKS, _WEEK)),
        alarms=tuple(Alarm(*row) for row in table.ask(_ALARMS)),
        by={by: dict(_groups(table, column)) for by, column in GROUPS.items()},
        worst=tuple(Worst(*row) for row in table.ask(_WORST_ONES, _WORST)),
    )


def _numbers(table: Table, query: str) -> list[Any]:
    """Return a row of sums; that of nothing is 0."""
    return [value or 0 for value in table.ask(query)[0]]


def _groups(table: Table, column: str) -> Iterator[tuple[str, Group]]:
    for name, calls, misses, lost in table.ask(_GROUPS.format(column)):
        yield name, Group(calls, misses, lost)
