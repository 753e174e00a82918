"""Qwen Code: `~/.qwen/projects/*/chats/SESSION.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import About, Answer, Call, Item, Prompt, Usage, number, when
from truepath.hosts.fields import table, tables, text

NAME = "qwen-code"

_FAILED = ("error", "cancelled")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict) or "sessionId" not in record:
        return False
    return "parts" in table(record, "message") or isinstance(record.get("toolCallResult"), dict)


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    last, model = None, ""
    for record in records:
        if isinstance(record, dict):
            model = text(record, "model") or model
            about = (text(record, "sessionId"), text(record, "agentId"), model, text(record, "cwd"))
            if about != last:
                yield About(session=about[0], agent=about[1], model=model, cwd=about[3])
                last = about
            yield from _parts(record)


def _parts(record: Mapping[str, Any]) -> Iterator[Item]:
    time, turn = when(record.get("timestamp")), text(record, "uuid")
    result = table(record, "toolCallResult")
    for part in tables(table(record, "message"), "parts"):
        call, back = table(part, "functionCall"), table(part, "functionResponse")
        if call:
            name, given = text(call, "name"), table(call, "args")
            yield Call(id=text(call, "id"), tool=name, arguments=given, time=time, turn=turn)
        if back or result:
            answer = table(back, "response")
            said = text(answer, "error") or text(answer, "output") or text(result, "resultDisplay")
            failed = "error" in answer or result.get("status") in _FAILED
            call_id = text(result, "callId") or text(back, "id")
            yield Answer(id=call_id, text=said, failed=failed, time=time)
        elif record.get("type") == "user":
            yield Prompt(time=time)
    used = table(record, "usageMetadata")
    if used:
        fresh = number(used, "promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
        yield Usage(turn=turn, tokens=max(0, fresh - number(used, "cachedContentTokenCount")))
