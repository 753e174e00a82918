"""mini-swe-agent 2: `INSTANCE.traj.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from truepath.audit.transcript import (
    Homes,
    Record,
    Transcript,
    arguments,
    number,
    plain,
    when,
)
from truepath.fields import table, tables, text

NAME = "mini-swe-agent"
HOMES: Homes = ()


def fits(record: Record) -> bool:
    return (
        text(record, "trajectory_format").startswith("mini-swe-agent")
        and "messages" in record
    )


def read(records: Iterable[Record], into: Transcript) -> None:
    """An instance that ran twice is two sessions: it names none."""
    for record in records:
        config = table(table(record, "info"), "config")
        model = text(table(config, "model"), "model_name")
        into.about(model=model, cwd=text(table(config, "environment"), "cwd"))
        for at, message in enumerate(tables(record, "messages")):
            _message(message, str(at), into)


def _message(message: Mapping[str, Any], turn: str, into: Transcript) -> None:
    extra = table(message, "extra")
    time = when(extra.get("timestamp"))
    for call in tables(message, "tool_calls"):
        function = table(call, "function")
        given = arguments(function.get("arguments"))
        into.call(text(call, "id"), text(function, "name"), given, time=time, turn=turn)
    if used := table(table(extra, "response"), "usage"):
        cached = number(table(used, "prompt_tokens_details"), "cached_tokens")
        into.used(
            max(0, number(used, "prompt_tokens", "completion_tokens") - cached), turn
        )
    if message.get("role") == "tool":
        said = plain(message.get("content"))
        failed = extra.get("returncode") not in (0, None)
        shown = text(extra, "raw_output") or said
        into.answer(text(message, "tool_call_id"), shown, failed=failed, time=time)
