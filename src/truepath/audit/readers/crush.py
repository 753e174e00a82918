"""Crush: `.crush/crush.db` beside the code, one for each project.

A message holds its parts as JSON: the calls in one of the assistant, their answers in
one of the role `tool`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from truepath.audit.transcript import (
    BAD,
    LONGEST_LINE,
    Homes,
    Record,
    Transcript,
    arguments,
    columns,
    json_in,
    opened,
    when,
)
from truepath.fields import table, tables, text

if TYPE_CHECKING:
    from sqlite3 import Connection

NAME = "crush"
HOMES: Homes = ()
IN_PROJECT = ".crush/crush.db"

_EXIT = re.compile(r"^Exit code (-?\d+)\s*(?:<cwd>.*</cwd>)?\s*\Z", re.MULTILINE)
"""How a failed command's answer ends."""

_PATHS = ("file_path", "path")
"""The arguments of Crush's tools that may be an absolute path."""

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")


def listed(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the databases of the projects that Crush lists, since 0.25."""
    shared = environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = environ.get("CRUSH_GLOBAL_DATA") or os.path.join(shared, "crush")
    try:
        with opened(os.path.join(folder, "projects.json")) as file:
            known = json_in(file.read(LONGEST_LINE))
    except OSError:
        return
    for project in tables(known if isinstance(known, dict) else {}, "projects"):
        place = os.path.join(text(project, "path"), text(project, "data_dir"))
        yield os.path.join(place, os.path.basename(IN_PROJECT))


def keeps(database: Connection) -> bool:
    """Return whether a database is one of Crush's."""
    return columns(database, "messages") >= {"session_id", "parts", "provider"}


def sessions(database: Connection) -> list[str]:
    """Return the sessions in a database."""
    rows = database.execute("SELECT id FROM sessions ORDER BY id")
    return [name for (name,) in rows]


def load(database: Connection, session: str, folder: str) -> Iterator[Any]:
    """Yield what `read` takes of one session, in a project's folder."""
    yield {"program": NAME, "session": session, "folder": folder}
    yield from messages(database, session)


def messages(database: Connection, session: str) -> Iterator[Any]:
    """Yield the messages of a session one by one; `BAD` for one that is too long or is
    no JSON.
    """
    # To sort the messages themselves would take the memory of all of them.
    order = "SELECT rowid FROM messages WHERE session_id = ? ORDER BY created_at, rowid"
    for (row,) in database.execute(order, (session,)).fetchall():
        values = (LONGEST_LINE, row)
        data, role, model, time = database.execute(_MESSAGE, values).fetchone()
        parts = json_in((data or "").encode("utf-8", "replace"))
        if isinstance(parts, list):
            yield {"parts": parts, "role": role, "model": model, "time": time}
        else:
            yield BAD


_MESSAGE = (
    "SELECT CASE WHEN length(parts) < ? THEN parts END, role, model, created_at "
    "FROM messages WHERE rowid = ?"
)


def fits(record: Record) -> bool:
    return record.get("program") == NAME and "folder" in record


def read(records: Iterable[Record], into: Transcript) -> None:
    folder = shell = ""
    for record in records:
        into.about(session=text(record, "session"), model=text(record, "model"))
        folder = folder or text(record, "folder")
        if record.get("role") == "user":
            into.prompt()
        time = when(record.get("time"))
        for part in tables(record, "parts"):
            data = table(part, "data")
            if part.get("type") == "tool_call":
                _call(data, time, shell, into)
            elif part.get("type") == "tool_result":
                shell = _answer(data, time, into) or shell
    given = (text(call.arguments, name) for call in into.calls for name in _PATHS)
    places = [*filter(_ABSOLUTE.match, given)]
    # The file may have come from another machine with its repository.
    if not places or any(f"{place}/".startswith(f"{folder}/") for place in places):
        into.about(cwd="" if into.cwd else folder)


def _call(data: Record, time: float | None, shell: str, into: Transcript) -> None:
    given = arguments(data.get("input"))
    call = into.call(text(data, "id"), text(data, "name"), given, time=time)
    if call.tool == "bash":
        call.cwd = text(given, "working_dir") or shell or call.cwd


def _answer(data: Record, time: float | None, into: Transcript) -> str:
    """Add an answer; return the folder that the next command begins in, if it tells."""
    said = text(data, "content")
    failed = data.get("is_error") is True
    about = arguments(data.get("metadata"))
    if "start_time" in about:  # a command's
        code = _EXIT.search(said)
        failed = failed or (code is not None and code[1] != "0")
    name = text(data, "tool_call_id")
    into.answer(name, said, failed=failed, time=time)
    into.shown(name, _content(said, about))
    place = text(about, "working_directory")
    into.about(cwd="" if into.cwd else place)
    # Since 0.16 each command has a shell of its own, and a description.
    return "" if "description" in about else place


def _content(said: str, about: Record) -> str | None:
    """Return the whole text of the file after a call, if its answer has it."""
    for name in ("new_content", "content"):
        content = about.get(name)
        if isinstance(content, str):
            is_part = name == "content" and (_MORE in said or _FIRST not in said)
            return None if is_part else content
    return None


_MORE = "(File has more lines"
_FIRST = "     1|"
"""What the answer of a look at a file has if more of it is there, and if its first line
was shown."""
