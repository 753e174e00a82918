"""GitHub Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`."""

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
    arguments,
    number,
    plain,
    when,
)
from truepath.hosts.fields import table, text

NAME = "copilot-cli"

_KINDS = ("session.", "assistant.", "tool.execution_", "user.message")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict) or not isinstance(record.get("data"), dict):
        return False
    return text(record, "type").startswith(_KINDS)


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    for record in records:
        if isinstance(record, dict):
            yield from _event(record, table(record, "data"), when(record.get("timestamp")))


def _event(
    record: Mapping[str, Any], data: Mapping[str, Any], time: float | None
) -> Iterator[Item]:
    kind, call_id = record.get("type"), text(data, "toolCallId")
    if kind == "session.start":
        place = table(data, "context")
        yield About(
            session=text(data, "sessionId"),
            cwd=text(place, "cwd"),
            root=text(place, "gitRoot"),
            commit=text(place, "headCommit"),
        )
    elif kind == "user.message":
        yield Prompt(time=time)
    elif kind == "assistant.message":
        yield About(model=text(data, "model"))
        yield Usage(tokens=number(data, "outputTokens"))
    elif kind == "tool.execution_start":
        given = arguments(data.get("arguments"))
        turn = text(data, "turnId")
        yield Call(id=call_id, tool=text(data, "toolName"), arguments=given, time=time, turn=turn)
    elif kind == "tool.execution_complete":
        said = text(table(data, "error"), "message") or plain(data.get("result"))
        yield Answer(id=call_id, text=said, failed=data.get("success") is False, time=time)
