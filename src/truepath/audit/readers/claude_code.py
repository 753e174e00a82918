"""Claude Code: `~/.claude/projects/*/SESSION.jsonl`, and
`SESSION/subagents/agent-*.jsonl`.
"""

from __future__ import annotations

from collections.abc import Sequence

from truepath.audit.transcript import (
    Homes,
    Record,
    Records,
    Transcript,
    number,
    plain,
    results,
    when,
)
from truepath.fields import table, text

NAME = "claude-code"
HOMES: Homes = (("CLAUDE_CONFIG_DIR", "~/.claude", "projects/**/*.jsonl"),)

_FRESH = ("input_tokens", "cache_creation_input_tokens", "output_tokens")


def fits(record: Record) -> bool:
    said = "sessionId" in record and record.get("type") in ("user", "assistant")
    return said and "uuid" in record and "content" in table(record, "message")


def read(records: Records, into: Transcript) -> None:
    """Each has the working directory of its moment."""
    warming = {False: False, True: False}
    for record in records:
        kind = record.get("type")
        if kind not in ("user", "assistant"):
            continue
        message = table(record, "message")
        answers = list(results(message))
        is_prompt = kind == "user" and not answers and not record.get("isMeta")
        # A sub-agent's lines may be between those of the session.
        side = record.get("isSidechain") is True
        if is_prompt:
            warming[side] = _is_warmup(plain(message.get("content")))
        if not warming[side]:
            _read(record, message, answers, into)
            if is_prompt:
                into.prompt()


def _read(
    record: Record,
    message: Record,
    answers: Sequence[tuple[str, str, bool | None]],
    into: Transcript,
) -> None:
    """Add the calls and answers of one record."""
    time = when(record.get("timestamp"))
    turn = text(message, "id")
    model = text(message, "model").replace("<synthetic>", "")
    into.about(session=text(record, "sessionId"), model=model, cwd=text(record, "cwd"))
    into.uses(message, turn=turn, time=time)
    for call_id, said, failed in answers:
        if _is_warmup(said):
            into.forget(call_id)
        else:
            into.answer(call_id, said, failed=failed is True, time=time)
    if record.get("type") == "assistant":
        into.used(number(table(message, "usage"), *_FRESH), turn)


def _is_warmup(said: str) -> bool:
    """Return whether a text is what Claude Code fills its cache with, before the user
    asks: nothing is run for it.
    """
    return said.strip().rpartition("\n")[2].strip() == "Warmup"
