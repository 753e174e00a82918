"""Inspect: an approver that refuses wrong paths, and tools that correct them.

Observed with inspect-ai 0.3.285. The model does not see what an approver modifies, so
this one modifies nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from inspect_ai.approval import Approval, Approver, approver
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage
from inspect_ai.tool import Tool, ToolCallView, ToolDef, ToolError
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.util import store

from truepath.guard.guard import Guard
from truepath.types import ToolCall

_SESSION = "truepath:session"


@approver
def path_approver(guard: Guard) -> Approver:
    """Return an approver that rejects a call with a wrong path, with the right one if
    it is known.

    It approves the rest, so later approvers are not asked about the same tools. Another
    approver, such as a person, must come before it and escalate what it permits.
    """

    async def approve(
        message: str, call: InspectCall, view: ToolCallView, history: list[ChatMessage]
    ) -> Approval:
        del message, view, history
        tool_call = ToolCall(
            call.function,
            call.arguments,
            session=_session(),
            host="inspect",
            call_id=call.id,
            turn=_model_turn(),
            approved=True,  # nothing is corrected: the model would not see it
        )
        checked = await guard.acheck(tool_call, notes=False)
        if checked.refusal:
            return Approval(decision="reject", explanation=checked.refusal)
        return Approval(decision="approve")

    return approve


def guarded(tools: Sequence[Tool], guard: Guard) -> list[Tool]:
    """Return tools whose paths are checked; a note precedes a result that is text.

    For tools that work on this machine, not in a sandbox.
    """
    return [_guarded(ToolDef(tool), guard) for tool in tools]


def _guarded(tool: ToolDef, guard: Guard) -> Tool:
    run = tool.tool

    async def execute(**arguments: Any) -> Any:
        tool_call = ToolCall(
            tool.name, arguments, session=_session(), host="inspect", turn=_model_turn()
        )
        checked = await guard.acheck(tool_call)
        if checked.refusal:
            raise ToolError(checked.refusal)
        result = await run(**checked.arguments)
        note = await checked.areturned(result)
        if note and isinstance(result, str):
            return f"{note}\n{result}"
        return result

    # All that the model is shown: of `execute`, it would be shown any arguments.
    return ToolDef(
        execute,
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        parallel=tool.parallel,
        viewer=tool.viewer,
        model_input=tool.model_input,
        options=tool.options,
    ).as_tool()


def _session() -> str:
    """Return the id of the running sample's conversation."""
    # Samples run at once in one process, each with a store of its own.
    sample = store()
    if not sample.get(_SESSION):
        sample.set(_SESSION, uuid.uuid4().hex)
    return str(sample.get(_SESSION))


def _model_turn() -> str:
    """Count the sample's requests to a model; the calls of an answer run one by one."""
    return f"model-{sum(event.event == 'model' for event in transcript().events)}"
