"""pi: `~/.pi/agent/sessions/*/TIME_SESSION.jsonl`."""

from __future__ import annotations

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    number,
    plain,
    when,
)
from truepath.fields import table, tables, text

NAME = "pi"
HOMES: Homes = (("PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions/**/*.jsonl"),)

_COUNTS = ("usage.input", "usage.output", "usage.cacheWrite")


def fits(record: Record) -> bool:
    if record.get("type") == "session":
        return "cwd" in record
    return record.get("type") == "message" and "role" in table(record, "message")


def read(records: Records, into: Transcript) -> None:
    """Branches of a session are read one after another."""
    for record in records:
        if record.get("type") == "session":
            into.about(session=text(record, "id"), cwd=text(record, "cwd"))
        message = table(record, "message")
        time = when(record.get("timestamp"))
        role = message.get("role")
        turn = text(record, "id")
        if role == "user":
            into.prompt()
        elif role == "assistant":
            into.about(model=text(message, "model"))
            for block in tables(message, "content"):
                if block.get("type") == "toolCall":
                    name = text(block, "name")
                    given = table(block, "arguments")
                    into.call(text(block, "id"), name, given, time=time, turn=turn)
            into.used(number(message, *_COUNTS), turn)
        elif role == "toolResult":
            failed = message.get("isError") is True
            said = plain(message.get("content"))
            into.answer(text(message, "toolCallId"), said, failed=failed, time=time)
