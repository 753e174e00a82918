"""OpenAI Agents SDK: function tools, the editor of apply_patch and the executor of a
shell.

Observed with openai-agents 0.24.0, whose guardrails can refuse a call but not change
it, so each tool is wrapped.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partialmethod
from typing import Any

from agents import ApplyPatchResult, FunctionTool, ShellCommandRequest
from agents.tool import (
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
    ValidToolOutputPydanticModelsTypeAdapter,
)
from agents.tool_context import ToolContext

from truepath.guard.guard import Guard
from truepath.types import ToolCall

_HOST: Any = {
    "host": "openai-agents",
    "search_tools": ("shell (rg --files, find, ls)",),
}
_STRUCTURED = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)
"""What the SDK hands to the model as it is, alone or all of a list, also as a dict with
its `type`; of anything else the model gets `str` (`agents/items.py` of 0.24.0)."""


def guarded(tool: FunctionTool, guard: Guard, *, session: str = "") -> FunctionTool:
    """Return a copy of a function tool whose paths are checked; a note comes before its
    output.

    Args:
        tool: The tool. If it needs approval, a wrong path is refused with the right
            one, never corrected.
        guard: The project's guard.
        session: The id of the conversation, which tools cannot see.
    """
    inner = tool.on_invoke_tool
    # A copy, so that the tool itself stays as it is for agents without a guard.
    outer = copy.copy(tool)

    async def invoke(context: ToolContext[Any], written: str) -> Any:
        arguments = _object(written)
        if arguments is None:  # the tool reports it
            return await inner(context, written)
        call = ToolCall(
            tool.name,
            arguments,
            session=session,
            **_HOST,
            call_id=context.tool_call_id,
            approved=bool(tool.needs_approval),
        )
        checked = await guard.acheck(call)
        if checked.refusal:
            return checked.refusal
        # What was not corrected goes on byte for byte, as the model wrote it.
        if checked.decision.action == "rewrite":
            written = json.dumps(checked.arguments)
        # What a tool raises is a text here: the SDK's words for it, and its own.
        result = await inner(context, written)
        return _after(await checked.areturned(result), result)

    outer.on_invoke_tool = invoke
    return outer


class GuardedEditor:
    """An editor for `ApplyPatchTool` that checks each path first."""

    def __init__(self, editor: Any, guard: Guard, *, approved: bool = False) -> None:
        """Wrap `editor`; `approved` says whether a person approves each operation."""
        self._editor = editor
        self._guard = guard
        self._approved = approved

    async def _run(self, tool: str, kind: str, operation: Any) -> Any:
        # The diff says what the file must hold to be edited.
        arguments = {"path": operation.path, "diff": operation.diff or ""}
        call = ToolCall(tool, arguments, approved=self._approved)
        checked = await self._guard.acheck(replace(call, **_HOST))
        if checked.refusal:
            return ApplyPatchResult(status="failed", output=checked.refusal)
        run = getattr(self._editor, kind)
        result = await _awaited(run(replace(operation, path=checked.arguments["path"])))
        if not checked.note:
            return result
        # An editor may return a result, its text, or nothing.
        if isinstance(result, ApplyPatchResult):
            return replace(result, output=_after(checked.note, result.output or ""))
        return _after(checked.note, result or "")

    create_file = partialmethod(_run, "write_file", "create_file")
    update_file = partialmethod(_run, "edit_file", "update_file")
    delete_file = partialmethod(_run, "delete_file", "delete_file")


def guarded_shell(
    executor: Callable[[ShellCommandRequest], Any], guard: Guard
) -> Callable[[ShellCommandRequest], Awaitable[Any]]:
    """Return the executor of a `ShellTool` with the paths of its commands checked.

    Commands are never corrected, because a person may have approved them.
    """

    async def execute(request: ShellCommandRequest) -> Any:
        commands = {"commands": [*request.data.action.commands]}
        call = ToolCall("shell", commands, call_id=request.data.call_id, approved=True)
        checked = await guard.acheck(replace(call, **_HOST), notes=False)
        return checked.refusal or await _awaited(executor(request))

    return execute


def _object(written: str) -> dict[str, Any] | None:
    try:
        arguments = json.loads(written or "{}")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def _after(note: str, result: Any) -> Any:
    """Return a result, text or structured, with a note before it."""
    if not note:
        return result
    parts = result if isinstance(result, list) else [result]
    if all(map(_is_structured, parts)):
        return [ToolOutputText(text=note), *parts]
    return f"{note}\n{result}"


def _is_structured(part: object) -> bool:
    if not isinstance(part, dict) or "type" not in part:
        return isinstance(part, _STRUCTURED)
    try:
        ValidToolOutputPydanticModelsTypeAdapter.validate_python(part)
    except ValueError:
        return False
    return True


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
