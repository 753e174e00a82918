"""The record of one transcript: a row for its session, then one for each finding.

All rows have the columns `COLUMNS`: paths, names of tools and models, times and counts,
but no messages and no contents of files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

Row = dict[str, Any]
Rows = list[Row]

WOULD = {
    "corrected": ("the call runs on the right path", "corrected to {}"),
    "assumed": ("the call runs on the likely file, with a note", "shown {}"),
    "named": ("refused, and the answer names what may be meant", "refused, naming {}"),
    "refused": (
        "refused, and the answer says that nothing is there",
        "refused: nothing is there",
    ),
    "left_alone": ("the call runs as it is", "let run"),
    "unknown": ("the project's files are not known", ""),
}
"""What truepath would have done -> what that means, and the text for one path."""

VERDICTS = ("right", "wrong", "unknown")

KINDS = ("session", "failure", "hidden", "miss", "alarm", "answer")
"""The kinds of rows: of a failure of a call; of one that a call hid, for it ended well;
of a missed path; of a call that worked and would have been touched; and of an answer of
truepath itself that named files."""

COLUMNS: Mapping[str, str] = {
    "record": "string",  # a hash of the record that a row is of
    "kind": "string",  # one of `KINDS`
    "source": "string",
    "part": "string",  # which of several transcripts in `source`
    "format": "string",  # empty where none was recognised
    "session": "string",
    "model": "string",
    "project": "string",  # its folder on the agent's machine
    # Of a session.
    "started": "double",  # seconds since the epoch
    "ended": "double",
    "calls": "int64",
    "bad_lines": "int64",  # not JSON; a last line that was cut is normal
    "call_ids": "string",  # of each call a hash of `CALL_ID` letters
    "problem": "string",  # why the transcript could not be read; empty where it was
    # Of a finding.
    "at": "int64",  # the call's place in the session, counted from 0
    "tool": "string",
    "failure": "string",  # of a failed call, its class in `failures.txt`
    "operation": "string",
    "written": "string",
    "target": "string",  # where it points: relative to the project, absolute outside it
    "followed": "string",  # what the agent did next: found, again, made or left
    "truth": "string",  # what was meant, judged by what the agent opened later
    "calls_lost": "int64",  # with the calls that were cancelled with it
    "seconds_lost": "double",
    "tokens_lost": "int64",
    "loop": "int64",  # how many turns in a row have missed this aim
    "would": "string",
    # what it would have been corrected to, or the candidates, one a line
    "shown": "string",
    "verdict": "string",
}
"""Column -> its Arrow type; the value is None in other kinds of rows."""

CALL_ID = 10
"""Characters of a call's hash, which is the same for a call that is recorded twice."""

_SHARED = ("source", "part", "format", "session", "model", "project", "record")
_PATHS = ("source", "part", "project", "written", "target", "truth", "shown")
_NAME = r"(?!\.\.?(?:[/\n]|$))[^/\n]+"


def record(session: Row, findings: Iterable[Row] = ()) -> Rows:
    """Return the complete rows of a session, which needs a `source`, and its findings.

    A lone surrogate in a text becomes `?`, so that rows are valid UTF-8.
    """
    texts = dict.fromkeys((*_SHARED, "call_ids", "problem"), "")
    own = {**texts, "calls": 0, "bad_lines": 0, **session, "kind": "session"}
    plain = [
        _changed(row, COLUMNS, lambda text: text.encode("utf-8", "replace").decode())
        for row in (own, *findings)
    ]
    plain[0]["record"] = hashlib.blake2b(
        repr(plain).encode(), digest_size=8
    ).hexdigest()
    shared = {name: plain[0][name] for name in _SHARED}
    empty: Row = dict.fromkeys(COLUMNS)
    return [{**empty, **plain[0]}, *({**empty, **shared, **row} for row in plain[1:])]


def call_id(*what: object) -> str:
    """Return the hash of what identifies a call."""
    data = repr(what).encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=CALL_ID // 2).hexdigest()


def redacted(rows: Rows, key: bytes) -> Rows:
    """Return a record in which every name in a path is a hash, the same for the same
    name. The secret `key` keeps short names from being guessed.
    """

    def hashed(name: re.Match[str]) -> str:
        return hashlib.blake2b(name[0].encode(), key=key, digest_size=5).hexdigest()

    hidden = [
        _changed(row, _PATHS, lambda path: re.sub(_NAME, hashed, path)) for row in rows
    ]
    # The words of a problem hold a path too.
    return [{**row, "problem": row["problem"] and "unreadable"} for row in hidden]


def _changed(row: Row, names: Container[str], change: Callable[[str], str]) -> Row:
    changed = dict(row)
    for name, value in row.items():
        if name in names and isinstance(value, str):
            changed[name] = change(value)
    return changed
