"""OpenHands: events of its SDK, in a folder, a list, or the `output.jsonl` of a benchmark.

Each line of the last has the `history` of one task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from truepath.audit.transcript import Homes, Record, Transcript, arguments, plain, when
from truepath.hosts.fields import table, tables, text

NAME = "openhands"
HOMES: Homes = (("", "~/.openhands", "conversations/*/events"),)


def fits(record: Record) -> bool:
    """Tell whether a record is one of this format."""
    return any(map(_is_event, _events(record)))


def read(records: Iterable[Record], into: Transcript) -> None:
    """Take the records."""
    for record in records:
        for event in filter(_is_event, _events(record)):
            _event(event, into)
        if "history" in record:
            into.prompt()  # the next task


def _events(record: Record) -> list[Mapping[str, Any]]:
    return tables(record, "history") or tables(record, "messages") or [record]


def _is_event(event: Mapping[str, Any]) -> bool:
    return "source" in event and text(event, "kind").endswith(("Event", "Observation"))


def _event(event: Mapping[str, Any], into: Transcript) -> None:
    call_id, time = text(event, "tool_call_id"), when(event.get("timestamp"))
    seen = table(event, "observation")
    if not call_id:
        if event.get("source") == "user":
            into.prompt()
    elif event.get("kind") == "ActionEvent":
        given = arguments(table(event, "tool_call").get("arguments")) or table(event, "action")
        turn = text(event, "llm_response_id")
        into.call(call_id, text(event, "tool_name"), given, time=time, turn=turn)
    else:
        failed = bool(seen.get("is_error")) or bool(event.get("error"))
        said = plain(seen.get("content")) or text(seen, "output") or text(event, "error")
        into.answer(call_id, said, failed=failed, time=time)
        into.about(cwd=text(table(seen, "metadata"), "working_dir"))
