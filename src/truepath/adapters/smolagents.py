"""smolagents: checks the tools of an agent that calls them or writes code.

Observed with smolagents 1.26.0.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from smolagents import ActionStep, CodeAgent, MultiStepAgent

from truepath.guard.guard import Guard
from truepath.types import ToolCall


def guarded(agent: MultiStepAgent, guard: Guard) -> MultiStepAgent:
    """Check the paths of all tools of an agent and of the agents it manages; return the
    agent.

    Notes are added to the observations of the step; results are unchanged. A refusal is
    the result of a tool call; in code it is raised, as by `open`. Tools that run in
    another process are not checked: a `CodeAgent` needs its local executor.
    """
    notes: list[str] = []
    session = uuid.uuid4().hex
    # Code catches an exception, where it would take a text for the tool's result.
    raises = isinstance(agent, CodeAgent)

    def call(name: str, arguments: dict[str, Any]) -> ToolCall:
        turn = f"step-{len(agent.memory.steps)}"
        return ToolCall(name, arguments, session=session, host="smolagents", turn=turn)

    for tool in agent.tools.values():
        _guard_tool(tool, guard, call, notes, raises=raises)

    def add_notes(step: Any, **_: Any) -> None:
        texts = "\n".join(filter(None, notes))
        notes.clear()
        if texts:
            step.observations = f"{texts}\n{step.observations or ''}"

    agent.step_callbacks.register(ActionStep, add_notes)
    for managed in agent.managed_agents.values():
        guarded(managed, guard)
    return agent


def _guard_tool(
    tool: Any,
    guard: Guard,
    call: Callable[[str, dict[str, Any]], ToolCall],
    notes: list[str],
    *,
    raises: bool,
) -> None:
    # A tool call and code both end there; `execute_tool_call` sees no call of code
    # (1.26.0).
    run = tool.forward
    names = [*tool.inputs]

    def forward(*args: Any, **kwargs: Any) -> Any:
        # Code may call a tool by position; the model's tool calls have names.
        arguments = {**dict(zip(names, args, strict=False)), **kwargs}
        checked = guard.check(call(tool.name, arguments))
        if checked.refusal and raises:
            raise checked.error
        if checked.refusal:
            return checked.refusal
        try:
            if checked.decision.action == "rewrite":
                result = run(**checked.arguments)
            else:  # byte for byte as it was called
                result = run(*args, **kwargs)
        except Exception as error:  # any of the tool's own
            notes.append(checked.failed(error))
            raise
        notes.append(checked.returned(result))
        return result

    tool.forward = forward
