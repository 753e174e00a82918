"""Anthropic's Messages API, as far as an agent program needs it: one wire of the
scripted model.

A wire has five functions: `serves` (is this request mine?), `is_turn` (does it ask the
model for its next turn?), `answer` (the turn as bytes on the wire), `told` (the texts a
request carries to the model) and `offered` (the tools that it may call)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clients.script import Turn

_USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def serves(path: str) -> bool:
    return path.endswith(("/messages", "/messages/count_tokens"))


def is_turn(path: str, body: Mapping[str, Any]) -> bool:
    # Requests without tools are the program's own chores: titles, quota probes, token
    # counts.
    return path.endswith("/messages") and bool(body.get("tools"))


def answer(
    path: str, body: Mapping[str, Any], turn: Turn, number: int
) -> tuple[str, bytes]:
    """Return the content type and the bytes of one answer."""
    if path.endswith("/count_tokens"):
        return "application/json", json.dumps({"input_tokens": 100}).encode()
    message = _message(str(body.get("model", "")), turn, number)
    if not body.get("stream"):
        return "application/json", json.dumps(message).encode()
    return "text/event-stream", b"".join(map(_event, _stream(message)))


def told(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text in a request that the model did not write itself."""
    for message in body.get("messages", ()):
        if message["role"] != "assistant":
            yield from _texts(message["content"])


def offered(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each tool that a request offers, and the schema of its arguments."""
    for tool in body.get("tools", ()):
        yield tool["name"], tool.get("input_schema")


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_result":
            yield from _texts(block.get("content", ""))


def _message(model: str, turn: Turn, number: int) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = (
        [{"type": "text", "text": turn.text}] if turn.text else []
    )
    for position, call in enumerate(turn.calls):
        name = f"toolu_{number:03}_{position}"
        blocks.append(
            {"type": "tool_use", "id": name, "name": call.tool, "input": call.arguments}
        )
    return {
        "id": f"msg_{number:03}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": _USAGE,
    }


def _stream(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {
        "type": "message_start",
        "message": {**message, "content": [], "stop_reason": None},
    }
    for index, block in enumerate(message["content"]):
        empty, delta = _pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": _USAGE}
    yield {"type": "message_stop"}


def _pieces(block: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a content block as it starts out, and all that is then added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    arguments = json.dumps(block["input"])
    return {**block, "input": {}}, {
        "type": "input_json_delta",
        "partial_json": arguments,
    }


def _event(event: Mapping[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
