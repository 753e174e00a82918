"""Crush: `.crush/crush.db` beside the code, one for each project; and OpenCode in Go,
which became Crush: `.opencode/opencode.db`.

A message holds its parts as JSON: the calls in one of the assistant, their answers in
one of the role `tool`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from truepath.audit.transcript import (
    BAD,
    LONGEST_LINE,
    Homes,
    Record,
    Records,
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
EARLIER = "opencode-go"
HOMES: Homes = ()
IN_PROJECTS = (".crush/crush.db", ".opencode/opencode.db")
"""Where databases are that programs keep beside the code."""

_EXIT = re.compile(r"^Exit code (-?\d+)\s*(?:<cwd>.*</cwd>)?\s*\Z", re.MULTILINE)
"""How a failed command's answer ends."""

_PATHS = ("file_path", "path")
"""The arguments of Crush's tools that may be an absolute path."""

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")

_MORE = "(File has more lines"
_FIRST = "     1|"
"""What the answer of a look at a file has if more of it is there, and if its first line
was shown."""

# To sort the messages themselves would take the memory of all of them.
_ORDER = "SELECT rowid FROM messages WHERE session_id = ? ORDER BY created_at, rowid"
_MESSAGE = (
    "SELECT CASE WHEN length(parts) < ? THEN parts END, role, model, created_at "
    "FROM messages WHERE rowid = ?"
)


def listed(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the databases of the projects that Crush lists, since 0.25."""
    shared = environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = environ.get("CRUSH_GLOBAL_DATA") or os.path.join(shared, "crush")
    try:
        with opened(os.path.join(folder, "projects.json")) as file:
            known = json_in(file.read(LONGEST_LINE))
    except OSError:
        return
    for project in tables(known, "projects"):
        place = os.path.join(text(project, "path"), text(project, "data_dir"))
        yield os.path.join(place, "crush.db")


def keeps(database: Connection) -> bool:
    return columns(database, "messages") >= {"session_id", "parts"}


def sessions(database: Connection) -> list[str]:
    rows = database.execute("SELECT id FROM sessions ORDER BY id")
    return [name for (name,) in rows]


def load(database: Connection, session: str, folder: str) -> Iterator[Any]:
    is_crush = "provider" in columns(database, "messages")
    program = NAME if is_crush else EARLIER
    yield {"program": program, "session": session, "folder": folder}
    for (row,) in database.execute(_ORDER, (session,)).fetchall():
        values = (LONGEST_LINE, row)
        data, role, model, time = database.execute(_MESSAGE, values).fetchone()
        parts = json_in((data or "").encode("utf-8", "replace"))
        message = {"parts": parts, "role": role, "model": model, "time": time}
        yield message if isinstance(parts, list) else BAD


def fits(record: Record) -> bool:
    return record.get("program") in (NAME, EARLIER) and "folder" in record


def read(records: Records, into: Transcript) -> None:
    shell = ""
    # What `load` begins with.
    head = next(iter(records))
    into.format = text(head, "program")
    folder = text(head, "folder")
    into.about(session=text(head, "session"))
    for record in records:
        into.about(model=text(record, "model"))
        if record.get("role") == "user":
            into.prompt()
        time = when(record.get("time"))
        for part in tables(record, "parts"):
            data = table(part, "data")
            if part.get("type") == "tool_call":
                _call(data, time, shell, into)
            elif part.get("type") == "tool_result":
                shell = _answer(data, time, into) or shell
    paths = (text(call.arguments, name) for call in into.calls for name in _PATHS)
    places = [*filter(_ABSOLUTE.match, paths)]
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
