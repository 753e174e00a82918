"""Strands Agents: hooks that check the paths of every tool call.

Observed with strands-agents 1.62.0.
"""

from __future__ import annotations

from typing import Any

from strands.hooks import (
    AfterToolCallEvent,
    BeforeToolCallEvent,
    HookProvider,
    HookRegistry,
)

from truepath.guard.checked_call import CheckedCall
from truepath.guard.guard import Guard
from truepath.types import ToolCall


class PathHooks(HookProvider):
    """Checks the paths of tool calls: `Agent(..., hooks=[PathHooks(guard)])`.

    Put it before hooks that ask a person, so that they ask about the corrected path. A
    refusal cancels the tool; a note is the first text of the result.
    """

    def __init__(self, guard: Guard) -> None:
        """Check calls with `guard`."""
        self._guard = guard
        # The calls of a message run at once (`ConcurrentToolExecutor`, the default).
        self._running: dict[str, CheckedCall] = {}

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """Ask to be called before and after each tool."""
        registry.add_callback(BeforeToolCallEvent, self._before)
        registry.add_callback(AfterToolCallEvent, self._after)

    async def _before(self, event: BeforeToolCallEvent) -> None:
        use = event.tool_use
        # Another hook has refused it, or the model wrote no object.
        if event.cancel_tool or not isinstance(use["input"], dict):
            return
        checked = await self._guard.acheck(
            ToolCall(
                use["name"],
                use["input"],
                # `agent_id` is "default" unless it is given (1.62.0): two agents would
                # be one session.
                session=str(id(event.agent)),
                host="strands",
                call_id=use["toolUseId"],
                turn=f"message-{len(event.agent.messages)}",
            )
        )
        if checked.refusal:
            event.cancel_tool = checked.refusal
            return
        event.tool_use = {**use, "input": checked.arguments}
        self._running[use["toolUseId"]] = checked

    async def _after(self, event: AfterToolCallEvent) -> None:
        checked = self._running.pop(event.tool_use["toolUseId"], None)
        if checked is None:
            return
        content = event.result["content"]
        text = "\n".join(str(part.get("text", "")) for part in content)
        failed = event.result["status"] == "error"
        note = await checked.areturned(text, failed=failed)
        if note:
            event.result = {**event.result, "content": [{"text": note}, *content]}
