"""What many records add up to. Pure: records in, numbers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from truepath.audit.record import Finding, Record

By = Literal["host", "model", "tool", "cause"]

GROUPS: tuple[By, ...] = ("host", "model", "tool", "cause")

WOULD = ("corrected", "assumed", "named", "refused", "left_alone")

_WORST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The misses of one host, model, tool or cause."""

    calls: int = 0
    """All calls; 0 for a tool and a cause, of which only misses are recorded."""
    misses: int = 0
    lost: int = 0
    """Calls that they cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What an audit says."""

    sessions: int = 0
    unread: tuple[str, ...] = ()
    """Transcripts that could not be read, each with its reason."""
    unknown: int = 0
    """Files of no known format."""
    bad_lines: int = 0
    calls: int = 0
    path_calls: int = 0
    missed_calls: int = 0
    misses: int = 0
    calls_lost: int = 0
    seconds_lost: float = 0.0
    tokens_lost: int = 0
    loops: int = 0
    """Rows of two or more turns that missed one aim."""
    longest_loop: int = 0
    partial: int = 0
    """Misses that were replayed on the files that the transcript showed, no others."""
    would: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By what truepath would have done and whether that is right, wrong or unknown."""
    alarms: tuple[tuple[Record, Finding], ...] = ()
    by: Mapping[By, Mapping[str, Group]] = field(default_factory=dict)
    """The largest first."""
    worst: tuple[Record, ...] = ()
    """The sessions that lost most calls."""

    @property
    def per_thousand(self) -> float:
        """Missed calls of 1,000 calls."""
        return 1000 * self.missed_calls / self.calls if self.calls else 0.0

    def price(self, per_million: float) -> float:
        """Return what the lost tokens cost at a price for a million."""
        return self.tokens_lost / 1e6 * per_million

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        groups = {
            by: {
                name: {"calls": group.calls, "misses": group.misses, "calls_lost": group.lost}
                for name, group in groups.items()
            }
            for by, groups in self.by.items()
        }
        return {
            **plain,
            "per_thousand": round(self.per_thousand, 2),
            "by": groups,
            "alarms": [
                {"source": record.source, "call": alarm.at, "written": alarm.written}
                for record, alarm in self.alarms
            ],
            "worst": [
                {
                    "source": record.source,
                    "session": record.session,
                    "calls_lost": calls_lost(record),
                }
                for record in self.worst
            ],
        }


def distinct(records: Iterable[Record]) -> list[Record]:
    """Return one record for each session, the one with most calls; sorted by source.

    Checkpoints, and resumed or copied sessions, hold the same calls again.
    """
    best: dict[tuple[str, ...], Record] = {}
    for record in records:
        named = (record.format, record.session, record.agent)
        key = named if record.session else (record.source, record.part)
        held = best.get(key)
        if held is None or (held.calls, held.source) < (record.calls, record.source):
            best[key] = record
    return sorted(best.values(), key=lambda record: (record.source, record.part))


def add_up(records: Sequence[Record]) -> Figures:
    """Return what the records of distinct sessions add up to."""
    read = [record for record in records if record.format]
    misses = [
        (record, found) for record in read for found in record.findings if found.kind == "miss"
    ]
    alarms = [
        (record, found) for record in read for found in record.findings if found.kind == "alarm"
    ]
    findings = [found for _, found in misses]
    ends = [
        finding.loop for finding in findings if finding.loop > 1 and finding.followed != "again"
    ]
    return Figures(
        sessions=len(read),
        unread=tuple(record.problem for record in records if record.problem),
        unknown=sum(not record.format and not record.problem for record in records),
        bad_lines=sum(record.bad_lines for record in read),
        calls=sum(record.calls for record in read),
        path_calls=sum(record.path_calls for record in read),
        missed_calls=sum(record.missed_calls for record in read),
        misses=len(misses),
        calls_lost=sum(finding.calls_lost for finding in findings),
        seconds_lost=sum(finding.seconds_lost or 0.0 for finding in findings),
        tokens_lost=sum(finding.tokens_lost for finding in findings),
        loops=len(ends),
        longest_loop=max(ends, default=0),
        partial=sum(record.tree == "partial" for record, _ in misses),
        would=_would(findings),
        alarms=tuple(alarms),
        by={by: dict(_groups(read, misses, by)) for by in GROUPS},
        worst=tuple(sorted(filter(calls_lost, read), key=calls_lost, reverse=True)[:_WORST]),
    )


def calls_lost(record: Record) -> int:
    """Return the calls that the misses of a session cost."""
    return sum(finding.calls_lost for finding in record.findings)


def _would(misses: Sequence[Finding]) -> dict[str, dict[str, int]]:
    found = Counter[tuple[str, str]]((finding.would, finding.verdict) for finding in misses)
    verdicts = ("right", "wrong", "unknown")
    return {would: {name: found[would, name] for name in verdicts} for would in WOULD}


_KEYS: Mapping[By, Callable[[Record, Finding], str]] = {
    "host": lambda record, _: record.format,
    "model": lambda record, _: record.model,
    "tool": lambda _, miss: miss.tool,
    "cause": lambda _, miss: miss.cause,
}


def _groups(
    records: Sequence[Record], misses: Sequence[tuple[Record, Finding]], by: By
) -> Iterator[tuple[str, Group]]:
    calls, counts, lost = Counter[str](), Counter[str](), Counter[str]()
    for record, miss in misses:
        name = _KEYS[by](record, miss)
        counts[name] += 1
        lost[name] += miss.calls_lost
    for record in records:
        if by in ("host", "model"):
            calls[record.format if by == "host" else record.model] += record.calls
    for name in sorted({*calls, *counts}, key=lambda name: (-counts[name], -calls[name], name)):
        yield name, Group(calls=calls[name], misses=counts[name], lost=lost[name])
