"""Strands' own agent with a scripted model."""

from __future__ import annotations

import json

from adapters.suite import AdapterSuite, Desk
from strands import Agent, tool
from strands.models import Model

from truepath import Guard
from truepath.adapters.strands import PathHooks


class Scripted(Model):
    def __init__(self, turns):
        self.turns, self.ids = iter(turns), iter(range(1000))

    def update_config(self, **config): ...

    def get_config(self):
        return {}

    async def structured_output(self, *rest, **how):
        yield {}

    async def stream(self, messages, *rest, **how):
        turn = next(self.turns, ())
        yield {"messageStart": {"role": "assistant"}}
        for call in turn:
            use = {"name": call.tool, "toolUseId": f"call{next(self.ids)}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            written = json.dumps(dict(call.arguments))
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": written}}}}
            yield {"contentBlockStop": {}}
        if not turn:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if turn else "end_turn"}}


def agent(guard, tools, turns):
    hooks = [PathHooks(guard)] if guard else []
    tools = [tool(each) for each in tools]
    return Agent(model=Scripted(turns), tools=tools, hooks=hooks, callback_handler=None)


def received(it):
    results = {}
    order = []
    for message in it.messages:
        for part in message["content"]:
            order += [part["toolUse"]["toolUseId"]] if "toolUse" in part else []
            if "toolResult" in part:
                texts = [each.get("text", "") for each in part["toolResult"]["content"]]
                results[part["toolResult"]["toolUseId"]] = "\n".join(texts)
    return [results[each] for each in order]


class TestSync(AdapterSuite):
    def play(self, guard, tools, turns):
        it = agent(guard, tools, turns)
        it("go")
        return received(it)


class TestAsync(AdapterSuite):
    async def play(self, guard, tools, turns):
        it = agent(guard, tools, turns)
        await it.invoke_async("go")
        return received(it)


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        assert tool(guard.wrap(each)).tool_spec == tool(each).tool_spec
