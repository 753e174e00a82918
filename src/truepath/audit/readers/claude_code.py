"""Claude Code: `~/.claude/projects/*/SESSION.jsonl`, and
`SESSION/subagents/agent-*.jsonl`.
"""

from __future__ import annotations

from collections.abc import Iterable

from truepath.audit.transcript import Homes, Record, Transcript, number, results, when
from truepath.hosts.fields import table, text

NAME = "claude-code"
HOMES: Homes = (("CLAUDE_CONFIG_DIR", "~/.claude", "projects/**/*.jsonl"),)

_FRESH = ("input_tokens", "cache_creation_input_tokens", "output_tokens")


def fits(record: Record) -> bool:
    said = "sessionId" in record and record.get("type") in ("user", "assistant")
    return said and "uuid" in record and "content" in table(record, "message")


def read(records: Iterable[Record], into: Transcript) -> None:
    """Each has the working directory of its moment."""
    for record in records:
        kind = record.get("type")
        if kind not in ("user", "assistant"):
            continue
        message, time = table(record, "message"), when(record.get("timestamp"))
        turn, model = (
            text(message, "id"),
            text(message, "model").replace("<synthetic>", ""),
        )
        into.about(
            session=text(record, "sessionId"), model=model, cwd=text(record, "cwd")
        )
        into.uses(message, turn=turn, time=time)
        answers = list(results(message))
        for call_id, said, failed in answers:
            into.answer(call_id, said, failed=failed is True, time=time)
        if kind == "assistant":
            into.used(number(table(message, "usage"), *_FRESH), turn)
        elif not answers and not record.get("isMeta"):
            into.prompt()
