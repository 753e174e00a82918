"""LangChain and LangGraph: a middleware that checks the paths of every tool call.

Observed with langchain 1.4.7 and langgraph 1.2.22.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from truepath.guard.checked_call import CheckedCall, in_thread
from truepath.guard.guard import Guard
from truepath.types import ToolCall

Answer: TypeAlias = "ToolMessage | Command[Any]"


class PathMiddleware(AgentMiddleware):
    """Checks the paths of an agent's tool calls, sync and async.

    A note comes before the content of the tool's message; a refusal is a message with
    status `error`.
    """

    def __init__(self, guard: Guard, *, approved: Collection[str] = ()) -> None:
        """Check calls with `guard`.

        `approved` names tools whose calls a person approves, as in `interrupt_on`: a
        wrong path in them is refused with the right one, never corrected.
        """
        super().__init__()
        self.guard = guard
        self._approved = frozenset(approved)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        """Check a call, then run it."""
        checked = self.check(request)
        if checked.refusal:
            return _refused(request, checked)
        # What a tool raises passes: 1.4.7 makes messages of wrong arguments alone, and
        # ends the run with any other exception.
        return _with_note(checked, handler(self.corrected(request, checked)))

    # The base class's raises: an agent that is awaited calls this one alone (1.4.7).
    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[Answer]],
    ) -> Answer:
        checked = await self.acheck(request)
        if checked.refusal:
            return _refused(request, checked)
        answer = await handler(self.corrected(request, checked))
        # What failed is explained from the disk, which would block the loop.
        text = getattr(answer, "text", "")
        if getattr(answer, "status", "") == "error" or checked.before.proves(text):
            return await in_thread(lambda: _with_note(checked, answer))
        return _with_note(checked, answer)

    def check(self, request: ToolCallRequest) -> CheckedCall:
        """Return the call, checked."""
        return self.guard.check(self.call(request))

    async def acheck(self, request: ToolCallRequest) -> CheckedCall:
        """Return the call, checked without blocking the event loop."""
        return await self.guard.acheck(self.call(request))

    def call(self, request: ToolCallRequest) -> ToolCall:
        """Return the call that a request asks for."""
        wanted = request.tool_call
        return ToolCall(
            wanted["name"],
            wanted["args"],
            session=_thread(request),
            host="langchain",
            # Of `FilesystemFileSearchMiddleware` (1.4), and of the community's toolkit.
            search_tools=("glob_search", "grep_search", "list_directory"),
            call_id=wanted["id"] or "",
            turn=_turn(request),
            approved=wanted["name"] in self._approved,
        )

    def corrected(
        self, request: ToolCallRequest, checked: CheckedCall
    ) -> ToolCallRequest:
        """Return the request to run."""
        if checked.decision.action != "rewrite":
            return request
        # A copy: 1.4.7 deprecates to assign to a request. The model's message keeps
        # what it wrote, so the note says what was run.
        return request.override(
            tool_call={**request.tool_call, "args": checked.arguments}
        )


def _thread(request: ToolCallRequest) -> str:
    # Only an agent with a checkpointer has a thread.
    config = getattr(request.runtime, "config", None) or {}
    return str(config.get("configurable", {}).get("thread_id", ""))


def _turn(request: ToolCallRequest) -> str:
    """Return the id of the message that made this turn's calls; "" if it has none."""
    state = request.state
    messages = state.get("messages", ()) if isinstance(state, Mapping) else ()
    answers = (message for message in reversed(messages) if message.type == "ai")
    return str(getattr(next(answers, None), "id", "") or "")


def _refused(request: ToolCallRequest, checked: CheckedCall) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(
        checked.refusal, name=call["name"], tool_call_id=call["id"], status="error"
    )


def _with_note(checked: CheckedCall, answer: Answer) -> Answer:
    """Return the tool's answer with the note before it."""
    if isinstance(answer, Command):
        # A tool that changes the agent's state has its message in the update.
        update = answer.update if isinstance(answer.update, dict) else {}
        messages = update.get("messages")
        if not isinstance(messages, list):
            return answer
        noted_messages = [
            _with_note(checked, message)
            if isinstance(message, ToolMessage)
            else message
            for message in messages
        ]
        return replace(answer, update={**update, "messages": noted_messages})
    note = checked.returned(answer.text, failed=answer.status == "error")
    if not note:
        return answer
    # The content is a text, or a list of blocks and texts.
    content = answer.content
    noted = f"{note}\n{content}" if isinstance(content, str) else [note, *content]
    return answer.model_copy(update={"content": noted})
