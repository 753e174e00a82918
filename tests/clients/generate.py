"""Gemini's generateContent API, as far as an agent program needs it: one wire of the
model.

See `messages` for what a wire is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clients.script import Turn

_STREAM, _WHOLE, _COUNT = ":streamGenerateContent", ":generateContent", ":countTokens"
_USAGE = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}

_CHORE = {"reasoning": "none", "model_choice": "flash", "next_speaker": "user"}
"""Fits what the program asks for beside its turns: which model to take, whose turn it
is."""


def serves(path: str) -> bool:
    return path.endswith((_STREAM, _WHOLE, _COUNT))


def is_turn(path: str, body: Mapping[str, Any]) -> bool:
    return path.endswith((_STREAM, _WHOLE)) and bool(body.get("tools"))


def answer(
    path: str, body: Mapping[str, Any], turn: Turn, number: int
) -> tuple[str, bytes]:
    """Return the content type and the bytes of one answer."""
    del number  # a call has no id here
    if path.endswith(_COUNT):
        return "application/json", json.dumps({"totalTokens": 100}).encode()
    data = json.dumps(
        _response(_parts(turn) if body.get("tools") else _chore(body, turn))
    )
    if path.endswith(_STREAM):
        return "text/event-stream", f"data: {data}\n\n".encode()
    return "application/json", data.encode()


def told(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text in a request that the model did not write itself."""
    for content in body.get("contents", ()):
        for part in content.get("parts", ()) if content.get("role") != "model" else ():
            if "text" in part:
                yield part["text"]
            result = part.get("functionResponse", {}).get("response", {})
            yield from (value for value in result.values() if isinstance(value, str))


def offered(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each tool that a request offers, and the schema of its arguments."""
    for tools in body.get("tools", ()):
        for tool in tools.get("functionDeclarations", ()):
            schema = tool.get("parametersJsonSchema") or tool.get("parameters")
            yield tool["name"], schema


def _response(parts: list[dict[str, Any]]) -> dict[str, Any]:
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": _USAGE,
        "modelVersion": "scripted",
    }


def _parts(turn: Turn) -> list[dict[str, Any]]:
    text = [{"text": turn.text}] if turn.text else []
    # A call without a signature is taken for a fault of the stream.
    return text + [
        {
            "functionCall": {"name": call.tool, "args": call.arguments},
            "thoughtSignature": "c2lnbmF0dXJl",
        }
        for call in turn.calls
    ]


def _chore(body: Mapping[str, Any], turn: Turn) -> list[dict[str, Any]]:
    wanted = body.get("generationConfig", {})
    as_json = wanted.get("responseMimeType") == "application/json"
    return [{"text": json.dumps(_CHORE)}] if as_json else _parts(turn)
