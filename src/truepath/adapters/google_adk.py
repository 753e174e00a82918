"""Google ADK: a plugin that checks the paths of every tool call of a runner.

Observed with google-adk 2.13.0.
"""

from __future__ import annotations

from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from truepath.guard.checked_call import CheckedCall
from truepath.guard.guard import Guard
from truepath.types import ToolCall


class PathPlugin(BasePlugin):
    """Checks the paths of tool calls: `App(..., plugins=[PathPlugin(guard)])`.

    A refusal is the tool's response, under `error`; a note is added to the result,
    under `path_note`.
    """

    def __init__(self, guard: Guard) -> None:
        """Check calls with `guard`."""
        super().__init__(name="truepath")
        self._guard = guard
        self._running: dict[str, CheckedCall] = {}

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Check a call; correct its arguments in place, or answer it."""
        checked = await self._guard.acheck(
            ToolCall(
                tool.name,
                dict(tool_args),  # what the model wrote, which is changed below
                session=tool_context.session.id,
                agent=tool_context.agent_name,
                host="google-adk",
                call_id=tool_context.function_call_id or "",
                approved=tool_context.tool_confirmation is not None,
            )
        )
        if checked.refusal:
            return {"error": checked.refusal}
        # In place: that the tool gets these is all that the framework offers.
        tool_args.update(checked.arguments)
        self._running[tool_context.function_call_id or ""] = checked
        return None

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,  # noqa: ARG002  the framework calls by these names
        tool_args: dict[str, Any],  # noqa: ARG002
        tool_context: ToolContext,
        result: Any,
    ) -> dict[str, Any] | None:
        """Add a note to the result."""
        checked = self._running.pop(tool_context.function_call_id or "", None)
        if checked is None:
            return None
        error = result.get("error") if isinstance(result, dict) else None
        if error:
            note = await checked.afailed(error)
        else:
            note = await checked.areturned(result)
        if not note:
            return None
        # A response is an object; the framework wraps other results likewise.
        response = result if isinstance(result, dict) else {"result": result}
        return {**response, "path_note": note}

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,  # noqa: ARG002
        tool_args: dict[str, Any],  # noqa: ARG002
        tool_context: ToolContext,
        error: Exception,  # noqa: ARG002
    ) -> None:
        """Drop a call that raised; its exception propagates."""
        self._running.pop(tool_context.function_call_id or "", None)
