"""Databases as agent programs keep them, made of one story: a file is missed, looked
for and found, and another one is shown.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

ROOT = "/home/ada/orders"
MODEL = "qwen3-coder-30b"
BEGAN = 1_772_442_000

STORY = [  # a tool, its arguments, its answer, whether it is an error, its metadata
    ("view", {"file_path": f"{ROOT}/specs/status.md"},
     f"File not found: {ROOT}/specs/status.md", True, {}),
    ("bash", {"command": "find . -name status.md"}, "./docs/status.md", False,
     {"start_time": 1, "working_directory": ROOT}),
    ("view", {"file_path": f"{ROOT}/docs/status.md"},
     "<file>\n     1|all green\n</file>", False, {}),
    ("view", {"file_path": f"{ROOT}/README.md"}, "<file>\n     1|# Readme\n</file>",
     False, {}),
]  # fmt: skip

_TABLES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT);
CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT,
  parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER, {} finished_at);
CREATE INDEX idx_messages_session_id ON messages (session_id);
"""


def opencode_go(place: Path, *stories, **options) -> Path:
    """Make a database of OpenCode in Go; each story is a session of calls."""
    return _made(place, stories, "", **options)


def crush(place: Path, *stories, **options) -> Path:
    """Make a database of Crush; each story is a session of calls."""
    return _made(place, stories, "provider TEXT,", **options)


def _made(place, stories, column, *, open_in=None):
    """Make a database. A list `open_in` gets its connection, which is left open, so
    that all of it is in the log; its owner closes it.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(place)
    if open_in is not None:
        database.execute("PRAGMA journal_mode = WAL")
        open_in.append(database)
    database.executescript(_TABLES.format(column))
    for at, story in enumerate(stories or [STORY]):
        add(database, f"s{at}", story)
    database.commit()
    if open_in is None:
        database.close()
    return place


def add(database, session, story, model=MODEL):
    """Add a session of calls, which begins with a prompt."""
    database.execute("INSERT INTO sessions VALUES (?, NULL, 'New')", (session,))
    rows = [("user", "", [("text", {"text": "look"})])]
    for at, (tool, arguments, said, is_error, about) in enumerate(story):
        name = f"{session}.{at}"
        given = {"id": name, "name": tool, "input": json.dumps(arguments)}
        rows.append(("assistant", model, [("tool_call", given)]))
        answer = {"tool_call_id": name, "content": said, "is_error": is_error}
        answer["metadata"] = json.dumps(about)
        rows.append(("tool", "", [("tool_result", answer)]))
    for at, (role, of, parts) in enumerate(rows):
        told = json.dumps([{"type": kind, "data": data} for kind, data in parts])
        database.execute(
            "INSERT INTO messages (id, session_id, role, parts, model, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (f"{session}-{at}", session, role, told, of, BEGAN + 4 * at),
        )


def opencode(place: Path, export: Path) -> Path:
    """Make a database of OpenCode from what it exports."""
    place.parent.mkdir(parents=True, exist_ok=True)
    export = json.loads(export.read_text("utf-8"))
    with closing(sqlite3.connect(place)) as database:
        database.execute("CREATE TABLE session (id, directory)")
        columns = "id, session_id, time_created, data"
        database.execute(f"CREATE TABLE message ({columns})")
        database.execute(f"CREATE TABLE part ({columns}, message_id)")
        database.executemany(
            "INSERT INTO session VALUES (?, ?)", [("ses_5e55", ROOT), ("b", "/")]
        )
        for message in export["messages"]:
            info = message["info"]
            row = (info["id"], "ses_5e55", info["time"]["created"], json.dumps(info))
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
            for part in message["parts"]:
                row = (part["id"], "ses_5e55", 0, json.dumps(part), info["id"])
                database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", row)
        database.commit()
    return place
