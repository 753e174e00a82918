"""OpenCode: what `opencode export` prints, `opencode.db`, and the files below `storage/`.

The database and the files are put together as the export has them (`audit.places`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import About, Answer, Call, Item, Prompt, Usage, number, when
from truepath.hosts.fields import table, tables, text

NAME = "opencode"


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict) or not isinstance(record.get("info"), dict):
        return False
    messages = tables(record, "messages")
    return any("parts" in message for message in messages) or "directory" in record["info"]


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    for record in records:
        if not isinstance(record, dict):
            continue
        info = table(record, "info")
        yield About(session=text(info, "id"), cwd=text(info, "directory"))
        for message in tables(record, "messages"):
            yield from _message(message)


def _message(message: Mapping[str, Any]) -> Iterator[Item]:
    info = table(message, "info")
    time, turn = when(table(info, "time").get("created")), text(info, "id")
    if info.get("role") == "user":
        yield Prompt(time=time)
        return
    place = table(info, "path")
    yield About(model=text(info, "modelID"), cwd=text(place, "cwd"), root=_root(place))
    for part in tables(message, "parts"):
        if part.get("type") == "tool":
            yield from _tool(part, turn, time)
    tokens = table(info, "tokens")
    fresh = number(tokens, "input", "output", "reasoning")
    yield Usage(turn=turn, tokens=fresh + number(table(tokens, "cache"), "write"))


def _root(place: Mapping[str, Any]) -> str:
    root = text(place, "root")
    return root if root != "/" else ""  # outside a repository


def _tool(part: Mapping[str, Any], turn: str, time: float | None) -> Iterator[Item]:
    state = table(part, "state")
    times, call_id = table(state, "time"), text(part, "callID")
    yield Call(
        id=call_id,
        tool=text(part, "tool"),
        arguments=table(state, "input"),
        time=when(times.get("start")) or time,
        turn=turn,
    )
    if state.get("status") in ("completed", "error"):
        yield Answer(
            id=call_id,
            text=text(state, "error") or text(state, "output"),
            failed=state.get("status") == "error",
            time=when(times.get("end")),
        )
