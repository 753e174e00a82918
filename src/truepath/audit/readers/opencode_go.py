"""OpenCode in Go, which became Crush: `.opencode/opencode.db` beside the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truepath.audit.readers import crush
from truepath.audit.transcript import Homes, Record, columns

if TYPE_CHECKING:
    from sqlite3 import Connection

NAME = "opencode-go"
HOMES: Homes = ()
IN_PROJECT = ".opencode/opencode.db"

read = crush.read
sessions = crush.sessions


def keeps(database: Connection) -> bool:
    """Return whether a database is one of OpenCode's in Go."""
    found = columns(database, "messages")
    return found >= {"session_id", "parts"} and "provider" not in found


def load(database: Connection, session: str, folder: str) -> Iterator[Any]:
    """Yield what `read` takes of one session, in a project's folder."""
    yield {"program": NAME, "session": session, "folder": folder}
    yield from crush.messages(database, session)


def fits(record: Record) -> bool:
    return record.get("program") == NAME and "folder" in record
