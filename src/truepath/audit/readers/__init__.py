"""Readers of transcripts, one module for each format.

To add one, write a module with the names of `Reader`, and add it to `READERS`. A reader
never
raises: unknown fields are ignored, and missing ones are empty.
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
    vscode,
)
from truepath.audit.transcript import Homes, Record, Transcript


class Reader(Protocol):
    """One format."""

    NAME: str
    HOMES: Homes

    def fits(self, record: Record) -> bool:
        """Return whether a record is of this format."""

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
    vscode,
    cline,
)
"""In the order in which they are asked; Cline's format is the most general, so it is
last."""
