"""pi: `~/.pi/agent/sessions/*/TIME_SESSION.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import (
    About,
    Answer,
    Call,
    Item,
    Prompt,
    Usage,
    number,
    plain,
    when,
)
from truepath.hosts.fields import table, tables, text

NAME = "pi"


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict):
        return False
    if record.get("type") == "session" and "cwd" in record:
        return True
    return record.get("type") == "message" and "role" in table(record, "message")


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened. Branches of a session are read one after another."""
    for record in records:
        if not isinstance(record, dict):
            continue
        if record.get("type") == "session":
            yield About(session=text(record, "id"), cwd=text(record, "cwd"))
        message = table(record, "message")
        yield from _message(message, text(record, "id"), when(record.get("timestamp")))


def _message(message: Mapping[str, Any], turn: str, time: float | None) -> Iterator[Item]:
    role = message.get("role")
    if role == "user":
        yield Prompt(time=time)
    elif role == "assistant":
        yield About(model=text(message, "model"))
        for block in tables(message, "content"):
            if block.get("type") == "toolCall":
                name, given = text(block, "name"), table(block, "arguments")
                yield Call(id=text(block, "id"), tool=name, arguments=given, time=time, turn=turn)
        used = table(message, "usage")
        yield Usage(turn=turn, tokens=number(used, "input", "output", "cacheWrite"))
    elif role == "toolResult":
        yield Answer(
            id=text(message, "toolCallId"),
            text=plain(message.get("content")),
            failed=message.get("isError") is True,
            time=time,
        )
