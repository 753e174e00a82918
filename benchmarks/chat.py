"""A conversation with a model behind the OpenAI protocol: prompts, tools, next call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.request import Request, urlopen

from tasks import NONE

Message: TypeAlias = dict[str, Any]
Tools: TypeAlias = Mapping[str, tuple[str, str]]

TIMEOUT = 600
"""Seconds that an endpoint may take for one answer."""

TOOLS = {
    "read_file": ("path", "the first lines of a file"),
    "list_directory": ("path", "the entries of a folder"),
    "find_files": ("name", "the paths of files whose path contains a text"),
    "final_answer": ("code", "give the answer to the user, and stop"),
}
"""Tool -> its parameters, and what it returns."""
EDIT_TOOLS = {name: TOOLS[name] for name in ("read_file", "final_answer")} | {
    "edit_file": ("path old_string new_string", "replace a text that is in a file once")
}
"""The tools of a question about an edit."""

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
EDITOR = (
    "You are a coding agent in the root folder of a project. Change its files with "
    "edit_file, whose old_string must be in the file exactly as you send it."
)
NOT_THERE = "Error: old_string was not found in the file."
EDITS = ("setup.cfg", "[metadata]\nname = shop", "[metadata]\nname = store", "Done.")
"""An edit that was made before: path, the text, the new text, the result."""


@dataclass(frozen=True)
class Call:
    """What a model answers: one call."""

    tool: str
    arguments: Mapping[str, str]
    read: int = 0
    """Tokens of the prompt."""
    written: int = 0

    @property
    def argument(self) -> str:
        """The first of its arguments."""
        return next(iter(self.arguments.values()), "")


class Endpoint:
    """A model behind the OpenAI protocol."""

    def __init__(self, base_url: str, model: str, key: str) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model, self._key = model, key

    def call(
        self, chat: Sequence[Message], tool: str = "", tools: Tools = TOOLS
    ) -> Call:
        """Return the model's next call, of one tool if it is named."""
        asked: Message = {
            "model": self._model,
            "messages": chat,
            "tools": _described(tools),
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
            tool, arguments = call_of(told["choices"][0]["message"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise SystemExit(
                f"{self._url}: {error!r}. Is the endpoint running? Is --base-url right?"
            ) from error
        used = told.get("usage") or {}
        counts = used.get("prompt_tokens", 0), used.get("completion_tokens", 0)
        return Call(tool, arguments, *counts)


def call_of(message: Message) -> tuple[str, Mapping[str, str]]:
    """Return the tool and the arguments of a message: its call, one that it wrote as
    text, or the text as the answer.
    """
    text = message.get("content") or ""
    calls = message.get("tool_calls") or []
    if calls:
        function = calls[0]["function"]
        return function["name"], _arguments(function["name"], function["arguments"])
    written = re.search(
        r'"name"\s*:\s*"(\w+)".*?"arguments"\s*:\s*(\{.*)', text, re.DOTALL
    )
    if written and written[1] in {**TOOLS, **EDIT_TOOLS}:
        return written[1], _arguments(written[1], written[2])
    code = re.search(rf"\b(\d{{5}}|{NONE})\b", text)
    return "final_answer", {"code": code[1] if code else text[:80]}


def _arguments(tool: str, text: str) -> Mapping[str, str]:
    """Return a tool's arguments by the JSON that a text begins with."""
    try:
        given, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except ValueError:
        given = {}
    if not isinstance(given, dict):
        return {}
    return {name: str(given[name]) for name in parameters(tool) if name in given}


def parameters(tool: str) -> Sequence[str]:
    """Return the names of a tool's parameters."""
    return {**TOOLS, **EDIT_TOOLS}.get(tool, ("path",))[0].split()


def _described(tools: Tools) -> list[Message]:
    """Return the tools as the protocol describes them."""
    functions = (
        {
            "name": tool,
            "description": what,
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in names.split()},
                "required": names.split(),
            },
        }
        for tool, (names, what) in tools.items()
    )
    return [{"type": "function", "function": function} for function in functions]


def opening(path: str, examples: int) -> list[Message]:
    """Return the beginning of a conversation: examples, and the question."""
    chat: list[Message] = [{"role": "system", "content": SYSTEM}]
    for asked, calls, code in EXAMPLES[:examples]:
        chat.append(_question(asked))
        for tool, argument, result in calls:
            chat += said(tool, [argument], result)
        chat += said("final_answer", [code], "ok")
    return [*chat, _question(path)]


def _question(path: str) -> Message:
    return {"role": "user", "content": f"What is the review code of {path}?"}


def edit_opening(path: str, old: str, new: str, examples: int) -> list[Message]:
    """Return the beginning of a conversation about an edit: an example, if any is
    asked for, and the task.
    """
    chat: list[Message] = [{"role": "system", "content": EDITOR}]
    for *edit, result in [EDITS][:examples]:
        chat.append(_task(*edit))
        chat += said("edit_file", edit, result)
        chat += said("final_answer", ["done"], "ok")
    return [*chat, _task(path, old, new)]


def _task(path: str, old: str, new: str) -> Message:
    return {"role": "user", "content": f"In {path}, replace\n{old}\nby\n{new}"}


def said(tool: str, values: Sequence[str], result: str) -> list[Message]:
    """Return a call, by the values of its parameters, and its result, as messages."""
    arguments = json.dumps(dict(zip(parameters(tool), values, strict=False)))
    function = {"name": tool, "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": result},
    ]
