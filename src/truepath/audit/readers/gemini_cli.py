"""Gemini CLI: `~/.gemini/tmp/*/chats/session-*.jsonl`, and one JSON object before 0.50.

The files name no working directory: it is in `.project_root` two folders above
(`folder_of`).
"""

from __future__ import annotations

import os

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    number,
    opened,
    when,
)
from truepath.fields import table, tables, text

NAME = "gemini-cli"
HOMES: Homes = (("", "~/.gemini", "tmp/*/chats/**/*.json*"),)


def fits(record: Record) -> bool:
    messages = tables(record, "messages")
    said = any(message.get("type") == "gemini" for message in messages)
    return said or {"sessionId", "projectHash"} <= record.keys()


def folder_of(path: str) -> str:
    """Return the working directory of the session in a file; "" if it is not known."""
    above = os.path.dirname(os.path.dirname(path))
    try:
        with opened(f"{above}/.project_root") as file:
            return file.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def read(records: Records, into: Transcript) -> None:
    """A message is written again whenever its tool calls change."""
    for record in records:
        into.about(session=text(record, "sessionId"))
        for message in tables(record, "messages") or [record]:
            if message.get("type") == "user":
                into.prompt()
            elif message.get("type") == "gemini":
                into.about(model=text(message, "model"))
                turn = text(message, "id")
                for call in tables(message, "toolCalls"):
                    time = when(call.get("timestamp")) or when(message.get("timestamp"))
                    _call(call, turn, time, into)
                tokens = table(message, "tokens")
                cached = number(tokens, "cached")
                into.used(number(tokens, "input", "output", "thoughts") - cached, turn)


def _call(call: Record, turn: str, time: float | None, into: Transcript) -> None:
    """Add a call, and its answer if it has one."""
    name = text(call, "name")
    made = into.call(text(call, "id"), name, table(call, "args"), time=time, turn=turn)
    failed = call.get("status") == "error"
    if call.get("result") is None and not failed:
        return
    said = []
    for part in tables(call, "result"):
        answer = table(part, "functionResponse.response")
        failed = failed or "error" in answer
        said += [text(answer, "error"), text(answer, "output")]
    shown = "\n".join(filter(None, said)) or text(call, "resultDisplay")
    # The success of a command is that it was run.
    told = None if name == "run_shell_command" and not failed else failed
    into.answer(made, shown, failed=told, time=time)
