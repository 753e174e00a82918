"""A conversation with a model behind the OpenAI protocol: prompts, tools, next call."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.request import Request, urlopen

from tasks import NONE

Message: TypeAlias = dict[str, Any]

TIMEOUT = 600
"""Seconds that an endpoint may take for one answer."""

TOOLS = {
    "read_file": ("path", "the first lines of a file"),
    "list_directory": ("path", "the entries of a folder"),
    "find_files": ("name", "the paths of files whose path contains a text"),
    "final_answer": ("code", "give the answer to the user, and stop"),
}
"""Tool -> its parameter, and what it returns."""

SYSTEM = (
    "You are a coding agent in the root folder of a project. Every file has its review "
    "code in its first line. Never guess a code: read the file first. If the file does "
    f'not exist any more, the answer is "{NONE}".'
)
MISSING = "Error: no such file or directory: {}"
EXAMPLES = (
    (
        "setup.cfg",
        [("read_file", "setup.cfg", "# review-code: 31178\n[metadata]")],
        "31178",
    ),
    (
        "docs/old.md",
        [
            ("read_file", "docs/old.md", MISSING.format("docs/old.md")),
            ("find_files", "old", "No files found."),
        ],
        NONE,
    ),
    (
        "tools/zip.py",
        [
            ("read_file", "tools/zip.py", MISSING.format("tools/zip.py")),
            ("find_files", "zip", "scripts/zip.py"),
            ("read_file", "scripts/zip.py", "# review-code: 84056\nimport sys"),
        ],
        "84056",
    ),
)
"""Questions that were answered before, as the model sees them: path, calls, answer."""


@dataclass(frozen=True)
class Call:
    """What a model answers: one call."""

    tool: str
    argument: str
    read: int = 0
    """Tokens of the prompt."""
    written: int = 0


class Endpoint:
    """A model behind the OpenAI protocol."""

    def __init__(self, base_url: str, model: str, key: str) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model, self._key = model, key

    def call(self, chat: Sequence[Message], tool: str = "") -> Call:
        """Return the model's next call, of one tool if it is named."""
        asked: Message = {
            "model": self._model,
            "messages": chat,
            "tools": _described(),
            "temperature": 0,
            "max_tokens": 500,
        }
        if tool:
            asked["tool_choice"] = {"type": "function", "function": {"name": tool}}
        heads = {"Content-Type": "application/json"}
        heads |= {"Authorization": f"Bearer {self._key}"} if self._key else {}
        request = Request(self._url, json.dumps(asked).encode(), heads)
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:
                told = json.load(answer)
            tool, argument = call_of(told["choices"][0]["message"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise SystemExit(
                f"{self._url}: {error!r}. Is the endpoint running? Is --base-url right?"
            ) from error
        used = told.get("usage") or {}
        counts = used.get("prompt_tokens", 0), used.get("completion_tokens", 0)
        return Call(tool, argument, *counts)


def call_of(message: Message) -> tuple[str, str]:
    """Return the tool and the argument of a message: its call, one that it wrote as
    text, or the text as the answer.
    """
    text = message.get("content") or ""
    calls = message.get("tool_calls") or []
    if calls:
        function = calls[0]["function"]
        return function["name"], _argument(function["name"], function["arguments"])
    written = re.search(
        r'"name"\s*:\s*"(\w+)".*?"arguments"\s*:\s*(\{.*?\})', text, re.DOTALL
    )
    if written and written[1] in TOOLS:
        return written[1], _argument(written[1], written[2])
    code = re.search(rf"\b(\d{{5}}|{NONE})\b", text)
    return "final_answer", code[1] if code else text[:80]


def _argument(tool: str, text: str) -> str:
    try:
        given = json.loads(text)
    except ValueError:
        return ""
    name = TOOLS.get(tool, ("",))[0]
    return str(given.get(name, "")) if isinstance(given, dict) else ""


def _described() -> list[Message]:
    """Return the tools as the protocol describes them."""
    functions = (
        {
            "name": tool,
            "description": what,
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string"}},
                "required": [name],
            },
        }
        for tool, (name, what) in TOOLS.items()
    )
    return [{"type": "function", "function": function} for function in functions]


def opening(path: str, examples: int) -> list[Message]:
    """Return the beginning of a conversation: examples, and the question."""
    chat: list[Message] = [{"role": "system", "content": SYSTEM}]
    for asked, calls, code in EXAMPLES[:examples]:
        chat.append(_question(asked))
        for tool, argument, result in calls:
            chat += said(tool, argument, result)
        chat += said("final_answer", code, "ok")
    return [*chat, _question(path)]


def _question(path: str) -> Message:
    return {"role": "user", "content": f"What is the review code of {path}?"}


def said(tool: str, argument: str, result: str) -> list[Message]:
    """Return a call and its result, as messages."""
    arguments = json.dumps({TOOLS.get(tool, ("path",))[0]: argument})
    function = {"name": tool, "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": result},
    ]
