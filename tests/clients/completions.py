"""OpenAI's Chat Completions API, as far as an agent program needs it: one wire of the
model.

See `messages` for what a wire is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clients.script import Turn

_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def serves(path: str) -> bool:
    return path.endswith("/chat/completions")


def is_turn(path: str, body: Mapping[str, Any]) -> bool:
    return serves(path) and bool(body.get("tools"))


def answer(
    path: str, body: Mapping[str, Any], turn: Turn, number: int
) -> tuple[str, bytes]:
    """Return the content type and the bytes of one answer."""
    answer = {
        "id": f"chatcmpl-{number:03}",
        "created": 1,
        "model": str(body.get("model", "")),
    }
    if body.get("stream"):
        chunks = [json.dumps({**answer, **chunk}) for chunk in _stream(turn, number)]
        events = "".join(f"data: {data}\n\n" for data in (*chunks, "[DONE]"))
        return "text/event-stream", events.encode()
    message = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = _calls(turn, number)
    choice = {"index": 0, "message": message, "finish_reason": _reason(turn)}
    answer |= {"object": "chat.completion", "choices": [choice], "usage": _USAGE}
    return "application/json", json.dumps(answer).encode()


def told(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text in a request that the model did not write itself."""
    for message in body.get("messages", ()):
        if message["role"] not in ("assistant", "system", "developer"):
            yield from texts(message.get("content"))


def offered(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each tool that a request offers, and the schema of its arguments; a
    "custom" one takes a text.
    """
    for tool in body.get("tools", ()):
        if tool["type"] == "custom":
            yield tool["custom"]["name"], {"properties": {"input": {}}}
        else:
            yield tool["function"]["name"], tool["function"].get("parameters")


def texts(content: Any) -> Iterator[str]:
    """Yield the texts of a content, which is a text or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if "text" in part:
            yield part["text"]


def _stream(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
    yield _chunk({"role": "assistant", "content": turn.text})
    for index, made in enumerate(_calls(turn, number)):
        yield _chunk({"tool_calls": [{"index": index, **made}]})
    yield _chunk({}, _reason(turn))
    yield {"object": "chat.completion.chunk", "choices": [], "usage": _USAGE}


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def _calls(turn: Turn, number: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{number:03}_{position}",
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
        }
        for position, call in enumerate(turn.calls)
    ]


def _reason(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "stop"
