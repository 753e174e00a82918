"""The few messages of MCP that matter for paths, read from lines of JSON-RPC and written as such.

Every line but these is nobody's business here. Shapes: the specification of 2025-06-18 and of
2026-07-28, which differ in nothing that is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Message = dict[str, Any]

_TEXTS = ("content", "result")
"""What the text of a tool is called as data: by the reference file server, and by FastMCP."""


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


def key(message: Mapping[str, Any]) -> str:
    """Return what tells a request from others, and its response by; "" for a notification.

    `1` and `"1"` are two ids.
    """
    number = message.get("id")
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
    for block in rows(result, "content"):
        if isinstance(block.get("text"), str):
            yield block["text"]


def answer(request: Mapping[str, Any], result: Mapping[str, Any]) -> bytes:
    """Return the response to a request, as a line."""
    return write({"jsonrpc": "2.0", "id": request.get("id"), "result": result})


def tool_result(
    lines: Iterable[str], *, failed: bool = False, data: Mapping[str, Any] | None = None
) -> Message:
    """Return the result of a tool.

    Args:
        lines: A block of text each.
        failed: Whether the tool failed.
        data: The same as data, under `_meta`: a tool's own schema says what else it may return.
    """
    blocks = [{"type": "text", "text": text} for text in lines]
    meta = {"_meta": {"truepath/decision": data}} if data else {}
    return {"content": blocks, "isError": failed, "resultType": "complete", **meta}


def with_notes(message: Message, first: str, last: str, *, in_data: bool) -> Message:
    """Return a tool's response with a note before its own texts and one after.

    Args:
        message: The response.
        first: What the model should read first; empty for nothing.
        last: What it should read last; empty for nothing.
        in_data: Whether `first` must be in the structured content as well, as a program may show
            the model that alone. `shows_text` says where that can be.
    """
    result = dict(table(message, "result"))
    own = result.get("content")
    block = {"type": "text"}
    before = [{**block, "text": first}] if first else []
    after = [{**block, "text": last}] if last else []
    result["content"] = [*before, *(own if isinstance(own, list) else []), *after]
    data = result.get("structuredContent")
    if in_data and first and isinstance(data, dict):
        noted = {
            name: f"{first}\n{data[name]}" for name in _TEXTS if isinstance(data.get(name), str)
        }
        result["structuredContent"] = {**data, **noted}
    return {**message, "result": result}


def shows_text(tool: Mapping[str, Any]) -> bool:
    """Return whether a note in a tool's result reaches the model: all it returns is text."""
    schema = tool.get("outputSchema")
    if schema is None:
        return True
    properties = table(tool, "outputSchema", "properties")
    [name] = properties if len(properties) == 1 else ("",)
    return name in _TEXTS and table(properties, name).get("type") == "string"
