"""Pydantic AI: a capability that checks the paths of every tool call.

Observed with pydantic-ai-slim 2.68.0.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDefinition

from truepath.guard.guard import Guard
from truepath.types import ToolCall


@dataclass
class PathCapability(AbstractCapability[Any]):
    """Checks the paths of tool calls: `Agent(...,
    capabilities=[PathCapability(guard)])`.

    A refusal is a failed result, which uses none of the tool's retries. A note follows
    the results as a separate message; results are unchanged.
    """

    guard: Guard

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,  # noqa: ARG002  the framework's signature
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """Check a call, then run it."""
        tool_call = ToolCall(
            call.tool_name,
            args if isinstance(args, Mapping) else {},
            session=ctx.conversation_id or ctx.run_id or "",
            host="pydantic-ai",
            call_id=call.tool_call_id,
            turn=f"{ctx.run_id}:{ctx.run_step}",
            approved=ctx.tool_call_approved,
        )
        checked = await self.guard.acheck(tool_call)
        if checked.refusal:
            raise ToolFailed(checked.refusal)
        corrected = checked.decision.action == "rewrite"
        note = ""
        try:
            result = await handler(checked.arguments if corrected else args)
            note = await checked.areturned(result)
        except (ApprovalRequired, CallDeferred):  # the call has not run yet
            raise
        except Exception as error:
            note = await checked.afailed(error)
            raise
        finally:
            # A message of its own, because a result may have any type.
            if note:
                ctx.enqueue(note, priority="asap")
        return result
