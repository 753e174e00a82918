"""Gemini CLI: `~/.gemini/tmp/*/chats/session-*.jsonl`, and one JSON object before 0.50.

The files name no working directory: it is in `.project_root` two folders above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import About, Answer, Call, Item, Prompt, Usage, number, when
from truepath.hosts.fields import table, tables, text

NAME = "gemini-cli"


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict):
        return False
    said = any(message.get("type") == "gemini" for message in tables(record, "messages"))
    return said or ("sessionId" in record and "projectHash" in record)


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened. A message is written again whenever its tool calls change."""
    for record in records:
        if not isinstance(record, dict):
            continue
        yield About(session=text(record, "sessionId"))
        for message in tables(record, "messages") or [record]:
            yield from _message(message)


def _message(message: Mapping[str, Any]) -> Iterator[Item]:
    time, turn = when(message.get("timestamp")), text(message, "id")
    if message.get("type") == "user":
        yield Prompt(time=time)
    if message.get("type") != "gemini":
        return
    yield About(model=text(message, "model"))
    for call in tables(message, "toolCalls"):
        began = when(call.get("timestamp")) or time
        name, given = text(call, "name"), table(call, "args")
        yield Call(id=text(call, "id"), tool=name, arguments=given, time=began, turn=turn)
        if call.get("result") is not None or call.get("status") == "error":
            yield _answer(call, began)
    tokens = table(message, "tokens")
    fresh = number(tokens, "input", "output", "thoughts") - number(tokens, "cached")
    yield Usage(turn=turn, tokens=max(0, fresh))


def _answer(call: Mapping[str, Any], time: float | None) -> Answer:
    said, failed = [], call.get("status") == "error"
    for part in tables(call, "result"):
        answer = table(table(part, "functionResponse"), "response")
        failed = failed or "error" in answer
        said += [text(answer, "error"), text(answer, "output")]
    shown = call.get("resultDisplay")
    words = "\n".join(filter(None, said)) or (shown if isinstance(shown, str) else "")
    return Answer(id=text(call, "id"), text=words, failed=failed, time=time)
