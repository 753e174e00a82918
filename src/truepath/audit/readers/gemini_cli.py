"""Gemini CLI: `~/.gemini/tmp/*/chats/session-*.jsonl`, and one JSON object before 0.50.

The files name no working directory: it is in `.project_root` two folders above
(`folder_of`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from truepath.audit.transcript import (
    Homes,
    Record,
    Transcript,
    number,
    opened,
    when,
)
from truepath.fields import table, tables, text

NAME = "gemini-cli"
HOMES: Homes = (("", "~/.gemini", "tmp/*/chats/**/*.json*"),)


def fits(record: Record) -> bool:
    said = any(
        message.get("type") == "gemini" for message in tables(record, "messages")
    )
    return said or {"sessionId", "projectHash"} <= record.keys()


def folder_of(path: str) -> str:
    """Return the working directory of the session in a file; "" if it is not known."""
    above = os.path.dirname(os.path.dirname(path))
    try:
        with opened(f"{above}/.project_root") as file:
            return file.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def read(records: Iterable[Record], into: Transcript) -> None:
    """A message is written again whenever its tool calls change."""
    for record in records:
        into.about(session=text(record, "sessionId"))
        for message in tables(record, "messages") or [record]:
            if message.get("type") == "user":
                into.prompt()
            elif message.get("type") == "gemini":
                _message(message, into)


def _message(message: Mapping[str, Any], into: Transcript) -> None:
    time = when(message.get("timestamp"))
    turn = text(message, "id")
    into.about(model=text(message, "model"))
    for call in tables(message, "toolCalls"):
        began = when(call.get("timestamp")) or time
        name = text(call, "name")
        made = into.call(
            text(call, "id"), name, table(call, "args"), time=began, turn=turn
        )
        if call.get("result") is not None or call.get("status") == "error":
            said, failed = _answer(call)
            # The success of a command is that it was run.
            told = failed or (None if name == "run_shell_command" else False)
            into.answer(made, said, failed=told, time=began)
    tokens = table(message, "tokens")
    fresh = number(tokens, "input", "output", "thoughts") - number(tokens, "cached")
    into.used(max(0, fresh), turn)


def _answer(call: Mapping[str, Any]) -> tuple[str, bool]:
    said = []
    failed = call.get("status") == "error"
    for part in tables(call, "result"):
        answer = table(table(part, "functionResponse"), "response")
        failed = failed or "error" in answer
        said += [text(answer, "error"), text(answer, "output")]
    return "\n".join(filter(None, said)) or text(call, "resultDisplay"), failed
