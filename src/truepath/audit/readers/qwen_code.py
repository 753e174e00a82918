"""Qwen Code: `~/.qwen/projects/*/chats/SESSION.jsonl`."""

from __future__ import annotations

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    number,
    when,
)
from truepath.fields import table, tables, text

NAME = "qwen-code"
HOMES: Homes = (("QWEN_HOME", "~/.qwen", "projects/*/chats/**/*.jsonl"),)

_COUNTS = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")


def fits(record: Record) -> bool:
    said = "parts" in table(record, "message") or table(record, "toolCallResult")
    return "sessionId" in record and bool(said)


def read(records: Records, into: Transcript) -> None:
    for record in records:
        into.about(
            session=text(record, "sessionId"),
            model=text(record, "model"),
            cwd=text(record, "cwd"),
        )
        time = when(record.get("timestamp"))
        turn = text(record, "uuid")
        result = table(record, "toolCallResult")
        for part in tables(record, "message.parts"):
            answered = table(part, "functionResponse")
            if call := table(part, "functionCall"):
                name = text(call, "name")
                given = table(call, "args")
                into.call(text(call, "id"), name, given, time=time, turn=turn)
            if answered or result:
                _answer(answered, result, time, into)
            elif record.get("type") == "user":
                into.prompt()
        if used := table(record, "usageMetadata"):
            cached = number(used, "cachedContentTokenCount")
            into.used(number(used, *_COUNTS) - cached, turn)


def _answer(
    answered: Record, result: Record, time: float | None, into: Transcript
) -> None:
    """Add the answer to a call."""
    answer = table(answered, "response")
    failed = "error" in answer or result.get("status") in ("error", "cancelled")
    # The success of a command is that it was run.
    is_unknown = not failed and text(answered, "name") == "run_shell_command"
    said = text(answer, "error") or text(answer, "output")
    into.answer(
        text(result, "callId") or text(answered, "id"),
        said or text(result, "resultDisplay"),
        failed=None if is_unknown else failed,
        time=time,
    )
