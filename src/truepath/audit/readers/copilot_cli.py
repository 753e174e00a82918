"""GitHub Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`."""

from __future__ import annotations

import re

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    arguments,
    number,
    plain,
    when,
)
from truepath.fields import table, text

NAME = "copilot-cli"
HOMES: Homes = (("COPILOT_HOME", "~/.copilot", "session-state/**/*.jsonl"),)

_FAILED = re.compile(r"<exited with exit code [1-9]\d*>\s*$")
_KINDS = ("session.", "assistant.", "tool.execution_", "user.message")


def fits(record: Record) -> bool:
    return "data" in record and text(record, "type").startswith(_KINDS)


def read(records: Records, into: Transcript) -> None:
    for record in records:
        data = table(record, "data")
        time = when(record.get("timestamp"))
        kind = record.get("type")
        call_id = text(data, "toolCallId")
        if kind == "session.start":
            into.about(
                session=text(data, "sessionId"),
                cwd=text(data, "context.cwd"),
                commit=text(data, "context.headCommit"),
            )
        elif kind == "user.message":
            into.prompt()
        elif kind == "assistant.message":
            into.about(model=text(data, "model"))
            into.used(number(data, "outputTokens"))
        elif kind == "tool.execution_start":
            given = arguments(data.get("arguments"))
            turn = text(data, "turnId")
            into.call(call_id, text(data, "toolName"), given, time=time, turn=turn)
        elif kind == "tool.execution_complete":
            said = text(data, "error.message") or plain(data.get("result"))
            failed = data.get("success") is False or _FAILED.search(said) is not None
            into.answer(call_id, said, failed=failed, time=time)
