"""What the scripted model says: turns of text and tool calls, in no program's own wire
format.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call that the model makes."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: text, tool calls, or both."""

    text: str = ""
    calls: tuple[Call, ...] = field(default=())


def call(tool: str, **arguments: Any) -> Turn:
    """Return a turn that makes one tool call."""
    return Turn(calls=(Call(tool, arguments),))


def calls(*turns: Turn) -> Turn:
    """Return one turn that makes the calls of all `turns` at once."""
    return Turn(calls=tuple(one for turn in turns for one in turn.calls))


def to_json(turns: list[Turn]) -> list[dict[str, Any]]:
    return [asdict(turn) for turn in turns]


def from_json(turns: list[dict[str, Any]]) -> list[Turn]:
    return [
        Turn(
            turn["text"],
            tuple(Call(one["tool"], one["arguments"]) for one in turn["calls"]),
        )
        for turn in turns
    ]
