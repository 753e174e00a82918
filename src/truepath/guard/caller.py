"""What the program that asks a guard can do, and how it asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from truepath.records import dataclass
from truepath.types import Action, ToolCall

Others: TypeAlias = Callable[[ToolCall, Mapping[str, Any]], Action]
"""What others make of a call with other arguments: rewrite, allow or refuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The program around a guard; by default one that lives long and can do everything."""

    refuses: bool = True
    """Whether it can keep a call from running; where not, the call is advised upon."""
    rewrites: bool = True
    """Whether it can change a call; where not, the call is refused with the right path."""
    notes: bool = True
    """Whether the agent reads the text of a decision beside the result of a call that runs; where
    not, no file is assumed."""
    others: Others | None = None
    """Asked before a correction: other hooks, or the host's own rules."""
    turn_gap_s: float = 0.0
    """Seconds after an answer within which a call belongs to the same model turn."""
    began: float | None = None
    """When the process began, seconds since the epoch, where it serves one call and ends."""
