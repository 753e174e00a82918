"""Copilot chat in VS Code: `workspaceStorage/*/chatSessions/SESSION.json`."""

from __future__ import annotations

from collections.abc import Iterator

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    arguments,
    when,
)
from truepath.fields import table, tables, text

NAME = "vscode"
_CHATS = "Code/User/workspaceStorage/*/chatSessions/*.json"
HOMES: Homes = (
    ("XDG_CONFIG_HOME", "~/.config", _CHATS),
    ("", "~/Library/Application Support", _CHATS),
    ("APPDATA", "~/AppData/Roaming", _CHATS),
)


def fits(record: Record) -> bool:
    return {"requests", "sessionId"} <= record.keys()


def read(records: Records, into: Transcript) -> None:
    """Only a request has a time, which its first call gets. A call that failed says so
    itself.
    """
    session = next(iter(records))
    into.about(session=text(session, "sessionId"))
    for at, request in enumerate(tables(session, "requests")):
        into.prompt()
        # The links in the response are relative to the folder.
        links = filter(None, (table(x, "baseUri") for x in tables(request, "response")))
        folder = text(next(links, {}), "path").rstrip("/")
        into.about(model=text(request, "modelId").rpartition("/")[2], cwd=folder)
        metadata = table(request, "result.metadata")
        results = table(metadata, "toolCallResults")
        time = when(request.get("timestamp"))
        for number, turn in enumerate(tables(metadata, "toolCallRounds")):
            for made in tables(turn, "toolCalls"):
                call_id = text(made, "id")
                name = text(made, "name")
                given = arguments(made.get("arguments"))
                call = into.call(call_id, name, given, time=time, turn=f"{at}.{number}")
                time = None
                if answer := table(results, call_id):
                    said = "".join(_texts(answer.get("content")))
                    failed = said.startswith("ERROR while") or None
                    into.answer(call, said, failed=failed)


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in an answer: nested nodes, or one text."""
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        said = value.get("text", value.get("value"))
        yield from [said] if isinstance(said, str) else ()
        for name in ("node", "children", "value"):
            yield from _texts(value.get(name))
