"""The record of one transcript: flat, of texts and numbers alone, with a version.

A record is one row of its session and one row for each finding. Nothing of what was said or what
files hold is in it: paths, names of tools and models, times and counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby
from typing import Any, Literal

VERSION = 1
"""Of the rows: another one when a column changes its meaning or goes. New ones may come."""

Would = Literal["corrected", "assumed", "named", "refused", "left_alone"]
"""What truepath would have done: put the right path in its place; shown the likely file and told;
answered with what may be meant; answered that nothing is; or let the call run."""

Verdict = Literal["right", "wrong", "unknown"]

_PATHS = ("source", "part", "project", "written", "target", "truth", "shown")
"""The columns that hold paths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One path that was missed, or one call that worked and would have been touched."""

    kind: Literal["miss", "alarm"]
    at: int
    """The call's place in the session, counted from 0."""
    place: int = 0
    """The finding's own among those of its session, counted from 0."""
    time: float | None
    tool: str
    operation: str
    written: str
    target: str
    """Where it points: relative to the project, absolute outside it."""
    cause: str = ""
    """One of `cause.CAUSES`."""
    followed: str = ""
    """What the agent did next: found, again, made or left (`pursuit.Followed`)."""
    truth: str = ""
    """What was meant, judged by what the agent opened later; empty where that is not known."""
    calls_lost: int = 0
    seconds_lost: float | None = None
    tokens_lost: int = 0
    loop: int = 0
    """How many turns in a row have missed this aim."""
    would: Would = "left_alone"
    shown: str = ""
    """The path it would have been corrected to, or the first candidate."""
    verdict: Verdict = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one transcript holds."""

    source: str
    part: str = ""
    format: str = ""
    """Empty where no format was recognised."""
    session: str = ""
    agent: str = ""
    model: str = ""
    project: str = ""
    """The project's folder on the agent's machine."""
    started: float | None = None
    """Seconds since the epoch."""
    ended: float | None = None
    lines: int = 0
    bad_lines: int = 0
    bad_at: str = ""
    """The numbers of the first of them."""
    calls: int = 0
    path_calls: int = 0
    """Calls that named a path."""
    missed_calls: int = 0
    """Calls that missed one or more."""
    tokens: int = 0
    """Tokens that came from no cache."""
    tree: str = ""
    """What the replay knew of the project: `git`, its files at that time, or `partial`, those
    that the transcript showed."""
    problem: str = ""
    """Why the transcript could not be read; empty where it was."""
    findings: tuple[Finding, ...] = ()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the session's row and one for each finding, all with the columns `COLUMNS`."""
        own = {name: getattr(self, name) for name in _SESSION}
        counts = {name: own.pop(name) for name in _COUNTS}
        key = hashlib.blake2b(repr(self).encode(), digest_size=8).hexdigest()
        shared = {**dict.fromkeys(COLUMNS), "version": VERSION, "record": key, **own}
        yield {**shared, "kind": "session", **counts}
        for finding in self.findings:
            yield {**shared, **{name: getattr(finding, name) for name in _FINDING}}

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Record:
        """Return what `to_dict` made.

        Raises:
            TypeError: it has other fields.
            KeyError: it has none.
        """
        found = tuple(Finding(**finding) for finding in raw["findings"])
        return cls(**{**raw, "findings": found})


_COUNTS = (
    *("started", "ended", "lines", "bad_lines", "bad_at", "calls", "path_calls", "missed_calls"),
    *("tokens", "problem"),
)
"""The fields of a session that only its own row has."""

_SESSION = tuple(column.name for column in fields(Record) if column.name != "findings")
_FINDING = tuple(column.name for column in fields(Finding))

_TYPES = {"int": "int64", "float | None": "double", "str": "string"}

COLUMNS: Mapping[str, str] = {
    "version": "int64",
    "record": "string",
    "kind": "string",
    **{
        column.name: _TYPES.get(str(column.type), "string")
        for column in (*fields(Record), *fields(Finding))
        if column.name not in ("findings", "kind")
    },
}
"""Each column of a row, and its Arrow type. `record` is a hash of the record that a row is of."""


def of_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[Record]:
    """Yield the records that rows were made of, which come as `Record.rows` gives them."""
    for _, group in groupby(rows, lambda row: row["record"]):
        session, *findings = group
        found = tuple(Finding(**_given(row, _FINDING)) for row in findings)
        yield Record(**_given(session, _SESSION), findings=found)


def _given(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def encodable(record: Record) -> Record:
    """Return a record whose texts can be UTF-8: half a surrogate pair in a name becomes `?`."""
    found = tuple(replace(finding, **_odd(finding, _FINDING)) for finding in record.findings)
    return replace(record, **_odd(record, _SESSION), findings=found)


def _odd(row: Record | Finding, names: Sequence[str]) -> dict[str, Any]:
    texts = ((name, getattr(row, name)) for name in names)
    return {
        name: text.encode("utf-8", "replace").decode()
        for name, text in texts
        if isinstance(text, str) and not text.isascii()
    }


def redacted(record: Record, key: bytes) -> Record:
    """Return a record in which every name in a path is a hash, the same for the same name.

    Args:
        record: What is hashed.
        key: A secret of this run: without one, short names could be guessed.
    """
    found = tuple(
        replace(finding, **_hashes(finding, _PATHS[3:], key)) for finding in record.findings
    )
    own = _hashes(record, _PATHS[:3], key)
    return replace(record, **own, problem=record.problem and "unreadable", findings=found)


def _hashes(row: Record | Finding, names: Sequence[str], key: bytes) -> dict[str, Any]:
    return {name: _hashed(getattr(row, name), key) for name in names}


def _hashed(path: str, key: bytes) -> str:
    return "/".join(name and _hash(name, key) for name in path.split("/"))


def _hash(name: str, key: bytes) -> str:
    if name in (".", ".."):
        return name
    return hashlib.blake2b(name.encode(), key=key, digest_size=5).hexdigest()
