"""The few messages of MCP that matter for paths, read from lines of JSON-RPC and written as such.

Every line but these is nobody's business here. Shapes: the specification of 2025-06-18 and of
2026-07-28, which differ in nothing that is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Message = dict[str, Any]

_TEXTS = ("content", "result")
"""What the text of a tool is called as data: by the reference file server, and by FastMCP."""

_NOTE = "path_note"
"""What a note is called beside data that has no text, and no schema either."""

_PLAIN = frozenset("type title description default examples minLength".split())
"""Words of a schema that permit a longer text."""


def read(line: bytes) -> Message | None:
    """Return the message in a line; None for what is none: a batch, other data, broken text."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def write(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line; in ASCII, so that any text of a file name can be written."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def key(message: Mapping[str, Any] | None) -> str:
    """Return what tells a request from others, and its response by; "" for a notification.

    `1` and `"1"` are two ids.
    """
    number = message.get("id") if message else None
    return json.dumps(number) if isinstance(number, (int, str)) else ""


def table(message: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """Return the object at a path of keys; an empty one where there is none."""
    found: Any = message
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def rows(holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list."""
    found = holder.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def texts(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts in the content of a tool's result."""
    found = (block.get("text") for block in rows(result, "content"))
    return (text for text in found if isinstance(text, str))


def tool_result(text: str, *, failed: bool = False, data: Mapping[str, Any] | None) -> Message:
    """Return the result of a tool.

    Args:
        text: What the model reads.
        failed: Whether the tool failed.
        data: The same as data, under `_meta`: a tool's own schema says what else it may return.
    """
    meta = {"_meta": {"truepath/decision": data}} if data else {}
    blocks = [{"type": "text", "text": text}]
    return {"content": blocks, "isError": failed, "resultType": "complete", **meta}


def with_notes(
    message: Message, first: str, last: str, schema: Mapping[str, Any] | None
) -> Message:
    """Return a tool's response with a note before its own texts and one after.

    Some programs show the model structured content alone, so the notes are there as well, as far as
    the tool's schema permits; others put texts together as they are, so each ends its line.

    Args:
        message: The response.
        first: What the model should read first; empty for nothing.
        last: What it should read last; empty for nothing.
        schema: The tool's output schema: empty where it has none, None where that is not known.
    """
    result = dict(table(message, "result"))
    own, data = result.get("content"), table(result, "structuredContent")
    before = [{"type": "text", "text": f"{first}\n"}] if first else []
    after = [{"type": "text", "text": f"\n{last}"}] if last else []
    result["content"] = [*before, *(own if isinstance(own, list) else []), *after]
    texts = [name for name in _TEXTS if isinstance(data.get(name), str)]
    place = _text_in(schema) if schema else next(iter(texts), _NOTE)
    if data and (not schema or place in texts):
        noted = "\n".join(filter(None, (first, data.get(place, ""), last)))
        result["structuredContent"] = {**data, place: noted}
    return {**message, "result": result}


def shows_notes(schema: Mapping[str, Any] | None) -> bool:
    """Return whether a note surely reaches the model: there is no data, or always a text in it.

    `schema` is the tool's: empty where it has none, None where it is not known.
    """
    if not schema:
        return schema is not None
    required = schema.get("required")
    return isinstance(required, list) and _text_in(schema) in required


def _text_in(schema: Mapping[str, Any]) -> str:
    """Return the property that may hold any text; "" for none."""
    texts = {name: table(schema, "properties", name) for name in _TEXTS}
    fits = (name for name, each in texts.items() if each.get("type") == "string")
    return next((name for name in fits if texts[name].keys() <= _PLAIN), "")
