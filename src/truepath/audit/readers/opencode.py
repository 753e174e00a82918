"""OpenCode: its `opencode.db`, and what `opencode export` prints, as which a session is
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

from truepath.audit.transcript import Homes, Record, Transcript, arguments, number, when
from truepath.fields import table, tables, text

NAME = "opencode"
HOMES: Homes = (("XDG_DATA_HOME", "~/.local/share", "opencode/opencode.db"),)


def fits(record: Record) -> bool:
    if "info" not in record:
        return False
    parts = any("parts" in message for message in tables(record, "messages"))
    return parts or "directory" in table(record, "info")


def read(records: Iterable[Record], into: Transcript) -> None:
    for record in records:
        info = table(record, "info")
        into.about(session=text(info, "id"), cwd=text(info, "directory"))
        for message in tables(record, "messages"):
            _message(message, into)


def _message(message: Mapping[str, Any], into: Transcript) -> None:
    info = table(message, "info")
    time = when(table(info, "time").get("created"))
    turn = text(info, "id")
    if info.get("role") == "user":
        into.prompt()
        return
    into.about(model=text(info, "modelID"), cwd=text(table(info, "path"), "cwd"))
    for part in tables(message, "parts"):
        if part.get("type") != "tool":
            continue
        state = table(part, "state")
        times = table(state, "time")
        name = text(part, "tool")
        given = table(state, "input")
        began = when(times.get("start")) or time
        code = table(state, "metadata").get("exit")
        failed = state.get("status") == "error" or code not in (None, 0)
        call = into.call(text(part, "callID"), name, given, time=began, turn=turn)
        if failed or state.get("status") == "completed":
            said = text(state, "error") or text(state, "output")
            into.answer(call, said, failed=failed, time=when(times.get("end")))
    tokens = table(info, "tokens")
    fresh = number(tokens, "input", "output", "reasoning")
    into.used(fresh + number(table(tokens, "cache"), "write"), turn)


def sessions(path: str) -> list[str]:
    """Return the sessions in a database; raise OSError if it is none of OpenCode's."""
    return [row[0] for row in _rows(path, "SELECT id FROM session ORDER BY id")]


def load(path: str, session: str) -> Mapping[str, Any]:
    """Return one session of a database as its export has it; raise OSError if it cannot
    be read.
    """
    place = _rows(path, "SELECT directory FROM session WHERE id = ?", session)
    pieces: dict[str, list[Any]] = {}
    for message, data in _rows(
        path, _QUERY.format("message_id, data", "part"), session
    ):
        pieces.setdefault(message, []).append(arguments(data))
    messages = [
        {"info": {"id": name, **arguments(data)}, "parts": pieces.get(name, [])}
        for name, data in _rows(path, _QUERY.format("id, data", "message"), session)
    ]
    info = {"id": session, "directory": place[0][0] if place else ""}
    return {"info": info, "messages": messages}


_QUERY = "SELECT {} FROM {} WHERE session_id = ? ORDER BY time_created, id"


def _rows(path: str, query: str, *values: str) -> list[Any]:
    import sqlite3
    from urllib.parse import quote

    try:
        with closing(
            sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
        ) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
