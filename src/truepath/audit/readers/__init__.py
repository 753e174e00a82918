"""Readers of transcripts, one module for each format.

To add one, write a module with the names of `Reader` (of `Store`, if it is a database),
and add it to `READERS` (and `STORES`). A reader never raises: unknown fields are
ignored, and missing ones are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from truepath.audit.readers import (
    claude_code,
    cline,
    codex,
    copilot_cli,
    crush,
    gemini_cli,
    kimi_cli,
    mini_swe_agent,
    opencode,
    pi,
    qwen_code,
    swe_agent,
    vscode,
)
from truepath.audit.transcript import Homes, Record, Transcript

if TYPE_CHECKING:
    from sqlite3 import Connection


class Reader(Protocol):
    """One format."""

    NAME: str
    HOMES: Homes

    def fits(self, record: Record) -> bool:
        """Return whether a record is of this format."""

    def read(self, records: Iterable[Record], into: Transcript) -> None:
        """Take the records: JSON objects, one a line, or one for a whole file."""


class Store(Reader, Protocol):
    """A format that a program keeps in SQLite, many sessions in a database."""

    def keeps(self, database: Connection) -> bool:
        """Return whether a database is of this format, by its columns."""

    def sessions(self, database: Connection) -> list[str]:
        """Return the sessions in a database."""

    def load(self, database: Connection, session: str, folder: str) -> Iterator[Any]:
        """Yield the records of one session, and `BAD` for what is none. `folder` is
        the one of the project, if the database is beside its code.
        """


READERS: tuple[Reader, ...] = (
    claude_code,
    codex,
    copilot_cli,
    gemini_cli,
    qwen_code,
    kimi_cli,
    pi,
    opencode,
    crush,
    swe_agent,
    mini_swe_agent,
    vscode,
    cline,
)
"""In the order in which they are asked; Cline's format is the most general, so it is
last."""

STORES: tuple[Store, ...] = (opencode, crush)

FOLDER_OF: Mapping[str, Callable[[str], str]] = {
    each.NAME: each.folder_of for each in (gemini_cli, kimi_cli)
}
"""Format -> the working directory of a session, for the path of its file, if the file
itself does not name it."""
