"""Readers of transcripts: one file a format, which knows its records and nothing else.

To add one: a file with the names of `Reader`, and its line in `READERS`. A reader raises nothing,
whatever the records hold: fields that it does not know pass, and what is missing is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from truepath.audit.readers import (
    claude_code,
    cline,
    codex,
    copilot_cli,
    gemini_cli,
    mini_swe_agent,
    opencode,
    pi,
    qwen_code,
    swe_agent,
)
from truepath.audit.transcript import Homes, Record, Transcript


class Reader(Protocol):
    """One format."""

    NAME: str
    HOMES: Homes

    def fits(self, record: Record) -> bool:
        """Tell whether a record is one of this format."""

    def read(self, records: Iterable[Record], into: Transcript) -> None:
        """Take the records: JSON objects, one a line, or one for a whole file."""


READERS: tuple[Reader, ...] = (
    claude_code,
    codex,
    copilot_cli,
    gemini_cli,
    qwen_code,
    pi,
    opencode,
    swe_agent,
    mini_swe_agent,
    cline,
)
"""Asked in this order; Cline's form is the most general, and the last."""


def reader_of(record: Record) -> Reader | None:
    """Return the reader whose format a record is of."""
    return next((reader for reader in READERS if reader.fits(record)), None)
