"""The few MCP messages that matter for paths, as lines of JSON-RPC.

What is read of them is the same in the revisions from 2025-06-18 to 2026-07-28, as
published at modelcontextprotocol.io/specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.fields import table, tables

Message = Mapping[str, Any]

_TEXTS = ("content", "result")
"""Properties that hold a tool's text as data: of the reference file server, and of
FastMCP."""

_NOTE = "path_note"
"""The property for a note in data that has neither a text nor a schema."""

_PLAIN = frozenset("type title description default examples minLength".split())
"""Keywords of a schema that permit a longer text."""


def write(message: Message) -> bytes:
    """Return a message as a line, in ASCII so that any file name can be written."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def batch(line: bytes) -> list[Any]:
    """Return the messages of a line that is a batch, which revisions before 2025-06-18
    have; none for any other line.
    """
    if line.lstrip()[:1] != b"[":
        return []
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return parsed if isinstance(parsed, list) else []


def batched(lines: Iterable[bytes]) -> bytes:
    """Return the line of a batch of messages, each of which is a line."""
    whole = b",".join(line.rstrip(b"\n") for line in lines if line)
    # An empty batch is an invalid request: then nothing is sent.
    return b"[" + whole + b"]\n" if whole else b""


def key(message: Message) -> str:
    """Return the id of a request or response as text; "" for a notification.

    `1` and `"1"` are different ids.
    """
    id_ = message.get("id")
    return json.dumps(id_) if isinstance(id_, (int, str)) else ""


def texts(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts in the content of a tool's result."""
    for block in tables(result, "content"):
        text = block.get("text")
        if isinstance(text, str):
            yield text


def refusal(text: str, data: Mapping[str, Any] | None) -> Message:
    """Return the result of a call that is refused.

    Args:
        text: What the model reads.
        data: The same as data, for `_meta`, because the tool's schema limits other
            data.
    """
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        # Revision 2026-07-28 asks for it; clients of older ones pass over it.
        "resultType": "complete",
    }
    if data:
        result["_meta"] = {"truepath/decision": data}
    return result


def with_notes(
    message: Message, first: str, last: str, schema: Mapping[str, Any] | None
) -> Message:
    """Return a tool's response with a note before its own texts and one after.

    Some clients show the model only structured content, so the notes are added there
    too, if the tool's schema permits it. Others join texts without a separator, so each
    note ends its line.

    Args:
        message: The response.
        first: The note before; empty for none.
        last: The note after; empty for none.
        schema: The tool's output schema: empty if it has none, None if unknown.
    """
    result = dict(table(message, "result"))
    blocks = result.get("content")
    before = [{"type": "text", "text": f"{first}\n"}] if first else []
    after = [{"type": "text", "text": f"\n{last}"}] if last else []
    result["content"] = [*before, *(blocks if isinstance(blocks, list) else []), *after]

    data = table(result, "structuredContent")
    texts = [name for name in _TEXTS if isinstance(data.get(name), str)]
    place = _text_in(schema) if schema else next(iter(texts), _NOTE)
    # A client may check data against the schema, and drop a result that breaks it.
    if data and (not schema or place in texts):
        noted = "\n".join(filter(None, (first, data.get(place, ""), last)))
        result["structuredContent"] = {**data, place: noted}
    return {**message, "result": result}


def shows_notes(schema: Mapping[str, Any] | None) -> bool:
    """Return whether a note always reaches the model: the tool returns no data, or a
    text in it.

    `schema` is the tool's output schema: empty if it has none, None if unknown.
    """
    if not schema:
        return schema is not None
    # A text that the tool may leave out is no place for a note.
    required = schema.get("required")
    return isinstance(required, list) and _text_in(schema) in required


def _text_in(schema: Mapping[str, Any]) -> str:
    """Return the property that may hold any text; "" if there is none."""
    for name in _TEXTS:
        text = table(schema, f"properties.{name}")
        if text.get("type") == "string" and text.keys() <= _PLAIN:
            return name
    return ""
