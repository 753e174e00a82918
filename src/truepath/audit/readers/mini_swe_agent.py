"""mini-swe-agent 2: `INSTANCE.traj.json`."""

from __future__ import annotations

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    arguments,
    number,
    plain,
    when,
)
from truepath.fields import field, table, tables, text

NAME = "mini-swe-agent"
HOMES: Homes = ()


def fits(record: Record) -> bool:
    is_own = text(record, "trajectory_format").startswith("mini-swe-agent")
    return is_own and "messages" in record


def read(records: Records, into: Transcript) -> None:
    """An instance that ran twice is two sessions: it names none."""
    for record in records:
        config = table(record, "info.config")
        model = text(config, "model.model_name")
        into.about(model=model, cwd=text(config, "environment.cwd"))
        for at, message in enumerate(tables(record, "messages")):
            _message(message, str(at), into)


def _message(message: Record, turn: str, into: Transcript) -> None:
    extra = table(message, "extra")
    time = when(extra.get("timestamp"))
    for call in tables(message, "tool_calls"):
        given = arguments(field(call, "function.arguments"))
        name = text(call, "function.name")
        into.call(text(call, "id"), name, given, time=time, turn=turn)
    if used := table(extra, "response.usage"):
        cached = number(used, "prompt_tokens_details.cached_tokens")
        into.used(number(used, "prompt_tokens", "completion_tokens") - cached, turn)
    if message.get("role") == "tool":
        failed = extra.get("returncode") not in (0, None)
        shown = text(extra, "raw_output") or plain(message.get("content"))
        into.answer(text(message, "tool_call_id"), shown, failed=failed, time=time)
