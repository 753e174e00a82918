"""Cline: `tasks/TASK/api_conversation_history.json`, and `SESSION.messages.json` of its
CLI.

The extension's answers may be text: `[read_file for 'a.py'] Result:`.
"""

from __future__ import annotations

import re

from truepath.audit.transcript import (
    Call,
    Homes,
    Record,
    Records,
    Transcript,
    json_in,
    number,
    plain,
    results,
    when,
)
from truepath.fields import table, tables, text

NAME = "cline"
_VSCODE = "Code/User/globalStorage/saoudrizwan.claude-dev"
_TASKS = "tasks/*/api_conversation_history.json"
HOMES: Homes = (
    ("CLINE_DIR", "~/.cline", "data/tasks/*/api_*.json"),
    ("CLINE_DIR", "~/.cline", "data/sessions/*/*.messages.json"),
    ("", f"~/.config/{_VSCODE}", _TASKS),
    ("", f"~/Library/Application Support/{_VSCODE}", _TASKS),
)

_RESULT = re.compile(r"^\[(\w+)(?: for .{0,10000}?)?\] Result:\s*", re.DOTALL)
_FOLDER = re.compile(
    r"^# Current Work(?:ing|space) Directory \(([^)\n]+)\)", re.MULTILINE
)
_FRESH = ("tokens.prompt", "tokens.completion")
_COUNTS = ("inputTokens", "outputTokens", "cacheWriteTokens")
_FAILED = re.compile(r"^(?:The tool execution failed|Error )")


def fits(record: Record) -> bool:
    messages = tables(record, "messages")
    blocks = any(isinstance(message.get("content"), list) for message in messages)
    roles = {text(message, "role") for message in messages}
    return blocks and roles <= {"user", "assistant"}


def read(records: Records, into: Transcript) -> None:
    for record in records:
        waiting: list[Call] = []
        for at, message in enumerate(tables(record, "messages")):
            turn = str(at)
            time = when(message.get("ts"))
            if message.get("role") == "assistant":
                into.about(model=text(message, "modelInfo.modelId"))
                waiting = into.uses(message, turn=turn, time=time)
                used = table(message, "metrics")
                cached = number(used, "tokens.cached")
                fresh = max(0, number(used, *_FRESH) - cached)
                into.used(fresh + number(used, *_COUNTS), turn)
            elif answers := list(results(message)):
                for call_id, said, failed in answers:
                    words, bad = _unpacked(said)
                    into.answer(
                        call_id, words, failed=failed if bad is None else bad, time=time
                    )
            else:
                _told(message, waiting, time, into)


def _unpacked(said: str) -> tuple[str, bool | None]:
    """Return an answer of Cline's own CLI as text: it is a list with an object for each
    path.
    """
    listed = json_in(said.encode("utf-8", "replace")) if said.startswith("[{") else []
    found = tables({"each": listed}, "each")
    if not any("query" in answer for answer in found):
        return said, None
    return "\n".join(map(plain, found)), any(
        answer.get("success") is False for answer in found
    )


def _told(
    message: Record, waiting: list[Call], time: float | None, into: Transcript
) -> None:
    """Take the answers that come as text, in one block or in two; without any, the user
    speaks.
    """
    said = [text(block, "text") for block in tables(message, "content")]
    marks = [
        (at, mark) for at, block in enumerate(said) if (mark := _RESULT.match(block))
    ]
    folder = next(filter(None, map(_FOLDER.search, said)), None)
    into.about(cwd=folder[1] if folder else "")
    for at, mark in marks:
        call = next((call for call in waiting if call.tool == mark[1]), None)
        if call is not None:
            waiting.remove(call)
            words = said[at][mark.end() :] or "".join(said[at + 1 : at + 2])
            into.answer(call, words, failed=bool(_FAILED.match(words)), time=time)
    if not marks:
        into.prompt()
