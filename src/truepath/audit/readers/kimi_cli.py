"""Kimi CLI: `~/.kimi/sessions/FOLDER/SESSION/wire.jsonl`, one event a line.

The events name no model and no working directory: FOLDER is the MD5 of the latter,
and `kimi.json` lists those that were worked in.
"""

from __future__ import annotations

import hashlib
import os

from truepath.audit.transcript import (
    LONGEST_LINE,
    Call,
    Homes,
    Record,
    Records,
    Transcript,
    arguments,
    json_in,
    number,
    opened,
    plain,
    when,
)
from truepath.fields import table, tables, text

NAME = "kimi-cli"
HOMES: Homes = (("KIMI_SHARE_DIR", "~/.kimi", "sessions/*/*/wire.jsonl"),)

_EVENTS = ("TurnBegin", "StepBegin", "ToolCall", "StatusUpdate")
_COUNTS = ("input_other", "input_cache_creation", "output")


def fits(record: Record) -> bool:
    return "timestamp" in record and text(record, "message.type") in _EVENTS


def folder_of(path: str) -> str:
    """Return the working directory of the session in a file; "" if it is not known."""
    session = os.path.dirname(os.path.abspath(path))
    digest = os.path.basename(os.path.dirname(session))
    try:
        with opened(os.path.join(session, "../../..", "kimi.json")) as file:
            known = json_in(file.read(LONGEST_LINE))
    except OSError:
        return ""
    for project in tables(known, "work_dirs"):
        place = text(project, "path")
        if hashlib.md5(place.encode("utf-8", "replace")).hexdigest() == digest:  # noqa: S324  a name
            return place
    return ""


class _Agent:
    """The session's agent, or one that it asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps = 0
        self.last: list[str] = []
        """The arguments of the last call, a text in pieces."""

    @property
    def turn(self) -> str:
        return f"{self.name}/{self.steps}"


def read(records: Records, into: Transcript) -> None:
    agents: dict[str, _Agent] = {}
    given: list[tuple[Call, list[str]]] = []
    for record in records:
        event = table(record, "message")
        name = ""
        while event.get("type") == "SubagentEvent":
            payload = table(event, "payload")
            name = text(payload, "agent_id") or text(payload, "task_tool_call_id")
            event = table(payload, "event")
        agent = agents.setdefault(name, _Agent(name))
        _event(event, agent, when(record.get("timestamp")), given, into)
    for call, pieces in given:
        call.arguments = arguments("".join(pieces))


def _event(
    event: Record,
    agent: _Agent,
    time: float | None,
    given: list[tuple[Call, list[str]]],
    into: Transcript,
) -> None:
    kind = event.get("type")
    payload = table(event, "payload")
    if kind == "TurnBegin" and not agent.name:
        into.prompt()
    elif kind == "StepBegin":
        agent.steps += 1
    elif kind == "ToolCall":
        agent.last = [text(payload, "function.arguments")]
        name = text(payload, "function.name")
        call = into.call(text(payload, "id"), name, {}, time=time, turn=agent.turn)
        given.append((call, agent.last))
    elif kind == "ToolCallPart":
        agent.last.append(text(payload, "arguments_part"))
    elif kind == "ToolResult":
        _answer(payload, time, into)
    elif kind == "StatusUpdate":
        into.used(number(table(payload, "token_usage"), *_COUNTS), agent.turn)


def _answer(payload: Record, time: float | None, into: Transcript) -> None:
    value = table(payload, "return_value")
    failed = value.get("is_error") is True
    said = plain(value.get("output"))
    if failed:
        # What the user is shown says more plainly what kind of error it is.
        shown = [text(each, "text") for each in tables(value, "display")]
        said = "\n".join((*shown, text(value, "message"), said))
    into.answer(text(payload, "tool_call_id"), said, failed=failed, time=time)
