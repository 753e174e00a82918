"""Inspect: one sample of a log, out of `.eval` (a zip) or `.json` (`audit.places` parts them)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from truepath.audit.readers.items import About, Answer, Item, Prompt, of_functions, plain
from truepath.hosts.fields import table, tables, text

NAME = "inspect"


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict) or "messages" not in record:
        return False
    return "epoch" in record and ("target" in record or "scores" in record)


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened. Messages have no time of their own."""
    for record in records:
        if not isinstance(record, dict):
            continue
        name = f"{record.get('id', '')}-{record.get('epoch', '')}"
        yield About(session=name, model=text(table(record, "output"), "model"))
        for message in tables(record, "messages"):
            role = message.get("role")
            if role == "user":
                yield Prompt()
            elif role == "assistant":
                yield from of_functions(message, turn=text(message, "id"), time=None)
            elif role == "tool":
                error = text(table(message, "error"), "message")
                said = "\n".join(filter(None, (error, plain(message.get("content")))))
                call_id = text(message, "tool_call_id")
                yield Answer(id=call_id, text=said, failed=bool(error), time=None)
