"""Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, with and without envelopes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import (
    About,
    Answer,
    Call,
    Item,
    Prompt,
    Usage,
    arguments,
    number,
    plain,
    when,
)
from truepath.hosts.fields import table, text

NAME = "codex"

_ENVELOPES = ("session_meta", "response_item", "turn_context", "event_msg")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict):
        return False
    if record.get("type") in _ENVELOPES and isinstance(record.get("payload"), dict):
        return True
    bare = record.get("type") in ("function_call", "local_shell_call") and "call_id" in record
    return bare or ("instructions" in record and "timestamp" in record and "id" in record)


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened; rollouts before 0.44 have the items without envelopes."""
    for record in records:
        if not isinstance(record, dict):
            continue
        body, time = table(record, "payload") or record, when(record.get("timestamp"))
        kind = record.get("type")
        if kind in ("session_meta", None):
            git = table(body, "git")
            yield About(
                session=text(body, "id"), cwd=text(body, "cwd"), commit=text(git, "commit_hash")
            )
        elif kind == "turn_context":
            yield About(model=text(body, "model"), cwd=text(body, "cwd"))
        elif kind == "event_msg":
            yield from _event(body, time)
        else:
            yield from _item(body, time)


def _event(body: Mapping[str, Any], time: float | None) -> Iterator[Item]:
    if body.get("type") == "user_message":
        yield Prompt(time=time)
    if body.get("type") == "token_count":
        last = table(table(body, "info"), "last_token_usage")
        fresh = number(last, "input_tokens", "output_tokens") - number(last, "cached_input_tokens")
        yield Usage(tokens=max(0, fresh))


def _item(body: Mapping[str, Any], time: float | None) -> Iterator[Item]:
    kind, call_id = text(body, "type"), text(body, "call_id") or text(body, "id")
    if kind == "function_call":
        given = arguments(body.get("arguments"))
        yield Call(id=call_id, tool=text(body, "name"), arguments=given, time=time)
    elif kind == "custom_tool_call":
        given = {"input": text(body, "input")}
        yield Call(id=call_id, tool=text(body, "name"), arguments=given, time=time)
    elif kind == "local_shell_call":
        yield Call(id=call_id, tool="shell", arguments=table(body, "action"), time=time)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield Answer(id=call_id, text=_output(body.get("output")), time=time)


def _output(value: object) -> str:
    """Return what a command printed: plain, or inside JSON beside its exit code."""
    said = plain(value)
    return text(arguments(said), "output") or said if said.startswith("{") else said
