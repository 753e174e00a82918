"""Copilot chat in VS Code: `workspaceStorage/*/chatSessions/SESSION.json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from truepath.audit.transcript import Homes, Record, Transcript, arguments, when
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


def read(records: Iterable[Record], into: Transcript) -> None:
    """Only a request has a time, which its first call gets. A call that failed says so
    itself.
    """
    (session,) = islice(records, 1)
    into.about(session=text(session, "sessionId"))
    for at, request in enumerate(tables(session, "requests")):
        into.prompt()
        into.about(
            model=text(request, "modelId").rpartition("/")[2], cwd=_folder(request)
        )
        metadata = table(table(request, "result"), "metadata")
        results = table(metadata, "toolCallResults")
        time = when(request.get("timestamp"))
        for number, turn in enumerate(tables(metadata, "toolCallRounds")):
            for made in tables(turn, "toolCalls"):
                name = text(made, "name")
                given = arguments(made.get("arguments"))
                call = into.call(
                    text(made, "id"), name, given, time=time, turn=f"{at}.{number}"
                )
                time = None
                if answer := table(results, text(made, "id")):
                    said = "".join(_texts(answer.get("content")))
                    into.answer(
                        call, said, failed=said.startswith("ERROR while") or None
                    )


def _folder(request: Mapping[str, Any]) -> str:
    """Return the folder that links in the response are relative to."""
    links = (table(part, "baseUri") for part in tables(request, "response"))
    return next((text(link, "path").rstrip("/") for link in links if link), "")


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
