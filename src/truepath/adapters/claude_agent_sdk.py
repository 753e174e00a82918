"""Claude Agent SDK: hooks that check the paths of every tool call, as those of Claude
Code do.

Observed with claude-agent-sdk 0.2.187, which brings Claude Code 2.1.330.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from claude_agent_sdk import HookMatcher

from truepath.guard.checked_call import in_thread
from truepath.guard.guard import Guard
from truepath.hosts.claude_code import host
from truepath.hosts.protocol import Exchange
from truepath.types import Decision, ToolCall

_EVENTS = ("PreToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit")
"""An Edit of a missing file is only reported in the batch (2.1.330). Its event is none
of the ten in the SDK's type (0.2.187), but is sent all the same."""


def hooks(guard: Guard) -> dict[Any, list[HookMatcher]]:
    """Return hooks that check the paths of tool calls:
    `ClaudeAgentOptions(hooks=hooks(guard))`.

    They grant nothing: the agent's permissions apply to a corrected call. Commands are
    never corrected, because rules on commands are applied to what the model wrote. Put
    what `disallowed_tools` hides into truepath's `deny` too.
    """
    batches: Counter[str] = Counter()

    async def answer(
        event: Mapping[str, Any], tool_use_id: str | None, context: Any
    ) -> Any:
        del tool_use_id, context
        agent = f"{event.get('session_id')} {event.get('agent_id')}"
        turn = f"batch-{batches[agent]}"
        # Events name no turn, but a batch of calls ends one.
        if event.get("hook_event_name") == "PostToolBatch":
            batches[agent] += 1
        return await in_thread(lambda: _answer(guard, event, turn))

    # Without a matcher, a hook gets the calls of every tool, an MCP server's too.
    return {event: [HookMatcher(hooks=[answer])] for event in _EVENTS}


def _answer(guard: Guard, event: Mapping[str, Any], turn: str) -> dict[str, Any]:
    answer: dict[str, Any] | None = None
    with guard.failing_open(ToolCall("", host=host.NAME)):
        # Claude Code's variables are those of the process that the SDK starts.
        request = host.decode(event, {})
        if request is not None and request.phase == "prompt":
            guard.prompted(request.exchanges[0].call)
        elif request is not None and request.exchanges:
            decisions = [
                _decided(guard, turn, exchange) for exchange in request.exchanges
            ]
            answer = host.encode(request, decisions)
    return answer or {}


def _decided(guard: Guard, turn: str, exchange: Exchange) -> Decision:
    call = replace(exchange.call, turn=turn)
    if exchange.outcome is None:
        # Rules on commands are applied to what the model wrote, not to what would run.
        return guard.before(replace(call, approved=call.tool == "Bash"))
    return guard.after(call, exchange.outcome)
