"""Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, with and without envelopes."""

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
from truepath.fields import field, table, text

NAME = "codex"
HOMES: Homes = (
    ("CODEX_HOME", "~/.codex", "sessions/**/*.jsonl"),
    ("CODEX_HOME", "~/.codex", "archived_sessions/*.jsonl"),
)

_ENVELOPES = ("session_meta", "response_item", "turn_context", "event_msg")


def fits(record: Record) -> bool:
    kind = record.get("type")
    if kind in _ENVELOPES and table(record, "payload"):
        return True
    bare = kind in ("function_call", "local_shell_call") and "call_id" in record
    return bare or {"instructions", "timestamp", "id"} <= record.keys()


def read(records: Records, into: Transcript) -> None:
    """Rollouts before 0.44 have the items without envelopes."""
    for record in records:
        body = table(record, "payload") or record
        kind = record.get("type")
        if kind in ("session_meta", None):
            commit = text(body, "git.commit_hash")
            into.about(session=text(body, "id"), cwd=text(body, "cwd"), commit=commit)
        elif kind == "turn_context":
            into.about(model=text(body, "model"), cwd=text(body, "cwd"))
        elif kind != "event_msg":
            _item(body, when(record.get("timestamp")), into)
        elif body.get("type") == "user_message":
            into.prompt()
        elif body.get("type") == "token_count":
            last = table(body, "info.last_token_usage")
            cached = number(last, "cached_input_tokens")
            into.used(number(last, "input_tokens", "output_tokens") - cached)


def _item(body: Record, time: float | None, into: Transcript) -> None:
    kind = text(body, "type")
    call_id = text(body, "call_id") or text(body, "id")
    calls = {
        "function_call": (text(body, "name"), arguments(body.get("arguments"))),
        "custom_tool_call": (text(body, "name"), {"input": text(body, "input")}),
        "local_shell_call": ("shell", table(body, "action")),
    }
    if kind in calls:
        into.call(call_id, *calls[kind], time=time)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        said = plain(body.get("output"))
        # What a command printed is plain, or inside JSON beside its exit code.
        inner = arguments(said) if said.startswith("{") else {}
        code = field(inner, "metadata.exit_code")
        failed = None if code is None else code != 0
        into.answer(call_id, text(inner, "output") or said, failed=failed, time=time)
