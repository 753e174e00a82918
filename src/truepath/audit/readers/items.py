"""What a reader yields, whatever the format: calls, their answers, and what is said around them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from truepath.hosts.fields import table, tables, text


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a transcript says of itself; of each field the last text that is not empty holds."""

    session: str = ""
    agent: str = ""
    """The sub-agent, where the transcript is one's."""
    model: str = ""
    cwd: str = ""
    """The agent's working directory, absolute, from here on."""
    root: str = ""
    """The project's folder on the agent's machine, where the format has it."""
    commit: str = ""
    """The commit that was checked out when the session began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call. A second one with the same id takes the place of the first."""

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    time: float | None = None
    """Seconds since the epoch; from the session's start where a format has no dates."""
    turn: str = ""
    """The model's answer that made it; empty where the format does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool answered. A second one with the same id takes the place of the first."""

    id: str
    text: str = ""
    failed: bool | None = None
    """Whether the host says that the call failed; None where it does not say."""
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model turn that came from no cache: input and output."""

    tokens: int
    turn: str = ""
    """The turn; empty for the one that is going on. The last count of a turn holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The user typed something."""

    time: float | None = None


Item = About | Call | Answer | Usage | Prompt


def when(value: object) -> float | None:
    """Return seconds since the epoch of an ISO date, or of a count of seconds or milliseconds."""
    if isinstance(value, str):
        try:
            date = datetime.fromisoformat(value.replace("Z", "+00:00"))
            aware = date if date.tzinfo else date.replace(tzinfo=timezone.utc)
            return aware.timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e15:
        return None
    return float(value / 1000 if value > 1e11 else value)


def number(entry: Mapping[str, Any], *keys: str) -> int:
    """Return the sum of the counts under `keys`; what is no count is 0."""
    total = 0
    for key in keys:
        count = entry.get(key)
        if isinstance(count, (int, float)) and 0 <= count < 1e12:
            total += int(count)
    return total


def fresh(used: Mapping[str, Any]) -> int:
    """Return the tokens that came from no cache, of a use as OpenAI's chat API has it."""
    cached = number(table(used, "prompt_tokens_details"), "cached_tokens")
    return max(0, number(used, "prompt_tokens", "completion_tokens") - cached)


def plain(content: object) -> str:
    """Return the text of an answer: a text, blocks with `text`, or an object's texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_block, content)))
    if isinstance(content, dict):
        said = (content.get(key) for key in ("error", "output", "text", "content", "result"))
        return "\n".join(words for words in said if isinstance(words, str) and words)
    return ""


def _block(block: object) -> str:
    if isinstance(block, str):
        return block
    return plain(block) if isinstance(block, dict) else ""


def arguments(value: object) -> Mapping[str, Any]:
    """Return a call's arguments, which may have come as JSON text."""
    value = values(value) if isinstance(value, str) else value
    return value if isinstance(value, dict) else {}


def values(said: str) -> object:
    """Return what JSON text holds; None where it is none."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None


def of_blocks(
    message: Mapping[str, Any], *, turn: str, time: float | None, unsaid: bool | None = None
) -> list[Item]:
    """Return the calls and answers among a message's blocks, as the Anthropic API has them.

    Args:
        message: What has the blocks.
        turn: The model's turn.
        time: Seconds since the epoch.
        unsaid: Whether a call failed of which the answer does not say so.
    """
    found: list[Item] = []
    for block in tables(message, "content"):
        if block.get("type") == "tool_use":
            found.append(
                Call(
                    id=text(block, "id"),
                    tool=text(block, "name"),
                    arguments=table(block, "input"),
                    time=time,
                    turn=turn,
                )
            )
        elif block.get("type") == "tool_result":
            found.append(
                Answer(
                    id=text(block, "tool_use_id"),
                    text=plain(block.get("content")),
                    failed=block.get("is_error") is True or unsaid,
                    time=time,
                )
            )
    return found


def of_functions(message: Mapping[str, Any], *, turn: str, time: float | None) -> list[Item]:
    """Return the calls of a message, as OpenAI's chat API has them."""
    found: list[Item] = []
    for call in tables(message, "tool_calls"):
        function = table(call, "function") or call
        name = text(function, "name") or text(call, "function")
        given = arguments(function.get("arguments"))
        found.append(Call(id=text(call, "id"), tool=name, arguments=given, time=time, turn=turn))
    return found
