"""Qwen Code: `~/.qwen/projects/*/chats/SESSION.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable

from truepath.audit.transcript import Homes, Record, Transcript, number, when
from truepath.fields import table, tables, text

NAME = "qwen-code"
HOMES: Homes = (("QWEN_HOME", "~/.qwen", "projects/*/chats/**/*.jsonl"),)


_COUNTS = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")


def fits(record: Record) -> bool:
    said = "parts" in table(record, "message") or table(record, "toolCallResult")
    return "sessionId" in record and bool(said)


def read(records: Iterable[Record], into: Transcript) -> None:
    for record in records:
        into.about(
            session=text(record, "sessionId"),
            model=text(record, "model"),
            cwd=text(record, "cwd"),
        )
        time = when(record.get("timestamp"))
        turn = text(record, "uuid")
        result = table(record, "toolCallResult")
        for part in tables(table(record, "message"), "parts"):
            call = table(part, "functionCall")
            answered = table(part, "functionResponse")
            if call:
                name = text(call, "name")
                given = table(call, "args")
                into.call(text(call, "id"), name, given, time=time, turn=turn)
            if answered or result:
                _answer(answered, result, time, into)
            elif record.get("type") == "user":
                into.prompt()
        used = table(record, "usageMetadata")
        if used:
            fresh = number(used, *_COUNTS) - number(used, "cachedContentTokenCount")
            into.used(max(0, fresh), turn)


def _answer(
    answered: Record, result: Record, time: float | None, into: Transcript
) -> None:
    """Add the answer to a call."""
    answer = table(answered, "response")
    said = text(answer, "error") or text(answer, "output")
    failed: bool | None = "error" in answer
    if result.get("status") in ("error", "cancelled"):
        failed = True
    # The success of a command is that it was run.
    if not failed and text(answered, "name") == "run_shell_command":
        failed = None
    call_id = text(result, "callId") or text(answered, "id")
    shown = said or text(result, "resultDisplay")
    into.answer(call_id, shown, failed=failed, time=time)
