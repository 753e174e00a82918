"""OpenCode: its `opencode.db`, and what `opencode export` prints, as which a session is
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truepath.audit.transcript import (
    LONGEST_LINE,
    Homes,
    Record,
    Records,
    Transcript,
    arguments,
    columns,
    number,
    when,
)
from truepath.fields import field, table, tables, text

if TYPE_CHECKING:
    from sqlite3 import Connection

NAME = "opencode"
HOMES: Homes = (("XDG_DATA_HOME", "~/.local/share", "opencode/opencode.db"),)

_COUNTS = ("input", "output", "reasoning", "cache.write")


def fits(record: Record) -> bool:
    if "info" not in record:
        return False
    parts = any("parts" in message for message in tables(record, "messages"))
    return parts or "directory" in table(record, "info")


def read(records: Records, into: Transcript) -> None:
    for record in records:
        info = table(record, "info")
        into.about(session=text(info, "id"), cwd=text(info, "directory"))
        for message in tables(record, "messages"):
            _message(message, into)


def _message(message: Record, into: Transcript) -> None:
    info = table(message, "info")
    turn = text(info, "id")
    if info.get("role") == "user":
        into.prompt()
        return
    into.about(model=text(info, "modelID"), cwd=text(info, "path.cwd"))
    for part in tables(message, "parts"):
        if part.get("type") != "tool":
            continue
        state = table(part, "state")
        name = text(part, "tool")
        given = table(state, "input")
        began = when(field(state, "time.start")) or when(field(info, "time.created"))
        call = into.call(text(part, "callID"), name, given, time=began, turn=turn)
        code = field(state, "metadata.exit")
        failed = state.get("status") == "error" or code not in (None, 0)
        if failed or state.get("status") == "completed":
            said = text(state, "error") or text(state, "output")
            into.answer(call, said, failed=failed, time=when(field(state, "time.end")))
    into.used(number(table(info, "tokens"), *_COUNTS), turn)


def keeps(database: Connection) -> bool:
    """Return whether a database is one of OpenCode's."""
    return columns(database, "part") >= {"message_id", "data"}


def sessions(database: Connection) -> list[str]:
    """Return the sessions in a database."""
    rows = database.execute("SELECT id FROM session ORDER BY id")
    return [name for (name,) in rows]


def load(database: Connection, session: str, _: str) -> Iterator[Any]:
    """Yield a session as its export has it, each message in a record of its own."""
    found = database.execute("SELECT directory FROM session WHERE id = ?", (session,))
    (place,) = found.fetchone() or ("",)
    info = {"id": session, "directory": place}
    yield {"info": info, "messages": []}
    # To sort the values themselves would take the memory of all of them.
    of_message: dict[str, list[int]] = {}
    for row, message in database.execute(_PARTS, (session,)).fetchall():
        of_message.setdefault(message, []).append(row)
    for row, name in database.execute(_MESSAGES, (session,)).fetchall():
        told = {"id": name, **_value(database, _MESSAGE, row)}
        rows = of_message.get(name, [])
        pieces = [_value(database, _PART, part) for part in rows]
        yield {"info": info, "messages": [{"info": told, "parts": pieces}]}


_PARTS = (
    "SELECT rowid, message_id FROM part WHERE session_id = ? ORDER BY time_created, id"
)
_MESSAGES = (
    "SELECT rowid, id FROM message WHERE session_id = ? ORDER BY time_created, id"
)
_PART = "SELECT CASE WHEN length(data) < ? THEN data END FROM part WHERE rowid = ?"
_MESSAGE = (
    "SELECT CASE WHEN length(data) < ? THEN data END FROM message WHERE rowid = ?"
)


def _value(database: Connection, query: str, row: int) -> Record:
    """Return the object in a row; an empty one if it is too long, or none."""
    (data,) = database.execute(query, (LONGEST_LINE, row)).fetchone()
    return arguments(data or "")
