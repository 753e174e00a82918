"""Qwen Code: `~/.qwen/projects/*/chats/SESSION.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable

from truepath.audit.transcript import Homes, Record, Transcript, number, when
from truepath.hosts.fields import table, tables, text

NAME = "qwen-code"
HOMES: Homes = (("QWEN_HOME", "~/.qwen", "projects/*/chats/**/*.jsonl"),)


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
        time, turn = when(record.get("timestamp")), text(record, "uuid")
        result = table(record, "toolCallResult")
        for part in tables(table(record, "message"), "parts"):
            call, back = table(part, "functionCall"), table(part, "functionResponse")
            if call:
                given = table(call, "args")
                into.call(
                    text(call, "id"), text(call, "name"), given, time=time, turn=turn
                )
            if back or result:
                answer = table(back, "response")
                said = text(answer, "error") or text(answer, "output")
                failed = "error" in answer or result.get("status") in (
                    "error",
                    "cancelled",
                )
                call_id = text(result, "callId") or text(back, "id")
                shown = said or text(result, "resultDisplay")
                # The success of a command is that it was run.
                told = failed or (
                    None if text(back, "name") == "run_shell_command" else False
                )
                into.answer(call_id, shown, failed=told, time=time)
            elif record.get("type") == "user":
                into.prompt()
        if used := table(record, "usageMetadata"):
            fresh = number(
                used, "promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"
            )
            into.used(max(0, fresh - number(used, "cachedContentTokenCount")), turn)
