"""What the program that asks a guard can do, and how it asks."""

from __future__ import annotations

from truepath.records import dataclass

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from truepath.types import Action, ToolCall


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
    others: Callable[[ToolCall, Mapping[str, Any]], Action] | None = None
    """What others make of a call with other arguments, asked before a correction: other hooks, or
    the host's own rules. It returns rewrite, allow or refuse."""
    turn_gap_s: float = 0.0
    """Seconds after an answer within which a call belongs to the same model turn."""
    began: float | None = None
    """When the process began, seconds since the epoch, where it serves one call and ends."""
