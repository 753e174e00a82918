"""Claude Code: `~/.claude/projects/*/SESSION.jsonl`, and `SESSION/subagents/agent-*.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from truepath.audit.readers.items import About, Item, Prompt, Usage, number, of_blocks, when
from truepath.hosts.fields import table, text

NAME = "claude-code"

_FRESH = ("input_tokens", "cache_creation_input_tokens", "output_tokens")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict) or record.get("type") not in ("user", "assistant"):
        return False
    message = table(record, "message")
    return "content" in message and "sessionId" in record and "uuid" in record


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened. Every record has the working directory of its moment."""
    last, model = None, ""
    for record in records:
        if not isinstance(record, dict) or record.get("type") not in ("user", "assistant"):
            continue
        message, time = table(record, "message"), when(record.get("timestamp"))
        model = text(message, "model").replace("<synthetic>", "") or model
        about = (text(record, "sessionId"), text(record, "agentId"), model, text(record, "cwd"))
        if about != last:
            yield About(session=about[0], agent=about[1], model=model, cwd=about[3])
            last = about
        found = of_blocks(message, turn=text(message, "id"), time=time, unsaid=False)
        yield from found
        if record["type"] == "assistant":
            yield Usage(turn=text(message, "id"), tokens=number(table(message, "usage"), *_FRESH))
        elif not found and not record.get("isMeta"):
            yield Prompt(time=time)
