"""OpenHands: events of its SDK (`kind`) and of versions below 1 (`action`, `observation`).

A folder of event files, a list of events, one event a line, or the `output.jsonl` of a benchmark,
in which each line has the `history` of one task.
"""

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
    fresh,
    plain,
    when,
)
from truepath.hosts.fields import table, tables, text

NAME = "openhands"

_TOOLS = {"run": "execute_bash", "read": "read_file", "write": "write_file", "edit": "edit_file"}
"""The actions of versions below 1 that touch files, by a name that `calls` knows."""


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    return any(map(_is_event, _events(record)))


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    for at, record in enumerate(records):
        task = ""
        if isinstance(record, dict) and "history" in record:
            task = str(at)  # each counts its events from 0
            yield Prompt()
        for event in _events(record):
            if _is_event(event):
                yield from _event(event, task, when(event.get("timestamp")))


def _events(record: Any) -> list[Mapping[str, Any]]:
    if isinstance(record, list):
        return [event for event in record if isinstance(event, dict)]
    if not isinstance(record, dict):
        return []
    return tables(record, "history") or [record]


def _is_event(event: Mapping[str, Any]) -> bool:
    if text(event, "kind").endswith(("Event", "Observation")) and "source" in event:
        return True
    return "source" in event and ("action" in event or "observation" in event)


def _event(event: Mapping[str, Any], task: str, time: float | None) -> Iterator[Item]:
    call_id = text(event, "tool_call_id")
    if call_id:
        yield from _tool(event, call_id, time)
    elif event.get("source") == "user":
        yield Prompt(time=time)
    elif text(event, "action") in _TOOLS:
        response = table(table(event, "tool_call_metadata"), "model_response")
        name, given, turn = _TOOLS[event["action"]], table(event, "args"), text(response, "id")
        yield About(model=text(response, "model"))
        yield Call(id=f"{task}#{event.get('id')}", tool=name, arguments=given, time=time, turn=turn)
        yield Usage(turn=turn, tokens=fresh(table(response, "usage")))
    elif "observation" in event:
        extras = table(event, "extras")
        meta = table(extras, "metadata")
        failed = event["observation"] == "error" or meta.get("exit_code") not in (0, -1, None)
        said = text(event, "content")
        yield Answer(id=f"{task}#{event.get('cause')}", text=said, failed=failed, time=time)
        yield About(cwd=text(meta, "working_dir"))


def _tool(event: Mapping[str, Any], call_id: str, time: float | None) -> Iterator[Item]:
    seen = table(event, "observation")
    if event.get("kind") == "ActionEvent":
        given = arguments(table(event, "tool_call").get("arguments")) or table(event, "action")
        name, turn = text(event, "tool_name"), text(event, "llm_response_id")
        yield Call(id=call_id, tool=name, arguments=given, time=time, turn=turn)
        return
    failed = bool(seen.get("is_error")) or bool(event.get("error"))
    said = plain(seen.get("content")) or text(seen, "output") or text(event, "error")
    yield Answer(id=call_id, text=said, failed=failed, time=time)
    yield About(cwd=text(table(seen, "metadata"), "working_dir"))
