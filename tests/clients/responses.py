"""OpenAI's Responses API, as far as an agent program needs it: one wire of the scripted
model.

See `messages` for what a wire is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clients.completions import texts
from clients.script import Call, Turn

_USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 110,
}


def serves(path: str) -> bool:
    return path.endswith("/responses")


def is_turn(path: str, body: Mapping[str, Any]) -> bool:
    # In a terminal, Codex asks for a title too, with other tools.
    offered = [tool.get("name") for tool in body.get("tools", ())]
    return serves(path) and ("exec_command" in offered or "exec" in offered)


def answer(
    path: str, body: Mapping[str, Any], turn: Turn, number: int
) -> tuple[str, bytes]:
    """Return the content type and the bytes of one answer."""
    response = _response(body, turn, number)
    if not body.get("stream"):
        return "application/json", json.dumps(response).encode()
    return "text/event-stream", b"".join(map(_event, _stream(response)))


def told(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text in a request that the model did not write itself."""
    for item in body.get("input", ()):
        if item["type"] == "message" and item["role"] != "assistant":
            yield from texts(item["content"])
        elif item["type"].endswith("_output"):
            yield from texts(item["output"])


def offered(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each tool that a request offers, and the schema of its arguments; a
    "custom" one takes a text, and a namespace has tools of its own.
    """
    for tool in body.get("tools", ()):
        if tool["type"] == "custom":
            yield tool["name"], {"properties": {"input": {}}}
        elif tool["type"] == "function":
            yield tool["name"], tool.get("parameters")
        else:
            yield from offered(tool)


def _response(body: Mapping[str, Any], turn: Turn, number: int) -> dict[str, Any]:
    free = {
        tool.get("name") for tool in body.get("tools", ()) if tool["type"] == "custom"
    }
    items = [_message(turn.text, number)] if turn.text else []
    for position, call in enumerate(turn.calls):
        items.append(_call(call, f"{number:03}_{position}", free=call.tool in free))
    return {
        "id": f"resp_{number:03}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": str(body.get("model", "")),
        "output": items,
        "usage": _USAGE,
    }


def _message(text: str, number: int) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"msg_{number:03}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def _call(call: Call, name: str, *, free: bool) -> dict[str, Any]:
    """Return a call as an item; a tool offered as "custom" takes a text, which `input`
    holds.
    """
    item = {"call_id": f"call_{name}", "name": call.tool, "status": "completed"}
    if free:
        return {
            **item,
            "type": "custom_tool_call",
            "id": f"ctc_{name}",
            **call.arguments,
        }
    arguments = json.dumps(call.arguments)
    return {**item, "type": "function_call", "id": f"fc_{name}", "arguments": arguments}


def _stream(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {
        "type": "response.created",
        "response": {**response, "output": [], "usage": None},
    }
    for index, item in enumerate(response["output"]):
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": item,
        }
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def _event(event: Mapping[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
